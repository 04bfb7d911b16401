//! The machine's files that a bot sees: bubblewrap mounts them in the strict sandbox, and Landlock
//! allows to read them in the sandbox `restricted`.

use std::env;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::spec::bounds::OutOfBounds;
use crate::spec::system_files::{SECRET, SYSTEM};
use crate::spec::{BotSpec, Tier};

/// The folders that hold the home directories of users.
const HOMES: [&str; 3] = ["/home", "/root", "/Users"];

/// The reason why a bot would see too much or too little. Displays as a sentence about the bot.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MountsError {
    #[error(transparent)]
    OutOfBounds(#[from] OutOfBounds),
    #[error("`{0}` is not in its folder")]
    OutsideFolder(PathBuf),
    #[error(
        "its folder `{dir}` holds the home directory `{home}`, which the strict sandbox does not \
         show; give it a `dir` of its own"
    )]
    Home { dir: PathBuf, home: PathBuf },
    #[error(
        "`{path}` is for its owner only, and in the sandbox `{}` the bot runs as a user of \
         its own where root runs the referee; `chmod o+rX {path}` opens it for reading",
        tier.name()
    )]
    OwnerOnly { path: PathBuf, tier: Tier },
    #[error(
        "its program `{program}` needs {}, which its sandbox hides; add `readable = [{}]`",
        quoted(missing, '`'),
        quoted(missing, '"')
    )]
    HiddenInstallation {
        program: PathBuf,
        missing: Vec<PathBuf>,
    },
}

fn quoted(paths: &[PathBuf], mark: char) -> String {
    let quoted = paths
        .iter()
        .map(|path| format!("{mark}{}{mark}", path.display()));
    quoted.collect::<Vec<_>>().join(", ")
}

/// The files and folders that a bot sees, all of them read only but for those in `writable`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mounts {
    /// Links of the system, with their targets.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Folders of the system.
    pub system: Vec<PathBuf>,
    /// Files and folders in `system` that are shown empty.
    pub masked: Vec<PathBuf>,
    /// The bot's folder and program, and everything else that it may read.
    pub own: Vec<PathBuf>,
    /// Folders that it may write, all of them shown by the lists above.
    pub writable: Vec<PathBuf>,
    /// Files in those that it may not write.
    pub protected: Vec<PathBuf>,
    /// Files and folders that must not have been replaced when the bot starts, nor be reached by
    /// links: its author could put something else in their place.
    pub guarded: Vec<PathBuf>,
    /// Links outside of all these, on the way to the bot's program, with their targets.
    pub way: Vec<(PathBuf, PathBuf)>,
    /// Files and folders in any of these that are shown empty.
    pub hidden: Vec<PathBuf>,
}

impl Mounts {
    /// The mounts that every bot sees.
    pub fn system() -> Self {
        let mut mounts = Mounts::default();
        for path in SYSTEM.map(PathBuf::from) {
            match path.read_link() {
                Ok(target) => mounts.links.push((path, target)),
                Err(_) if path.is_dir() => mounts.system.push(path),
                Err(_) => {}
            }
        }
        let secret = SECRET.map(PathBuf::from);
        mounts.masked = secret.into_iter().filter(|path| path.exists()).collect();
        mounts
    }

    /// The mounts of a bot that may also read `readable`. It does not see the files and folders
    /// `hidden`, except one that contains the bot's own folder.
    ///
    /// # Errors
    /// If that would show a home directory.
    pub fn of_bot(
        bot: &BotSpec,
        readable: &[PathBuf],
        hidden: &[PathBuf],
    ) -> Result<Self, MountsError> {
        let mut mounts = Mounts::system();
        let dir = real(&bot.dir);
        let mut own: Vec<PathBuf> = readable.iter().map(|path| real(path)).collect();
        if bot.shows_dir {
            refuse_homes(&dir)?;
            own.push(dir.clone());
        } else {
            own.extend(named_files(&bot.command, &dir));
        }
        mounts.writable = bot.wanted.writable.iter().map(|path| real(path)).collect();
        own.extend(mounts.writable.iter().cloned());
        let protected = bot
            .wanted
            .protected
            .iter()
            .filter(|path| is_plain_file(path));
        mounts.protected = protected.map(|path| real(path)).collect();
        for path in own {
            if !mounts.own.contains(&path) && !mounts.shows(&path) {
                mounts.own.push(path);
            }
        }
        // A folder comes before what is inside it.
        mounts.own.sort();
        let hidden = hidden.iter().map(|path| real(path));
        for path in hidden.filter(|path| !dir.starts_with(path)) {
            if path.exists() && mounts.shows(&path) && !mounts.own.contains(&path) {
                mounts.hidden.push(path);
            }
        }
        Ok(mounts)
    }

