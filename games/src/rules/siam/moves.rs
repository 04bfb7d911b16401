//! Moves, and the legal moves of a position as sets: counted and drawn without a list of them.

use super::pieces::{ALL, EDGE, Facing, SIZE};
use super::position::Position;
use super::{ANIMALS, BANNED, Siam};
use crate::kit::board::{CellId, bitset};

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

impl MoveSets {
    pub(super) fn count(&self) -> u32 {
        let steps: u32 = self.steps.iter().map(|set| set.count_ones()).sum();
        4 * (self.enter.count_ones() + steps)
            + 3 * self.turn.count_ones()
            + self.out.count_ones()
            + self.push.count_ones()
            + self.enter_push.count_ones()
    }

    /// The move with this number, below [`MoveSets::count`].
    pub(super) fn nth(&self, position: &Position, mut index: u32) -> Move {
        // Whether the index falls among the next `count` moves; if not, these are passed over.
        let mut among = |count: u32| {
            let found = index < count;
            index = if found { index } else { index - count };
            found.then_some(index)
        };
        let nth = |set: u32, index: u32| bitset::nth64(u64::from(set), index);
        if let Some(i) = among(4 * self.enter.count_ones()) {
            return Move::Enter(nth(self.enter, i / 4), (i % 4) as Facing);
        }
        for (direction, &set) in self.steps.iter().enumerate() {
            if let Some(i) = among(4 * set.count_ones()) {
                let to = nth(set, i / 4);
                return Move::Step(behind(to, direction as Facing), to, (i % 4) as Facing);
            }
        }
        if let Some(i) = among(3 * self.turn.count_ones()) {
            let cell = nth(self.turn, i / 3);
            let turned = u32::from(position.facing(cell)) + 1 + i % 3;
            return Move::Turn(cell, (turned % 4) as Facing);
        }
        if let Some(i) = among(self.out.count_ones()) {
            return Move::Out(nth(self.out, i));
        }
        if let Some(i) = among(self.push.count_ones()) {
            let cell = nth(self.push, i);
            return Move::Push(cell, position.facing(cell));
        }
        entry(nth(self.enter_push, index))
    }
}

impl Siam {
    /// The legal moves.
    #[inline]
    pub(super) fn choices(&self, position: &Position) -> MoveSets {
        if position.over {
            return MoveSets::default();
        }
        let own = position.animals[position.seat as usize];
        let banned = self.banned(position);
        let open = ALL & !position.occupied() & !banned;
        let reserve = own.count_ones() < ANIMALS as u32;
        let (pushers, entries) = position.pushes();
        let mut choices = MoveSets {
            enter: if reserve { EDGE & open } else { 0 },
            steps: [0, 1, 2, 3].map(|direction| shifted(own, direction) & open),
            turn: own,
            out: if self.may_exit(position) {
                EDGE & own
            } else {
                0
            },
            push: own & pushers,
            enter_push: if reserve { entries } else { 0 },
        };
        if banned != 0 {
            self.drop_banned_pushes(position, &mut choices);
        }
        choices
    }

    fn drop_banned_pushes(&self, position: &Position, choices: &mut MoveSets) {
        for cell in bitset::cells64(u64::from(choices.push)) {
            if self.gets_on_banned(position, Move::Push(cell, position.facing(cell))) {
                choices.push ^= 1 << cell;
            }
        }
        for bit in bitset::cells64(u64::from(choices.enter_push)) {
            if self.gets_on_banned(position, entry(bit)) {
                choices.enter_push ^= 1 << bit;
            }
        }
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
    match direction {
        0 => to - SIZE as CellId,
        1 => to - 1,
        2 => to + SIZE as CellId,
        _ => to + 1,
    }
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
