//! Separate regions in the Game of the Amazons: who has more moves left wins.

use super::points::shots;
use super::regions::separate_regions;
use super::solver::{Budget, Endgame, EndgameMoves, EndgameSolver, PointRange};
use crate::kit::board::bitboard::{Cells, Grid};
use crate::kit::outcome::Seat;

/// The number of moves that each seat still has with best play; `None` while both can reach the same empty cell.
///
/// An amazon that moves away from one of the other seat opens the way into its own region, unless it shoots
/// back at where it was. So `least` is what a seat has without ever opening it, and the other one's `most`
/// holds against a seat that does not.
pub fn moves_left<S: Cells>(
    grid: &Grid<S>,
    solver: &mut EndgameSolver<S>,
    amazons: [S; 2],
    empty: S,
    budget: &mut Budget,
) -> Option<[PointRange; 2]> {
    let regions = separate_regions(grid, &amazons, |seat| empty | amazons[seat])?;
    Some([0, 1].map(|seat: Seat| {
        let endgame = Endgame {
            pieces: amazons[seat],
            open: empty & regions[seat],
            guarded: S::NONE,
        };
        let all = solver.solve(grid, &Arrows(grid), endgame, budget);
        let guarded = amazons[seat] & grid.around(amazons[1 - seat]);
        if guarded == S::NONE {
            return all;
        }
        let careful = Endgame { guarded, ..endgame };
        let least = solver.solve(grid, &Arrows(grid), careful, budget).least;
        PointRange { least, ..all }
    }))
}

/// The seat that wins with best play if `mover` is to move, as far as the ranges say.
pub fn winner(moves_left: [PointRange; 2], mover: Seat) -> Option<Seat> {
    let (own, other) = (moves_left[mover], moves_left[1 - mover]);
    if own.least > other.most {
        Some(mover)
    } else if own.most <= other.least {
        Some(1 - mover)
    } else {
        None
    }
}

/// Moves of amazons in a region of their own; each counts one.
#[derive(Clone, Copy, Debug)]
pub struct Arrows<'a, S>(pub &'a Grid<S>);

impl<S: Cells> EndgameMoves<S> for Arrows<'_, S> {
    const OPENS_CELLS: bool = true;

    fn each(&self, endgame: Endgame<S>, visit: &mut dyn FnMut(Endgame<S>, u32)) {
        shots(self.0, endgame, &mut |next, _| visit(next, 1));
    }

    fn most(&self, endgame: Endgame<S>) -> u32 {
        self.0.region(endgame.pieces, endgame.open).count()
    }
}
