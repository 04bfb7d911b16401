//! Slides of the halogai by table.
//!
//! A line is a number with one digit to base 3 a cell, kept up to date as stones come and go.
//! A table has the slides of every such number.

use std::sync::LazyLock;

use super::tables::{ROWS, Tables};
use crate::kit::board::{CellId, bitset};
use crate::kit::rng::Rng;

/// Lines in all, nine in each of three directions.
const LINES: usize = 27;
const NUMBERS: usize = 3usize.pow(ROWS as u32);
/// The digit of a halogai; that of an empty cell is 0.
const HALOGAI: u16 = 2;
/// The digit of all else: giants, the middle, what is off the board.
const BLOCK: u16 = 1;

/// The slides of every line, as pairs of places.
#[derive(Debug)]
struct Slides {
    counts: Vec<u8>,
    /// The index of each line's first slide in `all`.
    firsts: Vec<u32>,
    all: Vec<(u8, u8)>,
}

static SLIDES: LazyLock<Slides> = LazyLock::new(Slides::new);

impl Slides {
    fn new() -> Self {
        let mut slides = Slides {
            counts: Vec::with_capacity(NUMBERS),
            firsts: Vec::with_capacity(NUMBERS),
            all: Vec::new(),
        };
        for number in 0..NUMBERS {
            let first = slides.all.len();
            slides.push_all(number);
            slides.firsts.push(first as u32);
            slides.counts.push((slides.all.len() - first) as u8);
        }
        slides
    }

    fn push_all(&mut self, number: usize) {
        let mut digits = [0; ROWS];
        let mut rest = number;
        for digit in &mut digits {
            *digit = (rest % 3) as u16;
            rest /= 3;
        }
        for from in (0..ROWS).filter(|&place| digits[place] == HALOGAI) {
            let up = (from + 1..ROWS).take_while(|&to| digits[to] == 0);
            let down = (0..from).rev().take_while(|&to| digits[to] == 0);
            self.all
                .extend(up.chain(down).map(|to| (from as u8, to as u8)));
        }
    }
}

/// The lines of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineNumbers {
    numbers: [u16; LINES],
    /// The number of slides that each line has, in groups of eight that are one word each. No line has
    /// more than 14, so the sum of a group is below 128.
    counts: [[u8; 8]; LINES.div_ceil(8)],
}

/// Position of a cell on a line.
#[derive(Clone, Copy, Debug, Default)]
struct LineDigit {
    line: u8,
    /// The value of its digit: a power of 3.
    value: u16,
}

/// The lines of the board.
#[derive(Debug)]
pub(super) struct HalogaiLines {
    places: Vec<[LineDigit; 3]>,
    cells: [[CellId; ROWS]; LINES],
    empty: LineNumbers,
    slides: &'static Slides,
}

impl HalogaiLines {
    pub(super) fn new(tables: &Tables) -> Self {
        let board = &tables.board;
        let mut lines = HalogaiLines {
            places: vec![[LineDigit::default(); 3]; board.len()],
            cells: [[0; ROWS]; LINES],
            empty: LineNumbers {
                numbers: [0; LINES],
                counts: Default::default(),
            },
            slides: &SLIDES,
        };
        let starts = (0..3).flat_map(|forward| {
            let first = move |cell: &CellId| board.step(*cell, forward + 3).is_none();
            board.cells().filter(first).map(move |cell| (forward, cell))
        });
        for (line, (forward, start)) in starts.enumerate() {
            let mut next = Some(start);
            for place in 0..ROWS {
                let value = 3u16.pow(place as u32);
                let Some(cell) = next else {
                    lines.empty.numbers[line] += BLOCK * value;
                    continue;
                };
                lines.cells[line][place] = cell;
                lines.places[cell as usize][forward] = LineDigit {
                    line: line as u8,
                    value,
                };
                next = board.step(cell, forward);
            }
        }
        let mut empty = lines.empty;
        lines.block(&mut empty, tables.middle);
        lines.empty = empty;
        lines
    }

    /// A board without stones.
    pub(super) fn empty(&self) -> LineNumbers {
        self.empty
    }

    #[inline]
    fn change(&self, stones: &mut LineNumbers, cell: CellId, change: impl Fn(u16, u16) -> u16) {
        for at in self.places[cell as usize] {
            let line = at.line as usize;
            let number = change(stones.numbers[line], at.value);
            stones.numbers[line] = number;
            stones.counts[line / 8][line % 8] = self.slides.counts[number as usize];
        }
    }

    /// Puts a halogai on an empty cell.
    pub(super) fn put(&self, stones: &mut LineNumbers, cell: CellId) {
        self.change(stones, cell, |number, value| number + HALOGAI * value);
    }

    /// Takes a halogai away.
    pub(super) fn lift(&self, stones: &mut LineNumbers, cell: CellId) {
        self.change(stones, cell, |number, value| number - HALOGAI * value);
    }

    /// Blocks an empty cell.
    pub(super) fn block(&self, stones: &mut LineNumbers, cell: CellId) {
        self.change(stones, cell, |number, value| number + BLOCK * value);
    }

    /// The opposite of [`HalogaiLines::block`].
    pub(super) fn unblock(&self, stones: &mut LineNumbers, cell: CellId) {
        self.change(stones, cell, |number, value| number - BLOCK * value);
    }

    /// Calls `visit` with start and end of each slide.
    pub(super) fn each(&self, stones: &LineNumbers, mut visit: impl FnMut(CellId, CellId)) {
        for (&number, cells) in stones.numbers.iter().zip(&self.cells) {
            let first = self.slides.firsts[number as usize] as usize;
            let count = self.slides.counts[number as usize] as usize;
            for &(from, to) in &self.slides.all[first..first + count] {
                visit(cells[from as usize], cells[to as usize]);
            }
        }
    }

    /// One slide, each equally likely: start and end.
    ///
    /// # Panics
    /// If there is none.
    pub(super) fn random(&self, stones: &LineNumbers, rng: &mut Rng) -> (CellId, CellId) {
        let index = rng.below(u64::from(stones.count())) as u32;
        let (mut group, mut before, mut end) = (0, 0, 0);
        // What is behind all groups but the last is in that one.
        for earlier in 0..stones.counts.len() - 1 {
            end += stones.count_of(earlier);
            let passed = index >= end;
            group += usize::from(passed);
            before = if passed { end } else { before };
        }
        let (shift, index) = bitset::find(bitset::totals(stones.word(group)), index - before);
        let line = 8 * group + shift as usize / 8;
        // Counted from the line's last slide backwards.
        let left = (stones.word(group) >> shift) as u8 - 1 - index as u8;
        let first = self.slides.firsts[stones.numbers[line] as usize];
        let (from, to) = self.slides.all[first as usize + left as usize];
        (
            self.cells[line][from as usize],
            self.cells[line][to as usize],
        )
    }
}

impl LineNumbers {
    fn word(&self, group: usize) -> u64 {
        u64::from_le_bytes(self.counts[group])
    }

    /// The number of slides of a group.
    fn count_of(&self, group: usize) -> u32 {
        (bitset::totals(self.word(group)) >> 56) as u32
    }

    /// The number of slides.
    pub(super) fn count(&self) -> u32 {
        (0..self.counts.len())
            .map(|group| self.count_of(group))
            .sum()
    }
}
