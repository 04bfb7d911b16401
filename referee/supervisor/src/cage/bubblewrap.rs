//! The strict sandbox by bubblewrap, an external program: name spaces of the kernel in which a
//! bot sees the system's files, its own, and nothing else. See bwrap(1).

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::account::Account;
use super::view::View;

/// The folders whose files are in memory.
pub(super) const IN_MEMORY: [&str; 2] = ["/tmp", "/dev/shm"];
/// What the kernel has in `/proc` to be set up; none of it is a bot's to set.
const SETTINGS: [&str; 4] = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"];

/// What the kernel tells there about more than the sandbox.
const TOLD: [&str; 2] = ["/proc/keys", "/proc/key-users"];

/// The program.
const PROGRAM: &str = "bwrap";

/// Bubblewrap as this machine has it.
#[derive(Clone, Debug)]
pub struct Bubblewrap {
    program: PathBuf,
    /// Whether root runs it, and so needs no user name space to set up the others.
    root: bool,
    /// As it tells it, such as `bubblewrap 0.8.0`.
    pub version: String,
}

impl Bubblewrap {
    /// Looks for it and tries it out.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    pub fn find(account: &Account) -> Result<Self, String> {
        if let Account::Stuck(why) = account {
            return Err(why.clone());
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let mut folders = env::split_paths(&path);
        let program = folders
            .find_map(|folder| Some(folder.join(PROGRAM)).filter(|path| path.is_file()))
            .ok_or_else(|| format!("there is no `{PROGRAM}` on the PATH"))?;
        let asked = Command::new(&program).arg("--version").output();
        let told = asked.map_err(|error| format!("`{}`: {error}", program.display()))?;
        let version = String::from_utf8_lossy(&told.stdout).trim().to_owned();
        let found = Bubblewrap {
            program,
            root: account.ids().is_some(),
            version,
        };
        found.try_out()?;
        Ok(found)
    }

    /// Whether this user may use it, with all that a bot gets.
    fn try_out(&self) -> Result<(), String> {
        let command = self.command(
            &View::system(),
            1 << 20,
            Path::new("/"),
            &["true".to_owned()],
        );
        let [program, arguments @ ..] = &command[..] else {
            return Err("there is no command".to_owned());
        };
        let ran = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .output();
        match ran {
            Ok(ran) if ran.status.success() => Ok(()),
            Ok(ran) => {
                let told = String::from_utf8_lossy(&ran.stderr);
                let told = told.lines().next_back().unwrap_or("it does not say why");
                Err(format!(
                    "`{}` does not work here: {told}",
                    self.program.display()
                ))
            }
            Err(error) => Err(format!("`{}`: {error}", self.program.display())),
        }
    }

    /// The command that starts another one in a sandbox with this view and so many bytes of
    /// `/tmp`.
    pub fn command(&self, view: &View, tmp: u64, dir: &Path, inner: &[String]) -> Vec<String> {
        let mut command = Arguments(vec![text(&self.program)]);
        // What is started in it is the first process there.
        command.push(&["--die-with-parent", "--as-pid-1"]);
        match self.root {
            // The init in it becomes another user, and gives up all rights.
            true => command.push(&[
                "--unshare-ipc",
                "--unshare-pid",
                "--unshare-net",
                "--unshare-uts",
                "--unshare-cgroup-try",
            ]),
            false => command.push(&["--unshare-all", "--unshare-user", "--cap-drop", "ALL"]),
        }
        for (link, target) in &view.links {
            command.push(&["--symlink", &text(target), &text(link)]);
        }
        for path in &view.system {
            command.bind(path);
        }
        for path in &view.masked {
            match path.is_dir() {
                true => command.empty(path),
                false => command.push(&["--ro-bind", "/dev/null", &text(path)]),
            }
        }
        command.push(&["--proc", "/proc", "--dev", "/dev"]);
        for path in SETTINGS.map(Path::new).iter().filter(|path| path.exists()) {
            command.bind(path);
        }
        for path in TOLD.map(Path::new).iter().filter(|path| path.exists()) {
            command.push(&["--ro-bind", "/dev/null", &text(path)]);
        }
        command.writable(IN_MEMORY[1], tmp);
        command.push(&["--remount-ro", "/dev"]);
        command.writable(IN_MEMORY[0], tmp);
        command.push(&["--symlink", "/tmp", "/var/tmp"]);
        for path in &view.own {
            // It would make them itself, but for their owner only.
            let way = path.ancestors().skip(1).filter(|way| !view.shows(way));
            let way: Vec<&Path> = way.collect();
            for folder in way.into_iter().rev().filter(|way| *way != Path::new("/")) {
                command.push(&["--dir", &text(folder)]);
            }
            command.bind(path);
        }
        for path in &view.hidden {
            match path.is_dir() {
                true => command.empty(path),
                false => command.push(&["--ro-bind", "/dev/null", &text(path)]),
            }
        }
        let dir = text(dir);
        command.push(&["--dir", &dir, "--remount-ro", "/", "--chdir", &dir, "--"]);
        command.0.extend(inner.iter().cloned());
        command.0
    }
}

struct Arguments(Vec<String>);

impl Arguments {
    fn push(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(|word| (*word).to_owned()));
    }

    /// A folder for files in memory, for everybody in the sandbox.
    fn writable(&mut self, path: &str, size: u64) {
        let size = size.to_string();
        self.push(&["--perms", "1777", "--size", &size, "--tmpfs", path]);
    }

    /// Nothing in the place of a folder.
    fn empty(&mut self, path: &Path) {
        let path = text(path);
        self.push(&["--size", "4096", "--tmpfs", &path, "--remount-ro", &path]);
    }

    fn bind(&mut self, path: &Path) {
        self.push(&["--ro-bind", &text(path), &text(path)]);
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
