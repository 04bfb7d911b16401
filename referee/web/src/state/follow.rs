//! A log written by another process: it may grow, be cut, be replaced or disappear.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use log::LogLine as _;
use memchr::memmem;
use protocol::LOG_FORMAT;
use ratings::matches::Plies;
use ratings::store::Account;
use ratings::{MatchSummary, ScanMemo};
use rayon::prelude::*;

use crate::state::index::Place;

/// Approximate number of bytes read at a time.
const CHUNK: usize = 4 << 20;
/// A longer line is no match.
const MOST_LINE: usize = 1 << 30;
/// This many bytes before the offset are compared, to notice a rewritten log.
const TAIL: usize = 4096;

#[derive(Debug)]
pub(crate) struct FollowedLog {
    path: PathBuf,
    /// Its number among the logs, from 0.
    number: u16,
    file: Option<Arc<File>>,
    /// Device and inode.
    identity: (u64, u64),
    /// The bytes read so far, all whole lines.
    offset: u64,
    line: u64,
    /// The last bytes before `offset`.
    tail: Vec<u8>,
    /// The number of bytes to read at once, raised for a long line.
    chunk: usize,
}

/// The change of a log since the last poll.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Unchanged, or grown.
    None,
    /// The log was changed for this reason, and is read again.
    Rewritten(String),
    /// The log is missing for this reason. Matches already read stay.
    Gone(String),
}

/// A match from the log.
pub(crate) struct LogMatch {
    /// Without its plies.
    pub(crate) played: MatchSummary,
    pub(crate) account: Account,
    pub(crate) place: Place,
    /// True if other matches have the same deal, so that it stays hidden until they are over.
    pub(crate) has_deal: bool,
}

#[derive(Default)]
pub(crate) struct LogPart {
    pub(crate) matches: Vec<LogMatch>,
    /// An invalid line, in a sentence.
    pub(crate) problem: Option<String>,
    /// True if more can be read at once.
    pub(crate) more: bool,
}

impl FollowedLog {
    pub(crate) fn new(path: PathBuf, number: u16) -> Self {
        FollowedLog {
            path,
            number,
            file: None,
            identity: (0, 0),
            offset: 0,
            line: 0,
            tail: Vec::new(),
            chunk: CHUNK,
        }
    }

    /// The open file, for reading single matches.
    pub(crate) fn file(&self) -> Option<Arc<File>> {
        self.file.clone()
    }

    /// Device and inode, once it is open.
    pub(crate) fn identity(&self) -> Option<(u64, u64)> {
        self.file.as_ref().map(|_| self.identity)
    }

