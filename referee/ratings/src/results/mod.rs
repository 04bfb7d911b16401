//! Results sorted: matches into units, units into clusters, and what ratings are made from.

mod clusters;
mod disjoint_sets;
mod evidence;
mod selection;
mod swapped_pairs;

pub(crate) use disjoint_sets::DisjointSets;
pub use evidence::{Evidence, Placing};
pub(crate) use evidence::{outcome, ranks};
pub(crate) use selection::Selection;
pub use swapped_pairs::Meeting;
pub(crate) use swapped_pairs::{Entry, SwappedPairs};
