//! What a game tells a solver of exact values.

use arrayvec::ArrayVec;

use crate::kit::board::Board;

/// The most sets that a position is made of.
pub const MOST_SETS: usize = 8;

/// A position as sets of cells; see [`Game::cell_sets`](crate::Game::cell_sets).
pub type CellSets = ArrayVec<u128, MOST_SETS>;

/// What is the same for all positions of a game that can be solved; see
/// [`Game::solvable`](crate::Game::solvable).
#[derive(Clone, Copy, Debug)]
pub struct Solvable<'g> {
    /// The board. Play is the same on its mirror images.
    pub board: &'g Board,
    /// The least final margin with which seat 0 wins.
    pub win: i32,
    /// The least final margin with which seat 0 does not lose.
    pub draw: i32,
    /// Whether a win may be by more or less.
    pub points: bool,
}

impl<'g> Solvable<'g> {
    /// A game in which more points win and equal points are a draw.
    pub fn by_points(board: &'g Board) -> Self {
        Solvable {
            board,
            win: 1,
            draw: 0,
            points: true,
        }
    }
}
