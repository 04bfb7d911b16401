//! Knockout: duels, whose losers are out.

use crate::order;
use crate::planner::{Planner, Played};
use crate::scheduled::{Turns, Unit};
use crate::seat_orders::GameShape;
use crate::shape::Shape;
use crate::standing::{Decided, Duel, Standing};

/// A knockout tournament.
///
/// The bracket is the usual one: the first meets the last, the first two can meet in the final
/// only. Without a power of two, the first ones have a bye in the first round. A duel that is tied
/// goes on by one swapped pair after another, then the better place in the list decides. The losers
/// of the semifinals may play for the third place, beside the final.
pub(super) struct Knockout {
    games: Vec<GameShape>,
    /// Units a duel, for each slot.
    rounds: u32,
    tie_breaks: u32,
    third_place: bool,
    /// The place of each bot in the list from which the bracket is made.
    places: Vec<usize>,
    /// The duels of the stages so far, in the order of the bracket.
    stages: Vec<Vec<Duel>>,
    /// Number of further swapped pairs in tied duels of this stage.
    extra: u32,
    turns: Turns,
}

impl Knockout {
    pub(super) fn new(shape: &Shape, drawn: bool, tie_breaks: u32, third_place: bool) -> Self {
        let list: Vec<usize> = if drawn {
            shape.lots()
        } else {
            (0..shape.bots).collect()
        };
        let mut places = vec![0; shape.bots];
        for (place, &bot) in list.iter().enumerate() {
            places[bot] = place;
        }
        let entrants = bracket(shape.bots).into_iter();
        let entrants = entrants.map(|place| list.get(place).copied()).collect();
        Knockout {
            games: shape.games.clone(),
            rounds: shape.rounds,
            tie_breaks,
            third_place,
            places,
            stages: vec![duels(entrants)],
            extra: 0,
            turns: Turns::default(),
        }
    }

    fn slots(&self) -> Vec<usize> {
        order::slots(&self.games, None)
    }

    fn stage(&self) -> u32 {
        self.stages.len() as u32 - 1
    }

    /// Adds up the results of the open duels of this stage, and decides those that can be decided.
    fn judge(&mut self, played: Played<'_>) {
        let (stage, last) = (self.stage(), self.extra >= self.tie_breaks);
        let extra = self.extra;
        let places = &self.places;
        let Some(duels) = self.stages.last_mut() else {
            return;
        };
        for duel in duels.iter_mut().filter(|duel| duel.decided.is_none()) {
            let Some(second) = duel.second else { continue };
            let bots = [duel.first, second];
            duel.points = points(bots, stage, played);
            let [mine, theirs] = duel.points;
            if (mine - theirs).abs() > 1e-9 {
                duel.winner = Some(bots[usize::from(theirs > mine)]);
                duel.decided = Some(match extra {
                    0 => Decided::Points,
                    _ => Decided::TieBreak,
                });
            } else if last {
                duel.winner = bots.into_iter().min_by_key(|&bot| places[bot]);
                duel.decided = Some(Decided::Place);
            }
        }
    }

    fn open(&self) -> Vec<Vec<usize>> {
        let duels = self.stages.last().into_iter().flatten();
        let open = duels.filter(|duel| duel.decided.is_none());
        let pair = |duel: &Duel| {
            let mut pair = vec![duel.first];
            pair.extend(duel.second);
            pair.sort_unstable();
            pair
        };
        open.map(pair).collect()
    }

    /// Moves on to the next stage; false after the final.
    fn advance(&mut self) -> bool {
        let Some(before) = self.stages.last().filter(|duels| !is_last(duels)) else {
            return false;
        };
        let mut stage = duels(before.iter().map(|duel| duel.winner).collect());
        if self.third_place
            && let [one, other] = &before[..]
            && let [Some(one), Some(other)] = [one.loser(), other.loser()]
        {
            stage.extend(
                duels(vec![Some(one), Some(other)])
                    .into_iter()
                    .map(|duel| Duel {
                        third_place: true,
                        ..duel
                    }),
            );
        }
        self.stages.push(stage);
        self.extra = 0;
        true
    }

    /// The matches that duels have without being tied.
    fn duel_length(&self) -> u64 {
        u64::from(self.rounds) * 2 * self.slots().len() as u64
    }
}

impl Planner for Knockout {
    fn next(&mut self, played: Played<'_>) -> Vec<Unit> {
        let stage = self.stage();
        let begun = played.plan.last_round() == Some(stage);
        let slots = self.slots();
        if begun {
            self.judge(played);
            let tied = self.open();
            if !tied.is_empty() {
                let slot = slots[self.extra as usize % slots.len()];
                self.extra += 1;
                let units = tied.into_iter();
                return units
                    .map(|group| self.turns.unit(slot, &group, stage))
                    .collect();
            }
            if !self.advance() {
                return Vec::new();
            }
        }
        let (open, stage) = (self.open(), self.stage());
        let mut units = Vec::new();
        for _ in 0..self.rounds {
            for (game, group) in order::mix(&open, &slots) {
                units.push(self.turns.unit(game, &group, stage));
            }
        }
        units
    }

    fn ahead(&self) -> u64 {
        let Some(stage) = self.stages.last().filter(|duels| !is_last(duels)) else {
            return 0;
        };
        // Each stage has half of the duels of the one before.
        let duels = stage.len() as u64 - 1;
        let semifinals = self.stages[0].len() > 2 || stage.iter().all(|duel| duel.second.is_some());
        let third = u64::from(self.third_place && semifinals);
        (duels + third) * self.duel_length()
    }

    fn standing(&self, _: Played<'_>) -> Option<Standing> {
        Some(Standing::Knockout(self.stages.clone()))
    }
}

fn is_last(stage: &[Duel]) -> bool {
    stage.iter().filter(|duel| !duel.third_place).count() < 2
}

impl Duel {
    /// `None` until the duel is decided.
    fn loser(&self) -> Option<usize> {
        let (winner, second) = (self.winner?, self.second?);
        Some(if winner == second { self.first } else { second })
    }
}

/// The points of two bots in the matches of a stage.
fn points(bots: [usize; 2], stage: u32, played: Played<'_>) -> [f64; 2] {
    let mut points = [0.0; 2];
    for (scheduled, outcome) in played.finished() {
        if scheduled.round != stage {
            continue;
        }
        for (seat, bot) in scheduled.seats.iter().enumerate() {
            if let Some(i) = bots.iter().position(|other| other == bot)
                && scheduled.seats.contains(&bots[1 - i])
            {
                points[i] += outcome[seat];
            }
        }
    }
    points
}

/// The places of the first stage, neighbours meeting each other: for 4, these are 0 3 1 2.
fn bracket(bots: usize) -> Vec<usize> {
    let mut places = vec![0];
    while places.len() < bots {
        let size = 2 * places.len();
        let both = places
            .into_iter()
            .flat_map(|place| [place, size - 1 - place]);
        places = both.collect();
    }
    places
}

/// Duels of neighbours; the last one of an odd number gets a bye.
fn duels(entrants: Vec<Option<usize>>) -> Vec<Duel> {
    let duel = |pair: &[Option<usize>]| {
        let (first, second) = (pair[0], pair.get(1).copied().flatten());
        let (first, second) = match first {
            Some(first) => (first, second),
            None => (second?, None),
        };
        let alone = second.is_none();
        Some(Duel {
            first,
            second,
            points: [0.0; 2],
            winner: alone.then_some(first),
            decided: alone.then_some(Decided::Bye),
            third_place: false,
        })
    };
    entrants.chunks(2).filter_map(duel).collect()
}
