//! The stderr of bots: passed on, or written to a file up to a limit; its end stays in memory. The
//! index beside the file says in which turn each part was printed.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use protocol::{ToBot, excerpt, shown_lines};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The number of last bytes that are remembered for reports of failures.
const TAIL: usize = 16 << 10;
/// Bytes that one read asks for. There are many bots, and most print nothing.
const CHUNK: usize = 1 << 10;
/// At most this many reads in a row, so that other tasks can run: as much as a pipe holds.
const MAX_CHUNKS: usize = 64;
/// Sentences quote at most this many characters of the last line.
const MAX_QUOTED: usize = 200;

/// The destination of a process's stderr.
#[derive(Clone, Debug)]
pub enum Stderr {
    /// The referee's own stderr, with all sequences that control a terminal escaped.
    PassOn,
    File {
        /// The file is created when something is printed. The index has the same name with
        /// [`INDEX_EXTENSION`].
        path: PathBuf,
        /// The bytes that all processes of this bot together may still write.
        left: Arc<AtomicU64>,
        /// The bytes that all bots together may still write.
        all_left: Arc<AtomicU64>,
    },
}

/// The extension of the index beside a file of stderr. Each of its lines has an offset in the file,
/// and match, seat and ply of the turn in which the bytes from there on were printed.
pub const INDEX_EXTENSION: &str = "turns";

/// The bot's last turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct AskedTurn {
    /// Empty before the first match.
    match_id: Arc<str>,
    seat: usize,
    /// 0 before the first turn of a match.
    ply: u32,
}

/// The end of a process's stderr.
#[derive(Debug)]
pub(crate) struct Tail {
    last: Arc<Mutex<VecDeque<u8>>>,
    /// `None` if stderr is passed on.
    copied: Option<Arc<Copied>>,
    reading: JoinHandle<()>,
}

impl Tail {
    /// Records the next message to the bot: further output belongs to its turn.
    pub(crate) fn note(&self, message: &ToBot) {
        if let Some(copied) = &self.copied {
            copied.note(message);
        }
    }

