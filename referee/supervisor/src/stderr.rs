//! What bots print on stderr: kept in a file beside the log, up to a limit, and its end in memory.

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

/// So many of the last bytes are remembered, for reports of failures.
const TAIL: usize = 16 << 10;
/// How much is read at once: most bots print nothing, and there are many of them.
const CHUNK: usize = 1 << 10;
/// The last line is quoted in sentences up to this length.
const QUOTED: usize = 200;

/// Where a process's stderr goes.
#[derive(Clone, Debug)]
pub enum Stderr {
    /// To the referee's own, line by line as far as that is known, and fit for a terminal.
    PassOn,
    /// To this file.
    Keep {
        /// The file; it is made when something is printed.
        path: PathBuf,
        /// How many bytes this bot may still leave behind, all its processes together.
        left: Arc<AtomicU64>,
        /// How many all bots together may.
        all_left: Arc<AtomicU64>,
    },
}

/// The end of what a process printed.
#[derive(Debug)]
pub(super) struct Tail {
    last: Arc<Mutex<VecDeque<u8>>>,
    reading: JoinHandle<()>,
}

impl Tail {
    /// All that was printed last, if the process has ended; waits a moment for the rest of it.
    pub(super) async fn text(&mut self, within: Duration) -> String {
        if !self.reading.is_finished() {
            // It may be open in another process still.
            let _ = timeout(within, &mut self.reading).await;
        }
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = last.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The last line that says anything, for a sentence.
    pub(super) async fn last_line(&mut self, within: Duration) -> Option<String> {
        let text = self.text(within).await;
        let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(excerpt(line.trim_start().as_bytes(), QUOTED))
    }
}

/// Copies to `path` until the pipe is closed. What comes after the limit is read and dropped, so
/// that the bot never waits for it.
pub(super) fn keep(mut pipe: ChildStderr, path: PathBuf, left: [Arc<AtomicU64>; 2]) -> Tail {
    let last = Arc::new(Mutex::new(VecDeque::new()));
    let tail = last.clone();
    let reading = tokio::spawn(async move {
        let mut buffer = vec![0; CHUNK];
        let mut file = Capped {
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

/// Passes on to the referee's own stderr what is printed, by a thread: a terminal that is slow to
/// show it must not cost a bot time.
pub(super) fn pass_on(mut pipe: ChildStderr) -> Tail {
    let last = Arc::new(Mutex::new(VecDeque::new()));
    let tail = last.clone();
    let reading = tokio::spawn(async move {
        let mut buffer = vec![0; CHUNK];
        let mut text = Text::default();
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
        // That the thread panics would be a bug; that nobody reads is no reason to stop.
        let show = move || {
            let _ = std::io::stderr().write_all(shown_lines(&text).as_bytes());
        };
        let _ = tokio::task::spawn_blocking(show).await;
    }
}

/// Bytes that come piece by piece, as text.
#[derive(Debug, Default)]
struct Text {
    /// The beginning of a character whose end has not come yet.
    begun: Vec<u8>,
}

impl Text {
    /// The text up to here, but for a character that is not whole.
    fn push(&mut self, bytes: &[u8]) -> String {
        self.begun.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.begun) {
            Ok(_) => self.begun.len(),
            // Wrong bytes further on are found when what is before them was taken.
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

/// The file of one process.
struct Capped {
    path: PathBuf,
    file: Option<File>,
    /// Nothing more is written.
    full: bool,
}

impl Capped {
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
            let mut text = Text::default();
            let pieces = bytes.chunks(length).map(|piece| text.push(piece));
            let mut all: String = pieces.collect();
            all += &text.end();
            assert_eq!(all, expected, "{length} bytes at a time");
        }
    }
}
