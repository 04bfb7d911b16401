//! Many random games at once. Moves are drawn as in games one by one: all legal ones are equally likely.
//!
//! Games count in the order in which they began. If those counted that are over first, short games would
//! count too often.

use std::collections::VecDeque;

use games::{Rng, budget};

use super::Lanes;
use super::positions::{LanePositions, LegalLanes};
use super::word::{Word, all, both, either, is_none, lanes_of, none, set, without};
use crate::engine::{Failure, Series, TakeGame};
use crate::play::MOST_FORCED;

/// Goals have gates of their own: they are evaluated when games in this share of the lanes are over.
const ENDED_SHARE: usize = 16;
/// At most this many games are begun before the first of them is over, which may take for ever.
const MOST_WAITING: usize = 1 << 14;
/// How often endless games are looked for, in steps.
const ENDLESS_EVERY: u32 = 1 << 10;

/// A series that does not go on.
#[derive(Debug)]
pub(in crate::network) enum Broken {
    Failure(Failure),
    /// A role has no legal move where these facts are true, as bits.
    Stuck {
        facts: Vec<u64>,
        role: usize,
    },
    /// Nobody has a choice any more, and the game does not end.
    Endless,
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        Broken::Failure(failure)
    }
}

/// A lane's game.
#[derive(Clone, Copy, Default)]
struct Lane {
    /// Its number among all of the series.
    game: u64,
    /// The plies made in it.
    plies: u32,
    /// The step before which somebody had a choice last.
    chose: u32,
}

/// Games that began, in that order, from the first that does not count yet.
struct Begun {
    seats: usize,
    first: u64,
    /// The plies of each; `None` while it goes on.
    plies: VecDeque<Option<u32>>,
    goals: VecDeque<i64>,
}

impl Begun {
    fn add(&mut self) -> u64 {
        self.plies.push_back(None);
        self.goals.extend(std::iter::repeat_n(0, self.seats));
        self.first + self.plies.len() as u64 - 1
    }

    fn end(&mut self, lane: &Lane, goals: &[i64]) {
        let place = (lane.game - self.first) as usize;
        self.plies[place] = Some(lane.plies);
        for (seat, goal) in goals.iter().enumerate() {
            self.goals[place * self.seats + seat] = *goal;
        }
    }

    /// Counts the first games as far as they are over; `false` if that is enough.
    fn count(&mut self, take: TakeGame<'_>) -> bool {
        while let Some(Some(plies)) = self.plies.front().copied() {
            self.plies.pop_front();
            self.first += 1;
            let goals: Vec<i64> = self.goals.drain(..self.seats).collect();
            if !take(plies, &goals) {
                return false;
            }
        }
        true
    }
}

/// The facts of a position, as bits.
pub(in crate::network) type Facts = Vec<u64>;

struct Games<'s, const N: usize> {
    series: &'s Series<'s, Facts>,
    positions: LanePositions<'s, N>,
    lanes: Vec<Lane>,
    begun: Begun,
    /// The games that were not begun yet.
    left: u32,
    going: Word<N>,
    /// The lanes whose games are over and have no goals yet.
    ended: Word<N>,
    step: u32,
}

/// Plays a series in N words of lanes. `take` is called with each game in the order in which they began.
pub(in crate::network) fn play<const N: usize>(
    lanes: &Lanes,
    series: &Series<'_, Facts>,
    rng: &mut Rng,
    take: TakeGame<'_>,
) -> Result<(), Broken> {
    let mut games = Games::<N> {
        series,
        positions: LanePositions::new(lanes),
        lanes: vec![Lane::default(); N * 64],
        begun: Begun {
            seats: series.seats.len(),
            first: 0,
            plies: VecDeque::new(),
            goals: VecDeque::new(),
        },
        left: series.count,
        going: none(),
        ended: none(),
        step: 0,
    };
    let mut legal = vec![LegalLanes::default(); lanes.roles.len()];
    loop {
        games.begin();
        if is_none(games.going) && is_none(games.ended) {
            return Ok(());
        }
        budget::check().map_err(Failure::from)?;
        games.positions.look();
        games.end(games.positions.over());
        games.list(&mut legal)?;
        if games.is_time_for_goals() && !games.score(take)? {
            return Ok(());
        }
        games.make_step(&legal, rng)?;
    }
}