    /// The end of stderr. If the process has just ended, waits for the rest, at most this long.
    pub(crate) async fn text(&mut self, within: Duration) -> String {
        if !self.reading.is_finished() {
            // Another process may still have the pipe open.
            let _ = timeout(within, &mut self.reading).await;
        }
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = last.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// An excerpt of the last line that is not blank.
    pub(crate) async fn last_line(&mut self, within: Duration) -> Option<String> {
        let text = self.text(within).await;
        Some(excerpt(error_line(&text)?.as_bytes(), MAX_QUOTED))
    }
}

/// The line that names the error: in many languages, a stack trace or hints follow it. Without such
/// a line, the last line.
fn error_line(text: &str) -> Option<String> {
    /// Stack traces are not longer.
    const LINES: usize = 60;
    const SIGNS: [&str; 5] = ["Error", "Exception", "panicked at ", "panic: ", "error: "];
    let mut lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines.drain(..lines.len().saturating_sub(LINES));
    let names_error = |line: &&str| {
        let is_indented = line.starts_with([' ', '\t']);
        !is_indented && SIGNS.iter().any(|sign| line.contains(sign))
    };
    let at = lines.iter().rposition(names_error);
    let line = lines.get(at.unwrap_or(lines.len().checked_sub(1)?))?.trim();
    // The message follows on the next line.
    let next = at.and_then(|at| lines.get(at + 1));
    Some(match next.filter(|_| line.ends_with(':')) {
        Some(next) => format!("{line} {}", next.trim()),
        None => line.to_owned(),
    })
}

/// Copies a process's stderr until it is closed.
///
/// # Errors
/// If the runtime cannot watch the pipe.
pub(crate) fn read(pipe: OwnedFd, to: Stderr) -> io::Result<Tail> {
    let pipe = Receiver::from_owned_fd(pipe)?;
    Ok(match to {
        Stderr::File {
            path,
            left,
            all_left,
        } => copy(pipe, CappedFile::new(path, left, all_left)),
        Stderr::PassOn => pass_on(pipe),
    })
}

/// A pipe that is copied to a file.
#[derive(Debug)]
struct Copied {
    pipe: Receiver,
    last: Arc<Mutex<VecDeque<u8>>>,
    file: Mutex<CappedFile>,
}

impl Copied {
    /// Copies the bytes that have arrived; false if no more can come.
    fn take(&self, read: impl Fn(&mut [u8]) -> io::Result<usize>) -> bool {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut buffer = [0; CHUNK];
        for _ in 0..MAX_CHUNKS {
            match read(&mut buffer) {
                Ok(0) => return false,
                Ok(length) => {
                    remember(&self.last, &buffer[..length]);
                    file.append(&buffer[..length]);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        true
    }

    /// Copies all output so far, and notes the next message. While bots answer at once, the runtime
    /// has no time to read their stderr.
    fn note(&self, message: &ToBot) {
        if !matches!(message, ToBot::Start(_) | ToBot::Turn(_)) {
            return;
        }
        self.take(|buffer| Ok(rustix::io::read(&self.pipe, buffer)?));
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        match message {
            ToBot::Start(start) => {
                file.turn = AskedTurn {
                    match_id: start.match_id.as_str().into(),
                    seat: start.seat,
                    ply: 0,
                };
            }
            ToBot::Turn(turn) => file.turn.ply = turn.ply,
            _ => {}
        }
    }
}

/// Copies a pipe to a file. Bytes beyond a limit are read and dropped, so that the bot never has to
/// wait.
fn copy(pipe: Receiver, file: CappedFile) -> Tail {
    let last = Arc::new(Mutex::new(VecDeque::new()));
    let copied = Arc::new(Copied {
        pipe,
        last: last.clone(),
        file: Mutex::new(file),
    });
    let read = copied.clone();
    let reading = tokio::spawn(async move {
        let mut is_open = true;
        while is_open && read.pipe.readable().await.is_ok() {
            is_open = read.take(|buffer| read.pipe.try_read(buffer));
        }
    });
    Tail {
        last,
        copied: Some(copied),
        reading,
    }
}

/// Copies to the referee's own stderr in a thread: a slow terminal must not cost a bot time.
fn pass_on(mut pipe: Receiver) -> Tail {
    let last = Arc::new(Mutex::new(VecDeque::new()));
    let tail = last.clone();
    let reading = tokio::spawn(async move {
        let mut buffer = vec![0; CHUNK];
        let mut text = Utf8Pieces::default();
        while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
            remember(&tail, &buffer[..read]);
            show(text.push(&buffer[..read])).await;
        }
        show(text.end()).await;
    });
    Tail {
        last,
        copied: None,
        reading,
    }
}

async fn show(text: String) {
    if !text.is_empty() {
        // A panic would be a bug, and a closed stderr is no reason to stop.
        let show = move || {
            let _ = std::io::stderr().write_all(shown_lines(&text).as_bytes());
        };
        let _ = tokio::task::spawn_blocking(show).await;
    }
}

/// Decodes UTF-8 that arrives in pieces.
#[derive(Debug, Default)]
struct Utf8Pieces {
    /// The first bytes of a character whose end has not arrived.
    begun: Vec<u8>,
}

impl Utf8Pieces {
    /// The text up to here, without an incomplete last character.
    fn push(&mut self, bytes: &[u8]) -> String {
        self.begun.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.begun) {
            Ok(_) => self.begun.len(),
            // Only the last character is incomplete.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => {
                let tail = self.begun.utf8_chunks().last();
                let tail = tail.map_or(&[][..], |chunk| chunk.invalid());
                let cut = std::str::from_utf8(tail).is_err_and(|e| e.error_len().is_none());
                self.begun.len() - if cut { tail.len() } else { 0 }
            }
        };
        let rest = self.begun.split_off(whole);
        let text = String::from_utf8_lossy(&self.begun).into_owned();
        self.begun = rest;
        text
    }

    fn end(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.begun)).into_owned()
    }
}

fn remember(tail: &Mutex<VecDeque<u8>>, text: &[u8]) {
    let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
    tail.extend(text);
    let surplus = tail.len().saturating_sub(TAIL);
    tail.drain(..surplus);
}

/// The file of one process with its index, within the limits.
#[derive(Debug)]
struct CappedFile {
    path: PathBuf,
    file: Option<File>,
    index: Option<File>,
    length: u64,
    turn: AskedTurn,
    /// The turn in the last line of the index.
    indexed: AskedTurn,
    /// The bytes that the processes of this bot may still write.
    left: Arc<AtomicU64>,
    /// The bytes by which the files of all bots together may still grow.
    all_left: Arc<AtomicU64>,
    /// A limit is reached: nothing more is written.
    full: bool,
}

impl CappedFile {
    fn new(path: PathBuf, left: Arc<AtomicU64>, all_left: Arc<AtomicU64>) -> Self {
        CappedFile {
            path,
            file: None,
            index: None,
            length: 0,
            turn: AskedTurn::default(),
            indexed: AskedTurn::default(),
            left,
            all_left,
            full: false,
        }
    }

