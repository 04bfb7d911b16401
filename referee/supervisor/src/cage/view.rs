//! What a bot sees of the machine's files in the strict sandbox.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::limits::Sandbox;
use crate::spec::BotSpec;

/// Folders that belong to the system, wherever they are there.
const SYSTEM: [&str; 10] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
];
/// What is nobody's business, though it lies there.
const SECRET: [&str; 8] = [
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssh",
    "/etc/ssl/private",
];
/// Where users have their folders.
const HOMES: [&str; 3] = ["/home", "/root", "/Users"];

/// Which files there are, all of them to be read only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Links of the system, with their targets.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Folders of the system.
    pub system: Vec<PathBuf>,
    /// Files and folders in them that are empty instead.
    pub masked: Vec<PathBuf>,
    /// The bot's folder and program, and what else it may read.
    pub own: Vec<PathBuf>,
    /// Files and folders in all these that are empty instead.
    pub hidden: Vec<PathBuf>,
}

impl View {
    /// What everybody sees.
    pub fn system() -> Self {
        let mut view = View::default();
        for path in SYSTEM.map(PathBuf::from) {
            match path.read_link() {
                Ok(target) => view.links.push((path, target)),
                Err(_) if path.is_dir() => view.system.push(path),
                Err(_) => {}
            }
        }
        let secret = SECRET.map(PathBuf::from);
        view.masked = secret.into_iter().filter(|path| path.exists()).collect();
        view
    }

    /// What a bot sees that is allowed to read these besides; `hidden` are files and folders that
    /// it must not see, unless its own folder lies in them.
    ///
    /// # Errors
    /// If that would show somebody's home.
    pub fn of_bot(bot: &BotSpec, readable: &[PathBuf], hidden: &[PathBuf]) -> Result<Self, String> {
        let mut view = View::system();
        let dir = real(&bot.dir);
        let mut own: Vec<PathBuf> = readable.iter().map(|path| real(path)).collect();
        match bot.shows_dir {
            true => own.push(dir.clone()),
            false => own.extend(named_files(&bot.command, &dir)),
        }
        if let (true, Some(home)) = (bot.shows_dir, homes().iter().find(|h| h.starts_with(&dir))) {
            return Err(format!(
                "its folder `{}` holds the home directory `{}`, which the strict sandbox does \
                 not show; give it a `dir` of its own",
                dir.display(),
                home.display()
            ));
        }
        for path in own {
            if !view.own.contains(&path) && !view.shows(&path) {
                view.own.push(path);
            }
        }
        // What is inside another one comes after it.
        view.own.sort();
        let hidden = hidden.iter().map(|path| real(path));
        for path in hidden.filter(|path| !dir.starts_with(path)) {
            if path.exists() && view.shows(&path) && !view.own.contains(&path) {
                view.hidden.push(path);
            }
        }
        Ok(view)
    }

    /// Whether somebody who owns nothing here can read all that the bot has of its own.
    ///
    /// # Errors
    /// What cannot be read, and how that is changed, as a sentence.
    pub fn check_rights(&self, sandbox: Sandbox) -> Result<(), String> {
        let closed = |path: &&Path| {
            let needed = match path.is_dir() {
                true => 0o005,
                false => 0o004,
            };
            path.metadata()
                .is_ok_and(|meta| meta.permissions().mode() & needed != needed)
        };
        // Without mounts of its own, all folders on the way must be open, too.
        let on_the_way = |path: &'_ Path| -> Vec<PathBuf> {
            let way = path.ancestors().skip(1);
            match sandbox == Sandbox::Restricted {
                true => way.map(Path::to_owned).collect(),
                false => Vec::new(),
            }
        };
        for path in &self.own {
            let way = on_the_way(path);
            let mut all = way.iter().map(PathBuf::as_path).chain([path.as_path()]);
            if let Some(closed) = all.find(closed) {
                return Err(format!(
                    "`{}` is for its owner only, and in the sandbox `{}` the bot runs as a user of \
                     its own where root runs the referee; `chmod o+rX {}` opens it for reading",
                    closed.display(),
                    sandbox.name(),
                    closed.display()
                ));
            }
        }
        Ok(())
    }

    /// Whether a path lies in what is there so far.
    pub fn shows(&self, path: &Path) -> bool {
        let all = self.system.iter().chain(&self.own);
        all.into_iter().any(|shown| path.starts_with(shown))
    }

    /// Everything that may be read, in one list.
    pub fn readable(&self) -> impl Iterator<Item = &PathBuf> {
        self.system.iter().chain(&self.own)
    }
}

