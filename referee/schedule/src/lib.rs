//! Schedules: pairings, games and seats, as a pure function of the configuration and, in some formats, of
//! the results so far.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod formats;
mod order;
mod planner;
mod scheduled;
mod seats;
mod shape;
mod shard;
mod standing;
#[cfg(test)]
mod tests;
mod version;

use planner::{MatchOutcome, MatchStatus, Planner, Played};
use shard::Deal;

pub use scheduled::Scheduled;
pub use seats::{GameShape, SeatOrders};
pub use shape::{Count, Earlier, Format, FormatName, Shape};
pub use shard::Shard;
pub use standing::{Decided, Duel, SprtStanding, Standing, SwissRow};
pub use version::Version;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Play this match; it is not returned again.
    Match(Scheduled),
    /// Wait for results, which decide the next matches.
    Wait,
    Over,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextGroup {
    /// Play these matches, of one group.
    Group(ScheduledGroup),
    Wait,
    Over,
}

/// The open matches of a group: all seat orders of one start, except those that were played before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledGroup {
    /// The number of the group's first match, even if that one was played before.
    pub number: usize,
    pub matches: Vec<Scheduled>,
}

/// The matches of a tournament, as they become known.
///
/// The matches, their order and their numbers follow from the shape and the results alone, not from the
/// order in which results arrive.
pub struct Schedule {
    planner: Box<dyn Planner>,
    orders: SeatOrders,
    matches: Vec<Scheduled>,
    states: Vec<MatchStatus>,
    /// Assigns units to shards; `None` without shards.
    deal: Option<Deal>,
    /// The number of matches that are played here.
    own: usize,
    /// The index of the first match that may be open.
    cursor: usize,
    finished: usize,
    settled: bool,
}

impl Schedule {
    pub fn new(shape: &Shape) -> Self {
        Self::extending(shape, &[])
    }

    /// The schedule of an extended tournament: the matches of `earlier` shapes come first and keep their
    /// numbers. Only round robins and gauntlets can be extended; other formats ignore it.
    pub fn extending(shape: &Shape, earlier: &[Earlier]) -> Self {
        let mut schedule = Schedule {
            planner: formats::planner(shape, earlier),
            orders: shape.orders,
            matches: Vec::new(),
            states: Vec::new(),
            deal: shape.shard.map(|shard| Deal::of(shard, shape.seed)),
            own: 0,
            cursor: 0,
            finished: 0,
            settled: false,
        };
        schedule.plan();
        schedule
    }

    /// The known matches that are played here, in order.
    pub fn known(&self) -> impl Iterator<Item = &Scheduled> {
        let all = self.matches.iter().zip(&self.states);
        all.filter(|(_, state)| !matches!(state, MatchStatus::Elsewhere))
            .map(|(scheduled, _)| scheduled)
    }

    /// The match of this number, if it is known. It may be played elsewhere.
    pub fn get(&self, number: usize) -> Option<&Scheduled> {
        self.matches.get(number.checked_sub(1)?)
    }

    /// The numbers of all matches in the group of this one, which share their start and deal; empty if it is
    /// not known.
    pub fn group_of(&self, number: usize) -> Vec<usize> {
        let Some(own) = self.get(number) else {
            return Vec::new();
        };
        let is_near = |scheduled: &&Scheduled| scheduled.is_of_group_with(own);
        let before = self.matches[..number].iter().rev().take_while(is_near);
        let after = self.matches[number..].iter().take_while(is_near);
        before
            .chain(after)
            .map(|scheduled| scheduled.number)
            .collect()
    }

    /// True if the match of this number belongs to another shard.
    pub fn is_elsewhere(&self, number: usize) -> bool {
        let at = number.checked_sub(1);
        let state = at.and_then(|at| self.states.get(at));
        matches!(state, Some(MatchStatus::Elsewhere))
    }

    pub fn is_finished(&self, number: usize) -> bool {
        let at = number.checked_sub(1);
        let state = at.and_then(|at| self.states.get(at));
        matches!(state, Some(MatchStatus::Finished(_)))
    }

