//! Holes, and the cells that farmers may be on as the coordinates of a [`Cube`].

use games::kit::board::CellId;
use games::rules::elephant_run::board::{ALL, CELLS, COLUMNS, DIRECTIONS, ROWS, cells, step};

use super::chase::Chase;
use super::cube::{Cube, Exchange};

/// The reflections of the board: of columns, of rows, and of both.
pub(super) const REFLECTIONS: usize = 4;

pub(super) fn reflected(cell: CellId, reflection: usize) -> CellId {
    let (column, row) = (cell as usize % COLUMNS, cell as usize / COLUMNS);
    let column = if reflection & 1 == 0 {
        column
    } else {
        COLUMNS - 1 - column
    };
    let row = if reflection & 2 == 0 {
        row
    } else {
        ROWS - 1 - row
    };
    (row * COLUMNS + column) as CellId
}

/// The first of the reflections of these holes, and the reflection that leads to it.
pub(super) fn canonical(holes: u32) -> (u32, usize) {
    let of = |reflection| {
        let reflected = cells(holes).map(|cell| 1 << reflected(cell, reflection));
        (reflected.sum(), reflection)
    };
    (0..REFLECTIONS).map(of).min().expect("a reflection")
}

/// The neighbour of a cell, if there is one.
fn next(cell: CellId, direction: usize) -> Option<CellId> {
    cells(step(1 << cell, direction)).next()
}

pub(super) struct Field {
    pub(super) holes: u32,
    /// The cells that are no holes. The elephant may be on one of them.
    pub(super) tiles: Vec<CellId>,
    coordinates: [usize; CELLS],
}

/// A move of the elephant without regard to where the farmers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElephantMove {
    Step(CellId),
    Jump { over: CellId, to: CellId },
}

impl Field {
    pub(super) fn new(holes: u32) -> Self {
        let tiles: Vec<CellId> = cells(ALL & !holes).collect();
        let mut coordinates = [usize::MAX; CELLS];
        for (coordinate, tile) in tiles.iter().enumerate() {
            coordinates[*tile as usize] = coordinate;
        }
        Field {
            holes,
            tiles,
            coordinates,
        }
    }

    pub(super) fn dimensions(&self) -> usize {
        self.tiles.len()
    }

    pub(super) fn coordinate(&self, tile: CellId) -> usize {
        self.coordinates[tile as usize]
    }

    pub(super) fn is_tile(&self, cell: CellId) -> bool {
        self.holes >> cell & 1 == 0
    }

    /// The farmers of these coordinates, as a set of cells.
    pub(super) fn unpacked(&self, packed: u32) -> u32 {
        cells(packed)
            .map(|coordinate| 1 << self.tiles[coordinate as usize])
            .sum()
    }

    pub(super) fn elephant_moves(&self, elephant: CellId) -> impl Iterator<Item = ElephantMove> {
        let near = (0..DIRECTIONS).filter_map(move |d| Some((d, next(elephant, d)?)));
        let near = near.filter(|(_, over)| self.is_tile(*over));
        near.flat_map(|(d, over)| {
            let to = next(over, d).filter(|to| self.is_tile(*to));
            let jump = to.map(|to| ElephantMove::Jump { over, to });
            [Some(ElephantMove::Step(over)), jump].into_iter().flatten()
        })
    }

    /// All moves of farmers, each with its way back.
    pub(super) fn farmers_moves(&self, elephant: CellId, ranged_jumps: bool) -> Vec<Exchange> {
        let chase = Chase {
            tiles: ALL & !self.holes,
            elephant: 1 << elephant,
            farmers: 0,
        };
        let tile = |set: u32| cells(set & chase.free()).next();
        let mut moves = Vec::new();
        for from in cells(chase.free()) {
            // The other half of the directions are the ways back.
            for d in 0..DIRECTIONS / 2 {
                let front = chase.run(1 << from, d);
                let beside = if ranged_jumps {
                    front
                } else {
                    step(1 << from, d)
                };
                let landing = |over: CellId| {
                    let over = 1 << over;
                    tile(if ranged_jumps {
                        chase.run(over, d)
                    } else {
                        step(over, d)
                    })
                };
                let mut add = |to: CellId, over: Option<CellId>| {
                    let (from, to) = (self.coordinate(from), self.coordinate(to));
                    let over = over.map(|over| self.coordinate(over));
                    moves.push(Exchange::new(from, to, over));
                };
                if let Some(to) = tile(front) {
                    add(to, None);
                }
                if let Some(over) = tile(beside)
                    && let Some(to) = landing(over)
                {
                    add(to, Some(over));
                }
            }
        }
        moves
    }

    /// The placements of farmers in which this elephant can move.
    pub(super) fn mobile(&self, elephant: CellId) -> Cube {
        let mut mobile = Cube::empty(self.dimensions());
        for mv in self.elephant_moves(elephant) {
            match mv {
                ElephantMove::Step(to) => mobile.add_where(None, self.coordinate(to)),
                ElephantMove::Jump { over, to } => {
                    mobile.add_where(Some(self.coordinate(over)), self.coordinate(to));
                }
            }
        }
        mobile
    }

    /// This cube of the field with other holes, which are these under a reflection.
    pub(super) fn reflected(&self, cube: Cube, other: &Field, reflection: usize) -> Cube {
        let was = |tile: &CellId| other.coordinate(reflected(*tile, reflection));
        let old: Vec<usize> = self.tiles.iter().map(was).collect();
        cube.permuted(&old)
    }
}
