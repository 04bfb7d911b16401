//! Who meets whom, in which game and seats: a pure function of the configuration and, in some
//! formats, of the results so far.

mod cycles;
mod fixed;
mod knockout;
mod matching;
mod order;
mod shape;
mod sprt;
mod standing;
mod swiss;
#[cfg(test)]
mod tests;
mod top_down;
mod version;

use std::collections::HashMap;

use arrayvec::ArrayVec;
use games::MAX_SEATS;

pub use shape::{Count, Format, GameShape, SeatOrders, Shape};
pub use standing::{Decided, Duel, SprtStanding, Standing, SwissRow};
pub use version::Version;

/// Bots as indices. It stands in the matches themselves: large tournaments have many.
pub type Group = ArrayVec<usize, MAX_SEATS>;

/// A match to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// The bots of the pairing, whoever sits where: what all matches of a pairing share.
    pub fn group(&self) -> Group {
        let mut group = self.seats.clone();
        group.sort_unstable();
        group
    }
}

/// A swapped pair, or what corresponds to it with more seats: all matches of a group at one
/// start, in all seat orders. They are played one after another.
#[derive(Clone, Debug)]
struct Unit {
    game: usize,
    /// In the order from which the seat orders are made: ascending, or a cyclic order.
    group: Group,
    round: u32,
    turn: u32,
}

/// Counts how often each group plays each game.
#[derive(Debug, Default)]
struct Turns(HashMap<(usize, Group), u32>);

impl Turns {
    fn unit(&mut self, game: usize, group: &[usize], round: u32) -> Unit {
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

/// The matches so far and what came out.
#[derive(Clone, Copy)]
struct Played<'a> {
    matches: &'a [Scheduled],
    states: &'a [State],
}

impl<'a> Played<'a> {
    fn finished(self) -> impl Iterator<Item = (&'a Scheduled, &'a [f64])> {
        let both = self.matches.iter().zip(self.states);
        both.filter_map(|(scheduled, state)| match state {
            State::Finished(Some(result)) => Some((scheduled, &*result.outcome)),
            _ => None,
        })
    }

    fn result(self, number: usize) -> Option<&'a Finished> {
        match self.states.get(number.checked_sub(1)?)? {
            State::Finished(result) => result.as_deref(),
            _ => None,
        }
    }
}

/// How bots meet: what a format has to know.
trait Planner: Send {
    /// What is played next, when all that came before is finished; nothing at the end.
    fn next(&mut self, played: Played<'_>) -> Vec<Unit>;

    /// Whether nothing more need be played. Asked after each match.
    fn settled(&mut self, _: Played<'_>) -> bool {
        false
    }

    /// Whether anything depends on results; else none are kept.
    fn heeds_results(&self) -> bool {
        true
    }

    /// Whether it matters that a match repeats another one.
    fn heeds_repetition(&self) -> bool {
        false
    }

    /// How many matches will come, at least, after those that are known.
    fn ahead(&self) -> u64 {
        0
    }

    /// Where the tournament stands, if that is more than points.
    fn standing(&self, _: Played<'_>) -> Option<Standing> {
        None
    }

    /// The same, if it is worth a look after each match.
    fn live(&self) -> Option<Standing> {
        None
    }
}

/// A tournament that this one is an extension of.
#[derive(Clone, Debug)]
pub struct Earlier {
    /// Its shape.
    pub shape: Shape,
    /// The index here of each of its bots.
    pub bots: Vec<usize>,
    /// The index here of each of its games.
    pub games: Vec<usize>,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// To play this match; nobody else gets it.
    Match(Scheduled),
    /// To wait for results, which decide what comes then.
    Wait,
    /// Nothing more.
    Over,
}

#[derive(Clone, Debug)]
enum State {
    Open,
    Taken,
    /// With what came out, where anything depends on it.
    Finished(Option<Box<Finished>>),
}

/// What came out of a match.
#[derive(Clone, Debug)]
struct Finished {
    outcome: Box<[f64]>,
    /// Equal for matches that repeat each other, if that matters.
    repetition: Option<u64>,
}

/// The matches of a tournament, as they become known.
///
/// Which ones there are, their order and their numbers follow from the shape and from results;
/// when these come in and who asks does not matter.
///
/// ```
/// use referee::tournament::schedule::{Schedule, Shape};
///
/// let schedule = Schedule::new(&Shape::round_robin(&[2], 3, 1));
/// let seats: Vec<_> = schedule.known().map(|m| m.seats.to_vec()).collect();
/// assert_eq!(seats, [[0, 1], [1, 0], [1, 2], [2, 1], [0, 2], [2, 0]]);
/// ```
pub struct Schedule {
    planner: Box<dyn Planner>,
    orders: SeatOrders,
    matches: Vec<Scheduled>,
    states: Vec<State>,
    /// The index of the first match that may be open.
    cursor: usize,
    finished: usize,
    settled: bool,
}

impl Schedule {
    /// The schedule of a tournament of which nothing was played.
    pub fn new(shape: &Shape) -> Self {
        Self::extending(shape, &[])
    }

