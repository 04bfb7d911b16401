//! The board of Elephant Run as sets of bits, and the moves on it.

use games::kit::board::CellId;

pub(super) const COLUMNS: usize = 6;
pub(super) const ROWS: usize = 4;
pub(super) const CELLS: usize = COLUMNS * ROWS;
/// All cells, as a set.
pub(super) const ALL: u32 = (1 << CELLS) - 1;

pub(super) const DIRECTIONS: usize = 8;

/// For each direction, the cells that have a neighbour there, and how far a set is rotated to the left
/// to come to these neighbours.
const STEPS: [(u32, u32); DIRECTIONS] = steps();

const fn steps() -> [(u32, u32); DIRECTIONS] {
    let deltas: [(i32, i32); DIRECTIONS] = [
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
        let (dx, dy) = deltas[d];
        let mut cell = 0;
        while cell < CELLS {
            let x = (cell % COLUMNS) as i32 + dx;
            let y = (cell / COLUMNS) as i32 + dy;
            if x >= 0 && x < COLUMNS as i32 && y >= 0 && y < ROWS as i32 {
                steps[d].0 |= 1 << cell;
            }
            cell += 1;
        }
        steps[d].1 = (dx + dy * COLUMNS as i32).rem_euclid(32) as u32;
        d += 1;
    }
    steps
}

#[inline]
fn step(set: u32, direction: usize) -> u32 {
    let (cells, rotation) = STEPS[direction];
    (set & cells).rotate_left(rotation)
}

/// The cells of a set, lowest first.
#[inline]
pub(super) fn cells(mut set: u32) -> impl Iterator<Item = CellId> {
    std::iter::from_fn(move || {
        let cell = set.trailing_zeros();
        (set != 0).then(|| {
            set &= set - 1;
            cell as CellId
        })
    })
}

/// A position in which pieces move, without its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chase {
    /// The tiles that are left.
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
    /// Tiles without a piece.
    #[inline]
    pub(super) fn free(self) -> u32 {
        self.tiles & !self.farmers & !self.elephant
    }

    /// Where the elephant can step, and where it can land after a jump.
    #[inline]
    pub(super) fn elephant_targets(self) -> (u32, u32) {
        let free = self.free();
        let (mut steps, mut jumps) = (0, 0);
        for d in 0..DIRECTIONS {
            let next = step(self.elephant, d);
            steps |= next & free;
            jumps |= step(next & self.farmers, d) & free;
        }
        (steps, jumps)
    }

    /// How many cells the elephant can go to.
    #[inline]
    pub(super) fn mobility(self) -> u32 {
        let (steps, jumps) = self.elephant_targets();
        (steps | jumps).count_ones()
    }

    /// After the elephant's step to a tile, which it eats.
    #[inline]
    pub(super) fn step_to(self, to: u32) -> Self {
        Chase {
            tiles: self.tiles & !to,
            elephant: to,
            farmers: self.farmers,
        }
    }

    /// After the elephant's jump to a tile, which captures the farmer between.
    #[inline]
    pub(super) fn jump_to(self, to: u32) -> Self {
        let between = (self.elephant.trailing_zeros() + to.trailing_zeros()) / 2;
        Chase {
            tiles: self.tiles,
            elephant: to,
            farmers: self.farmers & !(1 << between),
        }
    }

    /// After a farmer's move.
    #[inline]
    pub(super) fn farmer_goes(self, mv: FarmerMove) -> Self {
        Chase {
            farmers: self.farmers & !mv.from | mv.to,
            ..self
        }
    }

    /// The cells from next to `from` up to the first that is not an empty hole.
    #[inline]
    fn run(self, from: u32, direction: usize) -> u32 {
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
