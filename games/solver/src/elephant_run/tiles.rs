//! For one starting tile: the most points that the elephant gets against every placement of the farmers.
//!
//! Two searches go on in turns. One looks for an upper bound among placements near the elephant: those
//! that took the most work for some number of points are tried for one point more. The other one looks
//! for a lower bound: for one number of points after the other, the elephant has to reach it against all
//! placements. The first number that some placement denies it ends the search.

use games::kit::board::{Board, CellId};
use games::rules::elephant_run::board::{ALL, CELLS, COLUMNS, ROWS, cells};
use serde::{Deserialize, Serialize};

use super::chase::Chase;
use super::search::{ChaseSolver, Stopped};
use super::table::MOST;

/// The number of placements tried for the upper bound at first.
const TRIED: usize = 400;
/// And in the end, without those that took less work.
const LEAST_TRIED: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The most points, by placements that hold the elephant.
    Upper,
    /// The least points, by all placements.
    Lower,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Tried {
    placement: u32,
    /// The positions that were searched for it last.
    work: u64,
}

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

/// The search about one starting tile. It can be stored and resumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartingTile {
    pub tile: CellId,
    pub farmers: u32,
    /// The elephant gets this many points against every placement.
    pub at_least: u8,
    /// It gets no more against `holding`; `None` before any placement was tried.
    pub at_most: Option<u8>,
    /// The placement that holds it best, as a set of cells.
    pub holding: u32,
    /// The placements that are tried for the upper bound; empty at the start.
    near: Vec<Tried>,
    /// Number of sets tried so far for the number of points after `tried_for`.
    tried: usize,
    /// The elephant gets this many points against all of those.
    pub tried_for: u8,
    /// Number of sets finished for the number of points after `at_least`.
    pub done: usize,
    pub positions: u64,
    /// The milliseconds that took, which the caller keeps.
    pub millis: u64,
}

impl StartingTile {
    pub fn new(tile: CellId, farmers: u32) -> Self {
        StartingTile {
            tile,
            farmers,
            at_least: 0,
            at_most: None,
            holding: 0,
            near: Vec::new(),
            tried: 0,
            tried_for: 0,
            done: 0,
            positions: 0,
            millis: 0,
        }
    }

    pub fn is_solved(&self) -> bool {
        self.at_most == Some(self.at_least)
    }

    /// The position after this placement.
    pub fn start(&self, farmers: u32) -> Chase {
        Chase {
            tiles: ALL,
            elephant: 1 << self.tile,
            farmers,
        }
    }

    /// All placements, those near the elephant first.
    pub fn placements(&self) -> Vec<u32> {
        let apart = |cell: CellId| {
            let spot = |cell: CellId| (cell as usize % COLUMNS, cell as usize / COLUMNS);
            let ((x, y), (u, v)) = (spot(cell), spot(self.tile));
            x.abs_diff(u).max(y.abs_diff(v)).pow(2)
        };
        let free = (0..CELLS as CellId).filter(|cell| *cell != self.tile);
        let mut placements = vec![0u32];
        for cell in free {
            let with = placements.iter().map(|set| set | 1 << cell);
            let with: Vec<u32> = with
                .filter(|set| set.count_ones() <= self.farmers)
                .collect();
            placements.extend(with);
        }
        placements.retain(|set| set.count_ones() == self.farmers);
        placements.sort_by_key(|set| (cells(*set).map(apart).sum::<usize>(), *set));
        placements
    }

    /// Searches until the bounds meet or, for the upper bound, until there is one. `step` is called before
    /// each placement with what is known.
    ///
    /// # Errors
    /// If the solver's watch stops it; it can be called again to go on.
    pub fn run(
        &mut self,
        solver: &mut ChaseSolver<'_>,
        bound: Bound,
        mut step: impl FnMut(&Self),
    ) -> Result<(), Stopped> {
        let placements = self.placements();
        if self.near.is_empty() {
            let near = placements.iter().take(TRIED);
            let tried = |placement: &u32| Tried {
                placement: *placement,
                work: 0,
            };
            self.near = near.map(tried).collect();
        }
        let positions = self.positions.wrapping_sub(solver.positions);
        let mut ended = Ok(());
        while ended.is_ok() && !self.is_done(bound) {
            step(self);
            ended = match bound {
                Bound::Upper => self.try_placement(solver),
                Bound::Lower => self.next_placement(solver, &placements),
            };
            self.positions = positions.wrapping_add(solver.positions);
        }
        ended
    }

    fn is_done(&self, bound: Bound) -> bool {
        let tried = self.at_most.is_some() || self.tried_for == MOST;
        self.is_solved() || bound == Bound::Upper && tried
    }

    /// Tries whether the next placement denies the elephant one more point than all of them allow.
    fn try_placement(&mut self, solver: &mut ChaseSolver<'_>) -> Result<(), Stopped> {
        let start = self.start(self.near[self.tried].placement);
        let before = solver.positions;
        let gets = solver.elephant_gets(start, self.tried_for + 1);
        let tried = &mut self.near[self.tried];
        tried.work += solver.positions - before;
        if !gets? {
            self.at_most = Some(self.tried_for);
            self.holding = tried.placement;
        }
        self.tried += 1;
        if self.tried == self.near.len() {
            self.tried = 0;
            self.tried_for += 1;
            self.near.sort_by_key(|tried| u64::MAX - tried.work);
            let fewer = (self.near.len() / 2).max(LEAST_TRIED);
            self.near.truncate(fewer);
            self.near.iter_mut().for_each(|tried| tried.work = 0);
        }
        Ok(())
    }

    /// Tests one placement for the number of points after `at_least`.
    fn next_placement(
        &mut self,
        solver: &mut ChaseSolver<'_>,
        placements: &[u32],
    ) -> Result<(), Stopped> {
        let placement = placements[self.done];
        if !solver.elephant_gets(self.start(placement), self.at_least + 1)? {
            self.at_most = Some(self.at_least);
            self.holding = placement;
            return Ok(());
        }
        self.done += 1;
        if self.done == placements.len() {
            self.done = 0;
            self.at_least += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_six_tiles_and_100947_placements() {
        let board = board();
        let names: Vec<&str> = starting_tiles()
            .iter()
            .map(|c| board.name(*c))
            .collect::<Vec<_>>();
        assert_eq!(names, ["a1", "b1", "c1", "a2", "b2", "c2"]);
        let tile = StartingTile::new(0, 6);
        let placements = tile.placements();
        assert_eq!(placements.len(), 100_947);
        // a2, b1, b2 and what is beyond them.
        let corner = ["a2", "b1", "b2", "a3", "c1", "c3"];
        let set = corner
            .iter()
            .fold(0u32, |set, name| set | 1 << board.find(name).unwrap());
        assert!(placements[..TRIED].contains(&set));
    }

    #[test]
    fn the_corner_is_lost_at_once() {
        let mut solver = ChaseSolver::new(false, 1 << 16, Box::new(|_, _| true));
        let mut corner = StartingTile::new(0, 6);
        corner.run(&mut solver, Bound::Upper, |_| {}).unwrap();
        assert_eq!((corner.at_least, corner.at_most), (0, Some(0)));
    }
}
