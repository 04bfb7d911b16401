//! The site of a tournament with the red team: programs that every user may run, folders to
//! protect, and their paths for the tricks.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::options::{Tier, User};
use crate::traces::MARK;
use crate::{Arena, Ran};

/// The id of `nobody`, as an ordinary user.
const NOBODY: u32 = 65534;
/// A variable that the referee has in its environment, and bots should not.
const SECRET: &str = "RED_SECRET";
/// Text that is forged in a log, and its replacement of the same length.
const WORD: &str = "\"witness\"";
pub(super) const FORGED: &str = "\"forgery\"";
/// Memory limit of bots.
const MEMORY: &str = "256MiB";
const PROCESSES: u64 = 50;
const TMP_MIB: u64 = 16;

/// Copies of the programs where every user may read them.
pub(super) struct Programs {
    folder: TempDir,
}

impl Programs {
    pub(super) fn copy() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        open_for_all(folder.path());
        for program in [crate::referee(), crate::hostile()] {
            let name = program.file_name().expect("a name");
            fs::copy(program, folder.path().join(name)).expect("a copy of a program");
        }
        let programs = Programs { folder };
        if nix::unistd::geteuid().is_root() {
            // It says who runs it, and nothing else.
            let id = programs.setuid();
            let copied = fs::copy("/usr/bin/id", &id);
            copied
                .and_then(|_| fs::set_permissions(&id, fs::Permissions::from_mode(0o4755)))
                .expect("a program that belongs to root");
        }
        programs
    }

    pub(super) fn referee(&self) -> PathBuf {
        self.folder.path().join("referee")
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn hostile(&self) -> PathBuf {
        self.folder.path().join("hostile")
    }

    fn setuid(&self) -> PathBuf {
        self.folder.path().join("id")
    }

    pub(super) fn tricks(&self) -> Vec<String> {
        let output = Command::new(self.hostile()).arg("tricks").output();
        let listed = output.expect("the misbehaving bot runs").stdout;
        let listed = String::from_utf8_lossy(&listed);
        listed.lines().map(str::to_owned).collect()
    }
}

pub(super) struct Site<'a> {
    pub(super) arena: Arena,
    programs: &'a Programs,
    user: User,
    mark: String,
}

impl<'a> Site<'a> {
    /// Writes all files but the configuration. Tricks are tried in this seat only, if there is one.
    pub(super) fn new(programs: &'a Programs, user: User, seat: Option<u32>) -> Self {
        let arena = Arena::new("");
        let site = Site {
            mark: format!("redteam-{}", arena.path("").display()),
            arena,
            programs,
            user,
        };
        for folder in ["shared", "opponent", "attacker", "private", "tmp"] {
            fs::create_dir(site.arena.path(folder)).expect("a folder");
        }
        open_for_all(&site.arena.path(""));
        site.arena.write("private/secret", "secret\n");
        site.arena.write("private/writable", "");
        site.arena.write("private/removable", "");
        site.arena.write("opponent/secret", "secret\n");
        site.arena.write("shared/readable", "for everybody\n");
        site.arena
            .write("shared/targets.json", &site.targets(seat).to_string());
        let script = format!(
            "#!/bin/sh\nexec '{}' witness\n",
            programs.hostile().display()
        );
        site.arena.write("opponent/script", &script);
        for (name, mode) in [
            ("opponent/script", 0o755),
            ("private/writable", 0o666),
            ("private/secret", 0o600),
        ] {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(site.arena.path(name), mode).expect("a mode");
        }
        site
    }

    /// Makes a folder of it writable for everybody.
    pub(super) fn open(&self, folder: &str) {
        let mode = fs::Permissions::from_mode(0o777);
        fs::set_permissions(self.arena.path(folder), mode).expect("a mode");
    }

    fn targets(&self, seat: Option<u32>) -> Value {
        let path = |name: &str| self.arena.path(name);
        let private = [
            "private/secret",
            "opponent/secret",
            "t.toml",
            "out/games.jsonl",
        ];
        let (shown, records) = (["shared", "shared/readable"], ["out", "trace"]);
        let protected = [
            "private/writable",
            "private",
            "opponent/secret",
            "opponent/script",
            "opponent",
            "attacker",
            "out",
            "out/games.jsonl",
            "t.toml",
            "trace",
        ];
        json!({
            "secrets": private.map(path),
            "protected": protected.map(path),
            "only seat": seat,
            "shown": shown.map(path),
            "removable": path("private/removable"),
            "records": records.map(path),
            "script": path("opponent/script"),
            "unix": path("private/socket"),
            "shown unix": path("shared/socket"),
            "masked": [path("out"), path("attacker"), path("opponent")],
            "true word": WORD,
            "forged word": FORGED,
            "secret variable": SECRET,
            "setuid program": self.programs.setuid(),
            "processes": PROCESSES,
            "tmp": TMP_MIB << 20,
        })
    }

