//! The files that a bot consists of, as far as its command names them: what they are, for the log,
//! and whose.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::cage::view;
use super::spec::{BotSpec, REFEREE};

/// SHA-256 of files, in hexadecimal digits, by their names.
pub(super) type Digests = BTreeMap<String, String>;

/// A larger file is no script, and would take long to read.
const LARGEST: u64 = 64 << 20;

/// The files of a bot, as they were when they were last looked at.
#[derive(Debug, Default)]
pub(super) struct OwnFiles {
    seen: Vec<(PathBuf, Stamp)>,
    digests: Arc<Digests>,
}

/// What changes with a file.
type Stamp = (u64, u64, i64, i64, u64);

/// What a look has told.
pub(super) struct Look {
    /// What the files are now.
    pub(super) digests: Arc<Digests>,
    /// The files that are not what they were at the look before.
    pub(super) changed: Vec<String>,
}

impl OwnFiles {
    /// Looks at the files; reads them if they may have changed.
    pub(super) fn look(&mut self, spec: &BotSpec) -> Look {
        let files = of(spec);
        let with_stamps = files.map(|(path, about)| (path, stamp(&about)));
        let seen: Vec<(PathBuf, Stamp)> = with_stamps.collect();
        let first = self.seen.is_empty();
        if seen == self.seen {
            return Look {
                digests: self.digests.clone(),
                changed: Vec::new(),
            };
        }
        let digests = seen.iter().filter_map(|(path, _)| {
            let name = path.strip_prefix(&spec.dir).unwrap_or(path);
            Some((name.display().to_string(), digest(path).ok()?))
        });
        let digests: Digests = digests.collect();
        let is_new = |(name, _): &(&String, &String)| self.digests.get(*name) != digests.get(*name);
        let changed = digests.iter().filter(is_new).map(|(name, _)| name.clone());
        let changed = match first {
            true => Vec::new(),
            false => changed.collect(),
        };
        self.seen = seen;
        self.digests = Arc::new(digests);
        Look {
            digests: self.digests.clone(),
            changed,
        }
    }
}

/// The users that a bot's files belong to, but for root: what is root's is everybody's.
pub(super) fn owners(spec: &BotSpec) -> Vec<u32> {
    let dir = fs::metadata(&spec.dir).ok().filter(|_| spec.shows_dir);
    let files = of(spec).map(|(_, about)| about);
    let owners = files.chain(dir).map(|about| about.uid());
    owners.filter(|owner| *owner != 0).collect()
}

/// The program, if it is none of the system's or the referee's, and the files that its arguments
/// name.
fn of(spec: &BotSpec) -> impl Iterator<Item = (PathBuf, Metadata)> {
    let program = match spec.command.first() {
        Some(program) if program != REFEREE => spec.program().ok(),
        _ => None,
    };
    let program = program.filter(|path| !view::is_the_systems(path));
    let arguments = spec.command.iter().skip(1).map(|word| spec.dir.join(word));
    program.into_iter().chain(arguments).filter_map(|path| {
        let about = fs::metadata(&path).ok()?;
        (about.is_file() && about.len() <= LARGEST).then_some((path, about))
    })
}

fn stamp(about: &Metadata) -> Stamp {
    (
        about.ino(),
        about.len(),
        about.mtime_nsec() ^ about.mtime(),
        about.ctime_nsec() ^ about.ctime(),
        about.dev(),
    )
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
        let mut files = OwnFiles::default();
        let look = files.look(&spec);
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(look.digests.get("bot.py").map(String::as_str), Some(abc));
        assert_eq!(look.digests.len(), 1, "the shell is the system's");
        assert!(files.look(&spec).changed.is_empty());
        fs::write(&script, "abcd").unwrap();
        assert_eq!(files.look(&spec).changed, ["bot.py"]);
        assert!(files.look(&spec).changed.is_empty());
        let mine = fs::metadata(&script).unwrap().uid();
        assert!(owners(&spec).iter().all(|owner| *owner == mine));
    }
}