    pub(crate) fn poll(&mut self) -> Change {
        let path = self.path.display();
        let meta = match fs::metadata(&self.path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Change::Gone(format!("the log `{path}` is gone"));
            }
            Err(error) => return Change::Gone(format!("the log `{path}` cannot be read: {error}")),
        };
        let identity = (meta.dev(), meta.ino());
        if self.file.is_some() && identity != self.identity {
            return self.rewritten(format!("the log `{path}` was replaced by another file"));
        }
        if meta.len() < self.offset {
            return self.rewritten(format!("the log `{path}` was cut off"));
        }
        if self.file.is_none() {
            match files::open(&self.path) {
                Ok(file) => self.file = Some(Arc::new(file)),
                Err(error) => {
                    return Change::Gone(format!("the log `{path}` cannot be read: {error}"));
                }
            }
            self.identity = identity;
        }
        if !self.is_as_it_was() {
            return self.rewritten(format!("the log `{path}` was rewritten"));
        }
        Change::None
    }

    fn rewritten(&mut self, why: String) -> Change {
        *self = FollowedLog::new(std::mem::take(&mut self.path), self.number);
        Change::Rewritten(why)
    }

    /// True if the bytes before the offset are unchanged.
    fn is_as_it_was(&self) -> bool {
        let Some(file) = &self.file else { return true };
        let mut now = vec![0; self.tail.len()];
        let begin = self.offset - self.tail.len() as u64;
        file.read_exact_at(&mut now, begin).is_ok() && now == self.tail
    }

    /// Reads further whole lines, if there are any.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn read(&mut self) -> io::Result<LogPart> {
        let Some(file) = self.file.clone() else {
            return Ok(LogPart::default());
        };
        let mut text = vec![0; self.chunk];
        let read = fill(&file, &mut text, self.offset)?;
        let is_full = read == text.len();
        text.truncate(read);
        let Some(end) = memchr::memrchr(b'\n', &text) else {
            return self.without_end(is_full);
        };
        text.truncate(end + 1);
        self.chunk = CHUNK;
        let mut taken = self.take(&text);
        taken.more = is_full;
        self.tail = text[text.len().saturating_sub(TAIL)..].to_vec();
        self.offset += text.len() as u64;
        Ok(taken)
    }

    /// Handles bytes without a line end.
    fn without_end(&mut self, is_full: bool) -> io::Result<LogPart> {
        if !is_full {
            return Ok(LogPart::default());
        }
        if self.chunk >= MOST_LINE {
            let line = self.line + 1;
            return Err(io::Error::other(format!(
                "line {line} is longer than 1 GiB"
            )));
        }
        self.chunk *= 4;
        Ok(LogPart {
            more: true,
            ..LogPart::default()
        })
    }

    /// Parses lines on all cores.
    fn take(&mut self, text: &[u8]) -> LogPart {
        // Some editors write this mark at the start of a file.
        let mark = "\u{feff}".as_bytes();
        let mut begin = if self.offset == 0 && text.starts_with(mark) {
            mark.len()
        } else {
            0
        };
        let mut lines = Vec::new();
        for end in memchr::memchr_iter(b'\n', text) {
            self.line += 1;
            if !text[begin..end].trim_ascii().is_empty() {
                lines.push((self.line, begin, end));
            }
            begin = end + 1;
        }
        let read = |memo: &mut ScanMemo, (line, begin, end): (u64, usize, usize)| {
            let place = Place {
                log: self.number,
                offset: self.offset + begin as u64,
                length: (end - begin) as u32,
                started: 0,
                plies: 0,
            };
            let taken = taken(&text[begin..end], place, memo);
            taken.map_err(|why| format!("line {line} of `{}` {why}", self.path.display()))
        };
        let lines = lines.into_par_iter().with_min_len(8);
        let read: Vec<Result<LogMatch, String>> = lines.map_init(ScanMemo::default, read).collect();
        let mut taken = LogPart::default();
        for one in read {
            match one {
                Ok(one) => taken.matches.push(one),
                Err(why) => taken.problem = Some(why),
            }
        }
        taken
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Parses a line; errors are the end of a sentence.
fn taken(line: &[u8], mut place: Place, memo: &mut ScanMemo) -> Result<LogMatch, String> {
    let read = MatchSummary::read(line, memo);
    let mut played = read.map_err(|error| format!("is not a match: {error}"))?;
    if played.format > LOG_FORMAT {
        let format = played.format;
        return Err(format!(
            "has format {format}, which this version cannot read"
        ));
    }
    let account = Account::of(&played);
    place.plies = played.moves.list.len() as u32;
    place.started = started(line);
    played.moves = Plies::default();
    Ok(LogMatch {
        played,
        account,
        place,
        has_deal: has_deal(line),
    })
}

/// True if a match was dealt from a secret. An option of the same name counts as well, which only
/// delays the match.
fn has_deal(line: &[u8]) -> bool {
    memmem::find(line, b"\"deal\":\"").is_some()
}

/// The start of a match in milliseconds since 1970, or 0 if the line lacks it. It is near the end of
/// the line, and quotation marks in texts are escaped there.
fn started(line: &[u8]) -> u64 {
    const KEY: &[u8] = b"\"started\":\"";
    let near = &line[line.len().saturating_sub(600)..];
    let Some(at) = memmem::rfind(near, KEY) else {
        return 0;
    };
    let rest = &near[at + KEY.len()..];
    let end = memchr::memchr(b'"', rest).unwrap_or(0);
    let text = std::str::from_utf8(&rest[..end]).unwrap_or_default();
    let time = humantime::parse_rfc3339_weak(text).ok();
    let since = time.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_millis() as u64)
}

/// True if a process holds the lock on a file, as the writer of a log does. Trying to take it could
/// disturb a tournament that is just starting.
pub(crate) fn is_locked((_, inode): (u64, u64)) -> bool {
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    // On overlays the device differs from that of `stat`.
    let wanted = format!(":{inode}");
    let mut lines = locks.lines().filter(|line| line.contains("WRITE"));
    lines.any(|line| line.split_whitespace().any(|it| it.ends_with(&wanted)))
}

