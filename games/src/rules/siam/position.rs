//! A position of Siam: pieces on cells, and the lines that they form.

use super::pieces::{Facing, ROCK, SIZE};
use super::push::{self, POWERS, PUSHERS, PUSHES, SPREAD};
use crate::kit::board::{CellId, bitset};
use crate::kit::outcome::Seat;
use crate::kit::zobrist;

/// Animals, rocks and exits, and the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The seats' animals.
    pub(super) animals: [u32; 2],
    /// The two bits of the facing of each animal.
    pub(super) facing: [u32; 2],
    pub(super) rocks: u32,
    /// Rows, then columns, as [`push`] numbers them.
    pub(super) lines: [u16; 2 * SIZE],
    pub(super) exits: [u32; 2],
    /// The pieces' part of the key.
    pub(super) key: u64,
    pub(super) ply: u32,
    /// The seat to move or, in a finished game, the one that lost.
    pub(super) seat: u8,
    pub(super) over: bool,
}

impl Position {
    pub(super) const EMPTY: Position = Position {
        animals: [0; 2],
        facing: [0; 2],
        rocks: 0,
        lines: [0; 2 * SIZE],
        exits: [0; 2],
        key: 0,
        ply: 0,
        seat: 0,
        over: false,
    };

    pub(super) fn occupied(&self) -> u32 {
        self.animals[0] | self.animals[1] | self.rocks
    }

    /// The cells of a seat's animals.
    pub fn animals(&self, seat: Seat) -> impl Iterator<Item = CellId> + use<> {
        bitset::cells64(u64::from(self.animals[seat]))
    }

    /// The cells of the rocks.
    pub fn rocks(&self) -> impl Iterator<Item = CellId> + use<> {
        bitset::cells64(u64::from(self.rocks))
    }

    /// The way in which the animal on a cell faces.
    pub fn facing(&self, cell: CellId) -> Facing {
        (self.facing[0] >> cell & 1 | (self.facing[1] >> cell & 1) << 1) as Facing
    }

    fn kind(&self, cell: CellId) -> u8 {
        if self.rocks >> cell & 1 != 0 {
            return ROCK;
        }
        let seat = (self.animals[1] >> cell & 1) as u8;
        4 * seat + self.facing(cell)
    }

    /// Puts a piece on an empty cell.
    pub(super) fn put(&mut self, cell: CellId, kind: u8) {
        self.toggle(cell, kind);
        let (row, column) = (cell as usize / SIZE, cell as usize % SIZE);
        let [in_row, in_column] = push::digits(kind);
        self.lines[row] += in_row * POWERS[column];
        self.lines[SIZE + column] += in_column * POWERS[row];
    }

    /// Takes the piece from a cell.
    pub(super) fn lift(&mut self, cell: CellId) -> u8 {
        let kind = self.kind(cell);
        self.toggle(cell, kind);
        let (row, column) = (cell as usize / SIZE, cell as usize % SIZE);
        let [in_row, in_column] = push::digits(kind);
        self.lines[row] -= in_row * POWERS[column];
        self.lines[SIZE + column] -= in_column * POWERS[row];
        kind
    }

    fn toggle(&mut self, cell: CellId, kind: u8) {
        if kind == ROCK {
            self.rocks ^= 1 << cell;
        } else {
            self.animals[kind as usize / 4] ^= 1 << cell;
            self.facing[0] ^= u32::from(kind & 1) << cell;
            self.facing[1] ^= u32::from(kind >> 1 & 1) << cell;
        }
        self.key ^= zobrist::piece(kind as usize, cell as usize);
    }

    /// All pushes that the lines allow: animals of either seat that can push, and entries.
    pub(super) fn pushes(&self) -> (u32, u32) {
        let (mut pushers, mut entries) = (0, 0);
        for line in 0..SIZE {
            let in_row = PUSHES[self.lines[line] as usize];
            let in_column = PUSHES[self.lines[SIZE + line] as usize];
            pushers |= u32::from(in_row & PUSHERS) << (line * SIZE);
            pushers |= SPREAD[usize::from(in_column & PUSHERS)] << line;
            entries |= u32::from(in_row >> SIZE) << (2 * line);
            entries |= u32::from(in_column >> SIZE) << (2 * (SIZE + line));
        }
        (pushers, entries)
    }
}
