//! A tournament's folder: the log, a copy of the configuration, and the copies from before each
//! extension.

pub(crate) mod builds;
pub mod dealing;
pub mod results;
pub mod secret_file;

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use config::Config;
use deals::Deals;
use files::{self, MOST_TEXT};
use log::{LOG_NAME, LogWriter, WriteError};
use rules::Sheet;
use schedule::{Shard, Version};
use serde::Deserialize;
use thiserror::Error;

use crate::admission;

pub const CONFIG_NAME: &str = "tournament.toml";
/// The version of the schedule and its shard; tournaments of the first version have none.
pub(crate) const SCHEDULE_NAME: &str = "schedule.toml";
/// The folder of copies of sheets.
const RULES_NAME: &str = "rules";
/// The folder of the bots' stderr.
pub const STDERR_NAME: &str = "stderr";
/// The default folder of all tournaments.
pub const RUNS: &str = "runs";
/// The copy's name while it is written.
const PART_NAME: &str = "tournament.toml.part";
const SCHEDULE_COMMENT: &str =
    "# How the schedule of this tournament is made, for --resume and --extend.\n";

const ORIGIN_COMMENT: &str = "# Where relative paths in the configuration start.\n";

const SHARD_COMMENT: &str = "# The part of the schedule that is played here.\n";

#[derive(Debug, Deserialize)]
struct ScheduleFile {
    version: u32,
    /// Missing in older tournaments.
    paths_start_at: Option<PathBuf>,
    configuration: Option<PathBuf>,
    /// As in `3/8`.
    shard: Option<String>,
}

/// The base of relative paths in the configuration of the tournament in this folder; `None` in
/// older ones.
pub fn origin(folder: &Path) -> Option<PathBuf> {
    schedule_file(folder)?.paths_start_at
}

/// Reads the version of the schedule of the tournament in this folder, and its shard.
///
/// # Errors
/// Why the file that says it cannot be used.
pub(crate) fn version_and_shard(folder: &Path) -> Result<(Version, Option<Shard>), String> {
    let text = match fs::read_to_string(folder.join(SCHEDULE_NAME)) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((Version::First, None)),
        Err(error) => return Err(error.to_string()),
    };
    let file: ScheduleFile = toml::from_str(&text).map_err(|error| error.message().to_owned())?;
    let version = Version::of(file.version).ok_or_else(|| {
        format!(
            "`version` is {}, but this referee knows versions up to {} only",
            file.version,
            Version::NEWEST.number()
        )
    })?;
    let shard = file.shard.map(|shard| shard.parse::<Shard>());
    let shard = shard.transpose().map_err(|error| error.to_string())?;
    Ok((version, shard))
}

/// The file of the configuration, if the tournament in this folder has recorded it.
pub fn configuration(folder: &Path) -> Option<PathBuf> {
    schedule_file(folder)?.configuration
}

fn schedule_file(folder: &Path) -> Option<ScheduleFile> {
    let text = fs::read_to_string(folder.join(SCHEDULE_NAME)).ok()?;
    toml::from_str(&text).ok()
}

