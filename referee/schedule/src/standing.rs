//! Standings of formats that need more than points.

use serde::Serialize;

use ratings::sprt::{Corrected, Hypotheses, Verdict};

/// The standing of a tournament. Bots are indices.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// The ranking, the best first.
    Swiss(Vec<SwissRow>),
    /// The duels of each stage.
    Knockout(Vec<Vec<Duel>>),
    /// The test.
    Sprt(SprtStanding),
}

#[derive(Clone, Debug, PartialEq)]
pub struct SwissRow {
    pub bot: usize,
    /// Points, those of byes included.
    pub points: f64,
    pub buchholz: f64,
    /// Rounds without an opponent.
    pub byes: u32,
}

/// Two bots, one of which advances.
#[derive(Clone, Debug, PartialEq)]
pub struct Duel {
    /// The upper one in the bracket.
    pub first: usize,
    /// The lower one; `None` for a bye.
    pub second: Option<usize>,
    pub points: [f64; 2],
    /// The bot that advances, once decided.
    pub winner: Option<usize>,
    pub decided: Option<Decided>,
    /// True for the duel between the losers of the semifinals.
    pub third_place: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decided {
    /// Without an opponent.
    Bye,
    Points,
    /// By points, in further pairs.
    TieBreak,
    /// By the better seed in the bracket.
    Place,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SprtStanding {
    pub hypotheses: Hypotheses,
    pub pairs: u64,
    /// The number of matches that repeat an earlier one move by move.
    pub repeats: u64,
    /// The equivalent number of pairs without repetitions.
    pub worth: f64,
    /// The numbers of pairs with 0, ½, 1, 1½ and 2 points of the first bot.
    pub counts: [u64; 5],
    pub llr: f64,
    /// The accepted hypothesis, if any.
    pub verdict: Verdict,
    /// The first bot's mean score a match.
    pub score: f64,
    /// The score in the scale of the hypotheses; `None` if undefined.
    pub elo: Option<f64>,
    /// The difference in strength, corrected for the stopping rule; `None` while the test runs.
    pub corrected: Option<Corrected>,
}
