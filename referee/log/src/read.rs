//! Reading logs, line by line or in batches on all cores, so that memory does not grow with them.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use files::{self, BYTE_ORDER_MARK};
use protocol::{LOG_FORMAT, Record};
use serde::Deserialize;
use thiserror::Error;

use super::LOG_NAME;
use super::chain::{Chain, ChainBreak, LineHash};
use super::in_order::in_order;

/// Bytes of a log that a core gets at a time, without the rest of the last line.
const BATCH: usize = 1 << 17;
/// The longest line of a match, in bytes.
const MOST_LINE: u64 = 1 << 30;

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
    /// The file is not a log.
    #[error(
        "`{}` is a configuration, not a log; the log is in the folder of the tournament",
        path.display()
    )]
    Configuration {
        /// The file.
        path: PathBuf,
    },
    /// A line is not a match.
    #[error("`{}` line {line} is not a match of a log: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        reason: String,
    },
}

/// The last line was cut off, by a crash in the middle of a write: it has no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutLine {
    /// The line, from 1.
    pub line: usize,
    /// Its bytes.
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

/// A type that lines of a log are read as: a match, as a whole or in part.
pub trait LogLine: Sized {
    /// A cache that speeds up the next lines.
    type Memo: Default + Send;

    /// Reads a line.
    ///
    /// # Errors
    /// If it is something else.
    fn read(text: &[u8], memo: &mut Self::Memo) -> serde_json::Result<Self>;

    /// The version of the format that the line says it has.
    fn format(&self) -> u32;

    /// The recorded hash of the line before, if it is read.
    fn prev(&self) -> Option<&str> {
        None
    }
}

impl LogLine for Record {
    type Memo = ();

    fn read(text: &[u8], (): &mut ()) -> serde_json::Result<Self> {
        serde_json::from_slice(text)
    }

    fn format(&self) -> u32 {
        self.format
    }

    fn prev(&self) -> Option<&str> {
        self.prev.as_deref()
    }
}

/// An open log: an iterator over its matches.
#[derive(Debug)]
pub struct LogFile {
    path: Arc<Path>,
    reader: BufReader<File>,
    line: usize,
    buffer: Vec<u8>,
    cut: Option<CutLine>,
    /// The hash chain, if it is checked.
    chain: Option<Chain>,
}

/// Some lines of a log, and what was made of them.
struct Batch<M> {
    text: Vec<u8>,
    /// The lines that are not empty: their numbers, and where they are in the text.
    lines: Vec<(usize, Range<usize>)>,
    made: Vec<Made<M>>,
    /// The first line that is wrong; nothing was made of those after it.
    error: Option<LogError>,
}

impl<M> Default for Batch<M> {
    fn default() -> Self {
        Batch {
            text: Vec::new(),
            lines: Vec::new(),
            made: Vec::new(),
            error: None,
        }
    }
}

/// The result of `make` for a line.
struct Made<M> {
    made: M,
    line: usize,
    /// The line's hash and its `prev`, if the chain is checked.
    link: Option<(LineHash, Option<String>)>,
}

