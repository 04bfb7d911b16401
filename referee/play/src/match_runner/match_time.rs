//! The clock of a match, which accounts for suspensions of the referee.

use std::time::Duration;

use tokio::time::Instant;

use arbiter::At;
use supervisor::suspension;

/// The time since the start of the match.
pub(super) struct MatchTime {
    began: Instant,
    /// The last time at which the referee was known to run.
    checked: Instant,
    /// Suspensions that the arbiter knows of, or that were before the match.
    suspended: Duration,
}

impl MatchTime {
    /// Starts the clock.
    pub(super) fn begin() -> Self {
        let now = Instant::now();
        MatchTime {
            began: now,
            checked: now,
            suspended: suspension::total(),
        }
    }

    /// Match time of this moment. Zero before the start.
    pub(super) fn at(&self, now: Instant) -> At {
        now - self.began
    }

    /// The moment of this match time.
    pub(super) fn instant(&self, at: At) -> Instant {
        self.began + at
    }

    /// The length of suspensions up to `now` since the last call; `None` if there were none.
    pub(super) async fn new_suspension(&mut self, now: Instant) -> Option<Duration> {
        // The usual case: a suspension takes longer.
        if now.saturating_duration_since(self.checked) < suspension::MIN_SUSPENSION {
            self.checked = now.max(self.checked);
            return None;
        }
        let total = suspension::total_by(now).await;
        let gap = total.checked_sub(self.suspended);
        self.suspended = total;
        self.checked = now;
        gap.filter(|gap| !gap.is_zero())
    }
}
