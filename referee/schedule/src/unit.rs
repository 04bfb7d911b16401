//! The unit that formats plan in: a swapped pair.

use std::collections::HashMap;

use super::scheduled::Group;

/// A swapped pair, or what corresponds to it with more seats: all matches of a group at one
/// start, in all seat orders. They are played one after another.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) game: usize,
    /// In the order from which the seat orders are made: ascending, or a cyclic order.
    pub(super) group: Group,
    pub(super) round: u32,
    pub(super) turn: u32,
}

/// Counts how often each group plays each game.
#[derive(Debug, Default)]
pub(super) struct Turns(HashMap<(usize, Group), u32>);

impl Turns {
    /// The next unit of this group in this game.
    pub(super) fn unit(&mut self, game: usize, group: &[usize], round: u32) -> Unit {
        let group: Group = group.iter().copied().collect();
        let next = self.0.entry((game, group.clone())).or_default();
        let turn = *next;
        *next += 1;
        Unit {
            game,
            group,
            round,
            turn,
        }
    }
}
