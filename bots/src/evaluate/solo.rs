//! Exact endgames: what one side can still get where no other side comes.

use std::collections::HashMap;
use std::hash::Hash;

use super::grid::{Cells, Grid};

/// How the pieces of one side move among themselves, and what they get by it.
pub(super) trait Moves<S> {
    /// Calls `visit` with what each move leads to, and with what it gives.
    fn each(&self, place: Place<S>, visit: &mut dyn FnMut(Place<S>, u32));

    /// No less than what all moves from here can give together.
    fn most(&self, place: Place<S>) -> u32;

    /// What there is where no move is left.
    fn rest(&self, place: Place<S>) -> u32 {
        let _ = place;
        0
    }
}

/// Pieces of one side and the cells that are open to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place<S> {
    pub(super) pieces: S,
    pub(super) open: S,
}

/// What is known about a number: it lies between these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Between {
    pub(super) least: u32,
    pub(super) most: u32,
}

impl Between {
    fn plus(self, other: Between) -> Between {
        Between {
            least: self.least + other.least,
            most: self.most + other.most,
        }
    }
}

/// The moves that are looked at for one answer: a tenth of a millisecond. More than that won no more
/// matches, and made a search that asks again and again miss its time.
const EFFORT: u32 = 300;
/// Answers that are remembered; all are forgotten when there are more.
const MOST_KNOWN: usize = 1 << 16;

/// Finds out what a side gets, and remembers it.
#[derive(Debug, Default)]
pub(super) struct Solo<S> {
    known: HashMap<Place<S>, Between, Spread>,
}

/// Hashes that are quick, and the same in every process.
type Spread = std::hash::BuildHasherDefault<std::hash::DefaultHasher>;

impl<S: Cells + Hash> Solo<S> {
    /// What a side can get, region by region.
    pub(super) fn all(
        &mut self,
        grid: &Grid<S>,
        moves: &impl Moves<S>,
        place: Place<S>,
    ) -> Between {
        let mut sum = Between { least: 0, most: 0 };
        let mut rest = place.pieces;
        while rest != S::NONE {
            let first = S::cell(rest.lowest());
            let region = first | grid.region(first, place.open | place.pieces);
            let part = Place {
                pieces: place.pieces & region,
                open: place.open & region,
            };
            rest = rest.without(region);
            sum = sum.plus(self.region(moves, part));
        }
        sum
    }

    /// The same for one region.
    fn region(&mut self, moves: &impl Moves<S>, place: Place<S>) -> Between {
        if let Some(known) = self.known.get(&place) {
            return *known;
        }
        if self.known.len() > MOST_KNOWN {
            self.known.clear();
        }
        let mut effort = EFFORT;
        self.search(moves, place, &mut effort)
    }

    /// Tries all moves, the ones that keep the region together first, as far as effort goes.
    fn search(&mut self, moves: &impl Moves<S>, place: Place<S>, effort: &mut u32) -> Between {
        let bound = moves.most(place);
        if bound == 0 {
            return Between { least: 0, most: 0 };
        }
        if let Some(known) = self.known.get(&place) {
            return *known;
        }
        if *effort == 0 {
            return Between {
                least: 0,
                most: bound,
            };
        }
        let mut next = Vec::new();
        moves.each(place, &mut |to, gain| {
            next.push((gain + moves.most(to), gain, to));
        });
        *effort = effort.saturating_sub(1 + next.len() as u32);
        if next.is_empty() {
            let rest = moves.rest(place);
            return Between {
                least: rest,
                most: rest,
            };
        }
        next.sort_by_key(|(hope, ..)| std::cmp::Reverse(*hope));
        let mut best = Between { least: 0, most: 0 };
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
        self.known.insert(place, best);
        best
    }
}

#[cfg(test)]
mod tests {
    use games::board::Board;

    use super::*;

    /// Pieces that step to a neighbour and take the cell; each cell is worth one.
    struct Steps<'a>(&'a Grid<u64>);

    impl Moves<u64> for Steps<'_> {
        fn each(&self, place: Place<u64>, visit: &mut dyn FnMut(Place<u64>, u32)) {
            for from in place.pieces.each() {
                for to in (self.0.around(1 << from) & place.open).each() {
                    let pieces = place.pieces ^ 1 << from ^ 1 << to;
                    let open = place.open ^ 1 << to;
                    visit(Place { pieces, open }, 1);
                }
            }
        }

        fn most(&self, place: Place<u64>) -> u32 {
            self.0.region(place.pieces, place.open).count()
        }
    }

    fn solve(pieces: u64, open: u64) -> Between {
        let grid = Grid::new(&Board::square(8, 1));
        Solo::default().all(&grid, &Steps(&grid), Place { pieces, open })
    }

    #[test]
    fn a_piece_between_two_ways_takes_the_longer_one() {
        let exactly = |n| Between { least: n, most: n };
        assert_eq!(solve(0b0000_0100, 0b1111_1011), exactly(5));
        assert_eq!(solve(0b0001_0000, 0b0010_1111), exactly(4));
        assert_eq!(solve(0b0001_0000, 0), exactly(0));
    }

    #[test]
    fn regions_are_added_up() {
        let both = solve(0b1001_0001, 0b0110_0110);
        // The left piece goes 2 cells, the middle one gets what is to its right.
        assert_eq!(both, Between { least: 4, most: 4 });
    }

    #[test]
    fn what_takes_too_long_is_bounded() {
        let grid = Grid::new(&Board::square(8, 8));
        // A comb: each tooth can be had by itself, but there is no way back.
        let teeth = 0x5555_5555_5555_55ff_u64;
        let place = Place {
            pieces: 1,
            open: teeth & !1,
        };
        let found = Solo::default().all(&grid, &Steps(&grid), place);
        assert!(found.least >= 14 && found.most < teeth.count());
        assert!(found.least <= found.most);
    }
}
