//! Points, and how a game ended.

use serde::{Deserialize, Serialize};

/// Points, and what they are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Points, one entry a seat.
    pub scores: Vec<i64>,
    /// Their worth in [0, 1], one entry a seat.
    pub outcome: Vec<f64>,
}

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct End {
    /// The points at the end.
    #[serde(flatten)]
    pub tally: Tally,
    /// The reason for the end, as the log names it.
    pub reason: String,
}
