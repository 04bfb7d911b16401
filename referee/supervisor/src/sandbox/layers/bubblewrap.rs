//! Bubblewrap, an external program that makes the strict sandbox: namespaces of the kernel in which
//! a bot sees only the system's files and its own. See bwrap(1).

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sandbox::account::Account;
use crate::sandbox::mounts::Mounts;
use crate::system::children::OwnChild;

/// The folders whose files are in memory.
pub(crate) const IN_MEMORY: [&str; 2] = ["/tmp", "/dev/shm"];
/// Settings of the kernel in `/proc`, which no bot may change.
const SETTINGS: [&str; 4] = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"];

/// Files in `/proc` that reveal something about the world outside the sandbox.
const LEAKS: [&str; 2] = ["/proc/keys", "/proc/key-users"];

const PROGRAM: &str = "bwrap";

/// The installed bubblewrap.
#[derive(Clone, Debug)]
pub struct Bubblewrap {
    program: PathBuf,
    /// Root runs it, so that it needs no user namespace to set up the others.
    root: bool,
    /// As bubblewrap prints it, such as `bubblewrap 0.8.0`.
    pub version: String,
}

impl Bubblewrap {
    /// Searches the PATH for bubblewrap and tries it out.
    ///
    /// # Errors
    /// In words, if it cannot be used.
    pub fn find(account: &Account) -> Result<Self, String> {
        if let Account::Stuck(why) = account {
            return Err(why.clone());
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let mut folders = env::split_paths(&path);
        let program = folders
            .find_map(|folder| Some(folder.join(PROGRAM)).filter(|path| path.is_file()))
            .ok_or_else(|| format!("there is no `{PROGRAM}` on the PATH"))?;
        let asked = OwnChild::output(Command::new(&program).arg("--version"));
        let printed = asked.map_err(|error| format!("`{}`: {error}", program.display()))?;
        let version = String::from_utf8_lossy(&printed.stdout).trim().to_owned();
        let found = Bubblewrap {
            program,
            root: account.ids().is_some(),
            version,
        };
        found.try_out()?;
        Ok(found)
    }

    /// Checks that this user may use it, with all the arguments for a bot.
    fn try_out(&self) -> Result<(), String> {
        let command = self.command(
            &Mounts::system(),
            1 << 20,
            Path::new("/"),
            &["true".to_owned()],
            false,
        );
        let [program, arguments @ ..] = &command[..] else {
            return Err("there is no command".to_owned());
        };
        let mut command = Command::new(program);
        match OwnChild::output(command.args(arguments)) {
            Ok(ran) if ran.status.success() => Ok(()),
            Ok(ran) => {
                let printed = String::from_utf8_lossy(&ran.stderr);
                let why = printed.lines().next_back().unwrap_or("it does not say why");
                Err(format!(
                    "`{}` does not work here: {why}",
                    self.program.display()
                ))
            }
            Err(error) => Err(format!("`{}`: {error}", self.program.display())),
        }
    }

    /// The command that starts `inner` in a sandbox, in the working directory `dir`, with `tmp`
    /// bytes of `/tmp`, and with the machine's network or none.
    pub fn command(
        &self,
        mounts: &Mounts,
        tmp: u64,
        dir: &Path,
        inner: &[String],
        network: bool,
    ) -> Vec<String> {
        let mut command = Arguments(vec![text(&self.program)]);
        command.namespaces(self.root, network);
        command.system(mounts);
        command.kernel(tmp);
        command.own(mounts);
        let dir = text(dir);
        command.push(&["--dir", &dir, "--remount-ro", "/", "--chdir", &dir, "--"]);
        command.0.extend(inner.iter().cloned());
        command.0
    }
}

/// The arguments of bubblewrap. Later mounts cover earlier ones.
struct Arguments(Vec<String>);

impl Arguments {
    fn push(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(|word| (*word).to_owned()));
    }

    fn namespaces(&mut self, root: bool, network: bool) {
        // The command becomes the first process in the sandbox.
        self.push(&["--die-with-parent", "--as-pid-1"]);
        if root {
            // The init becomes another user, and drops all rights.
            self.push(&[
                "--unshare-ipc",
                "--unshare-pid",
                "--unshare-uts",
                "--unshare-cgroup-try",
            ]);
        } else {
            self.push(&["--unshare-all", "--unshare-user", "--cap-drop", "ALL"]);
        }
        match (root, network) {
            (true, false) => self.push(&["--unshare-net"]),
            (false, true) => self.push(&["--share-net"]),
            (true, true) | (false, false) => {}
        }
    }

    fn system(&mut self, mounts: &Mounts) {
        for (link, target) in &mounts.links {
            self.push(&["--symlink", &text(target), &text(link)]);
        }
        for path in &mounts.system {
            self.bind(path);
        }
        for path in &mounts.masked {
            self.mask(path);
        }
    }

    /// The kernel's files: processes, devices, and folders in memory, each of `tmp` bytes.
    fn kernel(&mut self, tmp: u64) {
        self.push(&["--proc", "/proc", "--dev", "/dev"]);
        for path in SETTINGS.map(Path::new).iter().filter(|path| path.exists()) {
            self.bind(path);
        }
        for path in LEAKS.map(Path::new).iter().filter(|path| path.exists()) {
            self.mask(path);
        }
        let [shared_memory, temporary] = [IN_MEMORY[1], IN_MEMORY[0]];
        self.writable(shared_memory, tmp);
        self.push(&["--remount-ro", "/dev"]);
        self.writable(temporary, tmp);
        self.push(&["--symlink", "/tmp", "/var/tmp"]);
    }

    /// The bot's own files, and the hidden ones.
    fn own(&mut self, mounts: &Mounts) {
        for path in &mounts.own {
            self.folders_above(path, mounts);
            self.bind(path);
        }
        for path in &mounts.writable {
            self.push(&["--bind", &text(path), &text(path)]);
        }
        for path in &mounts.protected {
            self.bind(path);
        }
        for (link, target) in &mounts.way {
            self.folders_above(link, mounts);
            self.push(&["--symlink", &text(target), &text(link)]);
        }
        for path in &mounts.hidden {
            self.mask(path);
        }
    }

    /// The folders that lead to a path. Bubblewrap itself would create them for their owner only.
    fn folders_above(&mut self, path: &Path, mounts: &Mounts) {
        let above = path.ancestors().skip(1).filter(|way| !mounts.shows(way));
        let above: Vec<&Path> = above.filter(|way| *way != Path::new("/")).collect();
        for folder in above.into_iter().rev() {
            self.push(&["--dir", &text(folder)]);
        }
    }

    /// A folder for files in memory, which every user in the sandbox may write.
    fn writable(&mut self, path: &str, size: u64) {
        let size = size.to_string();
        self.push(&["--perms", "1777", "--size", &size, "--tmpfs", path]);
    }

    /// Shows an empty file or folder instead.
    fn mask(&mut self, path: &Path) {
        let name = text(path);
        if path.is_dir() {
            self.push(&["--size", "4096", "--tmpfs", &name, "--remount-ro", &name]);
        } else {
            self.push(&["--ro-bind", "/dev/null", &name]);
        }
    }

    fn bind(&mut self, path: &Path) {
        self.push(&["--ro-bind", &text(path), &text(path)]);
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
