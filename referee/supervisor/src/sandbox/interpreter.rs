//! The program behind a bot's command: links lead to it, a virtual environment leads to the
//! installation that it was made from, and a script to its interpreter. A sandbox that hides files
//! may hide some of these.

use std::fs;
use std::path::{Path, PathBuf};

use super::mounts::{Mounts, MountsError};

/// More links than this in a row lead in a circle.
const MAX_LINKS: usize = 40;
/// The file that makes a folder a virtual environment of Python.
const VENV: &str = "pyvenv.cfg";
/// Interpreters that need the rest of their installation, by prefixes of their names.
const NEED_INSTALLATION: [&str; 6] = ["java", "julia", "perl", "pypy", "python", "ruby"];

/// A link on the way to a program, and its target.
pub(super) type Link = (PathBuf, PathBuf);

/// The links on the way from a path to its file.
pub(super) fn links(path: &Path) -> Vec<Link> {
    let mut links = Vec::new();
    let mut path = path.to_owned();
    while links.len() < MAX_LINKS {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        let (Some(folder), Some(name)) = (folder, path.file_name()) else {
            break;
        };
        let place = folder.join(name);
        let Ok(target) = place.read_link() else { break };
        path = folder.join(&target);
        links.push((place, target));
    }
    links
}

/// The error that a program needs folders that are not shown; `None` if it is not known to need
/// any.
pub(super) fn hidden_installation(program: &Path, mounts: &Mounts) -> Option<MountsError> {
    let hidden = |folder: &PathBuf| !mounts.shows(folder);
    let missing: Vec<PathBuf> = installations(program).into_iter().filter(hidden).collect();
    (!missing.is_empty()).then(|| MountsError::HiddenInstallation {
        program: program.to_owned(),
        missing,
    })
}

/// The folders that a program needs besides its own file.
fn installations(program: &Path) -> Vec<PathBuf> {
    if let Some(venv) = virtual_environment(program) {
        let mut folders = vec![venv.clone()];
        folders.extend(home_of(&venv).and_then(|home| prefix(&home)));
        return folders;
    }
    let Ok(real) = program.canonicalize() else {
        return Vec::new();
    };
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    let needs_more = NEED_INSTALLATION
        .iter()
        .any(|begin| name.starts_with(begin));
    let folder = real.parent().filter(|_| needs_more);
    folder.and_then(prefix).into_iter().collect()
}

/// The virtual environment that contains a program.
fn virtual_environment(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?.parent()?.canonicalize().ok()?;
    folder.join(VENV).is_file().then_some(folder)
}

/// The folder of the interpreter that a virtual environment is made from.
fn home_of(venv: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(venv.join(VENV)).ok()?;
    let mut fields = text.lines().filter_map(|line| line.split_once('='));
    let (_, home) = fields.find(|(key, _)| key.trim() == "home")?;
    Path::new(home.trim()).canonicalize().ok()
}

/// The installation whose programs are in this folder.
fn prefix(folder: &Path) -> Option<PathBuf> {
    let prefix = folder.parent().filter(|_| folder.ends_with("bin"))?;
    prefix.join("lib").is_dir().then(|| prefix.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A virtual environment whose interpreter is a link to a link, as those of pyenv are.
    fn venv(top: &Path) -> PathBuf {
        for folder in ["python/bin", "python/lib", "bot/venv/bin"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        fs::write(top.join("python/bin/python3.11"), "").unwrap();
        symlink("python3.11", top.join("python/bin/python3")).unwrap();
        let program = top.join("bot/venv/bin/python");
        symlink(top.join("python/bin/python3"), &program).unwrap();
        let home = top.join("python/bin");
        let text = format!("home = {}\nversion = 3.11\n", home.display());
        fs::write(top.join("bot/venv/pyvenv.cfg"), text).unwrap();
        program
    }

    #[test]
    fn links_are_followed_to_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let program = venv(&top);
        let python = top.join("python/bin/python3");
        let expected = [
            (program.clone(), python.clone()),
            (python, PathBuf::from("python3.11")),
        ];
        assert_eq!(links(&program), expected);
        assert_eq!(links(&top.join("python/bin/python3.11")), []);
        symlink("circle", top.join("circle")).unwrap();
        assert_eq!(links(&top.join("circle")).len(), MAX_LINKS);
    }

    #[test]
    fn a_hidden_installation_is_named_with_the_key_that_shows_it() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let program = venv(&top);
        let mut mounts = Mounts {
            own: vec![top.join("bot")],
            ..Mounts::default()
        };
        let python = top.join("python");
        let why = hidden_installation(&program, &mounts).unwrap().to_string();
        let advice = format!("add `readable = [\"{}\"]`", python.display());
        assert!(why.ends_with(&advice), "{why}");
        // Without a virtual environment, too.
        let why = hidden_installation(&python.join("bin/python3"), &mounts)
            .unwrap()
            .to_string();
        assert!(why.ends_with(&advice), "{why}");
        mounts.own.push(python);
        assert_eq!(hidden_installation(&program, &mounts), None);
        let other = top.join("bot/mybot");
        fs::write(&other, "").unwrap();
        assert_eq!(hidden_installation(&other, &Mounts::default()), None);
    }
}
