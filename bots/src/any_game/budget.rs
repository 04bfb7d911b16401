//! The search budget of one turn: a number of iterations, a deadline, or both.

use std::time::{Duration, Instant};

use games::budget::Budget;

/// The time for a move without a clock and without a limit on iterations.
const UNLIMITED_TIME: Duration = Duration::from_secs(1);
/// The number of iterations before the search may end early, and between two looks at that.
const LOOK_EVERY: u32 = 32;

/// Counts iterations and says when the search has to end. Rules from outside can be slow: no iteration
/// begins that would be late if it took as long as the slowest one so far.
pub(crate) struct IterationBudget {
    most: Option<u32>,
    deadline: Option<Instant>,
    begin: Instant,
    /// When the current iteration began.
    last: Instant,
    slowest: Duration,
    done: u32,
}

impl IterationBudget {
    /// A budget of at most `most` iterations until the deadline. With a number of iterations and no
    /// deadline the clock plays no part, so that the moves are reproducible. `slowest` is what an
    /// iteration is known to take.
    pub(crate) fn new(most: Option<u32>, deadline: Option<Instant>, slowest: Duration) -> Self {
        let begin = Instant::now();
        let own_deadline = || most.is_none().then_some(begin + UNLIMITED_TIME);
        IterationBudget {
            most,
            deadline: deadline.or_else(own_deadline),
            begin,
            last: begin,
            slowest,
            done: 0,
        }
    }

    /// Whether there is one more iteration, which is then counted.
    pub(crate) fn go_on(&mut self) -> bool {
        if self.most.is_some_and(|most| self.done >= most) {
            return false;
        }
        if let Some(deadline) = self.deadline {
            let now = Instant::now();
            if self.done > 0 {
                self.slowest = self.slowest.max(now - self.last);
            }
            self.last = now;
            if now + self.slowest >= deadline {
                return false;
            }
        }
        self.done += 1;
        true
    }

    /// What is left of the time, for what an iteration computes: a single one may take longer than that.
    pub(crate) fn rest(&self) -> Budget {
        match self.deadline {
            Some(deadline) => Budget::default().until(deadline),
            None => Budget::default(),
        }
    }

    /// Whether it is time to see if the search can end early.
    pub(crate) fn is_time_to_look(&self) -> bool {
        self.done.is_multiple_of(LOOK_EVERY)
    }

    /// The number of iterations that there is still time for.
    pub(crate) fn left(&self) -> f64 {
        let by_number = self.most.map(|most| f64::from(most - self.done));
        let by_time = self.deadline.map(|deadline| {
            let spent = self.begin.elapsed().as_secs_f64();
            let left = deadline.saturating_duration_since(Instant::now());
            f64::from(self.done) * left.as_secs_f64() / spent.max(1e-9)
        });
        let all = by_number.into_iter().chain(by_time);
        all.fold(f64::INFINITY, f64::min)
    }

    /// How many iterations were begun.
    pub(crate) fn done(&self) -> u32 {
        self.done
    }

    /// How long the slowest iteration took.
    pub(crate) fn slowest(&self) -> Duration {
        self.slowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_iteration_begins_that_might_be_late() {
        let soon = Instant::now() + Duration::from_secs(60);
        let mut slow = IterationBudget::new(None, Some(soon), Duration::from_secs(61));
        assert!(!slow.go_on());
        let mut fast = IterationBudget::new(None, Some(soon), Duration::from_secs(1));
        assert!(fast.go_on() && fast.go_on());
        assert_eq!(fast.done(), 2);
    }

    #[test]
    fn a_number_of_iterations_needs_no_clock() {
        let mut budget = IterationBudget::new(Some(2), None, Duration::from_secs(100));
        assert!(budget.go_on() && budget.left() == 1.0);
        assert!(budget.go_on() && !budget.go_on());
    }
}
