//! The facts about a game that a solver of exact values needs.

use arrayvec::ArrayVec;

use crate::kit::board::Board;

/// The most sets that a position is made of.
pub const MOST_SETS: usize = 8;

/// A position as sets of cells; see [`Game::cell_sets`](crate::Game::cell_sets).
pub type CellSets = ArrayVec<u128, MOST_SETS>;

/// Facts about a game for the solver, the same for all positions; see
/// [`Game::solvable`](crate::Game::solvable).
#[derive(Clone, Copy, Debug)]
pub struct Solvable<'g> {
    /// The board. Play is the same on its mirror images. Boards of more than 128 cells, which no set of
    /// [`CellSets`] can hold, are not solved.
    pub board: &'g Board,
    /// The least final margin with which seat 0 wins.
    pub win: i32,
    /// The least final margin with which seat 0 does not lose.
    pub draw: i32,
    /// True if a win may be by more or less.
    pub points: bool,
    /// The movement of pieces, if a solver can do that itself.
    pub movement: Option<Movement>,
}

/// Ways to move that need nothing but sets of cells, so that a solver can make such moves itself, and much
/// faster than the rules do. They say what the [`CellSets`] of a position are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// A piece slides along open cells, then closes one in the same way. The seat that cannot move loses. The
    /// sets are the pieces of seat 0, those of seat 1, and the closed cells.
    SlideAndShoot,
    /// First the seats place their pieces in turn; then a piece slides along open cells, and the one that it
    /// leaves is closed. The seat has the points of each cell where a piece of its own has been; one that
    /// cannot move is skipped. The sets are the cells with one or three points and those with two or three
    /// (numbers in binary), the pieces of seat 0, and those of seat 1. Points under pieces are counted where the
    /// piece leaves or the game ends.
    SlideAndTake {
        /// The number of pieces that each seat places.
        pieces: u32,
        /// True if pieces are placed on open cells of one point as long as there are any.
        start_on_ones: bool,
    },
}

impl<'g> Solvable<'g> {
    /// A game in which more points win and equal points are a draw.
    pub fn by_points(board: &'g Board) -> Self {
        Solvable {
            board,
            win: 1,
            draw: 0,
            points: true,
            movement: None,
        }
    }

    /// The same, with moves that a solver can make itself.
    #[must_use]
    pub fn with_movement(self, movement: Movement) -> Self {
        Solvable {
            movement: Some(movement),
            ..self
        }
    }
}
