//! Whether one random game or many are played from a new position, by how long iterations took so far.

use std::time::Duration;

/// Many games are worth it if an iteration with them takes at most this many times as long. They won clearly
/// where that was 7 (Othello), made no difference where it was 8, and lost where it was 17 and more.
const WORTH: f64 = 8.0;
/// Times are compared once there are this many of each kind.
const LEAST: u32 = 3;
/// While there are fewer times than this of single games, they say little: much is computed when it is first
/// needed.
const COLD: u32 = 24;
/// Where many games pay, one iteration in this number plays a single one, too, to see whether that became
/// faster. It does not count: single games are noisy beside the means of many.
const SINGLE_EVERY: u32 = 32;
/// What was measured long ago counts for less, above all what was measured at first.
const KEPT_WHILE_COLD: f64 = 0.7;
const KEPT: f64 = 0.95;

/// The random games that an iteration plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Games {
    Single,
    Many,
    /// Many that count, and a single one to compare the times.
    Both,
}

/// How long the random games of an iteration took; zero if there were none of a kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) single: Duration,
    pub(super) many: Duration,
}

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
    fn add(&mut self, took: Duration) {
        let kept = match self.iterations {
            0 => 0.0,
            1..COLD => KEPT_WHILE_COLD,
            _ => KEPT,
        };
        self.iterations = self.iterations.saturating_add(1);
        self.log = kept * self.log + (1.0 - kept) * took.as_secs_f64().max(1e-9).ln();
    }
}

impl Pace {
    /// The games of the next iteration.
    pub(super) fn next(&self) -> Games {
        let Pace { single, many } = self;
        let is_cold = single.iterations < COLD;
        let few = single.iterations.min(many.iterations) < LEAST;
        if !few && many.log > single.log + WORTH.ln() {
            return Games::Single;
        }
        match is_cold || many.iterations.is_multiple_of(SINGLE_EVERY) {
            true => Games::Both,
            false => Games::Many,
        }
    }

    /// Records how long an iteration took, and its games.
    pub(super) fn add(&mut self, iteration: Duration, spent: Spent) {
        // Each kind as if the other had not been played.
        if !spent.single.is_zero() {
            self.single.add(iteration.saturating_sub(spent.many));
        }
        if !spent.many.is_zero() {
            self.many.add(iteration.saturating_sub(spent.single));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays iterations with games that take these milliseconds, and returns how many had many games.
    fn play(pace: &mut Pace, iterations: u32, single: u64, many: u64) -> u32 {
        let mut with_many = 0;
        for _ in 0..iterations {
            let games = pace.next();
            let took =
                |is_played: bool, millis| Duration::from_millis(millis * u64::from(is_played));
            let spent = Spent {
                single: took(games != Games::Many, single),
                many: took(games != Games::Single, many),
            };
            pace.add(spent.single + spent.many, spent);
            with_many += u32::from(games != Games::Single);
        }
        with_many
    }

    #[test]
    fn many_games_are_tried_and_kept_where_they_pay() {
        let mut pace = Pace::default();
        assert_eq!(play(&mut pace, 1_000, 5, 30), 1_000);
        let mut pace = Pace::default();
        assert_eq!(play(&mut pace, 1_000, 5, 60), LEAST);
    }

    #[test]
    fn games_one_by_one_may_become_faster() {
        let mut pace = Pace::default();
        assert_eq!(play(&mut pace, 1_000, 5, 15), 1_000);
        let more = play(&mut pace, 3_000, 1, 15);
        assert!(more > 0 && more < 1_500, "{more}");
    }

    #[test]
    fn what_was_slow_at_first_is_soon_forgotten() {
        let mut pace = Pace::default();
        play(&mut pace, COLD / 2, 500, 15);
        let more = play(&mut pace, 1_000, 1, 15);
        assert!(more < 200, "{more}");
    }
}
