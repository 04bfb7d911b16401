//! The board of Giantslayer as tables: neighbours, jumps, and lines for sliding.
//!
//! A line is a number with one digit to base 3 a cell, kept up to date as stones come and go;
//! how many slides it has is then one look-up.

use crate::board::{Board, CellId};
use crate::view::Shape;

/// Rows, and the cells of the longest one.
const ROWS: usize = 9;
/// Lines in all, nine in each of three directions.
pub(super) const LINES: usize = 27;
const NUMBERS: usize = 3usize.pow(ROWS as u32);

/// The digit of a halogai; that of an empty cell is 0.
const WHITE: u16 = 2;
/// The digit of all else: giants, the middle, what is off the board.
const BLOCK: u16 = 1;

/// The slides of all halogai on a line.
static SLIDES: [u8; NUMBERS] = slides();

const fn slides() -> [u8; NUMBERS] {
    let mut table = [0; NUMBERS];
    let mut number = 0;
    while number < NUMBERS {
        let mut rest = number;
        let (mut sum, mut run) = (0, 0);
        let mut before = BLOCK;
        let mut place = 0;
        while place < ROWS {
            let digit = (rest % 3) as u16;
            rest /= 3;
            if digit == 0 {
                run += 1;
            } else {
                sum += run * ((before == WHITE) as u8 + (digit == WHITE) as u8);
                run = 0;
                before = digit;
            }
            place += 1;
        }
        table[number] = sum + run * (before == WHITE) as u8;
        number += 1;
    }
    table
}

/// A jump in one direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    /// The cell that is jumped over.
    pub(super) over: CellId,
    /// The cell that it ends on; [`NOWHERE`] if there is none.
    pub(super) land: CellId,
}

/// A bit that is in no set of cells.
pub(super) const NOWHERE: CellId = 63;

/// Where a cell lies on one of its lines.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    line: u8,
    /// The value of its digit: a power of 3.
    value: u16,
}

/// The tables.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) board: Board,
    /// The closed cell.
    pub(super) middle: CellId,
    /// All cells but the middle one.
    pub(super) all: u64,
    /// The outer ring.
    pub(super) edge: u64,
    /// The neighbours of each cell but the middle one.
    pub(super) near: Vec<u64>,
    /// The jumps from each cell, by direction.
    pub(super) jumps: Vec<[Jump; 6]>,
    places: Vec<[Place; 3]>,
    /// The cells of each line in order.
    lines: Vec<Vec<CellId>>,
    /// The lines of the empty board.
    empty: [u16; LINES],
}

/// The hexagon of side 5, named as the Abalone board.
fn board() -> Board {
    let cells = (0..ROWS as i32).flat_map(|row| {
        let numbers = (row - 3).max(1)..=(row + 5).min(9);
        numbers.map(move |number| {
            let name = format!("{}{number}", (b'a' + row as u8) as char);
            (name, 2 * number - row, row)
        })
    });
    Board::new(Shape::Hex, cells.collect())
}

impl Ground {
    pub(super) fn new() -> Self {
        let board = board();
        let middle = (board.len() / 2) as CellId;
        let all = ((1 << board.len()) - 1) & !(1 << middle);
        let is_edge = |cell: &CellId| board.neighbours(*cell).count() < 6;
        let edge = board.cells().filter(is_edge).fold(0, |set, c| set | 1 << c);
        let near = |cell| board.neighbours(cell).fold(0, |set, c| set | 1 << c) & all;
        let near = board.cells().map(near).collect();
        let jump = |cell, direction| {
            let over = board.step(cell, direction).filter(|&c| c != middle);
            let land = over.and_then(|over| board.step(over, direction));
            Jump {
                over: over.unwrap_or(NOWHERE),
                land: land.filter(|&c| c != middle).unwrap_or(NOWHERE),
            }
        };
        let jumps = |cell| [0, 1, 2, 3, 4, 5].map(|direction| jump(cell, direction));
        let jumps = board.cells().map(jumps).collect();
        let mut ground = Ground {
            middle,
            all,
            edge,
            near,
            jumps,
            places: vec![[Place::default(); 3]; board.len()],
            lines: Vec::new(),
            empty: [0; LINES],
            board,
        };
        ground.draw_lines();
        ground
    }

