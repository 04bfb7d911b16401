//! For each starting tile: the most points that the elephant gets against every placement of the farmers.

use std::collections::BTreeMap;

use games::kit::board::{Board, CellId};
use games::rules::elephant_run::board::{CELLS, COLUMNS, ROWS, cells};
use serde::{Deserialize, Serialize};

/// The most points that a game can have: for every tile, and for eight farmers.
pub const MOST_POINTS: u32 = CELLS as u32 + 8;

/// The starting tiles: all others are mirror images of them.
pub fn starting_tiles() -> Vec<CellId> {
    let columns = 0..COLUMNS.div_ceil(2);
    let tiles =
        (0..ROWS.div_ceil(2)).flat_map(|row| columns.clone().map(move |x| row * COLUMNS + x));
    tiles.map(|cell| cell as CellId).collect()
}

pub fn board() -> Board {
    Board::square(COLUMNS, ROWS)
}

/// All placements of this many farmers around an elephant, those near it first.
pub fn placements(elephant: CellId, farmers: u32) -> Vec<u32> {
    let free = (0..CELLS as CellId).filter(|cell| *cell != elephant);
    let mut placements = vec![0u32];
    for cell in free {
        let with = placements.iter().map(|set| set | 1 << cell);
        let with: Vec<u32> = with.filter(|set| set.count_ones() <= farmers).collect();
        placements.extend(with);
    }
    placements.retain(|set| set.count_ones() == farmers);
    placements.sort_by_key(|set| (distance(elephant, *set), *set));
    placements
}

/// The sum of the squares of the farmers' distances.
fn distance(elephant: CellId, farmers: u32) -> usize {
    let spot = |cell: CellId| (cell as usize % COLUMNS, cell as usize / COLUMNS);
    let (x, y) = spot(elephant);
    let apart = |cell| {
        let (u, v) = spot(cell);
        x.abs_diff(u).max(y.abs_diff(v)).pow(2)
    };
    cells(farmers).map(apart).sum()
}

/// What is known about one starting tile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartingTile {
    pub tile: CellId,
    /// The elephant gets this many points against every placement.
    pub at_least: u32,
    /// It gets no more against `holding`; `None` if every number that was asked for is reached.
    pub at_most: Option<u32>,
    /// Of the placements that hold it best, the nearest, as a set of cells.
    pub holding: u32,
    /// The number of placements that hold it to that.
    pub holds: usize,
}

impl StartingTile {
    pub fn new(tile: CellId) -> Self {
        StartingTile {
            tile,
            at_least: 0,
            at_most: None,
            holding: 0,
            holds: 0,
        }
    }

    pub fn is_solved(&self) -> bool {
        self.at_most.is_some()
    }

    /// Notes which placements deny the elephant the next point.
    pub fn learn(&mut self, denied: &BTreeMap<CellId, Vec<u32>>) {
        let denied = &denied[&self.tile];
        let nearest = denied
            .iter()
            .min_by_key(|set| (distance(self.tile, **set), **set));
        match nearest {
            Some(nearest) => {
                self.at_most = Some(self.at_least);
                self.holding = *nearest;
                self.holds = denied.len();
            }
            None => self.at_least += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_six_tiles_and_100947_placements() {
        let board = board();
        let tiles = starting_tiles();
        let names: Vec<&str> = tiles.iter().map(|cell| board.name(*cell)).collect();
        assert_eq!(names, ["a1", "b1", "c1", "a2", "b2", "c2"]);
        let placements = placements(0, 6);
        assert_eq!(placements.len(), 100_947);
        assert!(
            placements
                .windows(2)
                .all(|pair| distance(0, pair[0]) <= distance(0, pair[1]))
        );
    }
}
