//! Sets of cells of boards that have too many for an integer.

use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

use crate::kit::board::CellId;
use crate::kit::board::bitboard::Cells;

/// The bits of an integer.
const BITS: u32 = u128::BITS;

/// A set of cells of a board of at most 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wide {
    low: u128,
    high: u128,
}

impl BitAnd for Wide {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Wide {
            low: self.low & other.low,
            high: self.high & other.high,
        }
    }
}

impl BitOr for Wide {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Wide {
            low: self.low | other.low,
            high: self.high | other.high,
        }
    }
}

impl Not for Wide {
    type Output = Self;

    fn not(self) -> Self {
        Wide {
            low: !self.low,
            high: !self.high,
        }
    }
}

impl Shl<u32> for Wide {
    type Output = Self;

    fn shl(self, by: u32) -> Self {
        match by {
            0 => self,
            1..BITS => Wide {
                low: self.low << by,
                high: self.high << by | self.low >> (BITS - by),
            },
            _ => Wide {
                low: 0,
                high: self.low.checked_shl(by - BITS).unwrap_or(0),
            },
        }
    }
}

impl Shr<u32> for Wide {
    type Output = Self;

    fn shr(self, by: u32) -> Self {
        match by {
            0 => self,
            1..BITS => Wide {
                low: self.low >> by | self.high << (BITS - by),
                high: self.high >> by,
            },
            _ => Wide {
                low: self.high.checked_shr(by - BITS).unwrap_or(0),
                high: 0,
            },
        }
    }
}

impl Cells for Wide {
    const NONE: Self = Wide { low: 0, high: 0 };

    fn cell(cell: CellId) -> Self {
        Wide { low: 1, high: 0 } << u32::from(cell)
    }

    fn count(self) -> u32 {
        self.low.count_ones() + self.high.count_ones()
    }

    fn lowest(self) -> CellId {
        let lowest = match self.low {
            0 => BITS + self.high.trailing_zeros(),
            low => low.trailing_zeros(),
        };
        lowest as CellId
    }

    fn from_row(bits: u16) -> Self {
        Wide {
            low: bits.into(),
            high: 0,
        }
    }

    fn narrow(self) -> Option<u128> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::board::Board;
    use crate::kit::board::bitboard::Grid;
    use crate::kit::rng::Rng;

    /// On a board that fits into an integer, both kinds of sets agree.
    #[test]
    fn wide_sets_are_sets() {
        let board = Board::square(10, 12);
        let (narrow, wide) = (Grid::<u128>::new(&board), Grid::<Wide>::new(&board));
        let widened = |set: u128| {
            set.each()
                .fold(Wide::NONE, |all, cell| all | Wide::cell(cell))
        };
        let mut rng = Rng::new(3);
        for _ in 0..200 {
            let cells: Vec<CellId> = board.cells().filter(|_| rng.below(3) == 0).collect();
            let open = cells.iter().fold(0, |set, cell| set | 1 << cell);
            let from = 1 << rng.index(board.len());
            assert_eq!(
                wide.slides(widened(from), widened(open)),
                widened(narrow.slides(from, open))
            );
            assert_eq!(
                wide.region(widened(from), widened(open)),
                widened(narrow.region(from, open))
            );
            assert_eq!(widened(open).count(), open.count());
            assert!(widened(open).each().eq(open.each()));
        }
    }

    #[test]
    fn shifts_cross_the_middle() {
        for cell in 0..=200 {
            assert_eq!(Wide::cell(cell).lowest(), cell);
            assert_eq!(Wide::cell(cell) << 40, Wide::cell(cell + 40));
            assert_eq!(Wide::cell(cell + 40) >> 40, Wide::cell(cell));
            assert_eq!((Wide::cell(cell) >> 201).count(), 0);
        }
    }
}
