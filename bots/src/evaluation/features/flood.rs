//! Floods over boards: how many moves it takes to reach each cell.

use games::kit::board::bitboard::Cells;

/// The number of levels of a flood; cells farther away are in none.
pub(crate) const LEVELS: usize = 10;

/// The cells that can be reached in each number of moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flood<S> {
    /// `within[n]`: the cells within `n + 1` moves.
    pub(crate) within: [S; LEVELS],
}

impl<S: Cells> Flood<S> {
    /// A flood from a set over open cells; `reach` returns the cells that one move reaches.
    #[inline]
    pub(crate) fn new(from: S, open: S, reach: impl Fn(S, S) -> S) -> Self {
        let mut within = [S::NONE; LEVELS];
        let mut front = from;
        let mut all = S::NONE;
        for level in 0..LEVELS {
            front = reach(front, open).without(all);
            if front == S::NONE {
                within[level..].fill(all);
                break;
            }
            all = all | front;
            within[level] = all;
        }
        Flood { within }
    }

    #[inline]
    pub(crate) fn all(&self) -> S {
        self.within[LEVELS - 1]
    }

    /// The cells that are reached in fewer moves than by the other flood, or by this one only.
    #[inline]
    pub(crate) fn before(&self, other: &Self) -> S {
        let mut won = self.within[0].without(other.within[0]);
        for level in 1..LEVELS {
            won = won | self.within[level].without(other.within[level]);
        }
        // A cell won at one level stays won: the other flood gets there later.
        won
    }
}

#[cfg(test)]
mod tests {
    use games::kit::board::Board;
    use games::kit::board::bitboard::Grid;

    use super::*;

    #[test]
    fn the_nearer_side_gets_there_before() {
        let grid = Grid::<u64>::new(&Board::square(8, 1));
        let open = 0b0111_1110;
        let flood = |from| Flood::new(from, open, |set, open| grid.around(set) & open);
        let (left, right) = (flood(1), flood(1 << 7));
        assert_eq!(left.before(&right), 0b0000_1110);
        assert_eq!(right.before(&left), 0b0111_0000);
        assert_eq!(left.all(), open);
    }
}
