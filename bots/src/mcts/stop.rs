//! When a search ends.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::tree::Tree;

/// The time for a move where no clock runs.
const UNHURRIED: Duration = Duration::from_secs(1);
/// So many playouts are made before the search may end early.
const LEAST: u32 = 32;

/// When a search ends.
pub(super) struct Stop {
    playouts: Option<u32>,
    deadline: Option<Instant>,
    /// Whether time that is not used now can be used later.
    saves: bool,
    begin: Instant,
    done: AtomicU32,
}

impl Stop {
    /// A fixed number of playouts does without a deadline, so that it gives the same moves always.
    pub(super) fn new(playouts: Option<u32>, deadline: Option<Instant>, saves: bool) -> Self {
        let begin = Instant::now();
        let unhurried = || playouts.is_none().then_some(begin + UNHURRIED);
        Stop {
            playouts,
            deadline: deadline.or_else(unhurried),
            saves,
            begin,
            done: AtomicU32::new(0),
        }
    }

    /// Whether time is up.
    pub(super) fn late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Playouts so far, of all threads.
    pub(super) fn playouts(&self) -> u32 {
        self.done.load(Ordering::Relaxed)
    }

    /// Whether to make no other playout; if there is one, it is counted.
    pub(super) fn now<M: Copy + Eq>(&self, tree: &Tree<M>) -> bool {
        let done = self.playouts();
        if self.playouts.is_some_and(|most| done >= most) || self.late() || tree.proven() {
            return true;
        }
        if self.saves && done >= LEAST && done.is_multiple_of(16) && tree.decided(self.left(done)) {
            return true;
        }
        self.done.store(done + 1, Ordering::Relaxed);
        false
    }

    /// How many more playouts there is time for.
    fn left(&self, done: u32) -> f64 {
        let Some(deadline) = self.deadline else {
            return f64::INFINITY;
        };
        let spent = self.begin.elapsed().as_secs_f64();
        let left = deadline.saturating_duration_since(Instant::now());
        f64::from(done) * left.as_secs_f64() / spent.max(1e-9)
    }
}
