//! Tournaments that were extended.

use super::shape::Shape;

/// A tournament that this one is an extension of.
#[derive(Clone, Debug)]
pub struct Earlier {
    /// Its shape.
    pub shape: Shape,
    /// The index here of each of its bots.
    pub bots: Vec<usize>,
    /// The index here of each of its games.
    pub games: Vec<usize>,
}
