//! Which matches ratings are made from, and how much each counts.

/// The matches of a log that ratings are made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selection {
    /// This game alone.
    pub(crate) game: Option<usize>,
    /// How much a match of each game counts; a game with 0 is left out.
    pub(crate) weights: Vec<f64>,
    /// Leaves out matches that were lost by a fault.
    pub(crate) without_forfeits: bool,
}
