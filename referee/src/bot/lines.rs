//! Reading lines that are capped in length, in a way that may be interrupted at any await.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// How much is asked of the pipe at once.
const CHUNK: usize = 8 << 10;

/// What came out of a pipe.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line without its end.
    Text(Vec<u8>),
    /// A line that is longer than allowed. Nothing more can be read.
    TooLong,
    /// The pipe was closed. A last line without an end is lost.
    Closed,
}

/// Splits what comes out of a pipe into lines.
#[derive(Debug)]
pub(super) struct Lines<R> {
    pipe: R,
    buffer: Vec<u8>,
    /// Where in `buffer` the next line starts.
    start: usize,
    /// How far after `start` has been searched for a line's end.
    searched: usize,
    most: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of at most `most` bytes.
    pub(super) fn new(pipe: R, most: usize) -> Self {
        Lines {
            pipe,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            most,
        }
    }

    /// The next line. What was read so far is kept when this is not polled to its end.
    ///
    /// # Errors
    /// If the pipe cannot be read.
    pub(super) fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Line>> {
        loop {
            if let Some(line) = self.take_line() {
                return Poll::Ready(Ok(line));
            }
            if self.buffer.len() - self.start > self.most {
                return Poll::Ready(Ok(Line::TooLong));
            }
            if ready!(self.poll_fill(cx))? == 0 {
                return Poll::Ready(Ok(Line::Closed));
            }
        }
    }

    fn take_line(&mut self) -> Option<Line> {
        let unread = &self.buffer[self.start..];
        let Some(end) = unread[self.searched..].iter().position(|b| *b == b'\n') else {
            self.searched = unread.len();
            return None;
        };
        let end = self.searched + end;
        self.searched = 0;
        self.start += end + 1;
        if end > self.most {
            return Some(Line::TooLong);
        }
        Some(Line::Text(unread[..end].to_vec()))
    }

    /// Reads once; gives the number of bytes, 0 at the end.
    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let full = self.buffer.len();
        self.buffer.resize(full + CHUNK, 0);
        let mut space = ReadBuf::new(&mut self.buffer[full..]);
        let polled = Pin::new(&mut self.pipe).poll_read(cx, &mut space);
        let read = space.filled().len();
        self.buffer.truncate(full + read);
        ready!(polled)?;
        Poll::Ready(Ok(read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio::io::AsyncWriteExt;

    async fn next(lines: &mut Lines<tokio::io::DuplexStream>) -> Line {
        poll_fn(|cx| lines.poll_line(cx)).await.unwrap()
    }

    #[tokio::test]
    async fn lines_are_put_together_from_any_pieces() {
        let (mut bot, pipe) = tokio::io::duplex(64);
        let mut lines = Lines::new(pipe, 10);
        tokio::spawn(async move {
            for byte in b"one\n\ntwo\r\n" {
                bot.write_all(&[*byte]).await.unwrap();
            }
            bot.write_all(b"three\nfour\nrest").await.unwrap();
        });
        for expected in ["one", "", "two\r", "three", "four"] {
            assert_eq!(next(&mut lines).await, Line::Text(expected.into()));
        }
        assert_eq!(next(&mut lines).await, Line::Closed);
    }

    #[tokio::test]
    async fn a_line_without_an_end_is_cut_off_early() {
        let (mut bot, pipe) = tokio::io::duplex(64);
        let mut lines = Lines::new(pipe, 20_000);
        let flood = tokio::spawn(async move {
            let mut written = 0;
            while bot.write_all(&[b'x'; 64]).await.is_ok() {
                written += 64;
            }
            written
        });
        assert_eq!(next(&mut lines).await, Line::TooLong);
        drop(lines);
        assert!(flood.await.unwrap() < 40_000);
    }
}
