//! The endgame solver: what one side can still get in regions that no other side can enter.

use std::collections::HashMap;
use std::hash::Hash;

use crate::kit::board::bitboard::{Cells, Grid};

/// The moves of one side in its own regions, and the gain of each move.
pub trait EndgameMoves<S: Cells> {
    /// True if the cell that a piece leaves is open then, for any piece.
    const OPENS_CELLS: bool;

    /// Calls `visit` with the position after each move and the points that the move gains.
    fn each(&self, endgame: Endgame<S>, visit: &mut dyn FnMut(Endgame<S>, u32));

    /// An upper bound on what all moves from here can gain together.
    fn most(&self, endgame: Endgame<S>) -> u32;

    /// The points that are gained where no move is left.
    fn rest(&self, endgame: Endgame<S>) -> u32 {
        let _ = endgame;
        0
    }
}

/// The pieces of one side and the cells that are open to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Endgame<S> {
    /// The cells of the pieces.
    pub pieces: S,
    /// The cells that they can enter.
    pub open: S,
    /// Cells of pieces next to which other seats stand: a piece that leaves one has to close it, so that nobody
    /// gets in. For pieces that close what they leave, there are none.
    pub guarded: S,
}

impl<S: Cells> Endgame<S> {
    /// The part that depends on the piece on this cell: pieces that share open cells with it, now or after
    /// moves of their own. It leads over the cells of pieces if they are open once these have left.
    fn region_of(self, grid: &Grid<S>, piece: S, opens_cells: bool) -> Self {
        let mut region = piece;
        loop {
            let open = if opens_cells {
                self.open | self.pieces
            } else {
                self.open
            };
            let reached = region | grid.region(region, open);
            let more = reached | grid.around(reached & open) & self.pieces;
            if more == region {
                return self.within(region);
            }
            region = more;
        }
    }

    fn within(self, region: S) -> Self {
        Endgame {
            pieces: self.pieces & region,
            open: self.open & region,
            guarded: self.guarded & region,
        }
    }
}

/// The limit on positions for one answer.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The limit for one region.
    a_region: u32,
    /// The limit in all.
    total: u32,
    /// Those that were looked at.
    used: u32,
}

impl Budget {
    /// At most this many positions for each region.
    pub fn a_region(positions: u32) -> Self {
        Budget {
            a_region: positions,
            total: u32::MAX,
            used: 0,
        }
    }

    /// At most this many positions for everything.
    pub fn in_all(positions: u32) -> Self {
        Budget {
            a_region: positions,
            total: positions,
            used: 0,
        }
    }

    /// The number of positions examined.
    pub fn used(&self) -> u32 {
        self.used
    }

    fn for_region(&self) -> u32 {
        self.a_region.min(self.total.saturating_sub(self.used))
    }
}

/// A number of points that is not known exactly, with both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointRange {
    /// The least that best play brings.
    pub least: u32,
    /// The upper bound.
    pub most: u32,
}

impl PointRange {
    /// The number, if it is known.
    pub fn exact(self) -> Option<u32> {
        (self.least == self.most).then_some(self.least)
    }

    fn plus(self, other: PointRange) -> PointRange {
        PointRange {
            least: self.least + other.least,
            most: self.most + other.most,
        }
    }
}

/// The number of answers that are kept; if there are more, all are dropped.
const MOST_KNOWN: usize = 1 << 16;

/// Finds out what a side can get, and keeps the answers.
#[derive(Debug)]
pub struct EndgameSolver<S> {
    known: HashMap<Endgame<S>, PointRange, FixedHash>,
}

impl<S> Default for EndgameSolver<S> {
    fn default() -> Self {
        let known = HashMap::default();
        EndgameSolver { known }
    }
}

/// A hash function that is the same in every process.
type FixedHash = std::hash::BuildHasherDefault<std::hash::DefaultHasher>;

impl<S: Cells + Hash> EndgameSolver<S> {
    /// Solves all regions of a side together. Values not known when the budget is used up are
    /// ranges.
    pub fn solve<M: EndgameMoves<S>>(
        &mut self,
        grid: &Grid<S>,
        moves: &M,
        endgame: Endgame<S>,
        budget: &mut Budget,
    ) -> PointRange {
        let mut sum = PointRange { least: 0, most: 0 };
        let mut rest = endgame.pieces;
        while rest != S::NONE {
            let part = endgame.region_of(grid, S::cell(rest.lowest()), M::OPENS_CELLS);
            rest = rest.without(part.pieces);
            sum = sum.plus(self.solve_region(moves, part, budget));
        }
        sum
    }

