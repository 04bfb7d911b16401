//! The search budget of one turn: a number of iterations, a deadline, or both.

use std::time::{Duration, Instant};

use games::budget::Budget;

use crate::turn::limits::SearchLimits;

/// The number of iterations before the search may end early, and between two looks at that.
const LOOK_EVERY: u32 = 32;

/// Counts iterations and says when the search has to end. Rules from outside can be slow: no iteration
/// begins that would be late if it took as long as the slowest one so far.
pub(crate) struct IterationBudget {
    limits: SearchLimits<u32>,
    /// When the current iteration began.
    last: Instant,
    slowest: Duration,
    done: u32,
    /// The iterations before the last look.
    looked: u32,
}

impl IterationBudget {
    /// `slowest` is the time that an iteration is known to take.
    pub(crate) fn new(most: Option<u32>, deadline: Option<Instant>, slowest: Duration) -> Self {
        IterationBudget {
            limits: SearchLimits::new(most, deadline),
            last: Instant::now(),
            slowest,
            done: 0,
            looked: 0,
        }
    }

    /// Starts one more iteration, if there is time for it.
    pub(crate) fn go_on(&mut self) -> bool {
        if self.limits.most.is_some_and(|most| self.done >= most) {
            return false;
        }
        if let Some(deadline) = self.limits.deadline {
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

    /// The rest of the time as a budget for an iteration: a single one may take longer than that.
    pub(crate) fn rest(&self) -> Budget {
        match self.limits.deadline {
            Some(deadline) => Budget::default().until(deadline),
            None => Budget::default(),
        }
    }

    pub(crate) fn is_time_to_look(&mut self) -> bool {
        let is_time = self.done / LOOK_EVERY > self.looked / LOOK_EVERY;
        self.looked = self.done;
        is_time
    }

    pub(crate) fn left(&self) -> f64 {
        let by_time = self.limits.time_for(self.done);
        let by_number = self.limits.most.map(|most| f64::from(most - self.done));
        by_number.map_or(by_time, |by_number| by_number.min(by_time))
    }

    pub(crate) fn done(&self) -> u32 {
        self.done
    }

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