/// Whether a file belongs to the system, for everybody to use.
pub(crate) fn is_the_systems(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// The files in a folder that a command names.
fn named_files(command: &[String], dir: &Path) -> impl Iterator<Item = PathBuf> {
    let named = command.iter().map(|word| real(&dir.join(word)));
    named.filter(move |path| path.starts_with(dir) && path.is_file())
}

/// A path without links, if it is there.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn homes() -> Vec<PathBuf> {
    let mine = env::var_os("HOME").map(PathBuf::from);
    let mine = mine.filter(|home| home.is_absolute() && home != Path::new("/"));
    let usual = HOMES.iter().map(PathBuf::from);
    usual
        .filter(|home| home.is_dir())
        .chain(mine)
        .map(|home| real(&home))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn bot(dir: &Path, shows_dir: bool) -> BotSpec {
        let command = ["python3", "bot.py", "--level=3"]
            .map(str::to_owned)
            .to_vec();
        let time = protocol::TimeControl::default();
        let mut bot = BotSpec::new("x".to_owned(), command, dir.to_owned(), &time);
        bot.shows_dir = shows_dir;
        bot
    }

    #[test]
    fn others_are_hidden_and_homes_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let dirs = ["mine", "mine/runs", "other", "mine/tool"].map(|name| top.join(name));
        for dir in &dirs {
            fs::create_dir(dir).unwrap();
        }
        let [mine, runs, other, tool] = dirs;
        let hidden = [runs.clone(), other.clone(), top.clone()];
        let of_bot = |dir: &Path, readable: &Path| {
            View::of_bot(&bot(dir, true), &[readable.to_owned()], &hidden)
        };
        let view = of_bot(&mine, &tool).unwrap();
        assert_eq!(view.own, [mine.clone(), tool]);
        assert_eq!(
            view.hidden,
            [runs],
            "the other is not there in the first place"
        );
        let wide = of_bot(&mine, &top).unwrap();
        assert!(wide.hidden.contains(&other));
        assert!(!wide.hidden.contains(&top), "its own folder is in it");
        let error = of_bot(Path::new("/"), &mine).unwrap_err();
        assert!(error.contains("home directory"), "{error}");
    }

    #[test]
    fn without_a_folder_of_its_own_a_bot_sees_its_program_only() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for name in ["bot.py", "secret.toml"] {
            fs::write(top.join(name), "").unwrap();
        }
        let view = View::of_bot(&bot(&top, false), &[], &[]).unwrap();
        assert_eq!(view.own, [top.join("bot.py")]);
        let config = top.join("secret.toml");
        let view = View::of_bot(&bot(&top, true), &[], std::slice::from_ref(&config)).unwrap();
        assert_eq!((view.own, view.hidden), (vec![top], vec![config]));
    }

    #[test]
    fn what_only_root_can_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let inner = top.join("inner");
        fs::create_dir(&inner).unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&top, fs::Permissions::from_mode(0o700)).unwrap();
        let view = View::of_bot(&bot(&inner, true), &[], &[]).unwrap();
        assert_eq!(view.check_rights(Sandbox::Strict), Ok(()));
        let error = view.check_rights(Sandbox::Restricted).unwrap_err();
        assert!(
            error.contains(&format!("chmod o+rX {}", top.display())),
            "{error}"
        );
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o700)).unwrap();
        let error = view.check_rights(Sandbox::Strict).unwrap_err();
        assert!(error.contains("inner` is for its owner only"), "{error}");
    }
}
