//! Which matches ratings are made from, and how much each counts.

use super::digest::Entry;

/// The matches of a log that ratings are made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Choice {
    /// This game alone.
    pub(crate) game: Option<usize>,
    /// How much a match of each game counts; a game with 0 is left out.
    pub(crate) weights: Vec<f64>,
    /// Leaves out matches that were lost by a fault.
    pub(crate) without_forfeits: bool,
}

impl Choice {
    /// Whether a match belongs to them.
    pub(crate) fn has(&self, entry: &Entry<'_>) -> bool {
        let game = entry.placing.game as usize;
        self.game.is_none_or(|only| only == game)
            && self.weights.get(game).is_none_or(|weight| *weight > 0.0)
            && !(self.without_forfeits && entry.kept.at_fault != 0)
    }
}
