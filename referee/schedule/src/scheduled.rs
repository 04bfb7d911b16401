//! A match that is to be played.

use arrayvec::ArrayVec;
use games::MAX_SEATS;
use serde::{Deserialize, Serialize};

/// Bots as indices, without a heap: large tournaments have many matches.
pub(crate) type Group = ArrayVec<usize, MAX_SEATS>;

/// A match to be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheduled {
    /// Its place in the schedule, from 1; the match's id is made from it.
    pub number: usize,
    /// The game, as an index.
    pub game: usize,
    /// The bots in seat order.
    pub seats: Group,
    /// The format's round, from 0.
    pub round: u32,
    /// How often these bots were to play this game before, in each seat order: with it the start
    /// and the opening change.
    pub turn: u32,
}

impl Scheduled {
    /// The match's id.
    pub fn id(&self) -> String {
        format!("m-{:06}", self.number)
    }

    /// Whether both are of one group, all seat orders of one start, which are neighbours in a schedule.
    pub(super) fn is_of_group_with(&self, other: &Scheduled) -> bool {
        let key = |scheduled: &Scheduled| (scheduled.game, scheduled.round, scheduled.turn);
        key(self) == key(other) && self.group() == other.group()
    }

    /// The bots of the pairing, whoever sits where: what all matches of a pairing share.
    pub fn group(&self) -> Group {
        let mut group = self.seats.clone();
        group.sort_unstable();
        group
    }
}
