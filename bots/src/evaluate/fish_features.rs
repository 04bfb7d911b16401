//! Features that the games with fish share: who reaches which fish first, and who has which for
//! certain.

use std::hash::Hash;

use games::MAX_SEATS;
use games::kit::board::CellId;

use super::endgame_solver::{Endgame, EndgameMoves, EndgameSolver};
use super::evaluation::CERTAIN;
use super::grid::{Cells, Flood, Grid};
use super::linear::{FeatureTable, logarithm};

/// A position of such a game, as the features see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FishBoard<S> {
    pub(super) seats: usize,
    /// The pieces of each seat.
    pub(super) pieces: [S; MAX_SEATS],
    /// The cells that pieces can go to.
    pub(super) open: S,
    /// The cells with one or three points, and those with two or three: numbers in binary.
    pub(super) worth: [S; 2],
    /// Points so far, including those of the cells under the pieces if these are certain.
    pub(super) points: [u32; MAX_SEATS],
    pub(super) mover: Option<usize>,
    /// Whether pieces are still to be placed.
    pub(super) placing: bool,
}

/// The number of features that [`FishBoard::count`] fills.
pub(super) const FEATURES: usize = 12;

/// The points of the cells of a set.
pub(super) fn worth<S: Cells>(worth: [S; 2], cells: S) -> u32 {
    (worth[0] & cells).count() + 2 * (worth[1] & cells).count()
}

impl<S: Cells + Hash> FishBoard<S> {
    /// The cells that each seat could ever reach if the others stood still, its own included.
    fn regions(&self, grid: &Grid<S>) -> [S; MAX_SEATS] {
        let mut regions = [S::NONE; MAX_SEATS];
        for (region, &pieces) in regions.iter_mut().zip(&self.pieces[..self.seats]) {
            *region = pieces | grid.region(pieces, self.open | pieces);
        }
        regions
    }

    /// The least and the most final points of each seat with best play, if no two seats can ever reach
    /// the same cell.
    pub(super) fn final_points(
        &self,
        grid: &Grid<S>,
        solver: &mut EndgameSolver<S>,
        moves: &impl EndgameMoves<S>,
    ) -> Option<[(u32, u32); MAX_SEATS]> {
        if self.placing {
            return None;
        }
        let regions = self.regions(grid);
        let mut all = S::NONE;
        for region in &regions[..self.seats] {
            if all & *region != S::NONE {
                return None;
            }
            all = all | *region;
        }
        let mut points = [(0, 0); MAX_SEATS];
        for seat in 0..self.seats {
            let endgame = Endgame {
                pieces: self.pieces[seat],
                open: self.open & regions[seat],
            };
            let more = solver.solve(grid, moves, endgame);
            points[seat] = (
                self.points[seat] + more.least,
                self.points[seat] + more.most,
            );
        }
        Some(points)
    }

    /// Counts the features of each seat. `slides` gives the number of moves of a piece on a cell.
    pub(super) fn count(
        &self,
        grid: &Grid<S>,
        slides: impl Fn(CellId) -> u32,
        table: &mut FeatureTable,
    ) {
        let floods: [Flood<S>; MAX_SEATS] = std::array::from_fn(|seat| {
            Flood::new(self.pieces[seat], self.open, |set, open| {
                grid.slides(set, open)
            })
        });
        let open = self.open.count() as f32;
        let phase = open / grid.cells() as f32;
        let regions = self.regions(grid);
        for seat in 0..self.seats {
            let others = (0..self.seats).filter(|other| *other != seat);
            let mut first = self.open;
            let mut foreign = S::NONE;
            for other in others {
                first = first & floods[seat].before(&floods[other]);
                foreign = foreign | regions[other];
            }
            let near = floods[seat].within[0];
            let alone = regions[seat].without(foreign) & self.open;
            let tempo = if self.mover == Some(seat) { 1.0 } else { 0.0 };
            let (mut room, mut stuck) = (0.0, 0.0);
            for cell in self.pieces[seat].each() {
                let slides = slides(cell);
                room += logarithm(slides);
                stuck += f32::from(u8::from(slides == 0));
            }
            let points = self.points[seat] as f32;
            let list: [f32; FEATURES] = [
                points,
                points * (1.0 - phase),
                worth(self.worth, first) as f32,
                worth(self.worth, first) as f32 * (1.0 - phase),
                worth(self.worth, near) as f32,
                worth(self.worth, alone) as f32,
                worth(self.worth, alone) as f32 * (1.0 - phase),
                room,
                room * phase,
                stuck,
                tempo,
                tempo * phase,
            ];
            table[seat][..FEATURES].copy_from_slice(&list);
        }
    }
}

/// The scores by final points, if these make the order of the seats certain.
pub(super) fn certain(seats: usize, points: &[(u32, u32); MAX_SEATS]) -> Option<[f32; MAX_SEATS]> {
    for one in 0..seats {
        for other in 0..one {
            let (a, b) = (points[one], points[other]);
            let tied = a == b && a.0 == a.1;
            if !tied && a.1 >= b.0 && b.1 >= a.0 {
                return None;
            }
        }
    }
    let middle = |(least, most): (u32, u32)| (least + most) as f32 / 2.0;
    let mean = points[..seats].iter().copied().map(middle).sum::<f32>() / seats as f32;
    Some(points.map(|points| (middle(points) - mean) * CERTAIN * 1.05))
}
