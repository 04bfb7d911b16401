//! What bots print on stderr: passed on, or kept in a file up to a limit; its end stays in memory.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use protocol::{excerpt, shown_lines};
use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How many of the last bytes are remembered for reports of failures.
const TAIL: usize = 16 << 10;
/// Bytes that one read asks for: there are many bots, and most print nothing.
const CHUNK: usize = 1 << 10;
/// How many characters of the last line sentences quote.
const MAX_QUOTED: usize = 200;

/// Where a process's stderr goes.
#[derive(Clone, Debug)]
pub enum Stderr {
    /// To the referee's own stderr, with whatever steers a terminal escaped.
    PassOn,
    /// To this file.
    Keep {
        /// The file; it is created when something is printed.
        path: PathBuf,
        /// How many bytes all processes of this bot together may still write.
        left: Arc<AtomicU64>,
        /// How many bytes all bots together may still write.
        all_left: Arc<AtomicU64>,
    },
}

/// The end of what a process printed.
#[derive(Debug)]
pub(crate) struct Tail {
    last: Arc<Mutex<VecDeque<u8>>>,
    reading: JoinHandle<()>,
}

impl Tail {
    /// The end of what was printed; if the process has just ended, waits for the rest of it, at
    /// most this long.
    pub(crate) async fn text(&mut self, within: Duration) -> String {
        if !self.reading.is_finished() {
            // Another process may still have it open.
            let _ = timeout(within, &mut self.reading).await;
        }
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = last.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// An excerpt of the last line that is not blank.
    pub(crate) async fn last_line(&mut self, within: Duration) -> Option<String> {
        let text = self.text(within).await;
        let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(excerpt(line.trim_start().as_bytes(), MAX_QUOTED))
    }
}

/// Reads what a process prints on stderr until it is closed, and copies it there.
pub(crate) fn read(pipe: ChildStderr, to: Stderr) -> Tail {
    match to {
        Stderr::Keep {
            path,
            left,
            all_left,
        } => keep(pipe, path, [left, all_left]),
        Stderr::PassOn => pass_on(pipe),
    }
}

/// Copies to `path` until the pipe is closed. What exceeds a limit is read and dropped, so that the
/// bot never has to wait.
fn keep(mut pipe: ChildStderr, path: PathBuf, left: [Arc<AtomicU64>; 2]) -> Tail {
    let last = Arc::new(Mutex::new(VecDeque::new()));
    let tail = last.clone();
    let reading = tokio::spawn(async move {
        let mut buffer = vec![0; CHUNK];
        let mut file = CappedFile {
            path,
            file: None,
            full: false,
        };
        while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
            remember(&tail, &buffer[..read]);
            file.append(&buffer[..read], &left);
        }
    });
    Tail { last, reading }
}

/// Copies to the referee's own stderr in a thread: a slow terminal must not cost a bot time.
fn pass_on(mut pipe: ChildStderr) -> Tail {
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
    Tail { last, reading }
}

async fn show(text: String) {
    if !text.is_empty() {
        // A panic would be a bug; that nobody reads is no reason to stop.
        let show = move || {
            let _ = std::io::stderr().write_all(shown_lines(&text).as_bytes());
        };
        let _ = tokio::task::spawn_blocking(show).await;
    }
}

/// Turns bytes that come in pieces into text.
#[derive(Debug, Default)]
struct Utf8Pieces {
    /// The beginning of a character whose end has not come.
    begun: Vec<u8>,
}

impl Utf8Pieces {
    /// The text up to here, without a character whose end is missing.
    fn push(&mut self, bytes: &[u8]) -> String {
        self.begun.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.begun) {
            Ok(_) => self.begun.len(),
            // Invalid bytes further on are found after those before them were taken.
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

/// The file of one process, up to the limits.
struct CappedFile {
    path: PathBuf,
    file: Option<File>,
    /// A limit is reached: nothing more is written.
    full: bool,
}

impl CappedFile {
    fn append(&mut self, text: &[u8], left: &[Arc<AtomicU64>; 2]) {
        if self.full {
            return;
        }
        let take = |left: u64| Some(left.saturating_sub(text.len() as u64));
        let allowed = left.each_ref().map(|left| {
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                .unwrap_or_else(|left| left)
        });
        let allowed = allowed[0].min(allowed[1]);
        let kept = text
            .len()
            .min(usize::try_from(allowed).unwrap_or(usize::MAX));
        self.full = kept < text.len();
        if let Err(error) = self.write(&text[..kept]) {
            tracing::warn!("{} cannot be written: {error}", self.path.display());
            self.full = true;
        }
    }

    fn write(&mut self, text: &[u8]) -> std::io::Result<()> {
        if text.is_empty() && self.file.is_none() {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                if let Some(folder) = self.path.parent() {
                    std::fs::create_dir_all(folder)?;
                }
                self.file.insert(File::create(&self.path)?)
            }
        };
        file.write_all(text)?;
        if self.full {
            file.write_all(
                b"\n[the limit of what is kept of stderr is reached: the rest was dropped]\n",
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
