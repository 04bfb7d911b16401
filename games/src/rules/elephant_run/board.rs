//! The board of Elephant Run as sets of bits, one for each cell.

use crate::kit::board::{CellId, bitset};

/// Columns a, b, …
pub const COLUMNS: usize = 6;
/// Rows 1, 2, …
pub const ROWS: usize = 4;
/// The number of cells.
pub const CELLS: usize = COLUMNS * ROWS;
/// All cells, as a set. Cell ids go up the board row by row.
pub const ALL: u32 = (1 << CELLS) - 1;

/// Clockwise from north.
pub const DIRECTIONS: usize = 8;
/// For each direction, the cells that have a neighbour there and how far a set is rotated to
/// the left to come to these neighbours. The opposite of direction d is d + 4 modulo 8.
const STEPS: [(u32, u32); DIRECTIONS] = steps();

const fn steps() -> [(u32, u32); DIRECTIONS] {
    // Column and row, clockwise from north.
    let deltas = [
        (0, 1),
        (1, 1),
        (1, 0),
        (1, -1),
        (0, -1),
        (-1, -1),
        (-1, 0),
        (-1, 1),
    ];
    let mut steps = [(0, 0); DIRECTIONS];
    let mut d = 0;
    while d < DIRECTIONS {
        let (dx, dy): (i32, i32) = deltas[d];
        let mut cell = 0;
        while cell < CELLS {
            let (x, y) = ((cell % COLUMNS) as i32 + dx, (cell / COLUMNS) as i32 + dy);
            if x >= 0 && x < COLUMNS as i32 && y >= 0 && y < ROWS as i32 {
                steps[d].0 |= 1 << cell;
            }
            cell += 1;
        }
        steps[d].1 = (dx + dy * COLUMNS as i32).rem_euclid(u32::BITS as i32) as u32;
        d += 1;
    }
    steps
}

/// The neighbours of a set of cells in a direction.
#[inline]
pub fn step(set: u32, direction: usize) -> u32 {
    let (cells, rotation) = STEPS[direction];
    (set & cells).rotate_left(rotation)
}

/// The most cells that a line in a direction has.
#[inline]
pub const fn longest(direction: usize) -> usize {
    match direction {
        // East and west.
        2 | 6 => COLUMNS,
        // No diagonal is longer than a column, as there are fewer rows.
        _ => ROWS,
    }
}

/// The cells of a set, lowest first.
#[inline]
pub fn cells(set: u32) -> impl Iterator<Item = CellId> {
    bitset::cells64(u64::from(set))
}

/// Sets of tiles that an elephant reaches by a step, and by a jump over a farmer; `free` are the
/// tiles without a piece.
#[inline]
pub fn elephant_targets(elephant: u32, farmers: u32, free: u32) -> (u32, u32) {
    let (mut steps, mut jumps) = (0, 0);
    for d in 0..DIRECTIONS {
        let next = step(elephant, d);
        steps |= next & free;
        jumps |= step(next & farmers, d) & free;
    }
    (steps, jumps)
}
