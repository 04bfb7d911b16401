//! The end of a match.

#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One entry for each seat.
    pub scores: Vec<i64>,
    /// In [0, 1], one entry a seat.
    pub outcome: Vec<f64>,
    pub reason: String,
}
