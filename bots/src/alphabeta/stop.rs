//! When a search ends: by the clock or after so many nodes.

use std::time::{Duration, Instant};

/// The time for a move where no clock runs.
const UNHURRIED: Duration = Duration::from_secs(1);
/// Nodes between two looks at the clock.
const POLL: u64 = 8;

/// The end of a search.
#[derive(Debug)]
pub(super) struct Stop {
    most: Option<u64>,
    deadline: Option<Instant>,
    nodes: u64,
    stopped: bool,
}

impl Stop {
    /// A fixed number of nodes does without a deadline, so that it gives the same moves always.
    pub(super) fn new(most: Option<u64>, deadline: Option<Instant>) -> Self {
        let unhurried = || most.is_none().then(|| Instant::now() + UNHURRIED);
        let deadline = deadline.or_else(unhurried);
        Stop {
            most,
            deadline,
            nodes: 0,
            stopped: false,
        }
    }

    /// Counts a node. Gives whether the search has to end.
    #[inline]
    pub(super) fn count(&mut self) -> bool {
        self.nodes += 1;
        self.stopped |= self.most.is_some_and(|most| self.nodes > most);
        if self.deadline.is_some() && self.nodes.is_multiple_of(POLL) {
            self.look();
        }
        self.stopped
    }

    /// Looks at the clock, whatever the number of nodes.
    pub(super) fn look(&mut self) -> bool {
        self.stopped |= self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline);
        self.stopped
    }

    /// Whether the search had to end.
    #[inline]
    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }

    /// How many nodes were counted.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_do_without_the_clock() {
        let mut stop = Stop::new(Some(3), None);
        assert!(!stop.look());
        assert_eq!([0; 4].map(|_| stop.count()), [false, false, false, true]);
    }

    #[test]
    fn the_clock_is_looked_at_now_and_then() {
        let mut stop = Stop::new(None, Some(Instant::now()));
        let counted = (1..1000).find(|_| stop.count());
        assert_eq!(counted, Some(POLL as i32));
        assert!(stop.stopped());
    }
}