    fn draw_lines(&mut self) {
        for forward in 0..3 {
            for start in self.board.cells() {
                if self.board.step(start, forward + 3).is_some() {
                    continue;
                }
                let next = |cell: &CellId| self.board.step(*cell, forward);
                let cells: Vec<CellId> = std::iter::successors(Some(start), next).collect();
                let line = self.lines.len();
                for (place, &cell) in cells.iter().enumerate() {
                    let value = 3u16.pow(place as u32);
                    let line = line as u8;
                    self.places[cell as usize][forward] = Place { line, value };
                }
                let beyond = cells.len()..ROWS;
                self.empty[line] = beyond.map(|place| BLOCK * 3u16.pow(place as u32)).sum();
                self.lines.push(cells);
            }
        }
        let mut empty = self.empty;
        self.block(&mut empty, self.middle);
        self.empty = empty;
    }

    /// The lines of the board without stones.
    pub(super) fn empty_lines(&self) -> [u16; LINES] {
        self.empty
    }

    /// Puts a halogai on an empty cell.
    pub(super) fn put_white(&self, lines: &mut [u16; LINES], cell: CellId) {
        for at in self.places[cell as usize] {
            lines[at.line as usize] += WHITE * at.value;
        }
    }

    /// Takes a halogai away.
    pub(super) fn lift_white(&self, lines: &mut [u16; LINES], cell: CellId) {
        for at in self.places[cell as usize] {
            lines[at.line as usize] -= WHITE * at.value;
        }
    }

    /// Blocks an empty cell.
    pub(super) fn block(&self, lines: &mut [u16; LINES], cell: CellId) {
        for at in self.places[cell as usize] {
            lines[at.line as usize] += BLOCK * at.value;
        }
    }

    /// The opposite of [`Ground::block`].
    pub(super) fn unblock(&self, lines: &mut [u16; LINES], cell: CellId) {
        for at in self.places[cell as usize] {
            lines[at.line as usize] -= BLOCK * at.value;
        }
    }

    /// How many slides the halogai on a line have.
    #[inline]
    pub(super) fn count_slides(number: u16) -> u32 {
        u32::from(SLIDES[number as usize % NUMBERS])
    }

    /// Calls `visit` with start and end of each slide on a line, as many as
    /// [`Ground::count_slides`] says.
    pub(super) fn each_slide(
        &self,
        line: usize,
        white: u64,
        empty: u64,
        mut visit: impl FnMut(CellId, CellId),
    ) {
        let cells = &self.lines[line];
        let has = |set: u64, place: usize| set >> cells[place] & 1 != 0;
        let mut run = 0;
        for place in 0..=cells.len() {
            if place < cells.len() && has(empty, place) {
                run += 1;
                continue;
            }
            // The stone before the run of empty cells, then the one behind it.
            let before = (place - run).checked_sub(1);
            let behind = (place < cells.len()).then_some(place);
            for stone in [before, behind].into_iter().flatten() {
                if has(white, stone) {
                    cells[place - run..place]
                        .iter()
                        .for_each(|&to| visit(cells[stone], to));
                }
            }
            run = 0;
        }
    }

    /// Whether a straight way leads from one cell to the other, both and all between them open
    /// or in `empty`.
    pub(super) fn clear(&self, from: CellId, to: CellId, empty: u64) -> bool {
        (0..6).any(|direction| {
            let step = |cell: &CellId| {
                let next = self.board.step(*cell, direction)?;
                (empty >> next & 1 != 0).then_some(next)
            };
            std::iter::successors(step(&from), step).any(|cell| cell == to)
        })
    }
}
