//! A position of the games with fish, except for what each game keeps for itself.

use std::fmt::Write as _;

use crate::kit::board::{CellId, bitset};
use crate::kit::outcome::{MAX_SEATS, Seat};
use crate::kit::zobrist;

/// The most fish on a cell.
pub(super) const MOST_FISH: u8 = 3;
/// The kind of the first seat's penguins in keys; the kinds below it are the numbers of fish.
const PENGUIN: usize = MOST_FISH as usize;

/// The phase of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Chips are laid.
    Lay,
    /// Penguins are placed.
    Place,
    /// Penguins move.
    Move,
    /// No penguin can move any more.
    Over,
}

/// Fish, penguins and scores, and whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FishPosition {
    /// The cells with one or three fish, and those with two or three: numbers in binary.
    pub(super) fish: [u64; 2],
    pub(super) penguins: [u64; MAX_SEATS],
    /// Even all fish of a board, 64 times 3, fit.
    pub(super) scores: [u8; MAX_SEATS],
    pub(super) key: u64,
    pub(super) ply: u32,
    /// The seat to move; 0 in a finished game.
    pub(super) seat: u8,
    pub(super) phase: Phase,
}

impl FishPosition {
    /// No cell, no penguin.
    pub(super) fn empty() -> Self {
        FishPosition {
            fish: [0; 2],
            penguins: [0; MAX_SEATS],
            scores: [0; MAX_SEATS],
            key: 0,
            ply: 0,
            seat: 0,
            phase: Phase::Lay,
        }
    }

    /// The cells that have fish, those under penguins included.
    #[inline]
    pub fn cells(&self) -> u64 {
        self.fish[0] | self.fish[1]
    }

    /// The cells that have this many fish (1 to 3).
    pub fn cells_with(&self, fish: u8) -> u64 {
        let bit = |i: u8| {
            let set = self.fish[i as usize];
            if fish >> i & 1 != 0 { set } else { !set }
        };
        bit(0) & bit(1)
    }

    /// The number of fish on a cell, 0 where none is left.
    #[inline]
    pub fn fish(&self, cell: CellId) -> u8 {
        (self.fish[0] >> cell & 1 | (self.fish[1] >> cell & 1) << 1) as u8
    }

    /// The penguins of a seat, as a set.
    #[inline]
    pub fn penguins(&self, seat: Seat) -> u64 {
        self.penguins[seat]
    }

    /// The cells of the penguins of the seat to move.
    #[inline]
    pub fn movers(&self) -> impl Iterator<Item = CellId> + Clone + use<> {
        bitset::cells64(self.penguins[self.seat as usize])
    }

    /// The cells with one or three fish, and those with two or three: numbers in binary.
    #[inline]
    pub fn fish_sets(&self) -> [u64; 2] {
        self.fish
    }

    /// The penguins of all seats.
    pub(super) fn all_penguins(&self) -> u64 {
        self.penguins.iter().fold(0, |all, set| all | set)
    }

    /// The cells that have fish and no penguin.
    pub fn free(&self) -> u64 {
        self.cells() & !self.all_penguins()
    }

    /// The phase of the game.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The seat to act; `None` when the game is over.
    #[inline]
    pub fn to_move(&self) -> Option<Seat> {
        (self.phase != Phase::Over).then_some(self.seat as Seat)
    }

    /// The number of moves so far.
    #[inline]
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// The reason for the end.
    pub fn reason(&self) -> Option<&'static str> {
        (self.phase == Phase::Over).then_some("no_moves")
    }

    /// The hash of fish, penguins and turn; the phase follows from these.
    pub fn key(&self) -> u64 {
        self.key ^ zobrist::fact(self.seat as usize)
    }

    /// Appends fish, penguins and turn.
    pub fn write_identity(&self, out: &mut String) {
        let _ = write!(out, "{}", self.seat);
        for set in self.fish.iter().chain(&self.penguins) {
            let _ = write!(out, ".{set:x}");
        }
    }

    pub(super) fn put_fish(&mut self, cell: CellId, fish: u8) {
        self.fish[0] |= u64::from(fish & 1) << cell;
        self.fish[1] |= u64::from(fish >> 1) << cell;
        self.key ^= zobrist::piece(fish as usize - 1, cell as usize);
    }

    pub(super) fn put_penguin(&mut self, seat: Seat, cell: CellId) {
        self.penguins[seat] |= 1 << cell;
        self.key ^= zobrist::piece(PENGUIN + seat, cell as usize);
    }

    /// A penguin of the seat to move goes from one cell to another.
    #[inline]
    pub fn walk(&mut self, from: CellId, to: CellId) {
        let seat = self.seat as usize;
        self.penguins[seat] ^= 1 << from | 1 << to;
        self.key ^= zobrist::piece(PENGUIN + seat, from as usize)
            ^ zobrist::piece(PENGUIN + seat, to as usize);
    }

    /// The seat to move takes a cell with its fish off the board.
    #[inline]
    pub fn take(&mut self, cell: CellId) {
        let fish = self.fish(cell);
        self.scores[self.seat as usize] += fish;
        self.key ^= zobrist::piece(fish as usize - 1, cell as usize);
        self.fish[0] &= !(1 << cell);
        self.fish[1] &= !(1 << cell);
    }

    /// The fish under the penguins of a seat.
    pub(super) fn fish_under(&self, seat: Seat) -> u8 {
        bitset::cells64(self.penguins[seat])
            .map(|cell| self.fish(cell))
            .sum()
    }
}
