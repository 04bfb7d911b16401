//! Reads lines within limits. Nothing is lost when a read is dropped at an await.

use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// Bytes that one read of a bot's output asks for.
const CHUNK: usize = 4 << 10;
/// The same for pipes with few and short lines.
const SMALL_CHUNK: usize = 256;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineRead {
    /// A line, with its text in [`Lines::text`].
    Text,
    /// A line is longer than allowed. Reading cannot go on.
    TooLong,
    /// The limit on lines or bytes, in words, is exceeded. Reading should not go on.
    TooMuch(String),
    /// The pipe is closed. A last line without a line end is lost.
    Closed,
}

/// Limits on the output of a pipe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineLimits {
    /// Bytes that one read asks for.
    chunk: usize,
    /// Bytes per line, without the line end.
    pub(crate) line: usize,
    /// Bytes until [`Lines::reset_limits`].
    pub(crate) bytes: u64,
    /// Lines until [`Lines::reset_limits`].
    pub(crate) lines: u64,
}

impl LineLimits {
    /// For the output of a bot: all three are limited.
    pub(crate) fn output(line: usize, bytes: u64, lines: u64) -> Self {
        LineLimits {
            chunk: CHUNK,
            line,
            bytes,
            lines,
        }
    }

    /// Any number of lines, each of at most this many bytes.
    pub(crate) fn lines_of(line: usize) -> Self {
        LineLimits {
            chunk: SMALL_CHUNK,
            line,
            bytes: u64::MAX,
            lines: u64::MAX,
        }
    }
}

/// Splits the output of a pipe into lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    pipe: R,
    /// Filled up to `end`; the rest is room for the next read.
    buffer: Vec<u8>,
    end: usize,
    /// The start of the next line in `buffer`.
    start: usize,
    /// This many bytes after `start` have been searched for a line end.
    searched: usize,
    /// The last line in `buffer`.
    text: Range<usize>,
    allowed: LineLimits,
    /// Since [`Lines::reset_limits`], as is `lines`.
    bytes: u64,
    lines: u64,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(pipe: R, allowed: LineLimits) -> Self {
        Lines {
            pipe,
            buffer: Vec::new(),
            end: 0,
            start: 0,
            searched: 0,
            text: 0..0,
            allowed,
            bytes: 0,
            lines: 0,
        }
    }

    /// The bytes after the last line end.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The last line, without its line end.
    pub(crate) fn text(&self) -> &[u8] {
        &self.buffer[self.text.clone()]
    }

    pub(crate) fn pipe_mut(&mut self) -> &mut R {
        &mut self.pipe
    }

    /// Counts lines and bytes from zero.
    pub(crate) fn reset_limits(&mut self) {
        self.bytes = 0;
        self.lines = 0;
    }

    /// The next line. Incomplete lines stay in the buffer.
    pub(crate) fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<LineRead>> {
        loop {
            if let Some(line) = self.take_line() {
                return Poll::Ready(Ok(line));
            }
            if self.rest().len() > self.allowed.line {
                return Poll::Ready(Ok(LineRead::TooLong));
            }
            if ready!(self.poll_fill(cx))? == 0 {
                return Poll::Ready(Ok(LineRead::Closed));
            }
        }
    }

    fn take_line(&mut self) -> Option<LineRead> {
        let unread = &self.buffer[self.start..self.end];
        let Some(end) = unread[self.searched..].iter().position(|b| *b == b'\n') else {
            self.searched = unread.len();
            return None;
        };
        let end = self.searched + end;
        self.searched = 0;
        self.text = self.start..self.start + end;
        self.start += end + 1;
        if end > self.allowed.line {
            return Some(LineRead::TooLong);
        }
        self.lines += 1;
        self.bytes += end as u64 + 1;
        Some(match self.too_much() {
            Some(what) => LineRead::TooMuch(what),
            None => LineRead::Text,
        })
    }

    fn too_much(&self) -> Option<String> {
        let LineLimits { bytes, lines, .. } = self.allowed;
        if self.lines > lines {
            return Some(format!("{lines} lines"));
        }
        (self.bytes > bytes).then(|| format!("{bytes} bytes"))
    }

    /// Reads once; returns the number of bytes, 0 at the end.
    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let least = self.end + self.allowed.chunk;
        if self.buffer.len() < least {
            self.buffer.resize(least, 0);
        }
        let mut space = ReadBuf::new(&mut self.buffer[self.end..least]);
        ready!(Pin::new(&mut self.pipe).poll_read(cx, &mut space))?;
        let read = space.filled().len();
        self.end += read;
        Poll::Ready(Ok(read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio::io::AsyncWriteExt;

    async fn next(lines: &mut Lines<tokio::io::DuplexStream>) -> Result<String, LineRead> {
        match poll_fn(|cx| lines.poll_line(cx)).await.unwrap() {
            LineRead::Text => Ok(String::from_utf8(lines.text().to_vec()).unwrap()),
            other => Err(other),
        }
    }

    #[tokio::test]
    async fn lines_are_put_together_from_any_pieces() {
        let (mut bot, pipe) = tokio::io::duplex(64);
        let mut lines = Lines::new(pipe, LineLimits::lines_of(10));
        tokio::spawn(async move {
            for byte in b"one\n\ntwo\r\n" {
                bot.write_all(&[*byte]).await.unwrap();
            }
            bot.write_all(b"three\nfour\nrest").await.unwrap();
        });
        for expected in ["one", "", "two\r", "three", "four"] {
            assert_eq!(next(&mut lines).await, Ok(expected.to_owned()));
        }
        assert_eq!(next(&mut lines).await, Err(LineRead::Closed));
    }

    #[tokio::test]
    async fn floods_of_lines_are_stopped() {
        for (bytes, lines, words) in [(100, 3, "3 lines"), (6, 10, "6 bytes")] {
            let (mut bot, pipe) = tokio::io::duplex(64);
            let allowed = LineLimits::output(10, bytes, lines);
            let mut lines = Lines::new(pipe, allowed);
            bot.write_all(b"a\nb\nc\na\nb\nc\nd\n").await.unwrap();
            for _ in 0..2 {
                for text in ["a", "b", "c"] {
                    assert_eq!(next(&mut lines).await, Ok(text.to_owned()));
                }
                lines.reset_limits();
            }
            bot.write_all(b"b\nc\nd\n").await.unwrap();
            for text in ["d", "b", "c"] {
                assert_eq!(next(&mut lines).await, Ok(text.to_owned()));
            }
            let end = Err(LineRead::TooMuch(words.to_owned()));
            assert_eq!(next(&mut lines).await, end);
        }
    }

    #[tokio::test]
    async fn a_line_without_an_end_is_cut_off_early() {
        let (mut bot, pipe) = tokio::io::duplex(64);
        let mut lines = Lines::new(pipe, LineLimits::lines_of(20_000));
        let flood = tokio::spawn(async move {
            let mut written = 0;
            while bot.write_all(&[b'x'; 64]).await.is_ok() {
                written += 64;
            }
            written
        });
        assert_eq!(next(&mut lines).await, Err(LineRead::TooLong));
        drop(lines);
        assert!(flood.await.unwrap() < 40_000);
    }
}
