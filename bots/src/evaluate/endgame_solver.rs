//! The endgame solver: what one side can still get in regions that no other side can enter.

use std::collections::HashMap;
use std::hash::Hash;

use super::grid::{Cells, Grid};

/// How the pieces of one side move in their own regions, and what each move gains.
pub(super) trait EndgameMoves<S> {
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
pub(super) struct Endgame<S> {
    pub(super) pieces: S,
    pub(super) open: S,
}

/// A number of points that is not known exactly, with both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PointRange {
    pub(super) least: u32,
    pub(super) most: u32,
}

impl PointRange {
    fn plus(self, other: PointRange) -> PointRange {
        PointRange {
            least: self.least + other.least,
            most: self.most + other.most,
        }
    }
}

/// The number of moves searched for one answer, a tenth of a millisecond. More of them won no more
/// matches, and made searches that ask again and again miss their deadline.
const EFFORT: u32 = 300;
/// The number of answers that are kept; if there are more, all are dropped.
const MOST_KNOWN: usize = 1 << 16;

/// Finds out what a side can get, and keeps the answers.
#[derive(Debug, Default)]
pub(super) struct EndgameSolver<S> {
    known: HashMap<Endgame<S>, PointRange, FixedHash>,
}

/// A hash function that is the same in every process.
type FixedHash = std::hash::BuildHasherDefault<std::hash::DefaultHasher>;

impl<S: Cells + Hash> EndgameSolver<S> {
    /// What a side can get in all its regions together.
    pub(super) fn solve(
        &mut self,
        grid: &Grid<S>,
        moves: &impl EndgameMoves<S>,
        endgame: Endgame<S>,
    ) -> PointRange {
        let mut sum = PointRange { least: 0, most: 0 };
        let mut rest = endgame.pieces;
        while rest != S::NONE {
            let first = S::cell(rest.lowest());
            let region = first | grid.region(first, endgame.open | endgame.pieces);
            let part = Endgame {
                pieces: endgame.pieces & region,
                open: endgame.open & region,
            };
            rest = rest.without(region);
            sum = sum.plus(self.solve_region(moves, part));
        }
        sum
    }

    /// What a side can get in one region.
    fn solve_region(&mut self, moves: &impl EndgameMoves<S>, endgame: Endgame<S>) -> PointRange {
        if let Some(known) = self.known.get(&endgame) {
            return *known;
        }
        if self.known.len() > MOST_KNOWN {
            self.known.clear();
        }
        let mut effort = EFFORT;
        self.search(moves, endgame, &mut effort)
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
    use games::kit::board::Board;

    use super::*;

    /// Pieces that step to a neighbour and take the cell; each cell is worth one.
    struct Steps<'a>(&'a Grid<u64>);

    impl EndgameMoves<u64> for Steps<'_> {
        fn each(&self, endgame: Endgame<u64>, visit: &mut dyn FnMut(Endgame<u64>, u32)) {
            for from in endgame.pieces.each() {
                for to in (self.0.around(1 << from) & endgame.open).each() {
                    let pieces = endgame.pieces ^ 1 << from ^ 1 << to;
                    let open = endgame.open ^ 1 << to;
                    visit(Endgame { pieces, open }, 1);
                }
            }
        }

        fn most(&self, endgame: Endgame<u64>) -> u32 {
            self.0.region(endgame.pieces, endgame.open).count()
        }
    }

    fn solve(pieces: u64, open: u64) -> PointRange {
        let grid = Grid::new(&Board::square(8, 1));
        EndgameSolver::default().solve(&grid, &Steps(&grid), Endgame { pieces, open })
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
        // A comb: each tooth can be had by itself, but there is no way back.
        let teeth = 0x5555_5555_5555_55ff_u64;
        let endgame = Endgame {
            pieces: 1,
            open: teeth & !1,
        };
        let found = EndgameSolver::default().solve(&grid, &Steps(&grid), endgame);
        assert!(found.least >= 14 && found.most < teeth.count());
        assert!(found.least <= found.most);
    }
}