    /// The points that a side can get in one region.
    fn solve_region(
        &mut self,
        moves: &impl EndgameMoves<S>,
        endgame: Endgame<S>,
        budget: &mut Budget,
    ) -> PointRange {
        if let Some(known) = self.known.get(&endgame) {
            return *known;
        }
        if self.known.len() > MOST_KNOWN {
            self.known.clear();
        }
        let mut effort = budget.for_region();
        let before = effort;
        let found = self.search(moves, endgame, &mut effort);
        budget.used += before - effort;
        found
    }

    /// Tries all moves, those with the highest bound first, as far as the effort allows.
    fn search(
        &mut self,
        moves: &impl EndgameMoves<S>,
        endgame: Endgame<S>,
        effort: &mut u32,
    ) -> PointRange {
        let bound = moves.most(endgame);
        if bound == 0 {
            return PointRange { least: 0, most: 0 };
        }
        if let Some(known) = self.known.get(&endgame) {
            return *known;
        }
        if *effort == 0 {
            return PointRange {
                least: 0,
                most: bound,
            };
        }
        let mut next = Vec::new();
        moves.each(endgame, &mut |to, gain| {
            next.push((gain + moves.most(to), gain, to));
        });
        *effort = effort.saturating_sub(1 + next.len() as u32);
        if next.is_empty() {
            let rest = moves.rest(endgame);
            return PointRange {
                least: rest,
                most: rest,
            };
        }
        next.sort_by_key(|(hope, ..)| std::cmp::Reverse(*hope));
        let mut best = PointRange { least: 0, most: 0 };
        for (hope, gain, to) in next {
            if hope <= best.least {
                break;
            }
            let rest = self.search(moves, to, effort);
            best.least = best.least.max(gain + rest.least);
            best.most = best.most.max(gain + rest.most);
            if best.least == bound {
                break;
            }
        }
        best.most = best.most.min(bound);
        best.least = best.least.min(best.most);
        self.known.insert(endgame, best);
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::board::Board;

    /// Pieces that step to a neighbour and take the cell; each cell is worth one.
    struct Steps<'a>(&'a Grid<u64>);

    impl EndgameMoves<u64> for Steps<'_> {
        const OPENS_CELLS: bool = false;

        fn each(&self, endgame: Endgame<u64>, visit: &mut dyn FnMut(Endgame<u64>, u32)) {
            for from in endgame.pieces.each() {
                for to in (self.0.around(1 << from) & endgame.open).each() {
                    let pieces = endgame.pieces ^ 1 << from ^ 1 << to;
                    let open = endgame.open ^ 1 << to;
                    let next = Endgame {
                        pieces,
                        open,
                        ..endgame
                    };
                    visit(next, 1);
                }
            }
        }

        fn most(&self, endgame: Endgame<u64>) -> u32 {
            self.0.region(endgame.pieces, endgame.open).count()
        }
    }

    fn solve(pieces: u64, open: u64) -> PointRange {
        let grid = Grid::new(&Board::square(8, 1));
        let endgame = Endgame {
            pieces,
            open,
            guarded: 0,
        };
        let mut budget = Budget::a_region(300);
        EndgameSolver::default().solve(&grid, &Steps(&grid), endgame, &mut budget)
    }

    #[test]
    fn a_piece_between_two_ways_takes_the_longer_one() {
        let exactly = |n| PointRange { least: n, most: n };
        assert_eq!(solve(0b0000_0100, 0b1111_1011), exactly(5));
        assert_eq!(solve(0b0001_0000, 0b0010_1111), exactly(4));
        assert_eq!(solve(0b0001_0000, 0), exactly(0));
    }

    #[test]
    fn regions_are_added_up() {
        let both = solve(0b1001_0001, 0b0110_0110);
        // The left piece goes 2 cells, the middle one gets what is to its right.
        assert_eq!(both, PointRange { least: 4, most: 4 });
    }

    #[test]
    fn what_takes_too_long_is_bounded() {
        let grid = Grid::new(&Board::square(8, 8));
        // A comb: each tooth is reachable, but there is no way back.
        let teeth = 0x5555_5555_5555_55ff_u64;
        let endgame = Endgame {
            pieces: 1,
            open: teeth & !1,
            guarded: 0,
        };
        let mut budget = Budget::in_all(300);
        let found = EndgameSolver::default().solve(&grid, &Steps(&grid), endgame, &mut budget);
        assert_eq!(budget.used(), 300);
        assert!(found.least >= 14 && found.most < teeth.count());
        assert!(found.least <= found.most);
    }
}
