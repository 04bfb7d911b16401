//! Regions that the sides have for themselves.

use std::array;

use crate::kit::board::bitboard::{Cells, Grid};
use crate::kit::outcome::Seat;

/// The cells that each seat's pieces can ever reach through those that are open to it; `None` if two
/// seats can reach the same one.
pub(super) fn separate_regions<S: Cells, const SEATS: usize>(
    grid: &Grid<S>,
    pieces: &[S; SEATS],
    open: impl Fn(Seat) -> S,
) -> Option<[S; SEATS]> {
    let around = |seat: Seat, set: S| grid.around(set) & open(seat);
    let mut regions: [S; SEATS] = array::from_fn(|seat| around(seat, pieces[seat]));
    // All grow at once: most often two of them meet after a few steps.
    while are_separate(&regions) {
        let next = array::from_fn(|seat| regions[seat] | around(seat, regions[seat]));
        if next == regions {
            return Some(regions);
        }
        regions = next;
    }
    None
}

fn are_separate<S: Cells>(regions: &[S]) -> bool {
    let mut all = S::NONE;
    regions.iter().all(|&region| {
        let separate = all & region == S::NONE;
        all = all | region;
        separate
    })
}
