//! Matches sorted into units, units into clusters, and the evidence that ratings are made from.

mod clusters;
mod meetings;
mod selection;
mod swapped_pairs;

pub use meetings::Meeting;
pub(crate) use selection::Selection;
pub(crate) use swapped_pairs::{Entry, SwappedPairs};
