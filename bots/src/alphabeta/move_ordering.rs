//! Move ordering: moves that caused cutoffs in other positions are tried first.

use std::hash::{Hash, Hasher};

use super::node::Node;

/// The search goes no more plies from the root than this.
pub(super) const LONGEST: usize = 96;
/// The number of entries for moves in the history, a power of two.
const PLACES: usize = 1 << 14;
/// The bound on entries of the history.
const MOST: i32 = 1 << 20;

/// Moves that caused cutoffs lately: killer moves by distance from the root, and the history of each
/// move.
#[derive(Debug)]
pub(super) struct MoveOrdering<M> {
    killers: Vec<[Option<M>; 2]>,
    /// For each side, by a hash of the move.
    history: [Vec<i32>; 2],
}

impl<M: Copy + Eq + Hash> MoveOrdering<M> {
    pub(super) fn new() -> Self {
        MoveOrdering {
            killers: vec![[None; 2]; LONGEST],
            history: [vec![0; PLACES], vec![0; PLACES]],
        }
    }

    /// Starts a new turn: killer moves are dropped, and the history decays.
    pub(super) fn begin_turn(&mut self) {
        self.killers.fill([None; 2]);
        for value in self.history.iter_mut().flatten() {
            *value /= 4;
        }
    }

    /// The estimate of a move of a side.
    #[inline]
    pub(super) fn promise(&self, side: usize, ply: usize, mv: M) -> i32 {
        match self.killers[ply] {
            [Some(killer), _] if killer == mv => 2 * MOST,
            [_, Some(killer)] if killer == mv => 2 * MOST - 1,
            _ => self.history[side][place(mv)],
        }
    }

    /// Records a cutoff by a move, and none by the moves tried before it.
    pub(super) fn reward(&mut self, node: Node, mv: M, before: &[M]) {
        let Node { side, depth, ply } = node;
        if self.killers[ply][0] != Some(mv) {
            self.killers[ply] = [Some(mv), self.killers[ply][0]];
        }
        let history = &mut self.history[side];
        let bonus = (depth * depth).min(400) * 32;
        let mut change = |mv: M, bonus: i32| {
            let value = &mut history[place(mv)];
            // The nearer a value is to the bound, the less a bonus changes it.
            *value += bonus - (i64::from(*value) * i64::from(bonus.abs()) / i64::from(MOST)) as i32;
        };
        change(mv, bonus);
        before.iter().for_each(|&mv| change(mv, -bonus));
    }
}

/// The entry of a move in the history.
#[inline]
fn place<M: Hash>(mv: M) -> usize {
    let mut hasher = Mix(0);
    mv.hash(&mut hasher);
    (hasher.0 >> 40) as usize & (PLACES - 1)
}

/// A fast hash of a few small numbers, the same on every machine.
struct Mix(u64);

impl Mix {
    #[inline]
    fn add(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(9) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.add(u64::from(*byte)));
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.add(u64::from(value));
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
    }

    #[inline]
    fn write_isize(&mut self, value: isize) {
        self.add(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(ply: usize, depth: i32) -> Node {
        Node {
            side: 0,
            depth,
            ply,
        }
    }

    #[test]
    fn a_move_that_caused_a_cutoff_comes_before_others() {
        let mut ordering = MoveOrdering::new();
        ordering.reward(node(3, 4), 'b', &['a']);
        let promise = |ply, mv| ordering.promise(0, ply, mv);
        assert!(promise(3, 'b') > promise(5, 'b'));
        assert!(promise(5, 'b') > promise(5, 'c'));
        assert!(promise(5, 'c') > promise(5, 'a'));
        assert_eq!(ordering.promise(1, 3, 'c'), 0);
    }

    #[test]
    fn history_stays_within_bounds() {
        let mut ordering = MoveOrdering::new();
        for _ in 0..10_000 {
            ordering.reward(node(0, 30), 1u8, &[2]);
        }
        assert!(ordering.promise(0, 1, 1) <= MOST && ordering.promise(0, 1, 2) >= -MOST);
    }
}