#[derive(Debug, Error)]
pub enum FolderError {
    #[error(
        "`{}` already holds a tournament (`{found}` is there); nothing was changed, \
         go on with it by --resume, or choose another folder with --out",
        path.display()
    )]
    Taken {
        path: PathBuf,
        /// The file that shows it.
        found: &'static str,
    },
    #[error("the folder `{}` cannot be made: {error}", path.display())]
    Make { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A folder that is ready for matches; its log is open and locked.
#[derive(Debug)]
pub struct Folder {
    /// As the user named it.
    pub path: PathBuf,
    absolute: PathBuf,
    pub log: LogWriter,
    /// The configurations before each extension, oldest first.
    pub(crate) earlier: Vec<String>,
    version: Version,
    /// `None` for the whole schedule.
    shard: Option<Shard>,
    /// Names and texts of the notes about bots, kept in memory for a rescue.
    notes: Vec<(&'static str, String)>,
}

impl Folder {
    /// Makes a folder for a new tournament, with the configuration in it.
    ///
    /// # Errors
    /// If there is a tournament in it, or it cannot be written.
    pub fn create(
        path: &Path,
        config: &str,
        shard: Option<Shard>,
        deals: &Deals,
    ) -> Result<Self, FolderError> {
        Self::create_with(path, config, shard, deals, |_| Ok(()))
    }

    /// Like [`Folder::create`], and `more` writes before the configuration, which comes last: until
    /// it is there, the folder counts as empty.
    ///
    /// # Errors
    /// If there is a tournament in it, or it cannot be written.
    pub(crate) fn create_with(
        path: &Path,
        config: &str,
        shard: Option<Shard>,
        deals: &Deals,
        more: impl FnOnce(&Folder) -> Result<(), WriteError>,
    ) -> Result<Self, FolderError> {
        fs::create_dir_all(path).map_err(|error| FolderError::Make {
            path: path.to_owned(),
            error,
        })?;
        must_be_free(path)?;
        let log = path.join(LOG_NAME);
        // The log first: if another tournament is faster, this fails.
        let log = if is_unfinished(path) {
            let log = LogWriter::go_on(&log)?;
            // Another process may have held the lock until now.
            must_be_free(path)?;
            log
        } else {
            LogWriter::create(&log)?
        };
        let mut folder = Self::with(path, log)?;
        folder.shard = shard;
        let begun = folder.begin_files(deals);
        let begun = begun.and_then(|()| more(&folder));
        if let Err(error) = begun.and_then(|()| folder.write_config(config)) {
            // The log is empty: without it, the tournament can be started again in this folder.
            let _ = fs::remove_file(path.join(LOG_NAME));
            return Err(error.into());
        }
        Ok(folder)
    }

    /// The folder of an open log.
    pub(crate) fn with(path: &Path, log: LogWriter) -> Result<Self, WriteError> {
        Ok(Folder {
            path: path.to_owned(),
            absolute: fs::canonicalize(path).map_err(|error| WriteError::io(path, error))?,
            log,
            earlier: Vec::new(),
            version: Version::First,
            shard: None,
            notes: Vec::new(),
        })
    }

    /// Records the base of relative paths and the configuration's file, for later reruns of
    /// matches.
    pub(crate) fn note_origin(&self, config: &Config) -> Result<(), WriteError> {
        // TOML cannot hold paths that are not UTF-8.
        let Some(origin) = config.source.folder.to_str() else {
            return Ok(());
        };
        let mut text = schedule_text(self.version, self.shard);
        let origin = toml::Value::from(origin);
        text += &format!("{ORIGIN_COMMENT}paths_start_at = {origin}\n");
        if let Some(file) = config.source.file.as_deref().and_then(Path::to_str) {
            text += &format!("configuration = {}\n", toml::Value::from(file));
        }
        self.write_as(SCHEDULE_NAME, &text)
    }

    /// Copies the sheets of the tournament's games.
    pub(crate) fn keep_sheets(&self, sheets: &[Sheet]) -> Result<(), WriteError> {
        let kept = self.path.join(RULES_NAME);
        if !sheets.is_empty() {
            fs::create_dir_all(&kept).map_err(|error| WriteError::io(&kept, error))?;
        }
        let write =
            |sheet: &Sheet| self.write_as(&format!("{RULES_NAME}/{}", sheet.file), &sheet.text);
        sheets.iter().try_for_each(write)
    }

    /// Takes over the schedule of another folder: its version, and the configurations before each
    /// extension. Call [`Folder::note_origin`] after this.
    pub(crate) fn adopt(&mut self, version: Version, earlier: &[String]) -> Result<(), WriteError> {
        self.version = version;
        for text in earlier {
            self.write_as(&earlier_name(self.earlier.len() + 1), text)?;
            self.earlier.push(text.clone());
        }
        Ok(())
    }

    pub(crate) fn remember_notes(&mut self) {
        self.notes = admission::notes(&self.path);
    }

    pub fn shard(&self) -> Option<Shard> {
        self.shard
    }

    /// Call it before anything is read or written.
    pub(crate) fn set_shard(&mut self, shard: Option<Shard>) {
        self.shard = shard;
    }

    pub fn version(&self) -> Version {
        self.version
    }

    /// Writes the files of a new tournament. The configuration comes last: if it is there, so is
    /// the version of the schedule.
    pub(crate) fn begin(&mut self, config: &str, deals: &Deals) -> Result<(), WriteError> {
        self.begin_files(deals)?;
        self.write_config(config)
    }

    fn begin_files(&mut self, deals: &Deals) -> Result<(), WriteError> {
        self.version = Version::NEWEST;
        self.write_as(SCHEDULE_NAME, &schedule_text(self.version, self.shard))?;
        if let Some(secret) = deals.secret() {
            // A secret that is there already belongs to another tournament.
            secret_file::write(&self.path, secret)?;
        }
        Ok(())
    }

    /// Writes the secret of a tournament that continues, if there is no file yet.
    pub(crate) fn keep_secret(&self, deals: &Deals) -> Result<(), WriteError> {
        match deals.secret() {
            Some(secret) if secret_file::read(&self.path).as_ref() != Ok(&Some(secret.clone())) => {
                secret_file::write(&self.path, secret)
            }
            _ => Ok(()),
        }
    }

    /// Reads the version of the schedule, and the shard, of a tournament that has begun.
    ///
    /// # Errors
    /// Why the file cannot be read.
    pub(crate) fn read_version(&mut self) -> Result<(), String> {
        (self.version, self.shard) = version_and_shard(&self.path)?;
        Ok(())
    }

    /// Writes the configuration atomically.
    fn write_config(&self, config: &str) -> Result<(), WriteError> {
        self.write_as(CONFIG_NAME, config)
    }

    /// Replaces the configuration by an extended one; the earlier one stays beside it.
    pub(crate) fn extend(&mut self, before: String, config: &str) -> Result<(), WriteError> {
        // A crash during an earlier attempt may have left it there.
        if self.earlier.last() != Some(&before) {
            self.write_as(&earlier_name(self.earlier.len() + 1), &before)?;
            self.earlier.push(before);
        }
        self.write_config(config)
    }

    /// Reads the configurations before each extension, oldest first.
    pub(crate) fn read_earlier(path: &Path) -> io::Result<Vec<String>> {
        let mut earlier = Vec::new();
        loop {
            match files::read(&path.join(earlier_name(earlier.len() + 1)), 4 * MOST_TEXT) {
                Ok(text) => earlier.push(text),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(earlier),
                Err(error) => return Err(error),
            }
        }
    }

    fn write_as(&self, name: &str, config: &str) -> Result<(), WriteError> {
        let (part, copy) = (self.path.join(PART_NAME), self.path.join(name));
        let write = || {
            let mut file = File::create(&part)?;
            file.write_all(config.as_bytes())?;
            file.sync_all()?;
            fs::rename(&part, &copy)?;
            // The names should be on the disk before the first match is. Not every file system
            // supports this.
            let _ = File::open(&self.path).and_then(|folder| folder.sync_all());
            Ok(())
        };
        write().map_err(|error| {
            let _ = fs::remove_file(&part);
            WriteError::io(&copy, error)
        })
    }

    /// Like [`Folder::create_with`], in a new folder `runs/NAME-1`, `runs/NAME-2`, … below the
    /// current one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn create_numbered(
        name: &str,
        config: &str,
        shard: Option<Shard>,
        deals: &Deals,
        more: impl Fn(&Folder) -> Result<(), WriteError>,
    ) -> Result<Self, FolderError> {
        let name = file_name(name);
        let mut number = 1;
        loop {
            let path = Path::new(RUNS).join(format!("{name}-{number}"));
            if path.symlink_metadata().is_err() {
                match Self::create_with(&path, config, shard, deals, &more) {
                    Err(FolderError::Taken { .. }) => {}
                    Err(FolderError::Write(WriteError::Io { error, .. }))
                        if error.kind() == ErrorKind::AlreadyExists => {}
                    done => return done,
                }
            }
            number += 1;
        }
    }

    /// Saves the open log in a new folder `DIR.rescued` (or `DIR.rescued-2`, …) when its own folder
    /// is gone, beside it or as near as possible. The tournament can be resumed there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn rescue(&self, config: &str, deals: &Deals) -> Result<PathBuf, WriteError> {
        let mut places = self.absolute.ancestors().skip(1);
        let place = places.find(|place| place.is_dir());
        let place = place.unwrap_or(Path::new("/"));
        let name = self.absolute.file_name().unwrap_or_default();
        let mut path = place.join(name);
        for number in 1.. {
            let mut name = name.to_owned();
            match number {
                1 => name.push(".rescued"),
                number => name.push(format!(".rescued-{number}")),
            }
            path = place.join(name);
            match fs::create_dir(&path) {
                Ok(()) => break,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(WriteError::io(&path, error)),
            }
        }
        let write = || {
            let mut copy = File::create_new(path.join(LOG_NAME))?;
            self.log.copy_to(&mut copy)?;
            copy.sync_all()?;
            if let Some(secret) = deals.secret() {
                secret_file::write(&path, secret).map_err(io::Error::other)?;
            }
            for (at, text) in self.earlier.iter().enumerate() {
                fs::write(path.join(earlier_name(at + 1)), text)?;
            }
            for (name, text) in &self.notes {
                fs::write(path.join(name), text)?;
            }
            if self.version > Version::First {
                let text = schedule_text(self.version, self.shard);
                fs::write(path.join(SCHEDULE_NAME), text)?;
            }
            let mut copy = File::create_new(path.join(CONFIG_NAME))?;
            copy.write_all(config.as_bytes())
        };
        match write() {
            Ok(()) => Ok(path),
            Err(error) => Err(WriteError::io(&path, error)),
        }
    }
}

