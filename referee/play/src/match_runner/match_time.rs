//! The time of a match, and how long the referee itself did not run in it.

use std::time::Duration;

use tokio::time::Instant;

use arbiter::At;
use supervisor::suspension;

/// The time since the match began.
pub(super) struct MatchTime {
    began: Instant,
    /// When the referee was last known to run.
    checked: Instant,
    /// The suspensions of the referee that the arbiter knows of, and those before the match.
    suspended: Duration,
}

impl MatchTime {
    /// A match begins now.
    pub(super) fn begin() -> Self {
        let now = Instant::now();
        MatchTime {
            began: now,
            checked: now,
            suspended: suspension::total(),
        }
    }

    /// What the arbiter calls this moment. Nothing happens before the match begins.
    pub(super) fn at(&self, now: Instant) -> At {
        now - self.began
    }

    /// The moment that the arbiter calls this.
    pub(super) fn instant(&self, at: At) -> Instant {
        self.began + at
    }

    /// For how long the referee did not run, up to `now`, since this was asked last; `None` if it
    /// always ran.
    pub(super) async fn new_suspension(&mut self, now: Instant) -> Option<Duration> {
        // Nearly always; a suspension takes longer.
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
