//! Reading logs, line by line, so that memory does not grow with them.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use protocol::{LOG_FORMAT, Record};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::LOG_NAME;
use crate::files;
use crate::rating::Match;

/// So many bytes of a log are looked into side by side, and so many lines at least.
const BATCH: usize = 256 << 10;
const LEAST_LINES: usize = 16;

/// A log that cannot be read.
#[derive(Debug, Error)]
pub enum LogError {
    /// The file cannot be opened or read.
    #[error("`{}` cannot be read: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A line is not a match.
    #[error("`{}` line {line} is not a match of a log: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// The last line was cut off, by a crash in the middle of a write: it has no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutLine {
    /// The line, from 1.
    pub line: usize,
    /// How many bytes are there.
    pub bytes: usize,
}

impl fmt::Display for CutLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CutLine { line, bytes } = self;
        write!(
            f,
            "line {line}, the last one, is cut off after {bytes} bytes and was dropped"
        )
    }
}

/// What a line of a log can be read as: a match, as a whole or in part.
pub trait Line: DeserializeOwned {
    /// The version of the format that the line says it has.
    fn format(&self) -> u32;
}

impl Line for Record {
    fn format(&self) -> u32 {
        self.format
    }
}

/// The part that statistics need, which is quicker to read.
impl Line for Match {
    fn format(&self) -> u32 {
        self.format
    }
}

/// An open log: an iterator over its matches.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    reader: BufReader<File>,
    line: usize,
    buffer: Vec<u8>,
    cut: Option<CutLine>,
}

/// The log that a path means: the file itself, or the one in a tournament's folder.
pub fn locate(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join(LOG_NAME)
    } else {
        path.to_owned()
    }
}

impl LogFile {
    /// Opens a log, given its file or its tournament's folder.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let path = locate(path);
        match files::open(&path) {
            Ok(file) => Ok(LogFile {
                path,
                reader: BufReader::with_capacity(1 << 16, file),
                line: 0,
                buffer: Vec::new(),
                cut: None,
            }),
            Err(error) => Err(LogError::Io { path, error }),
        }
    }

    /// The last line, if it was cut off; known once all matches were read.
    pub fn cut(&self) -> Option<&CutLine> {
        self.cut.as_ref()
    }

    /// The line that was read last, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The next match, as a whole ([`Record`]) or as what statistics need of it ([`Match`]);
    /// `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read, or the line is not a match.
    pub fn read<T: Line>(&mut self) -> Result<Option<T>, LogError> {
        let there = self.fill()?;
        there
            .then(|| parse(&self.buffer, self.line, &self.path))
            .transpose()
    }

    /// Reads the rest on all cores: makes something of each match, and takes what was made in the
    /// order of the log, until there is an error.
    ///
    /// # Errors
    /// If the file cannot be read, a line is not a match, or what was made cannot be taken.
    pub fn each<T: Line, M: Send, E: From<LogError>>(
        &mut self,
        make: impl Fn(T) -> M + Sync,
        mut take: impl FnMut(M) -> Result<(), E>,
    ) -> Result<(), E> {
        loop {
            let lines = self.read_lines()?;
            if lines.is_empty() {
                return Ok(());
            }
            let make = |(number, text): &(usize, Vec<u8>)| {
                let read = parse(text, *number, &self.path);
                read.map(&make)
            };
            let made: Vec<_> = lines.par_iter().map(make).collect();
            made.into_iter().try_for_each(|made| take(made?))?;
        }
    }

    /// The next lines that are not empty, a batch of them, with their numbers; none at the end.
    fn read_lines(&mut self) -> Result<Vec<(usize, Vec<u8>)>, LogError> {
        let (mut lines, mut read) = (Vec::new(), 0);
        while (read < BATCH || lines.len() < LEAST_LINES) && self.fill()? {
            read += self.buffer.len();
            lines.push((self.line, self.buffer.clone()));
        }
        Ok(lines)
    }

    /// Reads on until there is a line in the buffer that is not empty. Gives false at the end.
    fn fill(&mut self) -> Result<bool, LogError> {
        loop {
            self.buffer.clear();
            let read = self.reader.read_until(b'\n', &mut self.buffer);
            let bytes = read.map_err(|error| LogError::Io {
                path: self.path.clone(),
                error,
            })?;
            if bytes == 0 {
                return Ok(false);
            }
            self.line += 1;
            if self.buffer.last() != Some(&b'\n') {
                let line = self.line;
                self.cut = Some(CutLine { line, bytes });
                return Ok(false);
            }
            if !self.buffer.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }
}

fn parse<T: Line>(text: &[u8], line: usize, path: &Path) -> Result<T, LogError> {
    /// What every format has.
    #[derive(Deserialize)]
    struct Head {
        format: u32,
    }
    let wrong = |reason: String| LogError::Line {
        path: path.to_owned(),
        line,
        reason,
    };
    match serde_json::from_slice::<T>(text) {
        Ok(read) if read.format() <= LOG_FORMAT => Ok(read),
        Ok(read) => Err(wrong(newer(read.format()))),
        Err(error) => Err(wrong(match serde_json::from_slice::<Head>(text) {
            Ok(head) if head.format > LOG_FORMAT => newer(head.format),
            _ => error.to_string(),
        })),
    }
}

fn newer(format: u32) -> String {
    format!("it has format {format}, this version reads up to {LOG_FORMAT}")
}

impl Iterator for LogFile {
    type Item = Result<Record, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A match as a line, of a format.
    fn line(format: u32) -> String {
        let line = serde_json::json!({
            "format": format, "match": "m-000001", "game": "siam", "options": {}, "seed": 1,
            "start": {"ply": 0}, "players": [{"name": "a", "role": "x", "command": []}],
            "time": {"startup_ms": 1, "margin_ms": 1},
            "limits": {"max_plies": null, "repetition": null}, "opening": 0,
            "moves": [{"seat": 0, "move": "c1", "ms": 1.5, "info": {"depth": 3}}],
            "result": {"scores": [1], "outcome": [1.0], "reason": "x", "faults": []},
            "started": "", "duration_ms": 1, "referee": ""
        });
        format!("{line}\n")
    }

    #[test]
    fn what_statistics_need_is_read_by_the_same_rules() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(LOG_NAME);
        let good = line(LOG_FORMAT);
        std::fs::write(&path, format!("{good}\n{good}{}", &good[..40])).expect("written");
        let mut log = LogFile::open(folder.path()).expect("a log");
        let record: Record = log.read().expect("readable").expect("there");
        let lean: Match = log.read().expect("readable").expect("there");
        assert_eq!(lean, Match::from(&record));
        assert!(log.read::<Match>().expect("readable").is_none());
        assert_eq!(log.cut(), Some(&CutLine { line: 4, bytes: 40 }));
        std::fs::write(&path, line(LOG_FORMAT + 1)).expect("written");
        let mut log = LogFile::open(&path).expect("a log");
        let error = log.read::<Match>().expect_err("newer").to_string();
        assert!(
            error.contains("line 1") && error.contains("has format 2"),
            "{error}"
        );
    }
}