/// Refuses a folder that holds a tournament, before anything is done for a new one.
///
/// # Errors
/// Describes the existing entry.
pub(crate) fn must_be_free(path: &Path) -> Result<(), FolderError> {
    if is_unfinished(path) {
        return Ok(());
    }
    let is_there = |name: &&str| path.join(name).symlink_metadata().is_ok();
    match [LOG_NAME, CONFIG_NAME].into_iter().find(is_there) {
        Some(found) => Err(FolderError::Taken {
            path: path.to_owned(),
            found,
        }),
        None => Ok(()),
    }
}

/// Refuses a folder in which another referee writes, before anything is done to continue there.
///
/// # Errors
/// If one does.
pub(crate) fn must_be_idle(path: &Path) -> Result<(), WriteError> {
    let log = path.join(LOG_NAME);
    if log.is_file() {
        LogWriter::go_on(&log)?;
    }
    Ok(())
}

/// True if a referee was killed here before its tournament began: there is an empty log, but no
/// configuration.
pub(crate) fn is_unfinished(path: &Path) -> bool {
    let log = path.join(LOG_NAME).symlink_metadata();
    let is_empty = log.is_ok_and(|log| log.is_file() && log.len() == 0);
    is_empty && path.join(CONFIG_NAME).symlink_metadata().is_err()
}