    /// Appends output of the bot's last turn.
    fn append(&mut self, text: &[u8]) {
        if self.full {
            return;
        }
        let written = self.enter().and_then(|()| self.write(text));
        if let Err(error) = written {
            tracing::warn!("{} cannot be written: {error}", self.path.display());
            self.full = true;
        }
    }

    /// Takes as many of these bytes as the limits allow, and returns their number.
    fn take(&mut self, bytes: usize) -> usize {
        let taken = take(&self.left, bytes).min(take(&self.all_left, bytes));
        self.full = taken < bytes;
        taken
    }

    /// Appends a line to the index if another turn begins here.
    fn enter(&mut self) -> io::Result<()> {
        if self.turn == self.indexed {
            return Ok(());
        }
        self.indexed.clone_from(&self.turn);
        let AskedTurn {
            match_id,
            seat,
            ply,
        } = &self.turn;
        let line = format!("{} {match_id} {seat} {ply}\n", self.length);
        // The limit of a bot should not depend on the index.
        if take(&self.all_left, line.len()) == line.len() {
            let path = self.path.with_extension(INDEX_EXTENSION);
            opened(&mut self.index, &path)?.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let taken = if self.full { 0 } else { self.take(text.len()) };
        if taken == 0 && self.file.is_none() {
            return Ok(());
        }
        let file = opened(&mut self.file, &self.path)?;
        file.write_all(&text[..taken])?;
        self.length += taken as u64;
        if self.full {
            file.write_all(
                b"\n[the limit of what is kept of stderr is reached: the rest was dropped]\n",
            )?;
        }
        Ok(())
    }
}

/// Takes at most this many bytes from those that are left, and returns their number.
fn take(left: &AtomicU64, bytes: usize) -> usize {
    let less = |left: u64| Some(left.saturating_sub(bytes as u64));
    let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    let was = taken.unwrap_or_else(|left| left);
    bytes.min(usize::try_from(was).unwrap_or(usize::MAX))
}

/// The file, which is created when it is used first.
fn opened<'f>(file: &'f mut Option<File>, path: &Path) -> io::Result<&'f mut File> {
    match file {
        Some(file) => Ok(file),
        none => {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            Ok(none.insert(File::create(path)?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_with_the_error_is_quoted() {
        for (text, line) in [
            ("one\ntwo\n\n", "two"),
            ("  only\n", "only"),
            (
                "Traceback (most recent call last):\n  File \"bot.py\", line 3\n    x()\nValueError: no\n",
                "ValueError: no",
            ),
            (
                "bot.rb:3:in `think': no move (RuntimeError)\n\tfrom bot.rb:9:in `<main>'\n",
                "bot.rb:3:in `think': no move (RuntimeError)",
            ),
            (
                "Exception in thread \"main\" java.lang.IllegalStateException: no move\n\tat Bot.think(Bot.java:3)\n\t... 2 more\n",
                "Exception in thread \"main\" java.lang.IllegalStateException: no move",
            ),
            (
                "/bot.js:3\n    throw new Error('no');\n    ^\n\nError: no\n    at think (/bot.js:3:11)\n\nNode.js v18.19.0\n",
                "Error: no",
            ),
            (
                "thread 'main' panicked at src/main.rs:2:5:\nno move\nnote: run with `RUST_BACKTRACE=1`\n",
                "thread 'main' panicked at src/main.rs:2:5: no move",
            ),
            (
                "panic: no move\n\ngoroutine 1 [running]:\nmain.main()\n\t/bot.go:3\n",
                "panic: no move",
            ),
        ] {
            assert_eq!(error_line(text).as_deref(), Some(line));
        }
        assert_eq!(error_line("\n \n"), None);
    }

    #[test]
    fn characters_that_come_in_pieces_are_put_together() {
        let bytes = "aé🐧\u{202e}z"
            .bytes()
            .chain(*b"\xff\xf0b\xf0\x9f")
            .collect::<Vec<u8>>();
        let expected = String::from_utf8_lossy(&bytes).into_owned();
        for length in 1..=bytes.len() {
            let mut text = Utf8Pieces::default();
            let pieces = bytes.chunks(length).map(|piece| text.push(piece));
            let mut all: String = pieces.collect();
            all += &text.end();
            assert_eq!(all, expected, "{length} bytes at a time");
        }
    }
}
