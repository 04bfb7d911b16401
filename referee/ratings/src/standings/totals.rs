//! Sums over matches: wins, draws, losses, points, faults.

use serde::Serialize;

/// Outcomes are whole multiples of this part of a point, with up to 16 seats and for goals of 0 to 100.
/// Sums are rounded to it, so that they do not depend on the order of the matches.
const PARTS: f64 = 3_603_600.0;

/// Sums over matches, including repeated ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    pub matches: u64,
    pub points: f64,
    /// Matches with outcome 1.
    pub wins: u64,
    /// Matches with an outcome between 0 and 1.
    pub draws: u64,
    /// Matches with outcome 0.
    pub losses: u64,
    /// Matches lost by a fault.
    pub faults: u64,
    /// The sum of the game's own scores.
    pub scores: i64,
}

impl Totals {
    /// Adds a match by its outcome, from 0 to 1.
    pub(crate) fn add(&mut self, outcome: f64, score: i64, fault: bool) {
        self.matches += 1;
        self.add_points(outcome);
        self.faults += u64::from(fault);
        self.scores += score;
        match outcome {
            1.0 => self.wins += 1,
            0.0 => self.losses += 1,
            _ => self.draws += 1,
        }
    }

    /// Adds a match that no bot was ready for, as a loss.
    pub(crate) fn add_unstarted(&mut self) {
        self.matches += 1;
        self.losses += 1;
        self.faults += 1;
    }

    pub fn join(&mut self, other: &Totals) {
        self.matches += other.matches;
        self.add_points(other.points);
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.faults += other.faults;
        self.scores += other.scores;
    }

    fn add_points(&mut self, points: f64) {
        self.points = ((self.points + points) * PARTS).round() / PARTS;
    }

    /// Points per match, from 0 to 1; `None` without matches.
    pub fn share(&self) -> Option<f64> {
        (self.matches > 0).then(|| self.points / self.matches as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_do_not_depend_on_the_order() {
        let outcomes = [1.0 / 3.0, 1.0, 2.0 / 3.0, 0.5, 1.0 / 6.0, 1.0 / 3.0];
        let sum = |outcomes: &mut dyn Iterator<Item = f64>| {
            let mut totals = Totals::default();
            outcomes.for_each(|outcome| totals.add(outcome, 0, false));
            totals
        };
        let forwards = sum(&mut outcomes.into_iter());
        assert_eq!(forwards.points, 3.0);
        assert_eq!(forwards, sum(&mut outcomes.into_iter().rev()));
        assert_eq!((forwards.wins, forwards.draws, forwards.losses), (1, 5, 0));
    }
}
