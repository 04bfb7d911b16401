//! The sockets of the server: the first free port, a bounded number of connections, and an end to
//! those who do not read.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

/// The port that is tried first.
pub(crate) const PORT: u16 = 8642;
/// How many ports after that are tried before any free one is taken.
const MOST_TRIED: u16 = 50;
/// How many connections there are at most; others wait.
const MOST_CONNECTIONS: usize = 1024;
/// A connection that takes nothing for this long is ended.
const WRITE_PATIENCE: Duration = Duration::from_secs(20);
/// How long to wait after an error of the system, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// Listens at this address; if the port is taken, at the next free one.
///
/// # Errors
/// If there is no such address here, or no free port.
pub(crate) async fn bind(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    let last = port.saturating_add(MOST_TRIED);
    for port in port..=last {
        match TcpListener::bind((address, port)).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            bound => return bound,
        }
    }
    TcpListener::bind((address, 0)).await
}

/// Accepts connections, at most as many as are allowed at a time.
pub(super) struct Door {
    listener: TcpListener,
    places: Arc<Semaphore>,
}

impl Door {
    pub(super) fn new(listener: TcpListener) -> Self {
        Door {
            listener,
            places: Arc::new(Semaphore::new(MOST_CONNECTIONS)),
        }
    }
}

impl axum::serve::Listener for Door {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let place = self.places.clone().acquire_owned().await;
        let place = place.expect("the semaphore is never closed");
        loop {
            match self.listener.accept().await {
                Ok((stream, from)) => {
                    let _ = stream.set_nodelay(true);
                    return (Connection::new(stream, place), from);
                }
                Err(_) => sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that ends when the other side takes nothing for too long.
pub(super) struct Connection {
    stream: TcpStream,
    /// How long it may take nothing.
    limit: Duration,
    /// Runs while something waits to be taken.
    patience: Option<Pin<Box<Sleep>>>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    fn new(stream: TcpStream, place: OwnedSemaphorePermit) -> Self {
        Connection {
            stream,
            limit: WRITE_PATIENCE,
            patience: None,
            _place: place,
        }
    }

    /// What a write came to; an error if it has waited for too long.
    fn watched<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.patience = None;
            return written;
        }
        let limit = self.limit;
        let patience = self.patience.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(patience.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watched(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.watched(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt as _;

    #[tokio::test]
    async fn a_taken_port_gives_the_next_one() {
        let here: IpAddr = [127, 0, 0, 1].into();
        let first = bind(here, 40_000).await.unwrap();
        let port = first.local_addr().unwrap().port();
        let second = bind(here, port).await.unwrap();
        assert!(second.local_addr().unwrap().port() != port);
    }

    #[tokio::test]
    async fn who_takes_nothing_loses_the_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _silent = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let mut door = Door::new(listener);
        let (mut connection, _) = axum::serve::Listener::accept(&mut door).await;
        connection.limit = Duration::from_millis(20);
        let error = loop {
            if let Err(error) = connection.write_all(&[0; 1 << 16]).await {
                break error;
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
