//! Moves, and the legal moves of a position as sets: counted and drawn without a list of them.

use super::pieces::{ALL, EDGE, Facing, SIZE};
use super::position::Position;
use super::{ANIMALS, BANNED, Siam};
use crate::kit::board::CellId;
use crate::kit::board::bitset::{self, Sequence};

/// One turn: all that a seat does before the other one moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// An animal enters on an empty edge cell.
    Enter(CellId, Facing),
    /// An animal enters with a push on an occupied edge cell, facing the way it enters.
    EnterPush(CellId, Facing),
    /// An animal goes from one cell to the next one and then faces this way.
    Step(CellId, CellId, Facing),
    /// An animal turns this way.
    Turn(CellId, Facing),
    /// An animal leaves the board.
    Out(CellId),
    /// An animal that faces this way pushes.
    Push(CellId, Facing),
}

/// The legal moves of a position as sets of cells, one or more for each kind of move.
#[derive(Default)]
pub(super) struct MoveSets {
    /// Cells where an animal can enter without a push.
    pub(super) enter: u32,
    /// Targets of steps, by direction.
    pub(super) steps: [u32; 4],
    /// The seat's animals; each can turn in three ways.
    pub(super) turn: u32,
    /// Those that can leave the board.
    pub(super) out: u32,
    /// Those that can push.
    pub(super) push: u32,
    /// Entries with a push: bit 2 × line for forward, the next one for backward.
    pub(super) enter_push: u32,
}

/// The place of the first cell of the second one of two sets in a word.
const SECOND: CellId = 32;

/// The legal moves in one order: entries without a push and steps, each with four ways to face, turns, of which
/// each animal has three, exits, pushes, entries with a push.
pub(super) struct AllMoves {
    /// Entries, then ends of steps by direction; two sets a word.
    placed: Sequence<3>,
    /// The animals.
    turners: u32,
    /// Exits and pushes in a word, entries with a push in the next one.
    rest: Sequence<2>,
}

impl AllMoves {
    #[inline(always)]
    pub(super) fn new(sets: &MoveSets) -> Self {
        let both = |first: u32, second: u32| u64::from(first) | u64::from(second) << SECOND;
        let [north, east, south, west] = sets.steps;
        let mut all = AllMoves {
            placed: Sequence::EMPTY,
            turners: sets.turn,
            rest: Sequence::EMPTY,
        };
        let placed = [both(sets.enter, north), both(east, south), west.into()];
        all.placed.put(0, placed);
        all.rest
            .put(0, [both(sets.out, sets.push), sets.enter_push.into()]);
        all
    }

    /// The number of moves.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        4 * self.placed.len() + 3 * self.turners.count_ones() + self.rest.len()
    }

    /// The move with this number, below [`AllMoves::len`].
    #[inline]
    pub(super) fn nth(&self, position: &Position, index: u32) -> Move {
        let (placings, turns) = (4 * self.placed.len(), 3 * self.turners.count_ones());
        if index < placings {
            let (word, place) = self.placed.nth(index / 4);
            let (set, to) = (2 * word as CellId + place / SECOND, place % SECOND);
            let facing = (index % 4) as Facing;
            return match set.checked_sub(1) {
                None => Move::Enter(to, facing),
                Some(direction) => Move::Step(behind(to, direction), to, facing),
            };
        }
        let index = index - placings;
        if index < turns {
            let cell = bitset::nth64(self.turners.into(), index / 3);
            let facing = u32::from(position.facing(cell)) + 1 + index % 3;
            return Move::Turn(cell, (facing % 4) as Facing);
        }
        match self.rest.nth(index - turns) {
            (0, cell) if cell < SECOND => Move::Out(cell),
            (0, cell) => Move::Push(cell - SECOND, position.facing(cell - SECOND)),
            (_, bit) => entry(bit),
        }
    }
}

impl Siam {
    /// The legal moves.
    #[inline(always)]
    pub(super) fn choices(&self, position: &Position) -> MoveSets {
        if position.over {
            return MoveSets::default();
        }
        let own = position.animals[position.seat as usize];
        let banned = self.banned(position);
        let open = ALL & !position.occupied() & !banned;
        let reserve = own.count_ones() < ANIMALS as u32;
        let (pushers, entries) = position.pushes();
        let mut push = own & pushers;
        let mut enter_push = if reserve { entries } else { 0 };
        if banned != 0 {
            (push, enter_push) = self.without_banned(position, push, enter_push);
        }
        MoveSets {
            enter: if reserve { EDGE & open } else { 0 },
            steps: [
                shifted(own, 0) & open,
                shifted(own, 1) & open,
                shifted(own, 2) & open,
                shifted(own, 3) & open,
            ],
            turn: own,
            out: if self.may_exit(position) {
                EDGE & own
            } else {
                0
            },
            push,
            enter_push,
        }
    }

    /// Those of these pushes and entries that move no animal to a banned cell.
    fn without_banned(
        &self,
        position: &Position,
        mut push: u32,
        mut enter_push: u32,
    ) -> (u32, u32) {
        for cell in bitset::cells64(u64::from(push)) {
            if self.gets_on_banned(position, Move::Push(cell, position.facing(cell))) {
                push ^= 1 << cell;
            }
        }
        for bit in bitset::cells64(u64::from(enter_push)) {
            if self.gets_on_banned(position, entry(bit)) {
                enter_push ^= 1 << bit;
            }
        }
        (push, enter_push)
    }

    /// True if a push, otherwise legal, brings an animal onto c1 or c5.
    fn gets_on_banned(&self, position: &Position, mv: Move) -> bool {
        let (Move::Push(mut cell, way) | Move::EnterPush(mut cell, way)) = mv else {
            return false;
        };
        if matches!(mv, Move::EnterPush(..)) && BANNED >> cell & 1 != 0 {
            return true;
        }
        while let Some(next) = self.step(cell, way) {
            if position.rocks >> cell & 1 == 0 && BANNED >> next & 1 != 0 {
                return true;
            }
            if position.occupied() >> next & 1 == 0 {
                return false;
            }
            cell = next;
        }
        false
    }
}

/// The cells one step on in a direction, without those off the board.
pub(super) fn shifted(set: u32, direction: usize) -> u32 {
    /// The cells of the left column.
    const LEFT: u32 = 0b00001_00001_00001_00001_00001;
    match direction {
        0 => set << SIZE & ALL,
        1 => (set & !(LEFT << 4)) << 1,
        2 => set >> SIZE,
        _ => (set & !LEFT) >> 1,
    }
}

/// The cell from which one step in a direction leads to `to`.
fn behind(to: CellId, direction: Facing) -> CellId {
    const BACK: [i8; 4] = [-(SIZE as i8), -1, SIZE as i8, 1];
    to.wrapping_add_signed(BACK[direction as usize % 4])
}

/// The entry with a push that a bit of [`MoveSets::enter_push`] stands for.
pub(super) fn entry(bit: CellId) -> Move {
    let (line, backward) = (bit / 2, bit % 2);
    let far = backward * (SIZE as CellId - 1);
    match line.checked_sub(SIZE as CellId) {
        None => Move::EnterPush(line * SIZE as CellId + far, 1 + 2 * backward),
        Some(column) => Move::EnterPush(column + far * SIZE as CellId, 2 * backward),
    }
}
