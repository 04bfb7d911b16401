//! The board of Giantslayer as tables: neighbours and jumps.

use std::array;

use crate::kit::board::{Board, CellId};
use crate::kit::view::Shape;

/// Halogai and giants at the start, and never more.
pub(super) const STONES: [usize; 2] = [24, 6];
/// The number of rows, and of cells in the longest one.
pub(super) const ROWS: usize = 9;
/// The number of cells.
const CELLS: usize = 61;
/// A jump in one direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    /// The cell that is jumped over.
    pub(super) over: CellId,
    /// The cell that it ends on; [`NOWHERE`] if there is none.
    pub(super) land: CellId,
}

/// A bit that is in no set of cells.
pub(super) const NOWHERE: CellId = 63;

/// The board, and tables of neighbours and jumps by cell.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) board: Board,
    /// The closed cell.
    pub(super) middle: CellId,
    /// All cells but the middle one.
    pub(super) all: u64,
    /// The outer ring.
    pub(super) edge: u64,
    /// The neighbours of each cell but the middle one.
    pub(super) near: [u64; CELLS],
    /// The jumps from each cell, by direction.
    pub(super) jumps: [[Jump; 6]; CELLS],
}

/// The hexagon of side 5, named as the Abalone board.
fn board() -> Board {
    let cells = (0..ROWS as i32).flat_map(|row| {
        let numbers = (row - 3).max(1)..=(row + 5).min(9);
        numbers.map(move |number| {
            let name = format!("{}{number}", (b'a' + row as u8) as char);
            (name, 2 * number - row, row)
        })
    });
    Board::new(Shape::Hex, cells.collect())
}

impl Tables {
    pub(super) fn new() -> Self {
        let board = board();
        let middle = (board.len() / 2) as CellId;
        let all = ((1 << board.len()) - 1) & !(1 << middle);
        let is_edge = |cell: &CellId| board.neighbours(*cell).count() < 6;
        let edge = board.cells().filter(is_edge).fold(0, |set, c| set | 1 << c);
        let near = |cell| board.neighbours(cell).fold(0, |set, c| set | 1 << c) & all;
        let jump = |cell, direction| {
            let over = board.step(cell, direction).filter(|&c| c != middle);
            let land = over.and_then(|over| board.step(over, direction));
            Jump {
                over: over.unwrap_or(NOWHERE),
                land: land.filter(|&c| c != middle).unwrap_or(NOWHERE),
            }
        };
        let jumps = |cell| [0, 1, 2, 3, 4, 5].map(|direction| jump(cell, direction));
        Tables {
            middle,
            all,
            edge,
            near: array::from_fn(|cell| near(cell as CellId)),
            jumps: array::from_fn(|cell| jumps(cell as CellId)),
            board,
        }
    }

    /// True if `to` can be reached from `from` in a straight line through cells of `empty`, itself
    /// included.
    pub(super) fn clear(&self, from: CellId, to: CellId, empty: u64) -> bool {
        (0..6).any(|direction| {
            let step = |cell: &CellId| {
                let next = self.board.step(*cell, direction)?;
                (empty >> next & 1 != 0).then_some(next)
            };
            std::iter::successors(step(&from), step).any(|cell| cell == to)
        })
    }
}
