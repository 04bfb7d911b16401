//! What the end-to-end tests share: the built program, folders, waiting.

pub mod campaign;
pub mod chaos;
pub mod cluster;
pub mod flood;
pub mod model;
pub mod needs;
pub mod screen;
pub mod traces;
pub mod web;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use serde_json::Value;
use tempfile::TempDir;

/// The program `referee`, built in the same profile as the tests.
///
/// # Panics
/// If it cannot be built.
pub fn referee() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| program("referee", "referee"))
}

/// The misbehaving bot, built in the same way.
///
/// # Panics
/// If it cannot be built.
pub fn hostile() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| program("tests", "hostile"))
}

/// A program of this workspace, built in the same profile as the program that asks.
///
/// # Panics
/// If it cannot be built.
pub fn program(package: &str, name: &str) -> PathBuf {
    // Programs are in `target/PROFILE`, tests in the folder `deps` there.
    let myself = env::current_exe().expect("the path of this program");
    let mut folders = myself.ancestors().skip(1);
    let folder = folders.find(|folder| !folder.ends_with("deps"));
    let folder = folder.expect("a target folder");
    // `tests/run` has built them all, and runs each test in a process of its own.
    if env::var_os("PROGRAMS_ARE_BUILT").is_none() {
        let profile = match folder.file_name().and_then(OsStr::to_str) {
            None | Some("debug") => "dev",
            Some(profile) => profile,
        };
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", package, "--bin", name]);
        build.args(["--profile", profile]);
        if package == "referee" {
            build.args(["--features", "cluster"]);
        }
        // Of the package under test. Build scripts that look at them would run again, and what depends on
        // them would be built again, each time.
        let of_a_package =
            |key: &str| key.starts_with("CARGO_PKG_") || key.starts_with("CARGO_MANIFEST_");
        for (key, _) in env::vars().filter(|(key, _)| of_a_package(key)) {
            build.env_remove(key);
        }
        let status = build.current_dir(root()).status();
        let built = status.expect("cargo runs").success();
        assert!(built, "{name} does not build");
    }
    folder.join(name)
}

/// The top of the repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it printed about itself.
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs `referee` with these arguments.
///
/// # Panics
/// If it cannot be started.
pub fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Ran {
    let output = Command::new(referee())
        .args(args)
        .stdin(Stdio::null())
        .output();
    output.expect("referee runs").into()
}

/// What ended with exit code 0.
///
/// # Panics
/// If it did not.
#[track_caller]
pub fn good(ran: Ran) -> Ran {
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    ran
}

/// Makes sure that something ended with this exit code, and why.
///
/// # Panics
/// If it did not.
#[track_caller]
pub fn refused(ran: &Ran, code: i32, part: &str) {
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(part), "`{part}` in {}", ran.stderr);
}

/// The same, where all that it says about itself is one line.
///
/// # Panics
/// If it is not.
#[track_caller]
pub fn refused_in_one_line(ran: &Ran, code: i32, part: &str) {
    refused(ran, code, part);
    assert_eq!(ran.stderr.trim_end().lines().count(), 1, "{}", ran.stderr);
}

/// Runs `referee` with these words in the arena's folder.
///
/// # Panics
/// If it cannot be started.
pub fn run_in(arena: &Arena, args: &str) -> Ran {
    let mut command = Command::new(referee());
    command.args(args.split_whitespace());
    let output = command.current_dir(arena.path("")).output();
    output.expect("referee runs").into()
}

/// Checks a log, or that of a tournament's folder, against the rules.
///
/// # Panics
/// If `referee` cannot be started.
pub fn verify(log: impl AsRef<OsStr>) -> Ran {
    run(["replay".as_ref(), log.as_ref(), "--verify".as_ref()])
}

/// The same, where every match must be as the rules have it.
///
/// # Panics
/// If one is not.
#[track_caller]
pub fn verified(log: impl AsRef<OsStr>) -> Ran {
    good(verify(log))
}

/// A folder for one test, with a configuration in it.
#[derive(Debug)]
pub struct Arena {
    folder: TempDir,
}

impl Arena {
    /// A folder with this configuration.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("t.toml"), config).expect("a configuration");
        Arena { folder }
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file in the folder.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("a file");
        path
    }

    /// The arguments that play the configuration into the folder `out`.
    pub fn tournament(&self) -> Vec<PathBuf> {
        vec![
            "tournament".into(),
            self.path("t.toml"),
            "--out".into(),
            self.path("out"),
        ]
    }

    /// The command that plays the configuration, without a terminal or anything printed.
    pub fn silent(&self) -> Command {
        let mut command = Command::new(referee());
        command
            .args(self.tournament())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Plays the configuration.
    pub fn play(&self) -> Ran {
        run(self.tournament())
    }

    /// The matches of the log in `out`, by id.
    ///
    /// # Panics
    /// If there is no log or it is not one.
    pub fn matches(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.path("out/games.jsonl")).expect("a log");
        let lines = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("a match"));
        let mut matches: Vec<Value> = lines.collect();
        matches.sort_by_key(|record| record["match"].to_string());
        matches
    }
}

/// A match without what differs from run to run and from machine to machine: its times, and what
/// depends on them.
pub fn timeless(value: &Value) -> Value {
    const TIMES: [&str; 8] = [
        "started",
        "duration_ms",
        "ms",
        "cpu_ms",
        "suspended_ms",
        "load",
        "machine",
        "prev",
    ];
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(key, _)| !TIMES.contains(&&***key));
            let fields = fields.map(|(key, value)| (key.clone(), timeless(value)));
            Value::Object(fields.collect())
        }
        Value::Array(values) => values.iter().map(timeless).collect(),
        value => value.clone(),
    }
}

/// A line of a log as older versions wrote it: without the hash of the line before.
///
/// # Panics
/// If it is no line of a log.
pub fn unchained(line: &str) -> String {
    let (text, _) = line.rsplit_once(",\"prev\":").expect("a line with a hash");
    format!("{text}}}")
}

/// Waits until something holds.
///
/// # Panics
/// If it does not within a minute, which is long on any machine.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "waited too long for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
