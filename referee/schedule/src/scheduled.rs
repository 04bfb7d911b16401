//! Matches to be played, and the units that formats plan in.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Bots as indices, mostly without a heap: large tournaments have many matches.
pub(crate) type Group = SmallVec<[usize; 4]>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheduled {
    /// Its place in the schedule, from 1, which is in its id.
    pub number: usize,
    pub game: usize,
    /// The bots in seat order.
    pub seats: Group,
    /// The format's round, from 0.
    pub round: u32,
    /// Number of earlier matches of these bots in this game, in each seat order. The start and the
    /// opening depend on it.
    pub turn: u32,
}

impl Scheduled {
    pub fn id(&self) -> String {
        format!("m-{:06}", self.number)
    }

    /// The bots in ascending order, which all matches of a pairing share.
    pub fn group(&self) -> Group {
        let mut group = self.seats.clone();
        group.sort_unstable();
        group
    }
}

/// A swapped pair, or its equivalent with more seats: all matches of a group from one start, in all seat
/// orders, one after another.
///
/// Indices are small here, because a schedule keeps all of its units.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) game: u32,
    /// Ascending, or in the cyclic order from which the seat orders follow.
    pub(super) group: UnitGroup,
    pub(super) round: u32,
    pub(super) turn: u32,
}

/// The bots of a unit.
pub(super) type UnitGroup = SmallVec<[u32; 4]>;

impl Unit {
    /// The bots as indices.
    pub(super) fn bots(&self) -> Group {
        self.group.iter().map(|&bot| bot as usize).collect()
    }
}

/// Counts how often each group plays each game.
#[derive(Debug, Default)]
pub(super) struct Turns(HashMap<(u32, UnitGroup), u32>);

impl Turns {
    /// The next unit of this group in this game.
    pub(super) fn unit(&mut self, game: usize, group: &[usize], round: u32) -> Unit {
        let game = game as u32;
        let group: UnitGroup = group.iter().map(|&bot| bot as u32).collect();
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
