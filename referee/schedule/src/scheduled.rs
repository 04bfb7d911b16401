//! Matches to be played, and the units that formats plan in.

use std::collections::HashMap;

use arrayvec::ArrayVec;
use games::MAX_SEATS;
use serde::{Deserialize, Serialize};

/// Bots as indices, without a heap: large tournaments have many matches.
pub(crate) type Group = ArrayVec<usize, MAX_SEATS>;

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

    /// True for matches of one group: all seat orders of one start, which are adjacent in a schedule.
    pub(super) fn is_of_group_with(&self, other: &Scheduled) -> bool {
        let key = |scheduled: &Scheduled| (scheduled.game, scheduled.round, scheduled.turn);
        key(self) == key(other) && self.group() == other.group()
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
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) game: usize,
    /// Ascending, or in the cyclic order from which the seat orders follow.
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