    /// Shows the file that names the DNS servers, which may be a link to elsewhere.
    pub(crate) fn add_resolver(&mut self) {
        let resolver = real(Path::new("/etc/resolv.conf"));
        if resolver.is_file() && !self.shows(&resolver) {
            self.own.push(resolver);
        }
    }

    /// Checks that a user without special rights can read all of the bot's own files.
    pub(crate) fn check_rights(&self, tier: Tier) -> Result<(), MountsError> {
        let closed = |path: &&Path| {
            let needed = if path.is_dir() { 0o005 } else { 0o004 };
            path.metadata()
                .is_ok_and(|meta| meta.permissions().mode() & needed != needed)
        };
        // Where nothing is mounted, all folders on the way must be open, too.
        let on_the_way = |path: &'_ Path| -> Vec<PathBuf> {
            let way = path.ancestors().skip(1);
            let way = way.filter(|_| tier == Tier::Restricted);
            way.map(Path::to_owned).collect()
        };
        for path in &self.own {
            let way = on_the_way(path);
            let mut all = way.iter().map(PathBuf::as_path).chain([path.as_path()]);
            if let Some(closed) = all.find(closed) {
                let path = closed.to_owned();
                return Err(MountsError::OwnerOnly { path, tier });
            }
        }
        Ok(())
    }

    /// True if a path is in the system's folders or the bot's own.
    pub fn shows(&self, path: &Path) -> bool {
        self.readable().any(|shown| path.starts_with(shown))
    }

    /// The folders of the variable PATH that the bot sees.
    pub(crate) fn visible_path(&self) -> OsString {
        let path = env::var_os("PATH").unwrap_or_default();
        let visible = env::split_paths(&path).filter(|folder| {
            let linked = self.links.iter().any(|(link, _)| folder.starts_with(link));
            linked || self.shows(folder)
        });
        env::join_paths(visible).unwrap_or_default()
    }

    /// All files and folders that the bot may read.
    pub fn readable(&self) -> impl Iterator<Item = &PathBuf> {
        self.system.iter().chain(&self.own)
    }
}

fn is_plain_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_file())
}

/// Refuses a folder that holds a home directory.
fn refuse_homes(dir: &Path) -> Result<(), MountsError> {
    let dir = dir.to_owned();
    match homes().into_iter().find(|home| home.starts_with(&dir)) {
        None => Ok(()),
        Some(home) => Err(MountsError::Home { dir, home }),
    }
}

/// The files in a folder that a command names.
fn named_files(command: &[String], dir: &Path) -> impl Iterator<Item = PathBuf> {
    let named = command.iter().map(|word| real(&dir.join(word)));
    named.filter(move |path| path.starts_with(dir) && path.is_file())
}

/// A path without links, if it exists.
pub(super) fn real(path: &Path) -> PathBuf {
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
            Mounts::of_bot(&bot(dir, true), &[readable.to_owned()], &hidden)
        };
        let mounts = of_bot(&mine, &tool).unwrap();
        assert_eq!(mounts.own, [mine.clone(), tool]);
        assert_eq!(
            mounts.hidden,
            [runs],
            "the other is not there in the first place"
        );
        let wide = of_bot(&mine, &top).unwrap();
        assert!(wide.hidden.contains(&other));
        assert!(!wide.hidden.contains(&top), "its own folder is in it");
        let error = of_bot(Path::new("/"), &mine).unwrap_err().to_string();
        assert!(error.contains("home directory"), "{error}");
    }

    #[test]
    fn a_bot_without_a_folder_of_its_own_sees_only_its_program() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for name in ["bot.py", "secret.toml"] {
            fs::write(top.join(name), "").unwrap();
        }
        let mounts = Mounts::of_bot(&bot(&top, false), &[], &[]).unwrap();
        assert_eq!(mounts.own, [top.join("bot.py")]);
        let config = top.join("secret.toml");
        let mounts = Mounts::of_bot(&bot(&top, true), &[], std::slice::from_ref(&config)).unwrap();
        assert_eq!((mounts.own, mounts.hidden), (vec![top], vec![config]));
    }

    #[test]
    fn files_that_only_root_can_read_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let inner = top.join("inner");
        fs::create_dir(&inner).unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&top, fs::Permissions::from_mode(0o700)).unwrap();
        let mounts = Mounts::of_bot(&bot(&inner, true), &[], &[]).unwrap();
        assert_eq!(mounts.check_rights(Tier::Strict), Ok(()));
        let error = mounts
            .check_rights(Tier::Restricted)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!("chmod o+rX {}", top.display())),
            "{error}"
        );
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o700)).unwrap();
        let error = mounts.check_rights(Tier::Strict).unwrap_err().to_string();
        assert!(error.contains("inner` is for its owner only"), "{error}");
    }
}
