//! Random numbers for incremental position keys (Zobrist hashing).
//!
//! The key of a position is the xor of a number for each of its pieces, by kind and cell, so that a
//! move changes it by a few xors.

use crate::kit::rng::mix;

const KINDS: usize = 16;
const CELLS: usize = 256;
/// Boards of more cells came later: keys of the others stay as they were.
const FIRST_CELLS: usize = 128;

static TABLE: [[u64; CELLS]; KINDS] = table();

const fn table() -> [[u64; CELLS]; KINDS] {
    let mut table = [[0; CELLS]; KINDS];
    let mut kind = 0;
    while kind < KINDS {
        let mut cell = 0;
        while cell < CELLS {
            let first = if cell < FIRST_CELLS {
                0
            } else {
                KINDS * FIRST_CELLS
            };
            table[kind][cell] = mix((first + kind * FIRST_CELLS + cell % FIRST_CELLS) as u64);
            cell += 1;
        }
        kind += 1;
    }
    table
}

/// The number for a piece of `kind` (below 15) on `cell` (below 256).
#[inline]
pub fn piece(kind: usize, cell: usize) -> u64 {
    TABLE[kind][cell]
}

/// The number for a fact that is not about a cell, such as who is to move (below 128).
#[inline]
pub fn fact(index: usize) -> u64 {
    TABLE[KINDS - 1][index]
}
