//! Points, and how a game ended.

use serde::{Deserialize, Serialize};

/// Points, and what they are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Points, one entry a seat.
    pub scores: Vec<i64>,
    /// What the points are worth, in [0, 1], one entry a seat.
    pub outcome: Vec<f64>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct End {
    /// The points at the end.
    #[serde(flatten)]
    pub tally: Tally,
    /// Why the game is over, as the log names it.
    pub reason: String,
}