fn schedule_text(version: Version, shard: Option<Shard>) -> String {
    let mut text = format!("{SCHEDULE_COMMENT}version = {}\n", version.number());
    if let Some(shard) = shard {
        text += &format!("{SHARD_COMMENT}shard = \"{shard}\"\n");
    }
    text
}

/// The name of the copy before the n-th extension.
fn earlier_name(number: usize) -> String {
    format!("tournament.{number}.toml")
}

/// The folder `runs/NAME-N` with the highest number.
pub fn newest(name: &str) -> Option<PathBuf> {
    let prefix = format!("{}-", file_name(name));
    let number = |name: &str| {
        let digits = name.strip_prefix(&prefix)?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse::<u64>().ok()).flatten()
    };
    let folders = fs::read_dir(RUNS).ok()?.flatten().filter_map(|entry| {
        let number = number(entry.file_name().to_str()?)?;
        Some((number, entry.path()))
    });
    folders
        .max_by_key(|(number, _)| *number)
        .map(|(_, path)| path)
}

/// The folders of a tournament, for messages.
pub fn pattern(name: &str) -> PathBuf {
    Path::new(RUNS).join(format!("{}-N", file_name(name)))
}

/// The highest number among the stderr files, `BOT.N.log`; 0 if there are none.
pub(crate) fn last_stderr(folder: &Path) -> usize {
    let entries = fs::read_dir(folder.join(STDERR_NAME)).into_iter().flatten();
    let number = |name: &str| name.strip_suffix(".log")?.rsplit_once('.')?.1.parse().ok();
    let names = entries.flatten().map(|entry| entry.file_name());
    let numbers = names.filter_map(|name| number(name.to_str()?));
    numbers.max().unwrap_or(0)
}

