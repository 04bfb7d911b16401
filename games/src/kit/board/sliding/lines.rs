//! Lines of a board, along which pieces slide, with a table of what they reach.
//!
//! A board is seen as a set of lines (rows, columns, diagonals): 4 through each cell of a
//! square board, 3 through each hexagon. The occupancy of each line is one small integer,
//! kept up to date as cells fill and empty. One look-up then yields the cells that a slider reaches from
//! a place on a line.
//!
//! Whether a slider gets to a cell, and on which line, is nothing that a processor can foresee, and a wrong
//! guess costs it more than all else here. So the cell with a drawn number is found without branches.

use crate::kit::board::bitboard::Cells;
use crate::kit::board::{Board, CellId};
use crate::kit::view::Shape;

/// The length of the longest line.
const LONGEST: usize = 12;
/// The size of tables by place: a power of two, so that an index can be masked instead of checked.
const PLACES: usize = 16;
/// The size of tables by cell, likewise a power of two.
const CELLS: usize = 256;

/// The places that a slider reaches on a line: this many from the first one on, its own passed over.
#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    first: u8,
    count: u8,
}

/// `STRETCHES[place][occupancy]`: what a slider on a place reaches.
static STRETCHES: [[Stretch; 1 << LONGEST]; PLACES] = stretches();

const fn stretches() -> [[Stretch; 1 << LONGEST]; PLACES] {
    let mut table = [[Stretch { first: 0, count: 0 }; 1 << LONGEST]; PLACES];
    let mut place = 0;
    while place < LONGEST {
        let mut occupied = 0u32;
        while occupied < 1 << LONGEST {
            let above_blockers = (occupied | 1 << LONGEST) >> (place + 1);
            let below_blockers = occupied & ((1 << place) - 1);
            let above = above_blockers.trailing_zeros();
            let first = u32::BITS - below_blockers.leading_zeros();
            table[place][occupied as usize] = Stretch {
                first: first as u8,
                count: (place as u32 - first + above) as u8,
            };
            occupied += 1;
        }
        place += 1;
    }
    table
}

impl Stretch {
    /// The places that a slider on `own` reaches, as bits.
    #[inline]
    fn bits(self, own: u8) -> u32 {
        ((2 << self.count) - 1) << self.first & !(1 << own)
    }
}

/// Which cells are blocked, as one integer a line. `L` is at least the number of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy<const L: usize>([u16; L]);

/// Position of a cell on a line.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    line: u8,
    place: u8,
}

/// A blocked cell that counts as free: the one that a slider has left, as seen from where it went. It
/// matters only on the line that both cells share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    axis: u8,
    bit: u16,
}

impl Gap {
    /// No gap: only free cells count as free.
    pub const NONE: Gap = Gap { axis: 0, bit: 0 };

    /// The gap on an axis that a slider leaves at a place.
    #[inline]
    fn at(axis: usize, place: u8) -> Self {
        Gap {
            axis: axis as u8,
            bit: 1 << place,
        }
    }

    /// The bit that counts as free on the lines of an axis.
    #[inline]
    fn bit_on(self, axis: usize) -> u16 {
        if usize::from(self.axis) == axis {
            self.bit
        } else {
            0
        }
    }
}

/// The cells that a slider reaches, in the order of its lines and along each of them, as numbers from 0 on.
#[derive(Clone, Copy, Debug)]
pub struct Reach<const K: usize> {
    from: CellId,
    /// The number of each line's first cell.
    firsts: [u32; K],
    /// Added to a number, this gives the place on each line; from the slider's own place on, the place is one
    /// higher. Wraps around below 0.
    offsets: [u8; K],
    count: u32,
}

impl<const K: usize> Reach<K> {
    /// The slider's cell.
    #[inline]
    pub fn from(&self) -> CellId {
        self.from
    }

    /// The number of cells.
    #[inline]
    pub fn count(&self) -> u32 {
        self.count
    }
}

/// The lines of a board: `K` through each cell, at most `L` in all, which is a power of two.
#[derive(Clone, Debug)]
pub struct Lines<const K: usize, const L: usize> {
    places: Box<[[Place; K]; CELLS]>,
    cells: [[CellId; PLACES]; L],
    /// Every cell free, and blocked beyond the ends of the lines.
    free: Occupancy<L>,
    /// The most cells that a slider can reach from anywhere.
    most: u32,
    /// The first lines, which are the rows of the board.
    rows: Vec<Row>,
}

/// A row of the board, whose cells are numbered one after another.
#[derive(Clone, Copy, Debug)]
struct Row {
    first: CellId,
    /// The bits of its cells in an occupancy.
    mask: u16,
}

