//! The known matches of a schedule, kept as units: a schedule may have a million matches.

use std::ops::Range;

use crate::scheduled::{Scheduled, Unit};
use crate::seat_orders::SeatOrders;

/// The matches planned so far, in order. Their numbers count from 1.
#[derive(Debug)]
pub(super) struct Plan {
    orders: SeatOrders,
    units: Vec<Unit>,
    /// By unit: the number of matches up to its end.
    ends: Vec<u32>,
}

impl Plan {
    pub(super) fn new(orders: SeatOrders) -> Self {
        Plan {
            orders,
            units: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// The number of matches.
    pub(super) fn len(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// Adds units. Returns the number of matches of each.
    pub(super) fn extend(&mut self, units: Vec<Unit>) -> impl Iterator<Item = usize> {
        let (orders, first) = (self.orders, self.units.len());
        if self.units.is_empty() {
            self.units = units;
        } else {
            self.units.extend(units);
        }
        self.ends.reserve(self.units.len() - first);
        let mut end = self.ends.last().copied().unwrap_or(0);
        for unit in &self.units[first..] {
            end += orders.count(unit.group.len()) as u32;
            self.ends.push(end);
        }
        let added = self.units[first..].iter();
        added.map(move |unit| orders.count(unit.group.len()) as usize)
    }

    /// The match of this number, if it is known.
    pub(super) fn get(&self, number: usize) -> Option<Scheduled> {
        let unit = self.unit_of(number)?;
        let place = number - self.numbers(unit).start;
        Some(self.scheduled(&self.units[unit], number, place))
    }

    /// The numbers of all matches of the unit that has this one; empty if it is not known.
    pub(super) fn group_of(&self, number: usize) -> Range<usize> {
        self.unit_of(number).map_or(0..0, |unit| self.numbers(unit))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Scheduled> {
        let units = self.units.iter().enumerate();
        units.flat_map(move |(at, unit)| {
            let numbers = self.numbers(at).enumerate();
            numbers.map(move |(place, number)| self.scheduled(unit, number, place))
        })
    }

    /// The round of the last match.
    pub(super) fn last_round(&self) -> Option<u32> {
        self.units.last().map(|unit| unit.round)
    }

    /// The index of the unit that has the match of this number.
    fn unit_of(&self, number: usize) -> Option<usize> {
        let known = (1..=self.len()).contains(&number);
        known.then(|| self.ends.partition_point(|&end| (end as usize) < number))
    }

    /// The numbers of a unit's matches.
    fn numbers(&self, unit: usize) -> Range<usize> {
        let before = unit.checked_sub(1).map_or(0, |before| self.ends[before]);
        before as usize + 1..self.ends[unit] as usize + 1
    }

    fn scheduled(&self, unit: &Unit, number: usize, place: usize) -> Scheduled {
        Scheduled {
            number,
            game: unit.game as usize,
            seats: self.orders.nth(&unit.bots(), place),
            round: unit.round,
            turn: unit.turn,
        }
    }
}
