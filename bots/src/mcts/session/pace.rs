//! Whether one random game or many are played from a new position, by how long iterations took so far.

use std::time::Duration;

/// Many games are worth it if an iteration with them takes at most this many times as long. They won clearly
/// where that was 7 (Othello), made no difference where it was 8, and lost where it was 17 and more.
const WORTH: f64 = 8.0;
/// The first iterations with a single game do not count, nor does the first with many: much is computed when
/// it is first needed.
const COLD_SINGLES: u32 = 24;
const COLD_MANYS: u32 = 1;
/// The iterations of each kind that count before there is a choice.
const LEAST: u32 = 2;
/// Where many games pay, one iteration in this number has a single one, to see whether that became faster.
/// Single games are noisy beside the means of many: with every fourth, `mcts` lost in Othello.
const SINGLE_EVERY: u32 = 32;
/// What was measured long ago counts for less.
const KEPT: f64 = 0.95;

#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    single: MeanTime,
    many: MeanTime,
}

/// The mean time of iterations, those of late above all.
#[derive(Clone, Debug, Default)]
struct MeanTime {
    iterations: u32,
    /// The mean of the logarithms of the seconds: a single iteration that was interrupted says little.
    log: f64,
}

impl MeanTime {
    fn add(&mut self, took: Duration, cold: u32) {
        self.iterations += 1;
        let log = took.as_secs_f64().max(1e-9).ln();
        self.log = match self.iterations <= cold + 1 {
            true => log,
            false => KEPT * self.log + (1.0 - KEPT) * log,
        };
    }
}

impl Pace {
    /// True if the next iteration is to play many games: because that pays, or to see whether it does.
    pub(super) fn are_many_worth_it(&self) -> bool {
        let Pace { single, many } = self;
        if single.iterations < COLD_SINGLES + LEAST {
            return false;
        }
        if many.iterations < COLD_MANYS + LEAST {
            return true;
        }
        let iterations = single.iterations.wrapping_add(many.iterations);
        many.log <= single.log + WORTH.ln() && !iterations.is_multiple_of(SINGLE_EVERY)
    }

    /// Records how long an iteration took that played a new position out.
    pub(super) fn add(&mut self, is_many: bool, took: Duration) {
        if is_many {
            self.many.add(took, COLD_MANYS);
        } else {
            self.single.add(took, COLD_SINGLES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(is_many: bool, millis: u64, times: u32, pace: &mut Pace) {
        for _ in 0..times {
            assert_eq!(pace.are_many_worth_it(), is_many);
            pace.add(is_many, Duration::from_millis(millis));
        }
    }

    #[test]
    fn many_games_are_tried_and_kept_where_they_pay() {
        for (many, is_worth_it) in [(20, false), (10, true)] {
            let mut pace = Pace::default();
            played(false, 50, COLD_SINGLES, &mut pace);
            played(false, 2, LEAST, &mut pace);
            played(true, 90, COLD_MANYS, &mut pace);
            played(true, many, LEAST, &mut pace);
            assert_eq!(pace.are_many_worth_it(), is_worth_it);
        }
    }

    #[test]
    fn games_one_by_one_may_become_faster() {
        let mut pace = Pace::default();
        let mut was_many = 0;
        for iteration in 0..4_000 {
            let is_many = pace.are_many_worth_it();
            was_many += u32::from(is_many);
            let single = if iteration < 1_000 { 5 } else { 1 };
            let took = Duration::from_millis(if is_many { 15 } else { single });
            pace.add(is_many, took);
        }
        assert!((900..2_000).contains(&was_many), "{was_many}");
        assert!(!pace.are_many_worth_it());
    }
}
