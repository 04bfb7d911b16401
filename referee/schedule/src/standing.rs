//! Where a tournament stands, in formats in which that is more than points.

use serde::Serialize;

use ratings::sprt::{Corrected, Hypotheses, Verdict};

/// Where a tournament stands. Bots are indices.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// The ranking, the best first.
    Swiss(Vec<SwissRow>),
    /// The duels of each stage.
    Knockout(Vec<Vec<Duel>>),
    /// The test.
    Sprt(SprtStanding),
}

/// A bot of a Swiss tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct SwissRow {
    /// Which one.
    pub bot: usize,
    /// Points, those of byes included.
    pub points: f64,
    /// The points of its opponents.
    pub buchholz: f64,
    /// Rounds without an opponent.
    pub byes: u32,
}

/// Two bots of which one goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Duel {
    /// The one that comes first in the bracket.
    pub first: usize,
    /// The other one; without it, the first goes on.
    pub second: Option<usize>,
    /// Their points.
    pub points: [f64; 2],
    /// Who goes on, once it is decided.
    pub winner: Option<usize>,
    /// How it was decided.
    pub decided: Option<Decided>,
    /// Whether it is for the third place, between the losers of the semifinals.
    pub third_place: bool,
}

/// How a duel was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decided {
    /// There was nobody else.
    Bye,
    /// By points.
    Points,
    /// By points, in further pairs.
    TieBreak,
    /// By the better place in the list from which the bracket is made.
    Place,
}

/// A test between two bots.
#[derive(Clone, Debug, PartialEq)]
pub struct SprtStanding {
    /// What is tested.
    pub hypotheses: Hypotheses,
    /// How many swapped pairs it counts.
    pub pairs: u64,
    /// How many matches repeat an earlier one move by move.
    pub repeats: u64,
    /// How many pairs without repetitions are worth as much.
    pub worth: f64,
    /// How many of the pairs gave the first bot 0, ½, 1, 1½ and 2 points.
    pub counts: [u64; 5],
    /// The log-likelihood ratio.
    pub llr: f64,
    /// What was accepted, if anything.
    pub verdict: Verdict,
    /// The first bot's mean score a match.
    pub score: f64,
    /// What that is in the scale of the hypotheses; `None` if it cannot be said.
    pub elo: Option<f64>,
    /// The difference in strength, corrected for when the test stopped; `None` while it runs.
    pub corrected: Option<Corrected>,
}
