//! A bot's output: a pipe that is read at once if an answer may be there already.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll};

use rustix::io::Errno;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe::Receiver;

/// The referee's end of a pipe.
///
/// A bot on the referee's core has often answered by the time the request is written. To ask the
/// kernel for readiness costs as much as to read, so the first read after a request
/// ([`Output::expect`]) does not ask.
#[derive(Debug)]
pub(crate) struct Output {
    pipe: Receiver,
    expecting: bool,
}

impl Output {
    /// # Errors
    /// If the runtime cannot watch the pipe.
    pub(crate) fn new(pipe: OwnedFd) -> io::Result<Self> {
        Ok(Output {
            pipe: Receiver::from_owned_fd(pipe)?,
            expecting: false,
        })
    }

    /// The pipe, to be read without a runtime.
    pub(crate) fn into_fd(self) -> io::Result<OwnedFd> {
        self.pipe.into_nonblocking_fd()
    }

    /// Notes that an answer is expected: the next read does not ask for readiness.
    pub(crate) fn expect(&mut self) {
        self.expecting = true;
    }
}

impl AsyncRead for Output {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if std::mem::take(&mut self.expecting) {
            match rustix::io::read(self.pipe.as_fd(), buffer.initialize_unfilled()) {
                Ok(read) => {
                    buffer.advance(read);
                    return Poll::Ready(Ok(()));
                }
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
        Pin::new(&mut self.pipe).poll_read(cx, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn nothing_is_lost_whatever_comes_when() {
        let (reader, mut writer) = io::pipe().unwrap();
        let mut output = Output::new(reader.into()).unwrap();
        let mut sent = 0_u8;
        let mut next = 0_u8;
        let mut buffer = [0; 4];
        for round in 0..200 {
            let bytes = round % 11;
            let text: Vec<u8> = (0..bytes).map(|i| sent.wrapping_add(i)).collect();
            sent = sent.wrapping_add(bytes);
            if round % 3 == 0 {
                // It comes while the reader waits.
                let mut writer = writer.try_clone().unwrap();
                tokio::spawn(async move { writer.write_all(&text).unwrap() });
            } else {
                writer.write_all(&text).unwrap();
            }
            if round % 2 == 0 {
                output.expect();
            }
            while next != sent {
                let read = output.read(&mut buffer).await.unwrap();
                assert!(read > 0);
                for byte in &buffer[..read] {
                    assert_eq!(*byte, next);
                    next = next.wrapping_add(1);
                }
            }
        }
        drop(writer);
        assert_eq!(output.read(&mut buffer).await.unwrap(), 0);
    }
}
