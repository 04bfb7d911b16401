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

    /// The killer moves at this distance from the root, the last one first.
    pub(super) fn killers(&self, ply: usize) -> impl Iterator<Item = M> + use<M> {
        self.killers[ply].into_iter().flatten()
    }

    /// The estimate of a move of a side.
    #[inline]
    pub(super) fn promise(&self, side: usize, mv: M) -> i32 {
        self.history[side][place(mv)]
    }

    /// Records a cutoff by the last of these moves, and none by those tried before it.
    pub(super) fn reward(&mut self, node: Node, tried: &[M]) {
        let Some((&mv, before)) = tried.split_last() else {
            return;
        };
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
        ordering.reward(node(3, 4), &['a', 'b']);
        assert_eq!(ordering.killers(3).collect::<Vec<_>>(), ['b']);
        assert_eq!(ordering.killers(5).count(), 0);
        let promise = |mv| ordering.promise(0, mv);
        assert!(promise('b') > promise('c') && promise('c') > promise('a'));
        assert_eq!(ordering.promise(1, 'b'), 0);
    }

    #[test]
    fn history_stays_within_bounds() {
        let mut ordering = MoveOrdering::new();
        for _ in 0..10_000 {
            ordering.reward(node(0, 30), &[2u8, 1]);
        }
        assert!(ordering.promise(0, 1) <= MOST && ordering.promise(0, 2) >= -MOST);
    }
}
