//! The transposition table: results of searches by position keys.

use super::node::Window;
use super::value::{Value, from_node, to_node};

/// The relation of a stored value to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The true value is at least the stored one.
    Lower,
    /// The true value is at most the stored one.
    Upper,
    /// The stored value is the true one, to the stored depth.
    Exact,
}

impl Bound {
    /// True if a value with this bound is all that a search within the window would find.
    #[inline]
    pub(super) fn decides(self, value: Value, window: Window) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => value >= window.beta,
            Bound::Upper => value <= window.alpha,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<M> {
    key: u64,
    /// The best move, or the one that caused a cutoff.
    pub(super) mv: Option<M>,
    /// As seen from the position; [`Entry::value`] converts it to the root's view.
    value: Value,
    /// The static evaluation, for the side to move.
    pub(super) static_value: Value,
    /// The depth of the search, in plies.
    pub(super) depth: i8,
    pub(super) bound: Bound,
    /// The turn in which it was stored, modulo 256.
    age: u8,
}

impl<M> Entry<M> {
    /// The value as seen from the root, for a position at `ply` plies from it.
    pub(super) fn value(&self, ply: usize) -> Value {
        from_node(self.value, ply)
    }
}

/// A table of fixed size, in which newer and deeper entries replace others.
#[derive(Debug)]
pub(super) struct TranspositionTable<M> {
    entries: Vec<Option<Entry<M>>>,
    age: u8,
}

impl<M: Copy> TranspositionTable<M> {
    /// A table of `1 << bits` entries.
    pub(super) fn new(bits: u32) -> Self {
        TranspositionTable {
            entries: vec![None; 1 << bits],
            age: 0,
        }
    }

    /// Starts a new turn: entries of earlier turns may be replaced by shallower ones.
    pub(super) fn begin_turn(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    fn index(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }

    pub(super) fn find(&self, key: u64) -> Option<&Entry<M>> {
        self.entries[self.index(key)]
            .as_ref()
            .filter(|entry| entry.key == key)
    }

    /// Stores the result of a search of a position at `ply` plies from the root.
    pub(super) fn store(&mut self, key: u64, ply: usize, result: NodeResult<M>) {
        let index = self.index(key);
        let place = &mut self.entries[index];
        let same = place.filter(|entry| entry.key == key);
        let keep = place.is_some_and(|old| {
            old.age == self.age && old.key != key && i32::from(old.depth) > result.depth + 2
        });
        if keep {
            return;
        }
        *place = Some(Entry {
            key,
            mv: result.mv.or(same.and_then(|entry| entry.mv)),
            value: to_node(result.value, ply),
            static_value: result.static_value,
            depth: result.depth.clamp(-1, 127) as i8,
            bound: result.bound,
            age: self.age,
        });
    }
}

/// The result of a search. As in [`Entry`], but the value is seen from the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeResult<M> {
    pub(super) mv: Option<M>,
    pub(super) value: Value,
    pub(super) static_value: Value,
    pub(super) depth: i32,
    pub(super) bound: Bound,
}

#[cfg(test)]
mod tests {
    use super::super::value::WIN;
    use super::*;

    fn found(value: Value, depth: i32) -> NodeResult<u8> {
        NodeResult {
            mv: Some(depth as u8),
            value,
            static_value: 0,
            depth,
            bound: Bound::Exact,
        }
    }

    #[test]
    fn a_win_is_as_far_from_the_root_as_the_position_and_the_rest() {
        let mut table = TranspositionTable::new(4);
        // Found 3 plies from the root, 2 plies after the position.
        table.store(77, 3, found(WIN - 5, 1));
        assert_eq!(table.find(77).unwrap().value(1), WIN - 3);
        assert!(table.find(78).is_none());
    }

    #[test]
    fn deep_entries_stay_for_their_turn() {
        let mut table = TranspositionTable::new(4);
        table.store(1, 0, found(10, 9));
        table.store(17, 0, found(20, 1));
        assert_eq!(table.find(1).unwrap().mv, Some(9));
        table.begin_turn();
        table.store(17, 0, found(20, 1));
        assert!(table.find(1).is_none());
    }
}
