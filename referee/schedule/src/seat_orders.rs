//! The games of a schedule, and seat orders.

use itertools::Itertools as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scheduled::Group;

/// The properties of a game that a schedule depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameShape {
    /// The number of bots in a match.
    pub seats: usize,
    /// Matches per match of a game with weight 1.
    pub weight: u32,
    /// The bots that do not play it, in ascending order.
    pub absent: Vec<usize>,
}

impl GameShape {
    /// A game of weight 1 that all bots play.
    pub fn of(seats: usize) -> Self {
        GameShape {
            seats,
            weight: 1,
            absent: Vec::new(),
        }
    }

    /// True if the same groups of bots play both.
    pub(super) fn has_groups_of(&self, other: &GameShape) -> bool {
        self.seats == other.seats && self.absent == other.absent
    }

    /// The players of it, of `bots` bots.
    pub(super) fn players(&self, bots: usize) -> Vec<usize> {
        let plays = |bot: &usize| self.absent.binary_search(bot).is_err();
        (0..bots).filter(plays).collect()
    }
}

/// Seat orders of a group. Two bots always sit both ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeatOrders {
    /// Each bot is in each seat once: all rotations of one cyclic order, which changes from round
    /// to round.
    #[default]
    Rotations,
    /// Every order, in games of few seats.
    Permutations,
}

impl SeatOrders {
    /// The seat order of a group at this place, which is below their [count](Self::count).
    pub(super) fn nth(self, group: &Group, place: usize) -> Group {
        match self {
            SeatOrders::Rotations => {
                let mut seats = group.clone();
                seats.rotate_left(place);
                seats
            }
            SeatOrders::Permutations => {
                let mut all = group.iter().copied().permutations(group.len());
                all.nth(place).into_iter().flatten().collect()
            }
        }
    }

    pub(super) fn count(self, seats: usize) -> u64 {
        let seats = seats as u64;
        match self {
            SeatOrders::Rotations => seats,
            SeatOrders::Permutations => (1..=seats).product(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn groups_sit_in_rotations_or_in_all_orders() {
        let all = |orders: SeatOrders, group: &[usize]| -> Vec<Vec<usize>> {
            let group: Group = group.iter().copied().collect();
            let places = 0..orders.count(group.len()) as usize;
            places
                .map(|place| orders.nth(&group, place).to_vec())
                .collect()
        };
        let rotations = [[4, 5, 6], [5, 6, 4], [6, 4, 5]];
        assert_eq!(all(SeatOrders::Rotations, &[4, 5, 6]), rotations);
        let permutations = all(SeatOrders::Permutations, &[4, 5, 6, 7]);
        assert_eq!(permutations.iter().collect::<HashSet<_>>().len(), 24);
        for orders in [SeatOrders::Rotations, SeatOrders::Permutations] {
            assert_eq!(all(orders, &[1, 2]), [[1, 2], [2, 1]]);
        }
    }
}
