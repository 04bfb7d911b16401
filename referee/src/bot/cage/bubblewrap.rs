//! The strict sandbox by bubblewrap, an external program: name spaces of the kernel in which a
//! bot sees the system's files, its own, and nothing else. See bwrap(1).

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::view::View;

/// The program.
const PROGRAM: &str = "bwrap";

/// Bubblewrap as this machine has it.
#[derive(Clone, Debug)]
pub struct Bubblewrap {
    program: PathBuf,
    /// As it tells it, such as `bubblewrap 0.8.0`.
    pub version: String,
}

impl Bubblewrap {
    /// Looks for it and tries it out.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    pub fn find() -> Result<Self, String> {
        let path = env::var_os("PATH").unwrap_or_default();
        let mut folders = env::split_paths(&path);
        let program = folders
            .find_map(|folder| Some(folder.join(PROGRAM)).filter(|path| path.is_file()))
            .ok_or_else(|| format!("there is no `{PROGRAM}` on the PATH"))?;
        let asked = Command::new(&program).arg("--version").output();
        let told = asked.map_err(|error| format!("`{}`: {error}", program.display()))?;
        let version = String::from_utf8_lossy(&told.stdout).trim().to_owned();
        let found = Bubblewrap { program, version };
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
        // A user name space in any case, so that being root outside means nothing inside.
        command.push(&["--unshare-all", "--unshare-user", "--die-with-parent"]);
        command.push(&["--cap-drop", "ALL"]);
        for (link, target) in &view.links {
            command.push(&["--symlink", &text(target), &text(link)]);
        }
        for path in &view.system {
            command.bind(path);
        }
        for path in &view.masked {
            match path.is_dir() {
                true => command.push(&["--tmpfs", &text(path)]),
                false => command.push(&["--ro-bind", "/dev/null", &text(path)]),
            }
        }
        command.push(&["--proc", "/proc", "--dev", "/dev"]);
        let size = tmp.to_string();
        command.push(&[
            "--size",
            &size,
            "--tmpfs",
            "/dev/shm",
            "--remount-ro",
            "/dev",
        ]);
        command.push(&[
            "--size",
            &size,
            "--tmpfs",
            "/tmp",
            "--symlink",
            "/tmp",
            "/var/tmp",
        ]);
        for path in &view.own {
            command.bind(path);
        }
        for path in &view.hidden {
            command.push(&[
                "--size",
                "4096",
                "--tmpfs",
                &text(path),
                "--remount-ro",
                &text(path),
            ]);
        }
        command.push(&["--remount-ro", "/", "--chdir", &text(dir), "--"]);
        command.0.extend(inner.iter().cloned());
        command.0
    }
}

struct Arguments(Vec<String>);

impl Arguments {
    fn push(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(|word| (*word).to_owned()));
    }

    fn bind(&mut self, path: &Path) {
        self.push(&["--ro-bind", &text(path), &text(path)]);
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