    /// True if a match of the group that begins with this number is known and not finished.
    pub fn awaits_group(&self, number: usize) -> bool {
        let Some(first) = self.get(number) else {
            return false;
        };
        let mut group = self.matches[number - 1..]
            .iter()
            .take_while(|scheduled| scheduled.is_of_group_with(first));
        group.any(|scheduled| !self.is_finished(scheduled.number))
    }

    pub fn finished(&self) -> usize {
        self.finished
    }

    /// The number of matches, as far as is known: results may add more or, in a test, end it early.
    pub fn total(&self) -> u64 {
        if self.settled {
            self.finished as u64
        } else {
            self.own as u64 + self.planner.ahead()
        }
    }

    pub fn is_over(&self) -> bool {
        self.settled || self.finished == self.own
    }

    pub fn take(&mut self) -> Next {
        if self.is_over() {
            return Next::Over;
        }
        while let Some(state) = self.states.get_mut(self.cursor) {
            self.cursor += 1;
            if let MatchStatus::Open = state {
                *state = MatchStatus::Taken;
                return Next::Match(self.matches[self.cursor - 1].clone());
            }
        }
        Next::Wait
    }

    pub fn take_group(&mut self) -> NextGroup {
        let first = match self.take() {
            Next::Match(first) => first,
            Next::Wait => return NextGroup::Wait,
            Next::Over => return NextGroup::Over,
        };
        let before = self.matches[..first.number].iter().rev();
        let of_group = before.take_while(|scheduled| scheduled.is_of_group_with(&first));
        let number = first.number + 1 - of_group.count();
        let mut matches = vec![first];
        while let Some(scheduled) = self.matches.get(self.cursor)
            && scheduled.is_of_group_with(&matches[0])
        {
            if let MatchStatus::Open = self.states[self.cursor] {
                self.states[self.cursor] = MatchStatus::Taken;
                matches.push(scheduled.clone());
            }
            self.cursor += 1;
        }
        NextGroup::Group(ScheduledGroup { number, matches })
    }

    /// Records the outcome of a match by seat. Unknown and finished matches are ignored.
    pub fn finish(&mut self, number: usize, outcome: &[f64]) {
        self.finish_match(number, outcome, || None);
    }

    /// [`Schedule::finish`] with a key that matches share if they repeat each other
    /// ([`ratings::repetition`]): in a test they are not independent.
    pub fn finish_match(
        &mut self,
        number: usize,
        outcome: &[f64],
        repetition: impl FnOnce() -> Option<u64>,
    ) {
        let state = number
            .checked_sub(1)
            .and_then(|at| self.states.get_mut(at))
            .filter(|state| !matches!(state, MatchStatus::Finished(_) | MatchStatus::Elsewhere));
        let Some(state) = state else { return };
        let repeats = self.planner.heeds_repetition();
        *state = MatchStatus::Finished(self.planner.heeds_results().then(|| {
            Box::new(MatchOutcome {
                outcome: outcome.into(),
                repetition: if repeats { repetition() } else { None },
            })
        }));
        self.finished += 1;
        let played = Played {
            matches: &self.matches,
            states: &self.states,
        };
        self.settled = self.settled || self.planner.settled(played);
        if self.finished == self.own && !self.settled {
            self.plan();
        }
    }

    /// The standing, if the format has more than points.
    pub fn standing(&self) -> Option<Standing> {
        self.planner.standing(self.played())
    }

    /// The standing, if it is of interest after each match.
    pub fn live(&self) -> Option<Standing> {
        self.planner.live()
    }

    fn played(&self) -> Played<'_> {
        Played {
            matches: &self.matches,
            states: &self.states,
        }
    }

    fn plan(&mut self) {
        let played = Played {
            matches: &self.matches,
            states: &self.states,
        };
        for unit in self.planner.next(played) {
            let deal = self.deal.as_mut();
            let is_own = deal.is_none_or(Deal::is_next_mine);
            for seats in self.orders.of(&unit.group) {
                self.matches.push(Scheduled {
                    number: self.matches.len() + 1,
                    game: unit.game,
                    seats: seats.into_iter().collect(),
                    round: unit.round,
                    turn: unit.turn,
                });
                self.own += usize::from(is_own);
                self.states.push(if is_own {
                    MatchStatus::Open
                } else {
                    MatchStatus::Elsewhere
                });
            }
        }
    }
}
