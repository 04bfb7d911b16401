//! The hash chain of a log: each line has the SHA-256 of the line before it as `prev`, which reveals lines
//! that were changed, removed, added or moved.

use std::fmt;
use std::io::Write as _;

use protocol::Record;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// The field and its quotes, as the writer appends them to a line.
const FIELD: &[u8] = b",\"prev\":\"";
/// The end of a line.
const END: &[u8] = b"\"}";
/// Hexadecimal digits of a hash.
const DIGITS: usize = 64;

/// The SHA-256 of a line, without its line break.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LineHash([u8; 32]);

impl LineHash {
    /// `prev` of the first line.
    pub(super) const NONE: LineHash = LineHash([0; 32]);

    /// Hashes a line, with or without its line break.
    pub(super) fn of(line: &[u8]) -> Self {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        LineHash(Sha256::digest(line).into())
    }
}

impl fmt::Display for LineHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for LineHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Appends a match as the line after `before`; returns the hash of the line.
pub(super) fn write_line(record: &Record, before: LineHash, out: &mut Vec<u8>) -> LineHash {
    let start = out.len();
    match &record.prev {
        None => record.write_line(out),
        // Read from another log.
        Some(_) => Record {
            prev: None,
            ..record.clone()
        }
        .write_line(out),
    }
    out.truncate(out.len() - b"}\n".len());
    out.extend(FIELD);
    // Writing to memory does not fail.
    let _ = write!(out, "{before}");
    out.extend(END);
    let hash = LineHash::of(&out[start..]);
    out.push(b'\n');
    hash
}

/// Changes `prev` of a line. A line of an older version stays as it is.
pub(super) fn relink(line: &mut [u8], before: LineHash) {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    let end = text.len().saturating_sub(END.len());
    let start = end.saturating_sub(DIGITS);
    if text[..start].ends_with(FIELD) && text.ends_with(END) {
        line[start..end].copy_from_slice(before.to_string().as_bytes());
    }
}

/// The reason of a break in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Break {
    /// Its `prev` is another one.
    #[error(
        "its `prev` is not the SHA-256 of line {before}, the line before: that line was changed, \
         or lines were removed, added or moved here"
    )]
    Changed {
        /// The line before, from 1.
        before: usize,
    },
    /// It is the first line, but was written after another one.
    #[error(
        "it is the first line, but its `prev` is that of a later one: lines before it are gone"
    )]
    StartMissing,
    /// It has no `prev`.
    #[error(
        "it has no `prev`, though line {before} before it has: it was changed or added, or an \
         older version wrote it"
    )]
    Missing {
        /// The line before, from 1.
        before: usize,
    },
}

/// A line with a wrong `prev`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("line {line} breaks the log's hash chain: {reason}")]
pub struct ChainBreak {
    /// The line, from 1.
    pub line: usize,
    pub reason: Break,
}

/// Checks the chain of a log.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// The line read last, if any.
    last: Option<(usize, LineHash)>,
    /// The first line that has a `prev`.
    begin: Option<usize>,
    breaks: Vec<ChainBreak>,
}

impl Chain {
    /// Checks the next line that is not empty.
    pub(super) fn follow(&mut self, line: usize, hash: LineHash, prev: Option<&str>) {
        let reason = match (self.last, prev) {
            (None, None) => None,
            (Some((before, _)), None) => self.begin.map(|_| Break::Missing { before }),
            (last, Some(prev)) => {
                let expected = last.map_or(LineHash::NONE, |(_, hash)| hash);
                let broken = match last {
                    Some((before, _)) => Break::Changed { before },
                    None => Break::StartMissing,
                };
                (expected.to_string() != prev).then_some(broken)
            }
        };
        self.breaks
            .extend(reason.map(|reason| ChainBreak { line, reason }));
        if prev.is_some() {
            self.begin.get_or_insert(line);
        }
        self.last = Some((line, hash));
    }

    pub(super) fn breaks(&self) -> &[ChainBreak] {
        &self.breaks
    }

    /// The first line that has a `prev`; lines before it were written by an older version.
    pub(super) fn begin(&self) -> Option<usize> {
        self.begin
    }
}
