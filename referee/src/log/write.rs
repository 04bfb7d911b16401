//! Writing the log: one match a line, in one write, so that a crash cuts at most the last line.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use protocol::Record;
use thiserror::Error;

use super::CutLine;

/// A log that cannot be written.
#[derive(Debug, Error)]
#[error("`{}` cannot be written: {error}", path.display())]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// Why not.
    pub error: io::Error,
}

impl CutLine {
    /// Removes it from its log, so that new matches can follow.
    ///
    /// # Errors
    /// If the log cannot be written.
    pub fn drop_from(&self, path: &Path) -> Result<(), WriteError> {
        let cut = || {
            let file = OpenOptions::new().write(true).open(path)?;
            file.set_len(file.metadata()?.len().saturating_sub(self.bytes as u64))
        };
        cut().map_err(|error| WriteError {
            path: path.to_owned(),
            error,
        })
    }
}

/// An open log.
#[derive(Debug)]
pub struct LogWriter {
    path: PathBuf,
    file: File,
}

impl LogWriter {
    /// Starts a new log; the file must not be there yet.
    ///
    /// # Errors
    /// If the file is there or cannot be made.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        Self::open(path, OpenOptions::new().create_new(true).append(true))
    }

    /// Appends to a log, which is made if it is not there.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn append_to(path: &Path) -> Result<Self, WriteError> {
        Self::open(path, OpenOptions::new().create(true).append(true))
    }

    fn open(path: &Path, options: &OpenOptions) -> Result<Self, WriteError> {
        let file = options.open(path).map_err(|error| WriteError {
            path: path.to_owned(),
            error,
        })?;
        Ok(LogWriter {
            path: path.to_owned(),
            file,
        })
    }

    /// Appends a match. When this returns, the operating system has all of the line.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, record: &Record) -> Result<(), WriteError> {
        self.done(|file| file.write_all(record.to_line().as_bytes()))
    }

    /// Waits until all is on the disk.
    ///
    /// # Errors
    /// If the disk does not take it.
    pub fn sync(&mut self) -> Result<(), WriteError> {
        self.done(|file| file.sync_data())
    }

    fn done(&mut self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), WriteError> {
        write(&mut self.file).map_err(|error| WriteError {
            path: self.path.clone(),
            error,
        })
    }
}
