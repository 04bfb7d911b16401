//! The search budget of one turn: a number of playouts, a deadline, or both.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use super::graph::SearchGraph;
use crate::turn::limits::SearchLimits;

/// The number of playouts before the search may end early.
const LEAST: u32 = 32;

/// Counts the playouts of all threads and says when the search has to end.
pub(super) struct PlayoutBudget {
    limits: SearchLimits<u32>,
    /// True if time that is left over can be used later.
    can_save_time: bool,
    done: AtomicU32,
    /// In an analysis: when the search pauses for the next report.
    pause: Option<Instant>,
}

impl PlayoutBudget {
    pub(super) fn new(most: Option<u32>, deadline: Option<Instant>, can_save_time: bool) -> Self {
        PlayoutBudget {
            limits: SearchLimits::new(most, deadline),
            can_save_time,
            done: AtomicU32::new(0),
            pause: None,
        }
    }

    /// Has the search pause at this time, and go on even if the choice is clear: more than that is of
    /// interest.
    pub(super) fn pause_at(&mut self, time: Instant) {
        self.pause = Some(time);
    }

    pub(super) fn is_late(&self) -> bool {
        self.limits.is_late()
    }

    pub(super) fn playouts(&self) -> u32 {
        self.done.load(Ordering::Relaxed)
    }

    /// True if the search has to end, and not only to pause.
    pub(super) fn is_over<M: Copy + Eq>(&self, graph: &SearchGraph<M>) -> bool {
        let nothing_to_learn = || match self.pause {
            None => graph.proven(),
            Some(_) => graph.is_settled(),
        };
        let done = self.playouts();
        self.limits.most.is_some_and(|most| done >= most) || self.is_late() || nothing_to_learn()
    }

    /// True if the search has to end or to pause. If not, one more playout is counted.
    pub(super) fn is_spent<M: Copy + Eq>(&self, graph: &SearchGraph<M>) -> bool {
        let done = self.playouts();
        if self.is_over(graph) || self.pause.is_some_and(|pause| Instant::now() >= pause) {
            return true;
        }
        if self.can_save_time
            && done >= LEAST
            && done.is_multiple_of(16)
            && graph.decided(self.limits.time_for(done))
        {
            return true;
        }
        self.done.store(done + 1, Ordering::Relaxed);
        false
    }
}
