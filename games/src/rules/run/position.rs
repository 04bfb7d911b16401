//! A position of Run, and the legal moves of one kind of piece as sets.

use std::ops::Not;

use crate::kit::board::{CellId, bitset};
use crate::kit::outcome::Seat;
use crate::kit::zobrist;

/// The bottom row, black's first one; cells are numbered from there up, left to right.
const BOTTOM: u64 = 0x3f;
/// The top row, white's first one.
const TOP: u64 = BOTTOM << 33;
/// All cells.
const ALL: u64 = (1 << 39) - 1;
/// Added to a cell's number by a step in each direction, clockwise from north-east.
const SHIFTS: [i32; 6] = [6, 1, -5, -6, -1, 5];
/// The directions in which each seat's cows go.
const FORWARD: [[usize; 2]; 2] = [[5, 0], [2, 3]];
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

/// The legal moves of one kind of piece.
#[derive(Clone, Copy, Default)]
pub(super) struct KindMoves {
    /// Cells for drops.
    pub(super) drop: u64,
    /// Targets of steps by direction, including captures.
    pub(super) steps: [u64; 6],
    /// Those that can leave the board.
    pub(super) out: u64,
    /// Those that can be given up.
    pub(super) lost: u64,
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

    fn empty(&self) -> u64 {
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
    fn drops(&self, kind: Kind) -> u64 {
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

    /// The legal moves of the seat to move with pieces of one kind. `steps` are the cells from
    /// which a step in each direction stays on the board.
    #[inline]
    pub(super) fn choices(&self, kind: Kind, steps: &[u64; 6]) -> KindMoves {
        let mut choices = KindMoves::default();
        if self.acted == Some(kind) || self.over() {
            return choices;
        }
        choices.drop = self.drops(kind);
        if self.opening() {
            return choices;
        }
        let seat = self.seat as usize;
        let own = self.pieces[seat][kind as usize];
        let mut step = |direction: usize, open: u64| {
            let from = own & steps[direction];
            choices.steps[direction] = from.rotate_left(SHIFTS[direction] as u32 & 63) & open;
        };
        match kind {
            Kind::Cow => {
                let open = self.empty();
                FORWARD[seat].into_iter().for_each(|d| step(d, open));
                choices.out = own & [TOP, BOTTOM][seat];
            }
            Kind::Cowboy => {
                let open = ALL & !self.of_seat(seat);
                (0..6).for_each(|d| step(d, open));
            }
        }
        if choices.drop | choices.out | choices.steps.iter().fold(0, |all, set| all | set) == 0 {
            choices.lost = own;
        }
        choices
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

impl KindMoves {
    /// The number of moves.
    pub(super) fn count(&self) -> u32 {
        let steps: u32 = self.steps.iter().map(|set| set.count_ones()).sum();
        steps + self.drop.count_ones() + self.out.count_ones() + self.lost.count_ones()
    }
}

/// The cell from which a step in a direction leads to `to`.
pub(super) fn behind(to: CellId, direction: usize) -> CellId {
    (i32::from(to) - SHIFTS[direction]) as CellId
}

/// True if a cell lies on the first row of some seat, which is the last one of the other.
pub(super) fn at_end(cell: CellId) -> bool {
    (BOTTOM | TOP) >> cell & 1 != 0
}