/// Skips a byte order mark.
fn without_mark(mut reader: BufReader<File>) -> BufReader<File> {
    let mark = BYTE_ORDER_MARK.len_utf8();
    let mut bytes = [0; 4];
    let mark_bytes = BYTE_ORDER_MARK.encode_utf8(&mut bytes).as_bytes();
    if reader
        .fill_buf()
        .is_ok_and(|begin| begin.starts_with(mark_bytes))
    {
        reader.consume(mark);
    }
    reader
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
        if path.extension().is_some_and(|ending| ending == "toml") {
            return Err(LogError::Configuration { path });
        }
        match files::open(&path) {
            Ok(file) => Ok(LogFile {
                path: path.into(),
                reader: without_mark(BufReader::with_capacity(1 << 16, file)),
                line: 0,
                buffer: Vec::new(),
                cut: None,
                chain: None,
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

    /// Checks the hash chain of what is read from here on (of whole [`Record`]s only): see
    /// [`LogFile::breaks`].
    #[must_use]
    pub fn checking_chain(mut self) -> Self {
        self.chain = Some(Chain::default());
        self
    }

    /// The lines so far that do not follow the ones before them.
    pub fn breaks(&self) -> &[ChainBreak] {
        self.chain.as_ref().map_or(&[], Chain::breaks)
    }

    /// The first line so far from which on the hash chain says whether the log was changed.
    pub fn chain_begin(&self) -> Option<usize> {
        self.chain.as_ref().and_then(Chain::begin)
    }

    /// The next match, as a whole ([`Record`]) or as what statistics need of it ([`MatchSummary`]);
    /// `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read, or the line is not a match.
    pub fn read<T: LogLine>(&mut self) -> Result<Option<T>, LogError> {
        if !self.fill()? {
            return Ok(None);
        }
        let read: T = parse(&self.buffer, self.line, &self.path, &mut T::Memo::default())?;
        if let Some(chain) = &mut self.chain {
            chain.follow(self.line, LineHash::of(&self.buffer), read.prev());
        }
        Ok(Some(read))
    }

    /// Reads the rest on all cores: makes something of each match, and shows what was made in the
    /// order of the log, until there is an error.
    ///
    /// # Errors
    /// If the file cannot be read, a line is not a match, or what was made cannot be taken.
    pub fn each<T: LogLine, M: Send, E: From<LogError>>(
        &mut self,
        make: impl Fn(T, &mut T::Memo) -> M + Sync,
        mut take: impl FnMut(&mut M) -> Result<(), E>,
    ) -> Result<(), E> {
        let path = Arc::clone(&self.path);
        let checking = self.chain.is_some();
        in_order(
            self,
            |file, batch: &mut Batch<M>| Ok(file.fill_batch(batch)?),
            |batch, memo: &mut T::Memo| batch.make(&path, checking, &make, memo),
            |file, batch| file.take(batch, &mut take),
        )
    }

    fn take<M, E: From<LogError>>(
        &mut self,
        batch: &mut Batch<M>,
        take: &mut impl FnMut(&mut M) -> Result<(), E>,
    ) -> Result<(), E> {
        for Made { made, line, link } in &mut batch.made {
            if let (Some(chain), Some((hash, prev))) = (&mut self.chain, link) {
                chain.follow(*line, *hash, prev.as_deref());
            }
            take(made)?;
        }
        match batch.error.take() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// Puts the next lines into a batch in the place of what is in it; false if there are none.
    fn fill_batch<M>(&mut self, batch: &mut Batch<M>) -> Result<bool, LogError> {
        let text = &mut batch.text;
        text.clear();
        // One long line is no reason to keep so much memory for the next ones.
        text.shrink_to(4 * BATCH);
        batch.lines.clear();
        let read = self.reader.by_ref().take(BATCH as u64).read_to_end(text);
        read.map_err(|error| self.io(error))?;
        if text.last().is_some_and(|last| *last != b'\n') {
            self.line_into(text)?;
        }
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', text) {
            self.line += 1;
            if !text[start..end].trim_ascii().is_empty() {
                batch.lines.push((self.line, start..end + 1));
            }
            start = end + 1;
        }
        if start < text.len() {
            self.line += 1;
            self.cut = Some(CutLine {
                line: self.line,
                bytes: text.len() - start,
            });
        }
        Ok(!text.is_empty())
    }

    fn io(&self, error: io::Error) -> LogError {
        LogError::Io {
            path: self.path.to_path_buf(),
            error,
        }
    }

    /// Reads up to the end of a line; returns the number of bytes.
    fn line_into(&mut self, text: &mut Vec<u8>) -> Result<usize, LogError> {
        let mut most = self.reader.by_ref().take(MOST_LINE);
        let read = most.read_until(b'\n', text);
        let read = read.map_err(|error| self.io(error))?;
        if read as u64 == MOST_LINE {
            return Err(LogError::Line {
                path: self.path.to_path_buf(),
                line: self.line + 1,
                reason: format!("it is longer than {MOST_LINE} bytes"),
            });
        }
        Ok(read)
    }

    /// Reads the next line that is not empty into the buffer; false at the end.
    fn fill(&mut self) -> Result<bool, LogError> {
        loop {
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.clear();
            let read = self.line_into(&mut buffer);
            self.buffer = buffer;
            let bytes = read?;
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

impl<M> Batch<M> {
    /// Makes something of each line, up to the first that is wrong.
    fn make<T: LogLine>(
        &mut self,
        path: &Path,
        checking: bool,
        make: impl Fn(T, &mut T::Memo) -> M,
        memo: &mut T::Memo,
    ) {
        self.made.clear();
        for (line, range) in &self.lines {
            let text = &self.text[range.clone()];
            let read: T = match parse(text, *line, path, memo) {
                Ok(read) => read,
                Err(error) => {
                    self.error = Some(error);
                    return;
                }
            };
            let link = checking.then(|| (LineHash::of(text), read.prev().map(str::to_owned)));
            self.made.push(Made {
                made: make(read, memo),
                line: *line,
                link,
            });
        }
    }
}

fn parse<T: LogLine>(
    text: &[u8],
    line: usize,
    path: &Path,
    memo: &mut T::Memo,
) -> Result<T, LogError> {
    /// The field that all formats have.
    #[derive(Deserialize)]
    struct Head {
        format: u32,
    }
    let wrong = |reason: String| LogError::Line {
        path: path.to_owned(),
        line,
        reason,
    };
    match T::read(text, memo) {
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
    use ratings::MatchSummary;

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
        let summary: MatchSummary = log.read().expect("readable").expect("there");
        assert_eq!(summary, MatchSummary::from(&record));
        assert!(log.read::<MatchSummary>().expect("readable").is_none());
        assert_eq!(log.cut(), Some(&CutLine { line: 4, bytes: 40 }));
        std::fs::write(&path, line(LOG_FORMAT + 1)).expect("written");
        let mut log = LogFile::open(&path).expect("a log");
        let error = log.read::<MatchSummary>().expect_err("newer").to_string();
        assert!(
            error.contains("line 1") && error.contains("has format 2"),
            "{error}"
        );
    }
}
