//! What the search remembers of positions, under their keys.

use super::value::{Value, from_node, to_node};

/// What a remembered value says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The true value is at least this.
    Lower,
    /// The true value is at most this.
    Upper,
    /// This is it, to the remembered depth.
    Exact,
}

/// What is known about a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<M> {
    key: u64,
    /// The best move, or the one that was too good.
    pub(super) mv: Option<M>,
    /// Seen from the position: [`Entry::value`] tells it as seen from the root.
    value: Value,
    /// What the evaluation says.
    pub(super) guess: Value,
    /// How deep it was searched.
    pub(super) depth: i8,
    pub(super) bound: Bound,
    /// The turn in which it was searched.
    age: u8,
}

impl<M> Entry<M> {
    /// The value where the position is so many plies from the root.
    pub(super) fn value(&self, ply: usize) -> Value {
        from_node(self.value, ply)
    }
}

/// A table of fixed size, in which newer and deeper entries push out others.
#[derive(Debug)]
pub(super) struct Table<M> {
    entries: Vec<Option<Entry<M>>>,
    age: u8,
}

impl<M: Copy> Table<M> {
    /// A table of `1 << bits` entries.
    pub(super) fn new(bits: u32) -> Self {
        Table {
            entries: vec![None; 1 << bits],
            age: 0,
        }
    }

    /// A new turn begins: what was found before it is worth less.
    pub(super) fn grow_older(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    fn index(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }

    /// What is known about a position.
    pub(super) fn find(&self, key: u64) -> Option<&Entry<M>> {
        self.entries[self.index(key)]
            .as_ref()
            .filter(|entry| entry.key == key)
    }

    /// Remembers a value that was found so many plies from the root.
    pub(super) fn store(&mut self, key: u64, ply: usize, found: Found<M>) {
        let index = self.index(key);
        let place = &mut self.entries[index];
        let same = place.filter(|entry| entry.key == key);
        let keep = place.is_some_and(|old| {
            old.age == self.age && old.key != key && i32::from(old.depth) > found.depth + 2
        });
        if keep {
            return;
        }
        *place = Some(Entry {
            key,
            mv: found.mv.or(same.and_then(|entry| entry.mv)),
            value: to_node(found.value, ply),
            guess: found.guess,
            depth: found.depth.clamp(-1, 127) as i8,
            bound: found.bound,
            age: self.age,
        });
    }
}

/// What a search has found out about a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<M> {
    pub(super) mv: Option<M>,
    pub(super) value: Value,
    pub(super) guess: Value,
    pub(super) depth: i32,
    pub(super) bound: Bound,
}

#[cfg(test)]
mod tests {
    use super::super::value::WIN;
    use super::*;

    fn found(value: Value, depth: i32) -> Found<u8> {
        Found {
            mv: Some(depth as u8),
            value,
            guess: 0,
            depth,
            bound: Bound::Exact,
        }
    }

    #[test]
    fn a_win_is_as_far_from_the_root_as_the_position_and_the_rest() {
        let mut table = Table::new(4);
        // Found 3 plies from the root, 2 plies after the position.
        table.store(77, 3, found(WIN - 5, 1));
        assert_eq!(table.find(77).unwrap().value(1), WIN - 3);
        assert!(table.find(78).is_none());
    }

    #[test]
    fn deep_entries_stay_for_their_turn() {
        let mut table = Table::new(4);
        table.store(1, 0, found(10, 9));
        table.store(17, 0, found(20, 1));
        assert_eq!(table.find(1).unwrap().mv, Some(9));
        table.grow_older();
        table.store(17, 0, found(20, 1));
        assert!(table.find(1).is_none());
    }
}
