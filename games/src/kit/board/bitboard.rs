//! Boards as sets of cells: neighbours, slides and regions of many cells at once.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

use arrayvec::ArrayVec;

use crate::kit::board::{Board, CellId};
use crate::kit::view::Shape;

/// A set of cells as bits of an integer.
pub trait Cells:
    Copy
    + Eq
    + Hash
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// No cell.
    const NONE: Self;
    /// One cell.
    fn cell(cell: CellId) -> Self;
    /// The number of cells.
    fn count(self) -> u32;
    /// The lowest cell; there must be one.
    fn lowest(self) -> CellId;
    /// The first cells, as the bits of a number.
    fn from_row(bits: u16) -> Self;
    /// The set as the bits of an integer; `None` for a kind of sets that may be larger.
    fn narrow(self) -> Option<u128>;

    /// The cells that are not in the other set.
    #[inline]
    fn without(self, other: Self) -> Self {
        self & !other
    }

    /// The cells, lowest first.
    #[inline]
    fn each(self) -> impl Iterator<Item = CellId> + Clone {
        let mut rest = self;
        std::iter::from_fn(move || {
            (rest != Self::NONE).then(|| {
                let cell = rest.lowest();
                rest = rest.without(Self::cell(cell));
                cell
            })
        })
    }
}

macro_rules! cells {
    ($($integer:ty)*) => {$(
        impl Cells for $integer {
            const NONE: Self = 0;

            #[inline]
            fn cell(cell: CellId) -> Self {
                1 << cell
            }

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn lowest(self) -> CellId {
                self.trailing_zeros() as CellId
            }

            #[inline]
            fn from_row(bits: u16) -> Self {
                bits.into()
            }

            #[inline]
            fn narrow(self) -> Option<u128> {
                Some(self.into())
            }
        }
    )*};
}

cells!(u64 u128);

/// A pair of opposite directions.
#[derive(Clone, Copy, Debug)]
struct Axis<S> {
    /// By how much the number of the next cell is higher; it is the same all over the boards here.
    shift: u32,
    /// The cells with a cell before them.
    after: S,
    /// The cells with a cell after them.
    before: S,
}

/// The directions of a board.
#[derive(Clone, Debug)]
pub struct Grid<S> {
    axes: ArrayVec<Axis<S>, 4>,
    /// True if a line has more than the 8 cells that [`STAGES`] parts of a slide cover.
    long: bool,
    /// The number of columns, if there is code compiled for it, else 0.
    width: u32,
    /// The number of cells.
    cells: usize,
}

/// A slide is put together from this many parts, of 1, 2 and 4 steps. On long lines the last part is
/// repeated, which covers the 12 cells of the longest.
const STAGES: usize = 3;

/// Open cells, prepared for the slides of many sets.
#[derive(Clone, Copy, Debug)]
pub struct OpenLines<S> {
    open: S,
    /// For each axis, the cells that end 1, 2 and 4 open ones in a row, seen upwards.
    up: [[S; STAGES]; 4],
    /// The same downwards.
    down: [[S; STAGES]; 4],
}

