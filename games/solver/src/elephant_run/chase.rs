//! Positions of Elephant Run without points, as sets of bits, and the moves in them.

use games::kit::board::CellId;
use games::rules::elephant_run::board::{self, ALL, DIRECTIONS, cells, step};

/// A position in which pieces move, without its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chase {
    pub tiles: u32,
    /// The elephant's cell, as a set.
    pub elephant: u32,
    /// The farmers, as a set of cells.
    pub farmers: u32,
}

/// A farmer's move, as two sets of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FarmerMove {
    pub(super) from: u32,
    pub(super) to: u32,
}

impl Chase {
    /// The position after this placement.
    pub fn start(elephant: CellId, farmers: u32) -> Self {
        Chase {
            tiles: ALL,
            elephant: 1 << elephant,
            farmers,
        }
    }

    #[inline]
    pub(super) fn free(self) -> u32 {
        self.tiles & !self.farmers & !self.elephant
    }

    /// Sets of tiles that the elephant reaches by a step and by a jump.
    #[inline]
    pub(super) fn elephant_targets(self) -> (u32, u32) {
        board::elephant_targets(self.elephant, self.farmers, self.free())
    }

    /// The number of cells that the elephant can go to.
    #[inline]
    pub(super) fn mobility(self) -> u32 {
        let (steps, jumps) = self.elephant_targets();
        (steps | jumps).count_ones()
    }

    /// The position after the elephant steps to a tile, and eats it.
    #[inline]
    pub(super) fn step_to(self, to: u32) -> Self {
        Chase {
            tiles: self.tiles & !to,
            elephant: to,
            farmers: self.farmers,
        }
    }

    /// The position after the elephant jumps to a tile, and captures the farmer between.
    #[inline]
    pub(super) fn jump_to(self, to: u32) -> Self {
        let between = (self.elephant.trailing_zeros() + to.trailing_zeros()) / 2;
        Chase {
            tiles: self.tiles,
            elephant: to,
            farmers: self.farmers & !(1 << between),
        }
    }

    #[inline]
    pub(super) fn farmer_goes(self, mv: FarmerMove) -> Self {
        Chase {
            farmers: self.farmers & !mv.from | mv.to,
            ..self
        }
    }

    /// The cells from next to `from` up to the first that is not an empty hole.
    #[inline]
    pub(super) fn run(self, from: u32, direction: usize) -> u32 {
        let holes = ALL & !self.tiles & !self.elephant;
        let mut front = step(from, direction);
        while front & holes != 0 {
            front = step(front, direction);
        }
        front
    }

    /// Calls `visit` with every farmers' move, each pair of cells perhaps several times.
    #[inline]
    pub(super) fn farmers_moves(self, ranged_jumps: bool, mut visit: impl FnMut(FarmerMove)) {
        let free = self.free();
        for from in cells(self.farmers).map(|cell| 1 << cell) {
            for d in 0..DIRECTIONS {
                let to = self.run(from, d);
                if to & free != 0 {
                    visit(FarmerMove { from, to });
                }
                let over = if ranged_jumps { to } else { step(from, d) } & self.farmers;
                let landing = if ranged_jumps {
                    self.run(over, d)
                } else {
                    step(over, d)
                };
                if landing & free != 0 {
                    visit(FarmerMove { from, to: landing });
                }
            }
        }
    }
}