    /// Processes that are still there when supervisors have had the time to end all of them.
    pub(super) fn left_for_good(&self) -> Vec<u32> {
        let end = Instant::now() + Duration::from_secs(10);
        loop {
            let left = crate::traces::marked(&self.mark);
            if left.is_empty() || Instant::now() >= end {
                return left;
            }
            sleep(Duration::from_millis(50));
        }
    }

    /// The variable by which processes are found that are still there, as an entry of `env`.
    pub(super) fn mark(&self) -> String {
        format!("{MARK} = '{}'", self.mark)
    }

    /// A bot of the red team with a trick.
    pub(super) fn attacker(&self, trick: &str, more: &str) -> String {
        let command = format!(
            "['{}', 'redteam', '{trick}']",
            self.programs.hostile().display()
        );
        self.bot(trick, &command, "attacker", more)
    }

    pub(super) fn bot(&self, name: &str, command: &str, dir: &str, more: &str) -> String {
        format!(
            "[[bots]]\nname = \"{name}\"\ncommand = {command}\ndir = \"{dir}\"\n\
             env = {{ {MARK} = '{}', RED_TARGETS = '{}' }}\n\
             readable = [\"shared\", '{}']\n{more}\n",
            self.mark,
            self.arena.path("shared/targets.json").display(),
            self.programs.folder.path().display(),
        )
    }

    /// The bounds of all bots; without a sandbox there are none but the referee's own.
    pub(super) fn resources(tier: Tier) -> String {
        let kernel =
            format!("memory = \"{MEMORY}\"\nprocesses = {PROCESSES}\ntmp = \"{TMP_MIB}MiB\"\n");
        let kernel = match tier {
            Tier::None => "",
            _ => &kernel,
        };
        format!("[resources]\ninfo_bytes = \"1MiB\"\n{kernel}")
    }

    /// Changes the owner of all files to the user, if it is another one.
    pub(super) fn give_away(&self) {
        if gives_up_root(self.user) {
            give(&self.arena.path(""));
        }
    }

    pub(super) fn play(&self, configuration: &str) -> Played {
        self.arena.write("t.toml", configuration);
        self.give_away();
        let mut command = as_user(self.user, &self.programs.hostile());
        command
            .arg("outside")
            .arg(self.arena.path("shared/targets.json"))
            .arg(self.programs.referee())
            .args(self.arena.tournament())
            .arg("--quiet")
            .arg("--trace")
            .arg(self.arena.path("trace"))
            .env("TMPDIR", self.arena.path("tmp"))
            .env("HOME", self.arena.path("private"))
            .env(SECRET, "1")
            .current_dir(self.arena.path("private"))
            .stdin(Stdio::null());
        let ran: Ran = command.output().expect("the tournament runs").into();
        let report = fs::read_to_string(self.arena.path("shared/report.json"));
        let logged = self.arena.path("out/games.jsonl").exists();
        Played {
            records: if logged {
                self.arena.matches()
            } else {
                Vec::new()
            },
            report: serde_json::from_str(&report.unwrap_or_default()).unwrap_or_default(),
            left: crate::traces::marked(&self.mark),
            ran,
        }
    }
}

pub(super) fn as_user(user: User, program: &Path) -> Command {
    if !gives_up_root(user) {
        return Command::new(program);
    }
    let id = NOBODY.to_string();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "--"]);
    command.arg(program);
    command
}

fn gives_up_root(user: User) -> bool {
    user == User::Ordinary && nix::unistd::geteuid().is_root()
}

pub(super) struct Played {
    pub(super) ran: Ran,
    pub(super) records: Vec<Value>,
    /// Observations from outside of the sandbox.
    pub(super) report: Value,
    /// Remaining processes.
    pub(super) left: Vec<u32>,
}

fn open_for_all(folder: &Path) {
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder, mode).expect("a mode");
}

/// Changes the owner of a folder and all in it to `nobody`.
fn give(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).expect("another owner");
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a folder").flatten() {
            give(&entry.path());
        }
    }
}
