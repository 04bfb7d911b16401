//! The timer of a match.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// Later than nearly every deadline.
const LATER: Duration = Duration::from_secs(24 * 60 * 60);

/// A lazy timer. Setting a timer costs more than an early wake-up, and deadlines mostly move back, so
/// it is set only after it rang, or if it would ring too late.
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
