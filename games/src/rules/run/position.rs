//! A position of Run: pieces on the board, in reserve and out, and the turn.

use std::ops::Not;

use crate::kit::board::{CellId, bitset};
use crate::kit::outcome::Seat;
use crate::kit::zobrist;

/// The bottom row, black's first one; cells are numbered from there up, left to right.
pub(super) const BOTTOM: u64 = 0x3f;
/// The top row, white's first one.
pub(super) const TOP: u64 = BOTTOM << 33;
/// All cells.
pub(super) const ALL: u64 = (1 << 39) - 1;
/// Facts in keys; the last one is followed by 8 numbers a seat and kind.
const WHITE_TO_MOVE: usize = 0;
const ACTED: [usize; 2] = [1, 2];
const OPENING: usize = 3;
const RESERVES: usize = 8;

/// A kind of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// To be brought over the board and out.
    Cow,
    /// To capture.
    Cowboy,
}

impl Kind {
    /// Both kinds.
    pub const ALL: [Kind; 2] = [Kind::Cow, Kind::Cowboy];
}

impl Not for Kind {
    type Output = Kind;

    fn not(self) -> Kind {
        match self {
            Kind::Cow => Kind::Cowboy,
            Kind::Cowboy => Kind::Cow,
        }
    }
}

/// Pieces on the board, in reserve and out, and how much of the turn is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// By seat and kind.
    pub(super) pieces: [[u64; 2]; 2],
    /// By seat and kind.
    pub(super) reserve: [[u8; 2]; 2],
    /// Cows out.
    pub(super) out: [u8; 2],
    /// The seat to move; 0 in a finished game.
    pub(super) seat: u8,
    /// The actions of that seat in this turn.
    pub(super) acted: Option<Kind>,
    pub(super) ply: u32,
    /// The key's part for the pieces on the board.
    pub(super) key: u64,
}

impl Position {
    /// The cells of a seat's pieces of one kind.
    pub fn pieces(&self, seat: Seat, kind: Kind) -> impl Iterator<Item = CellId> + use<> {
        bitset::cells64(self.pieces[seat][kind as usize])
    }

    /// The same cells, as a set.
    pub fn piece_set(&self, seat: Seat, kind: Kind) -> u64 {
        self.pieces[seat][kind as usize]
    }

    /// Number of pieces of a kind in a seat's reserve.
    pub fn reserve(&self, seat: Seat, kind: Kind) -> u8 {
        self.reserve[seat][kind as usize]
    }

    /// The actions of the seat to move in this turn.
    pub fn acted(&self) -> Option<Kind> {
        self.acted
    }

    pub(super) fn of_seat(&self, seat: Seat) -> u64 {
        self.pieces[seat][0] | self.pieces[seat][1]
    }

    pub(super) fn empty(&self) -> u64 {
        ALL & !(self.of_seat(0) | self.of_seat(1))
    }

    /// The kind of the piece on a cell that is not empty.
    pub(super) fn kind(&self, cell: CellId) -> Kind {
        let cows = self.pieces[0][0] | self.pieces[1][0];
        match cows >> cell & 1 {
            0 => Kind::Cowboy,
            _ => Kind::Cow,
        }
    }

    /// Puts a piece on an empty cell or takes it away.
    pub(super) fn toggle(&mut self, seat: Seat, kind: Kind, cell: CellId) {
        self.pieces[seat][kind as usize] ^= 1 << cell;
        self.key ^= zobrist::piece(2 * seat + kind as usize, cell as usize);
    }

    /// True if no cow is left.
    pub(super) fn over(&self) -> bool {
        self.pieces[0][0] | self.pieces[1][0] == 0 && self.reserve[0][0] | self.reserve[1][0] == 0
    }

    /// True if this is the very first turn, of one drop only.
    pub(super) fn opening(&self) -> bool {
        self.ply == 0 && self.seat == 0 && self.acted.is_none() && !self.over()
    }

    /// Cells where the seat to move can drop a piece of this kind.
    pub(super) fn drops(&self, kind: Kind) -> u64 {
        let seat = self.seat as usize;
        match self.reserve[seat][kind as usize] {
            0 => 0,
            _ => self.empty() & [BOTTOM, TOP][seat],
        }
    }

    /// True if the seat to move has an action of this kind. A piece on the board always has
    /// one, if only to be lost.
    fn can_act(&self, kind: Kind) -> bool {
        let on_board = self.pieces[self.seat as usize][kind as usize] != 0 && !self.opening();
        self.acted != Some(kind) && (on_board || self.drops(kind) != 0)
    }

    /// Ends the turn of a seat that has no move left, and the game when no cow is left. Returns false if
    /// nobody can move although the game is not over, which only a state from outside can cause.
    pub(super) fn settle(&mut self) -> bool {
        if self.over() {
            self.seat = 0;
            self.acted = None;
            return true;
        }
        // The rest of this turn, the other seat's turn, a new turn of this seat.
        for _ in 0..3 {
            if Kind::ALL.into_iter().any(|kind| self.can_act(kind)) {
                return true;
            }
            self.seat = 1 - self.seat;
            self.acted = None;
        }
        false
    }

    /// The key of the position.
    pub(super) fn whole_key(&self) -> u64 {
        let mut key = self.key;
        if self.seat == 1 {
            key ^= zobrist::fact(WHITE_TO_MOVE);
        }
        if let Some(kind) = self.acted {
            key ^= zobrist::fact(ACTED[kind as usize]);
        }
        if self.opening() {
            key ^= zobrist::fact(OPENING);
        }
        for (i, &left) in self.reserve.as_flattened().iter().enumerate() {
            key ^= zobrist::fact(RESERVES + 8 * i + left as usize);
        }
        key
    }
}

/// True if a cell lies on the first row of some seat, which is the last one of the other.
pub(super) fn at_end(cell: CellId) -> bool {
    (BOTTOM | TOP) >> cell & 1 != 0
}
