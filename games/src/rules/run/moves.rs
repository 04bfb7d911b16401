//! Moves of Run, and the legal moves of a position as sets.

use super::position::{ALL, BOTTOM, Kind, Position, TOP};
use crate::kit::board::CellId;
use crate::kit::board::bitset::Sequence;
use crate::kit::outcome::Seat;

/// Added to a cell's number by a step in each direction, clockwise from north-east.
const SHIFTS: [i32; 6] = [6, 1, -5, -6, -1, 5];
/// The directions in which each seat's cows go.
const FORWARD: [[usize; 2]; 2] = [[0, 5], [2, 3]];
/// The first cell of each seat's first row.
const FIRST_CELLS: [CellId; 2] = [0, TOP.trailing_zeros() as CellId];
/// The number of cells in such a row, and of all cells.
const ROW: u32 = BOTTOM.count_ones();
const CELLS: u32 = ALL.count_ones();

/// One action, which is a ply of its own: a turn has one of a cow and one of a cowboy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A piece comes from the reserve.
    Drop(Kind, CellId),
    /// A piece goes to an empty cell.
    Go(CellId, CellId),
    /// A cowboy captures.
    Capture(CellId, CellId),
    /// A cow leaves the board and scores.
    Out(CellId),
    /// A piece is given up.
    Lost(CellId),
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
    /// The legal moves of the seat to move with pieces of one kind. `steps` are the cells from
    /// which a step in each direction stays on the board.
    #[inline(always)]
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
        // Cows look at all six directions as well, although they go in two: then the compiler knows each place that
        // is written. Places known only at run time would have to be written before all are read at once.
        let open = match kind {
            Kind::Cow => self.empty(),
            Kind::Cowboy => ALL & !self.of_seat(seat),
        };
        for (direction, steps) in steps.iter().enumerate() {
            let goes = kind == Kind::Cowboy || FORWARD[seat].contains(&direction);
            let from = if goes { own & steps } else { 0 };
            choices.steps[direction] = from.rotate_left(SHIFTS[direction] as u32 & 63) & open;
        }
        if kind == Kind::Cow {
            choices.out = own & [TOP, BOTTOM][seat];
        }
        if choices.drop | choices.out | choices.steps.iter().fold(0, |all, set| all | set) == 0 {
            choices.lost = own;
        }
        choices
    }
}

/// The sets of a [`TurnMoves`] that are about cows.
const COW_SETS: usize = 2;

/// All legal moves in one order: those with cows, then those with cowboys; for each kind drops, steps by
/// direction, and pieces that leave the board or are lost.
pub(super) struct TurnMoves {
    /// A set for each direction of steps, those of cows first. In the first set of a kind, drops are below bit
    /// [`ROW`] and steps follow; in the last one of cows, those that leave the board are from bit [`CELLS`] on.
    /// Pieces that are lost, of which there are some only where a kind has no other move, are in its last set.
    sequence: Sequence<8>,
    /// By kind.
    lost: [bool; 2],
    seat: Seat,
    enemies: u64,
}

impl TurnMoves {
    #[inline]
    pub(super) fn new(position: &Position, steps: &[u64; 6]) -> Self {
        let seat = position.seat as Seat;
        let (mut sequence, mut lost) = (Sequence::EMPTY, [false; 2]);
        let (to_drop, to_leave) = (FIRST_CELLS[seat], FIRST_CELLS[1 - seat]);
        if position.acted != Some(Kind::Cow) {
            let cows = position.choices(Kind::Cow, steps);
            let [north_east, _, south_east, south_west, _, north_west] = cows.steps;
            let out = cows.out >> to_leave << CELLS;
            // Of two that are put together, one is empty: black's cows go north, white's go south.
            let first = cows.drop >> to_drop | (north_east | south_east) << ROW;
            sequence.put(0, [first, south_west | north_west | out | cows.lost]);
            lost[0] = cows.lost != 0;
        }
        if position.acted != Some(Kind::Cowboy) {
            let cowboys = position.choices(Kind::Cowboy, steps);
            let mut sets = cowboys.steps;
            sets[0] = cowboys.drop >> to_drop | sets[0] << ROW;
            sets[5] |= cowboys.lost;
            sequence.put(COW_SETS, sets);
            lost[1] = cowboys.lost != 0;
        }
        TurnMoves {
            sequence,
            lost,
            seat,
            enemies: position.of_seat(1 - seat),
        }
    }

    /// The number of moves.
    pub(super) fn len(&self) -> u32 {
        self.sequence.len()
    }

    /// The move with this number, below [`TurnMoves::len`].
    #[inline]
    pub(super) fn nth(&self, index: u32) -> Move {
        let (set, mut cell) = self.sequence.nth(index);
        let (kind, direction) = match set.checked_sub(COW_SETS) {
            None => (Kind::Cow, FORWARD[self.seat][set]),
            Some(direction) => (Kind::Cowboy, direction),
        };
        if set == 0 || set == COW_SETS {
            if u32::from(cell) < ROW {
                return Move::Drop(kind, cell + FIRST_CELLS[self.seat]);
            }
            cell -= ROW as CellId;
        }
        if u32::from(cell) >= CELLS {
            return Move::Out(cell - CELLS as CellId + FIRST_CELLS[1 - self.seat]);
        }
        if self.lost[kind as usize] {
            return Move::Lost(cell);
        }
        let from = behind(cell, direction);
        match self.enemies >> cell & 1 {
            0 => Move::Go(from, cell),
            _ => Move::Capture(from, cell),
        }
    }
}

/// The cell from which a step in a direction leads to `to`.
fn behind(to: CellId, direction: usize) -> CellId {
    (i32::from(to) - SHIFTS[direction]) as CellId
}
