//! Counts the files in a folder, and their bytes on the disk.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Bytes in a block of `st_blocks`.
const BLOCK: u64 = 512;
/// In a folder with more files than this, new files cannot be distinguished from old ones, so nothing is
/// removed afterwards.
const MOST_KNOWN: u64 = 200_000;
/// At most this many files are counted before a build; files beyond that are not counted as the
/// build's.
const MOST_BEFORE: u64 = 2_000_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// Files, folders, links and everything else.
    pub(super) entries: u64,
    pub(super) bytes: u64,
    /// A folder without read permission, if there is one.
    pub(super) closed: Option<PathBuf>,
    /// All paths, unless there are too many.
    known: Option<HashSet<PathBuf>>,
}

impl Census {
    /// The census of a folder before a build.
    pub(super) fn before(folder: &Path) -> Self {
        let mut census = Census {
            known: Some(HashSet::new()),
            ..Census::default()
        };
        census.add(folder, MOST_BEFORE, u64::MAX);
        census
    }

    /// Counts these folders, up to these limits.
    pub(super) fn now<'a>(
        folders: impl IntoIterator<Item = &'a Path>,
        entries: u64,
        bytes: u64,
    ) -> Self {
        let mut census = Census::default();
        for folder in folders {
            census.add(folder, entries, bytes);
        }
        census
    }

    fn add(&mut self, folder: &Path, entries: u64, bytes: u64) {
        let mut shared = HashSet::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let list = match fs::read_dir(&folder) {
                Ok(list) => list,
                // It has just been deleted.
                Err(error)
                    if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) =>
                {
                    continue;
                }
                Err(_) => {
                    self.closed = Some(folder);
                    continue;
                }
            };
            for entry in list.flatten() {
                let path = entry.path();
                self.entries += 1;
                if let Ok(about) = path.symlink_metadata() {
                    let is_first = about.nlink() < 2
                        || about.is_dir()
                        || shared.insert((about.dev(), about.ino()));
                    if is_first {
                        self.bytes = self.bytes.saturating_add(about.blocks() * BLOCK);
                    }
                    if about.is_dir() {
                        folders.push(path.clone());
                    }
                }
                if self.entries > entries || self.bytes > bytes {
                    return;
                }
                if self.entries > MOST_KNOWN {
                    self.known = None;
                }
                if let Some(known) = &mut self.known {
                    known.insert(path);
                }
            }
        }
    }

    /// True if this path was there; `None` if unknown.
    pub(super) fn had(&self, path: &Path) -> Option<bool> {
        self.known.as_ref().map(|known| known.contains(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_once_and_not_beyond_the_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("inner")).expect("a folder");
        fs::write(at("inner/file"), [1; 100_000]).expect("a file");
        fs::hard_link(at("inner/file"), at("inner/again")).expect("a link");
        std::os::unix::fs::symlink("inner/file", at("link")).expect("a link");
        let before = Census::before(folder.path());
        assert_eq!(before.entries, 4);
        assert!((100_000..200_000).contains(&before.bytes), "{before:?}");
        assert_eq!(before.had(&at("inner/again")), Some(true));
        assert_eq!(before.had(&at("inner/new")), Some(false));
        let few = Census::now([folder.path()], 2, u64::MAX);
        assert_eq!(few.entries, 3);
        assert_eq!(Census::now([&*at("none")], 9, 9), Census::default());
    }
}