impl<const K: usize, const L: usize> Lines<K, L> {
    /// The lines of `board`.
    ///
    /// # Panics
    /// If `K` does not fit the board's shape or `L` its size, which is a bug in a game.
    pub fn new(board: &Board) -> Self {
        let half = board.directions() / 2;
        assert_eq!(K, half, "lines through a cell");
        assert!(L.is_power_of_two() && board.len() <= CELLS);
        let mut places = Box::new([[Place::default(); K]; CELLS]);
        let mut cells = [[0; PLACES]; L];
        let mut free = Occupancy([0; L]);
        let mut line = 0;
        // East comes first, so that the first lines are the rows, from the bottom up and each from left
        // to right.
        let east = match board.shape() {
            Shape::Square => 2,
            Shape::Hex => 1,
        };
        for (k, forward) in (0..K).map(|k| (k, (east + k) % board.directions())) {
            let back = (forward + half) % board.directions();
            for start in board.cells() {
                if board.step(start, back).is_some() {
                    continue;
                }
                let mut length = 0;
                let mut next = Some(start);
                while let Some(cell) = next {
                    places[cell as usize][k] = Place {
                        line: line as u8,
                        place: length as u8,
                    };
                    cells[line][length] = cell;
                    length += 1;
                    next = board.step(cell, forward);
                }
                free.0[line] = (((1u32 << LONGEST) - 1) & !((1 << length) - 1)) as u16;
                line += 1;
            }
        }
        let rows = board.rows().iter().map(|cells| Row {
            first: cells[0],
            mask: (1 << cells.len()) - 1,
        });
        let mut lines = Lines {
            places,
            cells,
            free,
            most: 0,
            rows: rows.collect(),
        };
        let reaches = board
            .cells()
            .map(|cell| lines.count(&free, cell, Gap::NONE));
        lines.most = reaches.max().unwrap_or(0);
        lines
    }

    /// The most cells that a slider can reach from anywhere.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// The occupancy in which no cell is blocked.
    pub fn free(&self) -> Occupancy<L> {
        self.free
    }

    #[inline]
    fn places(&self, cell: CellId) -> &[Place; K] {
        &self.places[cell as usize % CELLS]
    }

    /// Blocks a free cell or frees a blocked one.
    #[inline]
    pub fn toggle(&self, occupancy: &mut Occupancy<L>, cell: CellId) {
        for at in self.places(cell) {
            occupancy.0[at.line as usize % L] ^= 1 << at.place;
        }
    }

    /// True if the cell is blocked.
    #[inline]
    pub fn blocked(&self, occupancy: &Occupancy<L>, cell: CellId) -> bool {
        let at = self.places(cell)[0];
        occupancy.0[at.line as usize % L] >> at.place & 1 != 0
    }

    /// The blocked cells of the board, as a set.
    #[inline]
    pub fn blocked_cells<S: Cells>(&self, occupancy: &Occupancy<L>) -> S {
        let rows = self.rows.iter().zip(&occupancy.0);
        rows.fold(S::NONE, |set, (row, occupied)| {
            set | S::from_row(occupied & row.mask) << u32::from(row.first)
        })
    }

    /// The number of cells that a slider on `cell` reaches. Whether `cell` itself is blocked does not
    /// matter.
    #[inline]
    pub fn count(&self, occupancy: &Occupancy<L>, cell: CellId, gap: Gap) -> u32 {
        let mut sum = 0;
        for (axis, &at) in self.places(cell).iter().enumerate() {
            sum += u32::from(occupancy.stretch(at, gap.bit_on(axis)).count);
        }
        sum
    }

    /// True if any of these sliders can move at all.
    #[inline]
    pub fn any(&self, occupancy: &Occupancy<L>, mut sliders: impl Iterator<Item = CellId>) -> bool {
        sliders.any(|cell| self.count(occupancy, cell, Gap::NONE) != 0)
    }

    /// What a slider on `cell` reaches.
    #[inline]
    pub fn reach(&self, occupancy: &Occupancy<L>, cell: CellId, gap: Gap) -> Reach<K> {
        let mut reach = Reach {
            from: cell,
            firsts: [0; K],
            offsets: [0; K],
            count: 0,
        };
        for (axis, &at) in self.places(cell).iter().enumerate() {
            let stretch = occupancy.stretch(at, gap.bit_on(axis));
            reach.firsts[axis] = reach.count;
            reach.offsets[axis] = stretch.first.wrapping_sub(reach.count as u8);
            reach.count += u32::from(stretch.count);
        }
        reach
    }

    /// The cell with this number, below [`Reach::count`], of those that a slider reaches, and the gap that
    /// it leaves by going there.
    #[inline]
    pub fn nth(&self, reach: &Reach<K>, index: u32) -> (CellId, Gap) {
        let passed = reach.firsts[1..]
            .iter()
            .map(|first| usize::from(index >= *first));
        let axis = passed.sum::<usize>() % K;
        let at = self.places(reach.from)[axis];
        let place = reach.offsets[axis].wrapping_add(index as u8);
        // The slider's own place is passed over.
        let place = place + u8::from(place >= at.place);
        let gap = Gap::at(axis, at.place);
        (
            self.cells[at.line as usize % L][place as usize % PLACES],
            gap,
        )
    }

