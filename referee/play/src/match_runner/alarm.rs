//! The timer of a match.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// Later than nearly every deadline.
const LATER: Duration = Duration::from_secs(24 * 60 * 60);

/// A timer. Setting it costs more than letting it ring too early, and deadlines mostly move on. So
/// it is only set again after it rang, or if it would ring too late.
pub(super) struct Alarm(Pin<Box<Sleep>>);

impl Alarm {
    pub(super) fn new() -> Self {
        Alarm(Box::pin(sleep(LATER)))
    }

    /// Ready at the deadline.
    pub(super) fn poll_until(&mut self, cx: &mut Context<'_>, deadline: Instant) -> Poll<()> {
        loop {
            if self.0.deadline() > deadline {
                self.0.as_mut().reset(deadline);
            }
            ready!(self.0.as_mut().poll(cx));
            if self.0.deadline() == deadline {
                return Poll::Ready(());
            }
            self.0.as_mut().reset(deadline);
        }
    }
}
