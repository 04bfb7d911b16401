//! Sets the matches of some bots aside, so that they are played again. The log as it was stays in
//! the folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use log::{LOG_NAME, LogFile, LogWriter, WriteError};
use protocol::Record;

use crate::resume::ResumeError;

/// What the new log is called until it is whole.
const PART_NAME: &str = "games.jsonl.part";
/// How many matches are written at a time.
const BATCH: usize = 256;

/// The result of setting matches aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SetAside {
    /// How many matches are to be played again.
    pub matches: usize,
    /// The log as it was before.
    pub before: PathBuf,
}

/// Writes the log of a tournament's folder anew, without the matches that these bots played in.
/// Nothing is changed if there are none.
///
/// # Errors
/// If the log cannot be read, another referee is writing to it, or it cannot be written.
pub(crate) fn set_aside(folder: &Path, bots: &[String]) -> Result<Option<SetAside>, ResumeError> {
    let log = folder.join(LOG_NAME);
    // Locks the log until it is replaced.
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

/// Gives the log a second name, `games.before-1.jsonl` or the next one that is free.
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
