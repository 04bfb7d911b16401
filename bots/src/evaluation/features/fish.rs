//! Features that the games with fish share: who reaches which fish first, and who has which for
//! certain.

use std::hash::Hash;

use games::MAX_SEATS;
use games::kit::board::CellId;
use games::kit::board::bitboard::{Cells, Grid};
use games::settlement::{Budget, EndgameMoves, EndgameSolver, PointBoard, PointRange, worth};

use crate::evaluation::evaluate::{CERTAIN, EFFORT};
use crate::evaluation::features::flood::Flood;
use crate::evaluation::linear::{FeatureTable, logarithm};

#[derive(Clone, Copy, Debug)]
pub(crate) struct FishBoard<S> {
    /// Pieces and points.
    pub(crate) points: PointBoard<S>,
    pub(crate) mover: Option<usize>,
    /// True if pieces are still to be placed.
    pub(crate) placing: bool,
}

/// The number of features that [`FishBoard::count`] fills.
pub(crate) const FEATURES: usize = 12;

impl<S: Cells + Hash> FishBoard<S> {
    /// The same with another kind of sets.
    pub(crate) fn map<T>(&self, set: impl Fn(S) -> T) -> FishBoard<T> {
        FishBoard {
            points: PointBoard {
                seats: self.points.seats,
                pieces: self.points.pieces.map(&set),
                open: set(self.points.open),
                worth: self.points.worth.map(&set),
                points: self.points.points,
            },
            mover: self.mover,
            placing: self.placing,
        }
    }

    /// The least and the most final points of each seat with best play, if no two seats can ever reach
    /// the same cell.
    pub(crate) fn final_points(
        &self,
        grid: &Grid<S>,
        solver: &mut EndgameSolver<S>,
        moves: &impl EndgameMoves<S>,
    ) -> Option<[PointRange; MAX_SEATS]> {
        if self.placing {
            return None;
        }
        let mut budget = Budget::a_region(EFFORT);
        self.points.final_points(grid, solver, moves, &mut budget)
    }

    /// Counts the features of each seat. `slides` returns the number of moves of a piece on a cell.
    pub(crate) fn count(
        &self,
        grid: &Grid<S>,
        slides: impl Fn(CellId) -> u32,
        table: &mut FeatureTable,
    ) {
        let PointBoard {
            seats,
            pieces,
            open,
            worth: values,
            points,
        } = self.points;
        let lines = grid.open_lines(open);
        let floods: [Flood<S>; MAX_SEATS] = std::array::from_fn(|seat| {
            Flood::new(pieces[seat], open, |set, _| grid.slides_along(set, &lines))
        });
        let phase = open.count() as f32 / grid.cells() as f32;
        // If the others stood still, as far as the flood goes.
        let regions = floods.map(|flood| flood.all());
        for seat in 0..seats {
            let others = (0..seats).filter(|other| *other != seat);
            let mut first = open;
            let mut foreign = S::NONE;
            for other in others {
                first = first & floods[seat].before(&floods[other]);
                foreign = foreign | regions[other];
            }
            let near = floods[seat].within[0];
            let alone = regions[seat].without(foreign) & open;
            let tempo = if self.mover == Some(seat) { 1.0 } else { 0.0 };
            let (mut room, mut stuck) = (0.0, 0.0);
            for cell in pieces[seat].each() {
                let slides = slides(cell);
                room += logarithm(slides);
                stuck += f32::from(u8::from(slides == 0));
            }
            let points = points[seat] as f32;
            let list: [f32; FEATURES] = [
                points,
                points * (1.0 - phase),
                worth(values, first) as f32,
                worth(values, first) as f32 * (1.0 - phase),
                worth(values, near) as f32,
                worth(values, alone) as f32,
                worth(values, alone) as f32 * (1.0 - phase),
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

/// The final scores, if they determine the ranking for certain.
pub(crate) fn certain(seats: usize, points: &[PointRange; MAX_SEATS]) -> Option<[f32; MAX_SEATS]> {
    for one in 0..seats {
        for other in 0..one {
            let (a, b) = (points[one], points[other]);
            let tied = a == b && a.exact().is_some();
            if !tied && a.most >= b.least && b.most >= a.least {
                return None;
            }
        }
    }
    let middle = |range: PointRange| (range.least + range.most) as f32 / 2.0;
    let mean = points[..seats].iter().copied().map(middle).sum::<f32>() / seats as f32;
    Some(points.map(|points| (middle(points) - mean) * CERTAIN * 1.05))
}
