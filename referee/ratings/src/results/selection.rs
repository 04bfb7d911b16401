//! The selection of matches for ratings.

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selection {
    pub(crate) game: Option<usize>,
    /// The weight of a match of each game; 0 leaves it out.
    pub(crate) weights: Vec<f64>,
    /// Leaves out matches that were lost by a fault.
    pub(crate) without_forfeits: bool,
}
