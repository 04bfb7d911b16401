//! Sums over matches: wins, draws, losses, points, faults.

use serde::Serialize;

use crate::results::Entry;

/// Totals of matches, duplicates included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// How many matches.
    pub matches: u64,
    /// The sum of outcomes.
    pub points: f64,
    /// MatchStore with outcome 1.
    pub wins: u64,
    /// MatchStore in between.
    pub draws: u64,
    /// MatchStore with outcome 0.
    pub losses: u64,
    /// MatchStore lost by a fault.
    pub faults: u64,
    /// The sum of the game's own scores.
    pub scores: i64,
}

impl Totals {
    pub(super) fn add(&mut self, entry: &Entry<'_>, seat: usize) {
        let outcome = entry.outcome(seat);
        self.matches += 1;
        self.points += outcome;
        self.faults += u64::from(entry.kept.at_fault >> seat & 1);
        self.scores += i64::from(entry.kept.scores[seat]);
        match outcome {
            1.0 => self.wins += 1,
            0.0 => self.losses += 1,
            _ => self.draws += 1,
        }
    }

    /// Adds matches that no bot was ready for: lost by all.
    pub(super) fn add_unstarted(&mut self, matches: u64) {
        self.matches += matches;
        self.losses += matches;
        self.faults += matches;
    }

    /// Adds other results.
    pub fn join(&mut self, other: &Totals) {
        self.matches += other.matches;
        self.points += other.points;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.faults += other.faults;
        self.scores += other.scores;
    }
}
