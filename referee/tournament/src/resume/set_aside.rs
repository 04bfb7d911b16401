//! Sets the matches of some bots aside, so that they are played again. The old log stays in the
//! folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use log::{LOG_NAME, LogFile, LogWriter, WriteError};
use protocol::Record;

use crate::resume::ResumeError;

/// The new log's name until it is complete.
const PART_NAME: &str = "games.jsonl.part";
/// Matches a write.
const BATCH: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SetAside {
    pub matches: usize,
    /// The old log.
    pub before: PathBuf,
}

/// Rewrites the log of a tournament's folder without the matches of these bots. Nothing changes if
/// there are none.
///
/// # Errors
/// If the log cannot be read, another referee is writing to it, or it cannot be written.
pub(crate) fn set_aside(folder: &Path, bots: &[String]) -> Result<Option<SetAside>, ResumeError> {
    let log = folder.join(LOG_NAME);
    // Keeps the log locked until it is replaced.
    let lock = LogWriter::go_on(&log)?;
    let part = folder.join(PART_NAME);
    remove(&part)?;
    let mut rest = LogWriter::create(&part)?;
    let mut batch: Vec<Record> = Vec::new();
    let mut matches = 0;
    for record in LogFile::open(&log)? {
        let record = record?;
        if plays(&record, bots) {
            matches += 1;
            continue;
        }
        batch.push(record);
        if batch.len() == BATCH {
            rest.append(&batch)?;
            batch.clear();
        }
    }
    if matches == 0 {
        remove(&part)?;
        return Ok(None);
    }
    rest.append(&batch)?;
    rest.sync()?;
    let before = keep(&log, folder)?;
    fs::rename(&part, &log).map_err(|error| WriteError::io(&log, error))?;
    drop(lock);
    Ok(Some(SetAside { matches, before }))
}

fn plays(record: &Record, bots: &[String]) -> bool {
    record
        .players
        .iter()
        .any(|player| bots.contains(&player.name))
}

fn remove(path: &Path) -> Result<(), WriteError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(WriteError::io(path, error)),
        _ => Ok(()),
    }
}

/// Hard-links the log as `games.before-1.jsonl` or the next free name.
fn keep(log: &Path, folder: &Path) -> Result<PathBuf, WriteError> {
    let mut number = 1;
    loop {
        let path = folder.join(format!("games.before-{number}.jsonl"));
        match fs::hard_link(log, &path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            // Not every file system has links.
            Err(_) => {
                let copied = fs::copy(log, &path);
                copied.map_err(|error| WriteError::io(&path, error))?;
                return Ok(path);
            }
        }
    }
}
