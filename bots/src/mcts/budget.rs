//! The search budget of one turn: a number of playouts, a deadline, or both.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::graph::SearchGraph;

/// The time for a move without a clock and without a limit on playouts.
const UNLIMITED_TIME: Duration = Duration::from_secs(1);
/// The number of playouts before the search may end early.
const LEAST: u32 = 32;

/// Counts the playouts of all threads and says when the search has to end.
pub(super) struct PlayoutBudget {
    most: Option<u32>,
    deadline: Option<Instant>,
    /// Whether time that is left over can be used later.
    can_save_time: bool,
    begin: Instant,
    done: AtomicU32,
    /// In an analysis: when the search pauses for the next report.
    pause: Option<Instant>,
}

impl PlayoutBudget {
    /// A budget of at most `most` playouts until the deadline. With a number of playouts and no deadline
    /// the clock plays no part, so that the moves are reproducible.
    pub(super) fn new(most: Option<u32>, deadline: Option<Instant>, can_save_time: bool) -> Self {
        let begin = Instant::now();
        let own_deadline = || most.is_none().then_some(begin + UNLIMITED_TIME);
        PlayoutBudget {
            most,
            deadline: deadline.or_else(own_deadline),
            can_save_time,
            begin,
            done: AtomicU32::new(0),
            pause: None,
        }
    }

    /// Has the search pause at this time, and go on even if the choice is clear: more than that is of
    /// interest.
    pub(super) fn pause_at(&mut self, time: Instant) {
        self.pause = Some(time);
    }

    /// Whether the deadline has passed.
    pub(super) fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The playouts of all threads so far.
    pub(super) fn playouts(&self) -> u32 {
        self.done.load(Ordering::Relaxed)
    }

    /// Whether the search has to end, and not only to pause.
    pub(super) fn is_over<M: Copy + Eq>(&self, graph: &SearchGraph<M>) -> bool {
        let nothing_to_learn = || match self.pause {
            None => graph.proven(),
            Some(_) => graph.is_settled(),
        };
        let done = self.playouts();
        self.most.is_some_and(|most| done >= most) || self.is_late() || nothing_to_learn()
    }

    /// Whether the search has to end or to pause. If not, one more playout is counted.
    pub(super) fn is_spent<M: Copy + Eq>(&self, graph: &SearchGraph<M>) -> bool {
        let done = self.playouts();
        if self.is_over(graph) || self.pause.is_some_and(|pause| Instant::now() >= pause) {
            return true;
        }
        if self.can_save_time
            && done >= LEAST
            && done.is_multiple_of(16)
            && graph.decided(self.time_left(done))
        {
            return true;
        }
        self.done.store(done + 1, Ordering::Relaxed);
        false
    }

    /// The number of playouts that there is still time for.
    fn time_left(&self, done: u32) -> f64 {
        let Some(deadline) = self.deadline else {
            return f64::INFINITY;
        };
        let spent = self.begin.elapsed().as_secs_f64();
        let left = deadline.saturating_duration_since(Instant::now());
        f64::from(done) * left.as_secs_f64() / spent.max(1e-9)
    }
}
