//! Separate regions in games in which pieces collect points.

use std::hash::Hash;

use super::regions::separate_regions;
use super::solver::{Budget, Endgame, EndgameMoves, EndgameSolver, PointRange};
use crate::kit::board::bitboard::{Cells, Grid};
use crate::kit::outcome::{MAX_SEATS, Scores};

/// The points of the cells of a set, of sets as in [`PointBoard::worth`].
#[inline]
pub fn worth<S: Cells>(worth: [S; 2], cells: S) -> u32 {
    (worth[0] & cells).count() + 2 * (worth[1] & cells).count()
}

/// A position of such a game once all pieces are placed, as far as points matter.
#[derive(Clone, Copy, Debug)]
pub struct PointBoard<S> {
    /// The number of seats.
    pub seats: usize,
    /// The pieces of each seat; entries beyond the seats are empty.
    pub pieces: [S; MAX_SEATS],
    /// The cells that pieces can go to.
    pub open: S,
    /// The cells with one or three points, and those with two or three: numbers in binary.
    pub worth: [S; 2],
    /// Points so far, including those of the cells under the pieces if these are certain.
    pub points: [u32; MAX_SEATS],
}

impl<S: Cells + Hash> PointBoard<S> {
    /// The least and the most final points of each seat with best play; `None` while two seats can reach
    /// the same open cell.
    ///
    /// If pieces open the cells that they leave, a piece that moves away from one of another seat
    /// opens the way into its own region. So `least` assumes that the seat never does that. Having
    /// to move costs nothing, as closing the cell that one leaves gains its points. The others'
    /// `most` holds against such a seat. If least and most are equal for all, this is best play.
    pub fn final_points<M: EndgameMoves<S>>(
        &self,
        grid: &Grid<S>,
        solver: &mut EndgameSolver<S>,
        moves: &M,
        budget: &mut Budget,
    ) -> Option<[PointRange; MAX_SEATS]> {
        let regions = separate_regions(grid, &self.pieces, |seat| {
            if M::OPENS_CELLS {
                self.open | self.pieces[seat]
            } else {
                self.open
            }
        })?;
        let mut points = [PointRange { least: 0, most: 0 }; MAX_SEATS];
        for seat in 0..self.seats {
            let own = self.pieces[seat];
            let endgame = Endgame {
                pieces: own,
                open: self.open & regions[seat],
                guarded: S::NONE,
            };
            let mut more = solver.solve(grid, moves, endgame, budget);
            let guarded = own & grid.around(self.all_pieces().without(own));
            if M::OPENS_CELLS && guarded != S::NONE {
                let careful = Endgame { guarded, ..endgame };
                more.least = solver.solve(grid, moves, careful, budget).least;
            }
            points[seat] = PointRange {
                least: self.points[seat] + more.least,
                most: self.points[seat] + more.most,
            };
        }
        Some(points)
    }

    /// The final points with best play, if they are certain and can be counted within the budget.
    pub fn settled(
        &self,
        grid: &Grid<S>,
        moves: &impl EndgameMoves<S>,
        budget: &mut Budget,
    ) -> Option<Scores> {
        let mut solver = EndgameSolver::default();
        let points = self.final_points(grid, &mut solver, moves, budget)?;
        let exact = points[..self.seats].iter().map(|range| range.exact());
        exact.map(|points| Some(points? as i32)).collect()
    }

    fn all_pieces(&self) -> S {
        self.pieces.iter().fold(S::NONE, |all, &set| all | set)
    }
}

/// Pieces that slide onto a cell and take its points; the cell that they leave is closed for ever.
#[derive(Clone, Copy, Debug)]
pub struct Slides<'a, S> {
    /// The board.
    pub grid: &'a Grid<S>,
    /// See [`PointBoard::worth`].
    pub worth: [S; 2],
}

impl<S: Cells> EndgameMoves<S> for Slides<'_, S> {
    const OPENS_CELLS: bool = false;

    fn each(&self, endgame: Endgame<S>, visit: &mut dyn FnMut(Endgame<S>, u32)) {
        for from in endgame.pieces.each() {
            for to in self.grid.slides(S::cell(from), endgame.open).each() {
                let next = Endgame {
                    pieces: endgame.pieces.without(S::cell(from)) | S::cell(to),
                    open: endgame.open.without(S::cell(to)),
                    ..endgame
                };
                visit(next, worth(self.worth, S::cell(to)));
            }
        }
    }

    fn most(&self, endgame: Endgame<S>) -> u32 {
        worth(self.worth, self.grid.region(endgame.pieces, endgame.open))
    }
}

/// Pieces that move like amazons and take the points of the cell that they close. In the end they get those
/// of the cells under them.
#[derive(Clone, Copy, Debug)]
pub struct Spears<'a, S> {
    /// The board.
    pub grid: &'a Grid<S>,
    /// See [`PointBoard::worth`].
    pub worth: [S; 2],
}

impl<S: Cells> EndgameMoves<S> for Spears<'_, S> {
    const OPENS_CELLS: bool = true;

    fn each(&self, endgame: Endgame<S>, visit: &mut dyn FnMut(Endgame<S>, u32)) {
        shots(self.grid, endgame, &mut |next, target| {
            visit(next, worth(self.worth, target));
        });
    }

    fn most(&self, endgame: Endgame<S>) -> u32 {
        let open = self.grid.region(endgame.pieces, endgame.open);
        worth(self.worth, open | endgame.pieces)
    }

    fn rest(&self, endgame: Endgame<S>) -> u32 {
        worth(self.worth, endgame.pieces)
    }
}

/// Calls `visit` with the endgame after each move and shot, and the cell that was shot at.
pub(super) fn shots<S: Cells>(
    grid: &Grid<S>,
    endgame: Endgame<S>,
    visit: &mut impl FnMut(Endgame<S>, S),
) {
    for from in endgame.pieces.each().map(S::cell) {
        for to in grid.slides(from, endgame.open).each().map(S::cell) {
            let pieces = endgame.pieces.without(from) | to;
            let open = endgame.open.without(to);
            if endgame.guarded & from != S::NONE {
                // The way back is free.
                let next = Endgame {
                    pieces,
                    open,
                    guarded: endgame.guarded.without(from),
                };
                visit(next, from);
                continue;
            }
            let open = open | from;
            for target in grid.slides(to, open).each().map(S::cell) {
                let next = Endgame {
                    pieces,
                    open: open.without(target),
                    ..endgame
                };
                visit(next, target);
            }
        }
    }
}
