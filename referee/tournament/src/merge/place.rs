//! The target of a merge. Everything is written beside its final place first, so that after a crash
//! the tournament is there completely or not at all, and the same command can be repeated.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use log::{LOG_NAME, LogFile, WriteError};

use crate::folder::{CONFIG_NAME, Folder, FolderError};
use crate::merge::error::MergeError;
use crate::merge::found::{Found, hash};

/// The folder, within the new one, in which everything is written.
const PART_NAME: &str = "merge.part";

pub(super) struct Place<'a> {
    out: &'a Path,
    /// The partial result, until it is complete.
    part: PathBuf,
    before: Before,
}

/// The state that an earlier merge into a folder has left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// It ended before the log was moved to its place.
    Unfinished,
    /// It ended last of all: everything is in place, but the temporary folder is still there.
    Whole,
}

impl<'a> Place<'a> {
    /// Accepts a folder without a tournament, or one with an unfinished merge.
    ///
    /// # Errors
    /// If there is a tournament, or another process writes one there.
    pub(super) fn of(out: &'a Path) -> Result<Self, MergeError> {
        let part = out.join(PART_NAME);
        let is_there = |name: &str| out.join(name).symlink_metadata().is_ok();
        let before = if !is_there(PART_NAME) {
            Before::Nothing
        } else if is_there(LOG_NAME) && !part.join(LOG_NAME).exists() {
            Before::Whole
        } else {
            Before::Unfinished
        };
        // An unfinished merge may have published its own files, but never a log.
        let taken: &[&'static str] = match before {
            Before::Nothing => &[LOG_NAME, CONFIG_NAME],
            Before::Unfinished => &[LOG_NAME],
            Before::Whole => &[],
        };
        if let Some(found) = taken.iter().copied().find(|name| is_there(name)) {
            let path = out.to_owned();
            return Err(MergeError::Taken { path, found });
        }
        let place = Place { out, part, before };
        place.must_be_idle()?;
        Ok(place)
    }

    /// The temporary folder, empty in the end.
    pub(super) fn into_part(self) -> PathBuf {
        self.part
    }

    /// True if an earlier merge has published all of these matches.
    ///
    /// # Errors
    /// If there is another tournament.
    pub(super) fn is_done(&self, found: &HashMap<String, Found>) -> Result<bool, MergeError> {
        if self.before != Before::Whole {
            return Ok(false);
        }
        let mut there = 0;
        for record in LogFile::open(&self.out.join(LOG_NAME))? {
            let record = record?;
            let wanted = found.get(&record.match_id);
            there += usize::from(wanted.is_some_and(|wanted| wanted.hash == hash(&record)));
        }
        if there < found.len() {
            let path = self.out.to_owned();
            let found = LOG_NAME;
            return Err(MergeError::Taken { path, found });
        }
        Ok(true)
    }

    /// Writes the tournament with `write`, and moves it to its place.
    ///
    /// # Errors
    /// If it cannot be written; as little as possible is left then.
    pub(super) fn fill(
        &self,
        write: impl FnOnce(&Path) -> Result<Folder, MergeError>,
    ) -> Result<(), MergeError> {
        let was_there = self.out.exists();
        self.clear()?;
        let make = |error| FolderError::Make {
            path: self.out.to_owned(),
            error,
        };
        fs::create_dir_all(self.out).map_err(make)?;
        let filled = write(&self.part).and_then(|written| {
            self.publish()?;
            drop(written);
            Ok(())
        });
        if filled.is_err() {
            // The disk may be full.
            let _ = self.clear();
            if !was_there {
                let _ = fs::remove_dir(self.out);
            }
        }
        filled
    }

    /// Moves everything to its place. The log comes last: it marks a tournament.
    fn publish(&self) -> Result<(), WriteError> {
        let io = |error| WriteError::io(self.out, error);
        let entries = fs::read_dir(&self.part).map_err(io)?;
        let names = entries.map(|entry| entry.map(|entry| entry.file_name()));
        let mut names = names.collect::<io::Result<Vec<_>>>().map_err(io)?;
        names.sort_by_key(|name| (name == LOG_NAME, name == CONFIG_NAME));
        for name in names {
            let (from, to) = (self.part.join(&name), self.out.join(&name));
            let moved = remove(&to).and_then(|()| fs::rename(&from, &to));
            moved.map_err(|error| WriteError::io(&to, error))?;
        }
        // Not every file system supports this.
        let _ = File::open(self.out).and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// Removes the leftovers of an earlier merge.
    fn clear(&self) -> Result<(), WriteError> {
        remove(&self.part).map_err(|error| WriteError::io(&self.part, error))
    }

    /// Refuses a folder into which another process merges.
    fn must_be_idle(&self) -> Result<(), WriteError> {
        let path = self.part.join(LOG_NAME);
        let Ok(log) = File::open(&path) else {
            return Ok(());
        };
        match log.try_lock() {
            Err(TryLockError::WouldBlock) => Err(WriteError::Busy { path }),
            _ => Ok(()),
        }
    }
}

/// Removes a file or a folder, if it is there.
fn remove(path: &Path) -> io::Result<()> {
    let is_folder = path.symlink_metadata().is_ok_and(|about| about.is_dir());
    let removed = match is_folder {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