    /// Calls `visit` with each cell that a slider on `cell` reaches, and with the gap that it
    /// leaves by going there.
    #[inline]
    pub fn each(
        &self,
        occupancy: &Occupancy<L>,
        cell: CellId,
        gap: Gap,
        mut visit: impl FnMut(CellId, Gap),
    ) {
        for (axis, &at) in self.places(cell).iter().enumerate() {
            let mut reached = occupancy.stretch(at, gap.bit_on(axis)).bits(at.place);
            let cells = &self.cells[at.line as usize % L];
            while reached != 0 {
                let place = reached.trailing_zeros() as usize % PLACES;
                visit(cells[place], Gap::at(axis, at.place));
                reached &= reached - 1;
            }
        }
    }

    /// The gap of a slider that goes from `from` to `to`, if it can get there.
    pub fn reaches(
        &self,
        occupancy: &Occupancy<L>,
        from: CellId,
        gap: Gap,
        to: CellId,
    ) -> Option<Gap> {
        let mut found = None;
        self.each(occupancy, from, gap, |cell, gap| {
            if cell == to {
                found = Some(gap);
            }
        });
        found
    }
}

impl<const L: usize> Occupancy<L> {
    /// What a slider reaches on a line on which `open` counts as free.
    #[inline]
    fn stretch(&self, at: Place, open: u16) -> Stretch {
        let occupied = (self.0[at.line as usize % L] & !open) as usize;
        STRETCHES[at.place as usize % PLACES][occupied % (1 << LONGEST)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    /// The cells that a slider reaches, found step by step; the tables must agree.
    fn walk(board: &Board, blocked: &[bool], from: CellId) -> Vec<CellId> {
        let mut reached = Vec::new();
        for d in 0..board.directions() {
            let mut next = board.step(from, d);
            while let Some(cell) = next.filter(|c| !blocked[*c as usize]) {
                reached.push(cell);
                next = board.step(cell, d);
            }
        }
        reached.sort_unstable();
        reached
    }

    fn check<const K: usize, const L: usize>(board: &Board) {
        let lines = Lines::<K, L>::new(board);
        let mut rng = Rng::new(5);
        for density in 0..8 {
            let mut occupancy = lines.free();
            let blocked: Vec<bool> = board.cells().map(|_| rng.below(8) < density).collect();
            for cell in board.cells().filter(|c| blocked[*c as usize]) {
                lines.toggle(&mut occupancy, cell);
            }
            for from in board.cells() {
                assert_eq!(lines.blocked(&occupancy, from), blocked[from as usize]);
                let in_set = lines.blocked_cells::<u128>(&occupancy) >> from & 1 != 0;
                assert_eq!(in_set, blocked[from as usize]);
                let expected = walk(board, &blocked, from);
                let mut listed = Vec::new();
                lines.each(&occupancy, from, Gap::NONE, |cell, _| listed.push(cell));
                let reach = lines.reach(&occupancy, from, Gap::NONE);
                assert_eq!(reach.count() as usize, listed.len());
                for (i, &cell) in listed.iter().enumerate() {
                    assert_eq!(lines.nth(&reach, i as u32).0, cell);
                }
                listed.sort_unstable();
                assert_eq!(listed, expected);
                check_gaps(board, &lines, &mut occupancy, from);
                assert_eq!(
                    lines.count(&occupancy, from, Gap::NONE) as usize,
                    expected.len()
                );
                assert_eq!(
                    lines.any(&occupancy, [from].into_iter()),
                    !expected.is_empty()
                );
            }
        }
    }

    /// With its gap, a slider reaches the same cells as if the cell that it left were free.
    fn check_gaps<const K: usize, const L: usize>(
        board: &Board,
        lines: &Lines<K, L>,
        occupancy: &mut Occupancy<L>,
        from: CellId,
    ) {
        if !lines.blocked(occupancy, from) {
            return;
        }
        let mut free = *occupancy;
        lines.toggle(&mut free, from);
        for to in board.cells() {
            let Some(gap) = lines.reaches(occupancy, from, Gap::NONE, to) else {
                continue;
            };
            let (mut past, mut really) = (Vec::new(), Vec::new());
            let reach = lines.reach(occupancy, to, gap);
            lines.each(occupancy, to, gap, |cell, onwards| {
                assert_eq!(lines.nth(&reach, past.len() as u32), (cell, onwards));
                past.push(cell);
            });
            lines.each(&free, to, Gap::NONE, |cell, _| really.push(cell));
            assert_eq!(past, really);
            assert_eq!(lines.count(occupancy, to, gap) as usize, past.len());
        }
    }

    #[test]
    fn tables_agree_with_walking() {
        for size in 4..=11 {
            check::<4, 64>(&Board::square(size, size));
        }
        check::<4, 128>(&Board::square(12, 10));
        check::<4, 64>(&Board::square(3, 12));
        check::<3, 32>(&Board::hex60());
    }
}
