//! Limits on computations: a deadline, and a way to cancel.
//!
//! With rules from outside, a single step or the reading of a sheet can take minutes. Run such a call
//! within a [`Budget`]; the code below it calls [`check`] as it goes on and stops when the budget is
//! spent. A budget belongs to a thread. An inner budget never extends an outer one.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

/// The reason why a computation was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Spent {
    /// The time is over.
    #[error("there was not enough time for it")]
    Time,
    /// The caller has cancelled it.
    #[error("it was given up")]
    Cancelled,
}

/// Stops everything that runs within a [`Budget`] that has a copy of this.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Stops the computation.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A limit on the time of a computation; by default there is none.
///
/// ```
/// use std::time::{Duration, Instant};
/// use games::budget::{Budget, Spent, check};
///
/// let past = Budget::default().until(Instant::now() - Duration::from_secs(1));
/// assert_eq!(past.run(check), Err(Spent::Time));
/// assert_eq!(check(), Ok(()), "outside of it there is no limit");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    cancels: Vec<Cancel>,
}

thread_local! {
    static CURRENT: RefCell<Budget> = RefCell::default();
    /// True if there is any limit.
    static IS_LIMITED: Cell<bool> = const { Cell::new(false) };
}

impl Budget {
    /// The current budget of this thread, for another thread that works for it.
    pub fn current() -> Self {
        CURRENT.with_borrow(Budget::clone)
    }

    /// The same, but no longer than until this moment.
    #[must_use]
    pub fn until(mut self, moment: Instant) -> Self {
        self.deadline = Some(self.deadline.map_or(moment, |other| other.min(moment)));
        self
    }

    /// The same, but no longer than this from now on.
    #[must_use]
    pub fn lasting(self, time: Duration) -> Self {
        match Instant::now().checked_add(time) {
            Some(moment) => self.until(moment),
            None => self,
        }
    }

    /// The same, but only until `cancel` is given up.
    #[must_use]
    pub fn unless(mut self, cancel: &Cancel) -> Self {
        self.cancels.push(cancel.clone());
        self
    }

    /// The end of the time, if there is one.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Runs `act` within this budget and within that of this thread.
    pub fn run<T>(self, act: impl FnOnce() -> T) -> T {
        let outer = Budget::current();
        let mut both = self;
        if let Some(moment) = outer.deadline {
            both = both.until(moment);
        }
        both.cancels.extend(outer.cancels.iter().cloned());
        both.set();
        let _back = Back(Some(outer));
        act()
    }

    fn set(self) {
        IS_LIMITED.set(self.deadline.is_some() || !self.cancels.is_empty());
        CURRENT.set(self);
    }

    fn check(&self) -> Result<(), Spent> {
        if self.cancels.iter().any(Cancel::is_cancelled) {
            return Err(Spent::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Spent::Time),
            _ => Ok(()),
        }
    }
}

/// Checks that this thread may go on. Without a budget this costs next to nothing;
/// with one it looks at the clock.
///
/// # Errors
/// If the budget of this thread is spent.
#[inline]
pub fn check() -> Result<(), Spent> {
    if IS_LIMITED.get() {
        return CURRENT.with_borrow(Budget::check);
    }
    Ok(())
}

/// Checks the budget at intervals, for loops whose rounds are short.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ticks(u32);

impl Ticks {
    /// The number of rounds between two looks at the clock.
    const EVERY: u32 = 1024;

    /// Counts a round.
    ///
    /// # Errors
    /// If the budget of this thread is spent.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Spent> {
        self.0 = self.0.wrapping_add(1);
        if self.0.is_multiple_of(Self::EVERY) {
            return check();
        }
        Ok(())
    }
}

/// Restores the earlier budget, also after a panic.
struct Back(Option<Budget>);

impl Drop for Back {
    fn drop(&mut self) {
        self.0.take().unwrap_or_default().set();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn inner_budgets_only_take_time_away() {
        let past = Budget::default().until(Instant::now() - HOUR);
        let long = || Budget::default().lasting(HOUR);
        past.clone().run(|| {
            assert_eq!(long().run(check), Err(Spent::Time));
            assert_eq!(check(), Err(Spent::Time));
        });
        long().run(|| {
            assert_eq!(past.run(check), Err(Spent::Time));
            assert_eq!(check(), Ok(()));
        });
        assert_eq!(Budget::current().deadline(), None);
    }

    #[test]
    fn whatever_nobody_wants_is_given_up() {
        let (outer, inner) = (Cancel::default(), Cancel::default());
        Budget::default().unless(&outer).run(|| {
            Budget::default().unless(&inner).run(|| {
                assert_eq!(check(), Ok(()));
                outer.cancel();
                assert_eq!(check(), Err(Spent::Cancelled));
            });
        });
        let copy = Budget::default().unless(&inner);
        inner.cancel();
        let there = std::thread::spawn(|| copy.run(check));
        assert_eq!(there.join().unwrap(), Err(Spent::Cancelled));
        assert_eq!(check(), Ok(()));
    }

    #[test]
    fn ticks_look_at_the_clock_sooner_or_later() {
        let past = Budget::default().until(Instant::now() - HOUR);
        let mut ticks = Ticks::default();
        let spent = past.run(|| (0..Ticks::EVERY).find_map(|_| ticks.tick().err()));
        assert_eq!(spent, Some(Spent::Time));
    }
}