    /// The same for one that was extended: the matches of `earlier` shapes come first and keep
    /// their numbers. Only round robins and gauntlets can be extended; others pay no heed to it.
    pub fn extending(shape: &Shape, earlier: &[Earlier]) -> Self {
        let planner: Box<dyn Planner> = match &shape.format {
            Format::RoundRobin | Format::Gauntlet { .. } => {
                Box::new(fixed::Fixed::new(shape, earlier))
            }
            Format::Swiss => Box::new(swiss::Swiss::new(shape)),
            Format::Knockout {
                drawn,
                tie_breaks,
                third_place,
            } => Box::new(knockout::Knockout::new(
                shape,
                *drawn,
                *tie_breaks,
                *third_place,
            )),
            Format::Sprt {
                hypotheses,
                max_pairs,
            } => Box::new(sprt::Sprt::new(shape, hypotheses.clone(), *max_pairs)),
        };
        let mut schedule = Schedule {
            planner,
            orders: shape.orders,
            matches: Vec::new(),
            states: Vec::new(),
            cursor: 0,
            finished: 0,
            settled: false,
        };
        schedule.plan();
        schedule
    }

    /// The matches that are known so far, in their order.
    pub fn known(&self) -> impl ExactSizeIterator<Item = &Scheduled> {
        self.matches.iter()
    }

    /// The match of this number, if it is known.
    pub fn get(&self, number: usize) -> Option<&Scheduled> {
        self.matches.get(number.checked_sub(1)?)
    }

    /// How many matches are finished.
    pub fn finished(&self) -> usize {
        self.finished
    }

    /// How many matches there are, as far as is known; where results decide, it may become more
    /// or, in a test, end before.
    pub fn total(&self) -> u64 {
        match self.settled {
            true => self.finished as u64,
            false => self.matches.len() as u64 + self.planner.ahead(),
        }
    }

    /// Whether nothing is to be begun any more.
    pub fn is_over(&self) -> bool {
        self.settled || self.finished == self.matches.len()
    }

    /// The next match that nobody plays.
    pub fn take(&mut self) -> Next {
        if self.is_over() {
            return Next::Over;
        }
        while let Some(state) = self.states.get_mut(self.cursor) {
            self.cursor += 1;
            if let State::Open = state {
                *state = State::Taken;
                return Next::Match(self.matches[self.cursor - 1].clone());
            }
        }
        Next::Wait
    }

    /// Takes in the result of a match, one value a seat. A match that is not known, or is
    /// finished already, changes nothing.
    pub fn finish(&mut self, number: usize, outcome: &[f64]) {
        self.finish_match(number, outcome, || None);
    }

    /// The same, with what is equal for matches that repeat each other ([`ratings::repetition`]):
    /// in a test they are not independent of each other.
    pub fn finish_match(
        &mut self,
        number: usize,
        outcome: &[f64],
        repetition: impl FnOnce() -> Option<u64>,
    ) {
        let state = number
            .checked_sub(1)
            .and_then(|at| self.states.get_mut(at))
            .filter(|state| !matches!(state, State::Finished(_)));
        let Some(state) = state else { return };
        let repeats = self.planner.heeds_repetition();
        *state = State::Finished(self.planner.heeds_results().then(|| {
            Box::new(Finished {
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
        if self.finished == self.matches.len() && !self.settled {
            self.plan();
        }
    }

    /// Where the tournament stands, if that is more than points.
    pub fn standing(&self) -> Option<Standing> {
        self.planner.standing(self.played())
    }

    /// The same, if it is worth a look after each match.
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
            for seats in self.orders.of(&unit.group) {
                self.matches.push(Scheduled {
                    number: self.matches.len() + 1,
                    game: unit.game,
                    seats: seats.into_iter().collect(),
                    round: unit.round,
                    turn: unit.turn,
                });
                self.states.push(State::Open);
            }
        }
    }
}
