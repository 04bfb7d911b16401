//! Server-sent events. Each page has a small queue; a page that does not read is disconnected and may
//! reconnect.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http_body::Frame;
use tokio::sync::mpsc;

use crate::http::answer;

/// The most events in the queue of a page.
const MOST_WAITING: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Listeners {
    queues: Mutex<Vec<mpsc::Sender<Bytes>>>,
}

pub(crate) fn event(name: &str, data: &str) -> Bytes {
    // JSON on one line has no line break that would need escaping.
    debug_assert!(!data.contains('\n'));
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

impl Listeners {
    fn queues(&self) -> MutexGuard<'_, Vec<mpsc::Sender<Bytes>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn count(&self) -> usize {
        let mut queues = self.queues();
        queues.retain(|queue| !queue.is_closed());
        queues.len()
    }

    /// Sends an event to all. Pages with a full queue are dropped.
    pub(crate) fn send(&self, event: &Bytes) {
        self.queues()
            .retain(|queue| queue.try_send(event.clone()).is_ok());
    }

    /// Ends all streams after their queues are sent.
    pub(crate) fn close(&self) {
        self.queues().clear();
    }

    /// The stream of events for a new page, starting with the state that `first` reads. No event is
    /// sent in between: what changes after that comes as a further event, so that no page waits for
    /// one that it has missed.
    pub(crate) fn join<E>(&self, first: impl FnOnce() -> E) -> Response
    where
        E: IntoIterator<Item = Bytes>,
    {
        let (sender, queue) = mpsc::channel(MOST_WAITING);
        let mut queues = self.queues();
        for event in first() {
            let _ = sender.try_send(event);
        }
        queues.push(sender);
        drop(queues);
        answer::body("text/event-stream", Body::new(EventStream { queue }))
    }
}

/// A response body that stays open as long as the page.
struct EventStream {
    queue: mpsc::Receiver<Bytes>,
}

impl HttpBody for EventStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = self.queue.poll_recv(cx);
        next.map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_does_not_read_is_dropped() {
        let listeners = Listeners::default();
        let mut reads = listeners.join(|| [event("hello", "{}")]).into_body();
        let lags = listeners.join(|| []);
        assert_eq!(listeners.count(), 2);
        let mut read = async || {
            let frame = std::future::poll_fn(|cx| Pin::new(&mut reads).poll_frame(cx)).await;
            frame.map(|frame| frame.unwrap().into_data().unwrap())
        };
        assert_eq!(read().await.unwrap(), "event: hello\ndata: {}\n\n");
        for _ in 0..=MOST_WAITING {
            listeners.send(&event("live", "[]"));
            assert_eq!(read().await.unwrap(), "event: live\ndata: []\n\n");
        }
        assert_eq!(listeners.count(), 1);
        listeners.close();
        assert_eq!(read().await, None);
        drop(lags);
    }
}
