//! The files that a bot's command names: their digests, for the log, and their owners.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::spec::{BotSpec, REFEREE};
use crate::sandbox::mounts;

/// SHA-256 of files, in hexadecimal digits, by file name.
pub(crate) type Digests = BTreeMap<String, String>;

/// Bytes of the largest file that is read: a larger one is no script, and would take long.
const MAX_SIZE: u64 = 64 << 20;

/// The files of a bot as they were when last checked.
#[derive(Debug, Default)]
pub(super) struct BotFiles {
    stamps: Vec<(PathBuf, Stamp)>,
    digests: Arc<Digests>,
}

/// What changes when a file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    /// The same of the last change of the file's metadata.
    changed: (i64, i64),
}

/// What a check has found.
pub(super) struct FileCheck {
    /// The digests of the files now.
    pub(super) digests: Arc<Digests>,
    /// The files that have changed since the check before.
    pub(super) changed: Vec<String>,
}

impl BotFiles {
    /// Checks the files, and reads them if they may have changed.
    pub(super) fn check(&mut self, spec: &BotSpec) -> FileCheck {
        let files = of(spec);
        let with_stamps = files.map(|(path, about)| (path, stamp(&about)));
        let stamps: Vec<(PathBuf, Stamp)> = with_stamps.collect();
        let first = self.stamps.is_empty();
        if stamps == self.stamps {
            return FileCheck {
                digests: self.digests.clone(),
                changed: Vec::new(),
            };
        }
        let digests = stamps.iter().filter_map(|(path, _)| {
            let name = path.strip_prefix(&spec.dir).unwrap_or(path);
            Some((name.display().to_string(), digest(path).ok()?))
        });
        let digests: Digests = digests.collect();
        let is_new = |(name, _): &(&String, &String)| self.digests.get(*name) != digests.get(*name);
        let changed = digests.iter().filter(is_new).map(|(name, _)| name.clone());
        let changed = changed.filter(|_| !first).collect();
        self.stamps = stamps;
        self.digests = Arc::new(digests);
        FileCheck {
            digests: self.digests.clone(),
            changed,
        }
    }
}

/// The owners of a bot's files, except root, whose files are for everybody.
pub(super) fn owners(spec: &BotSpec) -> Vec<u32> {
    let dir = fs::metadata(&spec.dir).ok().filter(|_| spec.shows_dir);
    let files = of(spec).map(|(_, about)| about);
    let owners = files.chain(dir).map(|about| about.uid());
    owners.filter(|owner| *owner != 0).collect()
}

/// The program, unless it is the system's or the referee's, and the files that its arguments name.
fn of(spec: &BotSpec) -> impl Iterator<Item = (PathBuf, Metadata)> {
    let program = match spec.command.first() {
        Some(program) if program != REFEREE => spec.program().ok(),
        _ => None,
    };
    let program = program.filter(|path| !mounts::is_system_file(path));
    let arguments = spec.command.iter().skip(1).map(|word| spec.dir.join(word));
    program.into_iter().chain(arguments).filter_map(|path| {
        let about = fs::metadata(&path).ok()?;
        (about.is_file() && about.len() <= MAX_SIZE).then_some((path, about))
    })
}

fn stamp(about: &Metadata) -> Stamp {
    Stamp {
        device: about.dev(),
        inode: about.ino(),
        size: about.len(),
        modified: (about.mtime(), about.mtime_nsec()),
        changed: (about.ctime(), about.ctime_nsec()),
    }
}

fn digest(path: &Path) -> io::Result<String> {
    let bytes = Sha256::digest(fs::read(path)?);
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::TimeControl;

    #[test]
    fn a_script_that_changes_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("bot.py");
        fs::write(&script, "abc").unwrap();
        let command = ["sh", "bot.py", "--fast"].map(str::to_owned).to_vec();
        let time = TimeControl::default();
        let spec = BotSpec::new("x".to_owned(), command, folder.path().to_owned(), &time);
        let mut files = BotFiles::default();
        let found = files.check(&spec);
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(found.digests.get("bot.py").map(String::as_str), Some(abc));
        assert_eq!(found.digests.len(), 1, "the shell is the system's");
        assert!(files.check(&spec).changed.is_empty());
        fs::write(&script, "abcd").unwrap();
        assert_eq!(files.check(&spec).changed, ["bot.py"]);
        assert!(files.check(&spec).changed.is_empty());
        let mine = fs::metadata(&script).unwrap().uid();
        assert!(owners(&spec).iter().all(|owner| *owner == mine));
    }
}