/// Replaces characters that file names should not have.
fn file_name(name: &str) -> String {
    let fit = |c: char| {
        if c.is_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '-'
        }
    };
    name.trim().chars().map(fit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_once() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a/b");
        let folder = Folder::create(&path, "name = 1", None, &Deals::BySeed).unwrap();
        assert!(folder.log.is_empty());
        let copy = fs::read_to_string(path.join(CONFIG_NAME)).unwrap();
        assert_eq!(copy, "name = 1");
        assert_eq!(fs::read_dir(&path).unwrap().count(), 3);
        assert_eq!(folder.version(), Version::NEWEST);
        let again = Folder::create(&path, "other", None, &Deals::BySeed);
        assert!(matches!(again, Err(FolderError::Taken { .. })));
    }

    #[test]
    fn a_folder_without_its_copy_can_be_used_again() {
        let place = tempfile::tempdir().unwrap();
        // A folder is in the way, so nothing can be written.
        fs::create_dir(place.path().join(PART_NAME)).unwrap();
        let failed = Folder::create(place.path(), "", None, &Deals::BySeed);
        assert!(matches!(failed, Err(FolderError::Write(_))), "{failed:?}");
        fs::remove_dir(place.path().join(PART_NAME)).unwrap();
        Folder::create(place.path(), "", None, &Deals::BySeed).unwrap();
    }

    #[test]
    fn a_folder_of_a_referee_that_was_killed_while_it_made_it_is_taken_up() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path();
        fs::write(path.join(LOG_NAME), "").unwrap();
        fs::write(path.join(SCHEDULE_NAME), "version = 1\n").unwrap();
        fs::write(path.join(PART_NAME), "name = ").unwrap();
        let folder = Folder::create(path, "name = 1", None, &Deals::BySeed).unwrap();
        assert_eq!(folder.version(), Version::NEWEST);
        drop(folder);
        let again = Folder::create(path, "name = 2", None, &Deals::BySeed);
        assert!(matches!(again, Err(FolderError::Taken { .. })), "{again:?}");
        // Matches without a configuration are a tournament, too.
        fs::remove_file(path.join(CONFIG_NAME)).unwrap();
        fs::write(path.join(LOG_NAME), "{}\n").unwrap();
        let again = Folder::create(path, "name = 2", None, &Deals::BySeed);
        assert!(matches!(again, Err(FolderError::Taken { .. })), "{again:?}");
        assert_eq!(fs::read_to_string(path.join(LOG_NAME)).unwrap(), "{}\n");
    }

    #[test]
    fn stderr_is_numbered_on() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(last_stderr(place.path()), 0);
        let stderr = place.path().join(STDERR_NAME);
        fs::create_dir(&stderr).unwrap();
        for name in ["a.9.log", "b.c.10.log", "c.11.txt", "d.log", "12"] {
            fs::write(stderr.join(name), "").unwrap();
        }
        assert_eq!(last_stderr(place.path()), 10);
    }

    #[test]
    fn what_is_left_of_a_folder_is_rescued_beside_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("deep/out");
        let folder = Folder::create(&path, "name = 1", None, &Deals::BySeed).unwrap();
        fs::write(path.join(LOG_NAME), "").unwrap();
        fs::remove_dir_all(&path).unwrap();
        let first = folder.rescue("name = 1", &Deals::BySeed).unwrap();
        let second = folder.rescue("name = 1", &Deals::BySeed).unwrap();
        let root = fs::canonicalize(place.path()).unwrap();
        assert_eq!(first, root.join("deep/out.rescued"));
        assert_eq!(second, root.join("deep/out.rescued-2"));
        fs::remove_dir_all(place.path().join("deep")).unwrap();
        let third = folder.rescue("name = 1", &Deals::BySeed).unwrap();
        assert_eq!(third, root.join("out.rescued"));
        assert_eq!(
            fs::read_to_string(third.join(CONFIG_NAME)).unwrap(),
            "name = 1"
        );
        assert_eq!(fs::read_to_string(third.join(LOG_NAME)).unwrap(), "");
        let schedule = fs::read_to_string(third.join(SCHEDULE_NAME)).unwrap();
        assert!(schedule.contains("version = 2"), "{schedule}");
    }
}