/// The bytes of a match's line.
///
/// # Errors
/// If the file cannot be read, or has become shorter.
pub(crate) fn line_at(file: &File, offset: u64, length: u32) -> io::Result<Vec<u8>> {
    let mut line = vec![0; length as usize];
    file.read_exact_at(&mut line, offset)?;
    Ok(line)
}

/// Resolves a path to a log: a file, or the one in a tournament's folder.
pub(crate) fn log_path(path: &Path) -> PathBuf {
    log::locate(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn line(number: usize) -> String {
        let line = serde_json::json!({
            "format": 1, "match": format!("m-{number:06}"), "game": "siam", "options": {},
            "seed": 1, "start": {}, "players": [{"name": "a", "role": "x", "command": []}],
            "time": {"startup_ms": 1, "margin_ms": 1}, "limits": {}, "opening": 0,
            "moves": [{"seat": 0, "move": "c1", "ms": 1.5}],
            "result": {"scores": [1], "outcome": [1.0], "reason": "x", "faults": []},
            "started": "2026-01-02T03:04:05.678Z", "duration_ms": 1, "referee": ""
        });
        format!("{line}\n")
    }

    fn ids(taken: &LogPart) -> Vec<&str> {
        let matches = taken.matches.iter();
        matches
            .map(|it| it.played.match_id.trim_start_matches("m-00000"))
            .collect()
    }

    #[test]
    fn a_log_grows_by_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.jsonl");
        let mut log = FollowedLog::new(path.clone(), 0);
        assert!(matches!(log.poll(), Change::Gone(_)));
        let second = line(2);
        fs::write(&path, line(1) + &second[..30]).unwrap();
        assert_eq!(log.poll(), Change::None);
        let taken = log.read().unwrap();
        assert_eq!(ids(&taken), ["1"]);
        assert_eq!(taken.matches[0].place.started, 1_767_323_045_678);
        assert_eq!(taken.matches[0].place.plies, 1);
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        assert!(ids(&log.read().unwrap()).is_empty());
        file.write_all(&second.as_bytes()[30..]).unwrap();
        file.write_all(b"\nnonsense\n").unwrap();
        file.write_all(line(3).as_bytes()).unwrap();
        assert_eq!(log.poll(), Change::None);
        let taken = log.read().unwrap();
        assert_eq!(ids(&taken), ["2", "3"]);
        assert!(taken.problem.unwrap().starts_with("line 4 of"));
        let place = taken.matches[1].place;
        let file = log.file().unwrap();
        let read = line_at(&file, place.offset, place.length).unwrap();
        assert_eq!(read, line(3).trim_end().as_bytes());
    }

    #[test]
    fn what_happens_to_a_log_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.jsonl");
        let rewritten = |log: &mut FollowedLog, why: &str| {
            let Change::Rewritten(said) = log.poll() else {
                panic!("it is not as it was")
            };
            assert!(said.ends_with(why), "{said}");
            assert_eq!(log.poll(), Change::None);
            ids(&log.read().unwrap()).len()
        };
        fs::write(&path, line(1) + &line(2)).unwrap();
        let mut log = FollowedLog::new(path.clone(), 0);
        assert_eq!(log.poll(), Change::None);
        assert_eq!(log.read().unwrap().matches.len(), 2);
        fs::write(&path, line(1)).unwrap();
        assert_eq!(rewritten(&mut log, "was cut off"), 1);
        fs::write(&path, line(3) + &line(4)).unwrap();
        assert_eq!(rewritten(&mut log, "was rewritten"), 2);
        let other = folder.path().join("other");
        fs::write(&other, line(3) + &line(4) + &line(5)).unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(rewritten(&mut log, "was replaced by another file"), 3);
        fs::remove_file(&path).unwrap();
        assert!(matches!(log.poll(), Change::Gone(why) if why.ends_with("is gone")));
        // Matches already read stay readable.
        assert!(log.file().is_some());
    }

    #[test]
    fn who_writes_a_log_is_noticed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let meta = file.as_file().metadata().unwrap();
        let identity = (meta.dev(), meta.ino());
        assert!(!is_locked(identity));
        file.as_file().lock().unwrap();
        assert!(is_locked(identity));
    }
}
