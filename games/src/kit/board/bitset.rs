//! Sets of cells as the bits of an integer, with cell 0 as the lowest bit.

use crate::kit::board::CellId;

/// The cells of a set, lowest first.
#[inline]
pub fn cells(mut set: u128) -> impl Iterator<Item = CellId> + Clone {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let cell = set.trailing_zeros() as CellId;
        set &= set - 1;
        Some(cell)
    })
}

/// The cells of a set on a board of at most 64 cells.
#[inline]
pub fn cells64(mut set: u64) -> impl Iterator<Item = CellId> + Clone {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let cell = set.trailing_zeros() as CellId;
        set &= set - 1;
        Some(cell)
    })
}

/// The set of these cells.
pub fn set(cells: &[CellId]) -> u128 {
    cells.iter().fold(0, |set, cell| set | 1 << cell)
}

/// The set of these cells of a board of at most 64 cells.
pub fn set64(cells: &[CellId]) -> u64 {
    cells.iter().fold(0, |set, cell| set | 1 << cell)
}

/// The cell with number `index` of a set, lowest first.
#[inline]
pub fn nth64(mut set: u64, index: u32) -> CellId {
    for _ in 0..index {
        set &= set - 1;
    }
    set.trailing_zeros() as CellId
}

/// The cell with number `index` of a set, lowest first.
#[inline]
pub fn nth(set: u128, index: u32) -> CellId {
    let (low, high) = (set as u64, (set >> 64) as u64);
    match index.checked_sub(low.count_ones()) {
        None => nth64(low, index),
        Some(rest) => 64 + nth64(high, rest),
    }
}