impl<const N: usize> Games<'_, N> {
    /// Begins games in lanes that have none.
    fn begin(&mut self) {
        if self.left == 0 {
            return;
        }
        let mut fresh = none();
        for lane in lanes_of(without(all(), either(self.going, self.ended))) {
            if self.left == 0 || self.begun.plies.len() >= MOST_WAITING {
                break;
            }
            self.left -= 1;
            set(&mut fresh, lane);
            let game = self.begun.add();
            self.lanes[lane] = Lane {
                game,
                plies: 0,
                chose: self.step,
            };
        }
        if !is_none(fresh) {
            self.positions.put(&self.series.from, fresh);
        }
        self.going = either(self.going, fresh);
    }

    /// Ends the games in these lanes.
    fn end(&mut self, lanes: Word<N>) {
        self.ended = either(self.ended, both(lanes, self.going));
        self.going = without(self.going, lanes);
    }

    /// Lists the legal moves, and ends the games in which somebody has a choice that is not to be made.
    fn list(&mut self, legal: &mut [LegalLanes<N>]) -> Result<(), Broken> {
        let mut choices = none();
        for (role, legal) in legal.iter_mut().enumerate() {
            let stuck = self.positions.legal(role, self.going, legal);
            if let Some(lane) = lanes_of(stuck).next() {
                let facts = self.positions.facts(lane);
                return Err(Broken::Stuck { facts, role });
            }
            choices = either(choices, legal.several());
        }
        if self.series.last == u32::MAX {
            return Ok(());
        }
        let mut stopped = none();
        for lane in lanes_of(choices) {
            let ply = self.series.ply.saturating_add(self.lanes[lane].plies);
            if ply >= self.series.last {
                set(&mut stopped, lane);
            }
        }
        self.end(stopped);
        Ok(())
    }

    fn is_time_for_goals(&self) -> bool {
        let ended: u32 = self.ended.iter().map(|word| word.count_ones()).sum();
        ended as usize >= N * 64 / ENDED_SHARE || is_none(self.going)
    }

    /// Evaluates the goals of games that are over; `false` if enough games count.
    fn score(&mut self, take: TakeGame<'_>) -> Result<bool, Broken> {
        let Games {
            positions,
            lanes,
            begun,
            series,
            ended,
            ..
        } = self;
        positions.each_goal(series.seats, *ended, |lane, goals| {
            begun.end(&lanes[lane], goals);
        })?;
        self.ended = none();
        Ok(self.begun.count(take))
    }

    fn make_step(&mut self, legal: &[LegalLanes<N>], rng: &mut Rng) -> Result<(), Broken> {
        let (lanes, step, first) = (&mut self.lanes, self.step, self.series.first);
        self.positions.begin_step();
        for (role, legal) in legal.iter().enumerate() {
            self.positions
                .choose(role, legal, self.going, |lane, count| {
                    let lane = &mut lanes[lane];
                    lane.plies += 1;
                    lane.chose = step;
                    match first.filter(|_| lane.plies == 1) {
                        Some(first) => (first + lane.game as usize) % count,
                        None => rng.index(count),
                    }
                });
        }
        self.positions.step(self.going);
        self.step = step.wrapping_add(1);
        if self.step.is_multiple_of(ENDLESS_EVERY) {
            let idle = |lane: usize| self.step.wrapping_sub(self.lanes[lane].chose) as usize;
            if lanes_of(self.going).any(|lane| idle(lane) > MOST_FORCED) {
                return Err(Broken::Endless);
            }
        }
        Ok(())
    }
}
