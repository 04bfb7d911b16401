//! Schedules: pairings, games and seats, as a pure function of the configuration and, in some formats, of
//! the results so far.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod design;
mod formats;
mod order;
mod plan;
mod planner;
mod scheduled;
mod seat_orders;
mod shape;
mod shard;
mod standing;
#[cfg(test)]
mod tests;
mod version;

use std::collections::BTreeMap;
use std::iter;
use std::ops::Range;

use plan::Plan;
use planner::{MatchOutcome, Planner, Played};
use shard::Deal;

pub use scheduled::Scheduled;
pub use seat_orders::{GameShape, SeatOrders};
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
    plan: Plan,
    /// By the match's number less one.
    states: Vec<MatchStatus>,
    /// By number: the outcomes of finished matches, if later pairings depend on them.
    outcomes: BTreeMap<usize, MatchOutcome>,
    /// Assigns units to shards; `None` without shards.
    deal: Option<Deal>,
    /// The number of matches that are played here.
    own: usize,
    /// The index of the first match that may be open.
    cursor: usize,
    finished: usize,
    settled: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MatchStatus {
    Open,
    Taken,
    /// In another shard.
    Elsewhere,
    Finished,
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
            plan: Plan::new(shape.orders),
            states: Vec::new(),
            outcomes: BTreeMap::new(),
            deal: shape.shard.map(|shard| Deal::of(shard, shape.seed)),
            own: 0,
            cursor: 0,
            finished: 0,
            settled: false,
        };
        schedule.add_next();
        schedule
    }

    /// The known matches that are played here, in order.
    pub fn known(&self) -> impl Iterator<Item = Scheduled> {
        let all = self.plan.iter().zip(&self.states);
        all.filter(|(_, state)| **state != MatchStatus::Elsewhere)
            .map(|(scheduled, _)| scheduled)
    }

    /// The match of this number, if it is known. It may be played elsewhere.
    pub fn get(&self, number: usize) -> Option<Scheduled> {
        self.plan.get(number)
    }

    /// The numbers of all matches in the group of this one, which share their start and deal; empty if it is
    /// not known.
    pub fn group_of(&self, number: usize) -> Range<usize> {
        self.plan.group_of(number)
    }

    /// True if the match of this number belongs to another shard.
    pub fn is_elsewhere(&self, number: usize) -> bool {
        self.state(number) == Some(MatchStatus::Elsewhere)
    }

    pub fn is_finished(&self, number: usize) -> bool {
        self.state(number) == Some(MatchStatus::Finished)
    }

    fn state(&self, number: usize) -> Option<MatchStatus> {
        self.states.get(number.checked_sub(1)?).copied()
    }

    /// True if a match of the group that begins with this number is known and not finished.
    pub fn awaits_group(&self, number: usize) -> bool {
        let group = number..self.group_of(number).end;
        group.into_iter().any(|number| !self.is_finished(number))
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
            if *state == MatchStatus::Open
                && let Some(scheduled) = self.plan.get(self.cursor)
            {
                *state = MatchStatus::Taken;
                return Next::Match(scheduled);
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
        let Range { start, end } = self.group_of(first.number);
        let mut matches = vec![first];
        while self.cursor + 1 < end {
            let state = &mut self.states[self.cursor];
            self.cursor += 1;
            if *state == MatchStatus::Open {
                *state = MatchStatus::Taken;
                matches.extend(self.plan.get(self.cursor));
            }
        }
        NextGroup::Group(ScheduledGroup {
            number: start,
            matches,
        })
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
        let Some(MatchStatus::Open | MatchStatus::Taken) = self.state(number) else {
            return;
        };
        self.states[number - 1] = MatchStatus::Finished;
        if self.planner.heeds_results() {
            let repeats = self.planner.heeds_repetition();
            let result = MatchOutcome {
                outcome: outcome.into(),
                repetition: if repeats { repetition() } else { None },
            };
            self.outcomes.insert(number, result);
        }
        self.finished += 1;
        let played = Played {
            plan: &self.plan,
            outcomes: &self.outcomes,
        };
        self.settled = self.settled || self.planner.settled(played);
        if self.finished == self.own && !self.settled {
            self.add_next();
        }
    }

    /// The standing, if the format has more than points.
    pub fn standing(&self) -> Option<Standing> {
        self.planner.standing(Played {
            plan: &self.plan,
            outcomes: &self.outcomes,
        })
    }

    /// The standing, if it is of interest after each match.
    pub fn live(&self) -> Option<Standing> {
        self.planner.live()
    }

    /// Adds the matches that come next.
    fn add_next(&mut self) {
        let played = Played {
            plan: &self.plan,
            outcomes: &self.outcomes,
        };
        let units = self.planner.next(played);
        for matches in self.plan.extend(units) {
            let is_own = self.deal.as_mut().is_none_or(Deal::is_next_mine);
            let (state, own) = if is_own {
                (MatchStatus::Open, matches)
            } else {
                (MatchStatus::Elsewhere, 0)
            };
            self.own += own;
            self.states.extend(iter::repeat_n(state, matches));
        }
    }
}
