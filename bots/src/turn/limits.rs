//! The limits of a search in one turn: a number of units (nodes or playouts), a deadline, or both.

use std::time::{Duration, Instant};

/// The time for a move without a clock and without a limit on units.
const UNLIMITED_TIME: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchLimits<N> {
    pub(crate) most: Option<N>,
    pub(crate) deadline: Option<Instant>,
    begin: Instant,
}

impl<N> SearchLimits<N> {
    /// With a number of units and no deadline the clock plays no part, so that the moves are
    /// reproducible.
    pub(crate) fn new(most: Option<N>, deadline: Option<Instant>) -> Self {
        let begin = Instant::now();
        let own_deadline = || most.is_none().then_some(begin + UNLIMITED_TIME);
        SearchLimits {
            deadline: deadline.or_else(own_deadline),
            most,
            begin,
        }
    }

    /// True once the deadline has passed.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The number of further units that there is time for, at the pace of the `done` ones.
    pub(crate) fn time_for(&self, done: u32) -> f64 {
        let Some(deadline) = self.deadline else {
            return f64::INFINITY;
        };
        let spent = self.begin.elapsed().as_secs_f64();
        let left = deadline.saturating_duration_since(Instant::now());
        f64::from(done) * left.as_secs_f64() / spent.max(1e-9)
    }
}