impl<S: Cells> Grid<S> {
    /// The directions of a board whose rows are numbered alike.
    pub fn new(board: &Board) -> Self {
        let half = board.directions() / 2;
        let axis = |direction| {
            let steps = || {
                let step = move |cell| Some((cell, board.step(cell, direction)?));
                board.cells().filter_map(step)
            };
            let shift = steps()
                .map(|(from, to)| i32::from(to) - i32::from(from))
                .next();
            let shift = shift.unwrap_or(0);
            debug_assert!(steps().all(|(from, to)| i32::from(to) - i32::from(from) == shift));
            let from = steps().fold(S::NONE, |set, (from, _)| set | S::cell(from));
            let to = steps().fold(S::NONE, |set, (_, to)| set | S::cell(to));
            let (after, before) = if shift > 0 { (to, from) } else { (from, to) };
            Axis {
                shift: shift.unsigned_abs(),
                after,
                before,
            }
        };
        let longest = board.rows().iter().map(Vec::len).max().unwrap_or(1);
        let longest = longest.max(board.rows().len());
        assert!(longest <= 12, "slides cover no longer lines");
        let compiled = board.shape() == Shape::Square && board.rows()[0].len() == 10;
        Grid {
            cells: board.len(),
            axes: (0..half).map(axis).collect(),
            long: longest > 1 << STAGES,
            width: if compiled { 10 } else { 0 },
        }
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// All cells of the board.
    pub fn all(&self) -> S {
        (0..self.cells).fold(S::NONE, |all, cell| all | S::cell(cell as CellId))
    }

    /// All cells next to a set; some of them may be in it.
    #[inline]
    pub fn around(&self, set: S) -> S {
        match self.width {
            10 => self.around_by::<10>(set),
            _ => self.around_by::<0>(set),
        }
    }

    #[inline(always)]
    fn around_by<const WIDTH: u32>(&self, set: S) -> S {
        let mut all = S::NONE;
        for (index, axis) in self.axes.iter().enumerate() {
            let shift = axis.shift_by::<WIDTH>(index);
            all = all | (set & axis.before) << shift | (set & axis.after) >> shift;
        }
        all
    }

    /// The cells of `open` that a piece of the set reaches by a straight jump over a cell of `over`.
    pub fn jumps(&self, set: S, over: S, open: S) -> S {
        let landed = self.axes.iter().fold(S::NONE, |all, axis| {
            let up = over & (set & axis.before) << axis.shift;
            let down = over & (set & axis.after) >> axis.shift;
            all | (up & axis.before) << axis.shift | (down & axis.after) >> axis.shift
        });
        landed & open
    }

    /// The cells of `open` that are connected to the set through cells of `open`.
    pub fn region(&self, set: S, open: S) -> S {
        let mut reached = self.around(set) & open;
        loop {
            let next = reached | self.around(reached) & open;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// The cells of `open` that a piece of the set reaches in one slide along a line of such cells.
    #[inline]
    pub fn slides(&self, set: S, open: S) -> S {
        self.slides_along(set, &self.open_lines(open))
    }

    /// Prepares open cells for [`Self::slides_along`].
    #[inline]
    pub fn open_lines(&self, open: S) -> OpenLines<S> {
        match self.width {
            10 => self.open_lines_by::<10>(open),
            _ => self.open_lines_by::<0>(open),
        }
    }

    #[inline(always)]
    fn open_lines_by<const WIDTH: u32>(&self, open: S) -> OpenLines<S> {
        let mut lines = OpenLines {
            open,
            up: [[S::NONE; STAGES]; 4],
            down: [[S::NONE; STAGES]; 4],
        };
        for (index, axis) in self.axes.iter().enumerate() {
            let shift = axis.shift_by::<WIDTH>(index);
            let (mut up, mut down) = (open & axis.after, open & axis.before);
            for stage in 0..STAGES {
                lines.up[index][stage] = up;
                lines.down[index][stage] = down;
                up = up & up << (shift << stage);
                down = down & down >> (shift << stage);
            }
        }
        lines
    }

    /// The same as [`Self::slides`].
    #[inline]
    pub fn slides_along(&self, set: S, lines: &OpenLines<S>) -> S {
        match self.width {
            10 => self.slides_by::<10>(set, lines),
            _ => self.slides_by::<0>(set, lines),
        }
    }

    #[inline(always)]
    fn slides_by<const WIDTH: u32>(&self, set: S, lines: &OpenLines<S>) -> S {
        let mut reached = S::NONE;
        for (index, axis) in self.axes.iter().enumerate() {
            let shift = axis.shift_by::<WIDTH>(index);
            let (ups, downs) = (&lines.up[index], &lines.down[index]);
            let (mut up, mut down) = (set, set);
            for stage in 0..STAGES {
                up = up | ups[stage] & up << (shift << stage);
                down = down | downs[stage] & down >> (shift << stage);
            }
            if self.long {
                let last = STAGES - 1;
                up = up | ups[last] & up << (shift << last);
                down = down | downs[last] & down >> (shift << last);
            }
            reached = reached | up | down;
        }
        reached & lines.open
    }
}

impl<S> Axis<S> {
    /// The same as `shift`; known to the compiler if the board has `WIDTH` columns, which makes shifts of
    /// large sets cost half.
    #[inline(always)]
    fn shift_by<const WIDTH: u32>(&self, index: usize) -> u32 {
        match (WIDTH, index) {
            (0, _) => self.shift,
            // North, north-east, east, south-east.
            (_, 0) => WIDTH,
            (_, 1) => WIDTH + 1,
            (_, 2) => 1,
            _ => WIDTH - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::rng::Rng;

    /// The cells that one slide reaches, found step by step.
    fn walk(board: &Board, from: u128, open: u128) -> u128 {
        let mut reached = 0;
        for cell in from.each() {
            for direction in 0..board.directions() {
                let mut next = board.step(cell, direction);
                while let Some(cell) = next.filter(|cell| open >> cell & 1 != 0) {
                    reached |= 1 << cell;
                    next = board.step(cell, direction);
                }
            }
        }
        reached
    }

    #[test]
    fn slides_and_steps_are_those_of_the_board() {
        let mut rng = Rng::new(2);
        let boards = (4..=11).map(|size| Board::square(size, size));
        for board in boards.chain([Board::hex60(), Board::square(6, 4)]) {
            let grid = Grid::<u128>::new(&board);
            for density in 0..6 {
                let random = |rng: &mut Rng, density| {
                    let cells = board.cells().filter(|_| rng.below(6) < density);
                    cells.fold(0u128, |set, cell| set | 1 << cell)
                };
                let open = random(&mut rng, 6 - density);
                let from = random(&mut rng, 1) & !open;
                assert_eq!(grid.slides(from, open), walk(&board, from, open));
                let near = from.each().flat_map(|cell| board.neighbours(cell));
                let near = near.fold(0u128, |set, cell| set | 1 << cell);
                assert_eq!(grid.around(from), near);
            }
        }
    }

    #[test]
    fn a_region_ends_where_nothing_is_open() {
        let grid = Grid::<u64>::new(&Board::square(8, 1));
        assert_eq!(grid.region(1, 0b0000_0110), 0b0000_0110);
        let board = Board::square(3, 3);
        let set = |names: &[&str]| {
            let cells = names.iter().map(|name| board.find(name).unwrap());
            cells.fold(0u64, |set, cell| set | 1 << cell)
        };
        let region = Grid::new(&board).region(set(&["a1"]), set(&["a2", "b3", "c1"]));
        assert_eq!(region, set(&["a2", "b3"]));
    }
}
