//! A tournament's folder: the log and a copy of the configuration.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::log::{LOG_NAME, LogWriter, WriteError};

/// The copy of the configuration.
pub const CONFIG_NAME: &str = "tournament.toml";
/// The folder of what bots printed on stderr.
pub const STDERR_NAME: &str = "stderr";
/// Where tournaments go unless the user says otherwise.
const RUNS: &str = "runs";

/// A folder that cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// There is a tournament in it already.
    #[error(
        "`{}` already holds a tournament (`{found}` is there); nothing was changed, choose another folder with --out",
        path.display()
    )]
    Taken {
        /// The folder.
        path: PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// It cannot be made.
    #[error("the folder `{}` cannot be made: {error}", path.display())]
    Make {
        /// The folder.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A file in it cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A folder that is ready for a tournament.
#[derive(Debug)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// The log, empty.
    pub log: LogWriter,
}

impl Folder {
    /// Makes a folder for a new tournament and puts the configuration there.
    ///
    /// # Errors
    /// If there is a tournament in it, or it cannot be written.
    pub fn create(path: &Path, config: &str) -> Result<Self, FolderError> {
        fs::create_dir_all(path).map_err(|error| FolderError::Make {
            path: path.to_owned(),
            error,
        })?;
        for found in [LOG_NAME, CONFIG_NAME] {
            if path.join(found).symlink_metadata().is_ok() {
                let path = path.to_owned();
                return Err(FolderError::Taken { path, found });
            }
        }
        // The log first: making it fails if another tournament is faster.
        let log = LogWriter::create(&path.join(LOG_NAME))?;
        let copy = path.join(CONFIG_NAME);
        fs::write(&copy, config).map_err(|error| WriteError { path: copy, error })?;
        Ok(Folder {
            path: path.to_owned(),
            log,
        })
    }

    /// The same in a new folder `runs/NAME-1`, `runs/NAME-2`, … below the current one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create_numbered(name: &str, config: &str) -> Result<Self, FolderError> {
        let fit = |c: char| {
            if c.is_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        };
        let name: String = name.trim().chars().map(fit).collect();
        let mut number = 1;
        loop {
            let path = Path::new(RUNS).join(format!("{name}-{number}"));
            if path.symlink_metadata().is_err() {
                match Self::create(&path, config) {
                    Err(FolderError::Taken { .. }) => {}
                    Err(FolderError::Write(e)) if e.error.kind() == ErrorKind::AlreadyExists => {}
                    done => return done,
                }
            }
            number += 1;
        }
    }
}
