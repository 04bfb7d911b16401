//! What a bot sees of the machine's files in the strict sandbox.

use std::env;
use std::path::{Path, PathBuf};

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
    /// Folders in all these that are empty instead.
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

    /// What a bot with this folder sees that is allowed to read these besides; `hidden` are
    /// folders that it must not see, unless its own lies in them.
    ///
    /// # Errors
    /// If that would show somebody's home.
    pub fn of_bot(dir: &Path, readable: &[PathBuf], hidden: &[PathBuf]) -> Result<Self, String> {
        let mut view = View::system();
        let dir = real(dir);
        if let Some(home) = homes().iter().find(|home| home.starts_with(&dir)) {
            return Err(format!(
                "its folder `{}` holds the home directory `{}`, which the strict sandbox does \
                 not show; give it a `dir` of its own",
                dir.display(),
                home.display()
            ));
        }
        let mut own: Vec<PathBuf> = readable.iter().map(|path| real(path)).collect();
        own.push(dir.clone());
        for path in own {
            if !view.own.contains(&path) && !view.shows(&path) {
                view.own.push(path);
            }
        }
        // What is inside another one comes after it.
        view.own.sort();
        for path in hidden.iter().map(|path| real(path)) {
            if !dir.starts_with(&path) && path.is_dir() && view.shows(&path) {
                view.hidden.push(path);
            }
        }
        Ok(view)
    }

    /// Whether a path lies in what is there so far.
    fn shows(&self, path: &Path) -> bool {
        let all = self.system.iter().chain(&self.own);
        all.into_iter().any(|shown| path.starts_with(shown))
    }

    /// Everything that may be read, in one list.
    pub fn readable(&self) -> impl Iterator<Item = &PathBuf> {
        self.system.iter().chain(&self.own)
    }
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
        let view = View::of_bot(&mine, std::slice::from_ref(&tool), &hidden).unwrap();
        assert_eq!(view.own, [mine.clone(), tool]);
        assert_eq!(
            view.hidden,
            [runs],
            "the other is not there in the first place"
        );
        let wide = View::of_bot(&mine, std::slice::from_ref(&top), &hidden).unwrap();
        assert!(wide.hidden.contains(&other));
        assert!(!wide.hidden.contains(&top), "its own folder is in it");
        let error = View::of_bot(Path::new("/"), &[], &[]).unwrap_err();
        assert!(error.contains("home directory"), "{error}");
    }
}
