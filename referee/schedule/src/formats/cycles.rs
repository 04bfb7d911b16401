//! Cyclic orders for games of three and more seats: the order of the bots matters there, and rotating
//! the seats does not change it.

use std::collections::HashMap;

use games::Rng;

use crate::scheduled::{Unit, UnitGroup};
use crate::shape::Shape;
use itertools::Itertools as _;

/// A round of no more units than this is dealt several times, and the most even one is taken;
/// larger ones even out by themselves.
const SMALL: usize = 500;
const MOST_DEALS: usize = 10;
/// The deal of a round is improved by at most this many passes, that of a large one by fewer.
const MOST_PASSES: usize = 10;
const PASSES_OF_LARGE: usize = 2;
/// All cyclic orders are listed up to this many seats.
const MOST_LISTED: usize = 4;
/// With more bots than this, those in games of more seats are seated at random: the counts of all pairs
/// would take more memory than the schedule.
const MOST_COUNTED: usize = 1000;

/// Deals cyclic orders to the groups that play, round by round in the order of the schedule.
///
/// A group gets each of its cyclic orders once in a game before it gets any of them again: two
/// with three seats, six with four. Of those that are left it gets one that keeps even how often
/// each bot has followed each other one, in this game and in all; the seed decides between equals.
/// With more seats, there are too many orders to have them all: a group gets a random one, improved by
/// exchanging two bots. Earlier deals do not depend on later ones.
pub(super) struct Cycles {
    rng: Rng,
    /// By the number of seats: the cyclic orders, as places in the group.
    orders: HashMap<usize, Vec<Vec<usize>>>,
    state: Deals,
}

/// The deals so far, which the next one has to balance.
#[derive(Clone, Default)]
struct Deals {
    bots: usize,
    left: HashMap<(u32, UnitGroup), Left>,
    /// By game: how often each bot followed each other one, a row for each that went before.
    by_game: HashMap<u32, Vec<u32>>,
    /// The same in all games together.
    in_all: Vec<u32>,
}

/// The cyclic orders that a group has not had in a game yet since it had all.
#[derive(Clone, Copy)]
struct Left {
    /// As bits.
    orders: u8,
    /// Number of complete cycles.
    cycle: u32,
}

/// The deal of a unit: the index of an order, and the cycle of its group.
#[derive(Clone, Copy)]
struct Dealt {
    order: usize,
    cycle: u32,
}

impl Cycles {
    pub(super) fn new(shape: &Shape) -> Self {
        let seats = || shape.games.iter().map(|game| game.seats);
        let orders = seats().filter(|seats| (3..=MOST_LISTED).contains(seats));
        let orders: HashMap<_, _> = orders.map(|seats| (seats, cyclic_orders(seats))).collect();
        let counts = |seats| seats > 2 && (seats <= MOST_LISTED || shape.bots <= MOST_COUNTED);
        let cells = if seats().any(counts) {
            shape.bots * shape.bots
        } else {
            0
        };
        Cycles {
            rng: Rng::from_text(shape.seed, "cyclic orders"),
            orders,
            state: Deals {
                bots: shape.bots,
                left: HashMap::new(),
                by_game: HashMap::new(),
                in_all: vec![0; cells],
            },
        }
    }

    /// Puts the groups of a round, which are in ascending order, in cyclic orders.
    pub(super) fn deal(&mut self, units: &mut [Unit]) {
        let (mut units, large): (Vec<&mut Unit>, Vec<&mut Unit>) = units
            .iter_mut()
            .filter(|unit| unit.group.len() > 2)
            .partition(|unit| unit.group.len() <= MOST_LISTED);
        for unit in large {
            self.seat_many(unit);
        }
        if units.is_empty() {
            return;
        }
        let deals = if units.len() <= SMALL { MOST_DEALS } else { 1 };
        let mut best: Option<(u64, Deals, Vec<Dealt>)> = None;
        for number in 0..deals {
            let mut state = if number + 1 == deals && best.is_none() {
                std::mem::take(&mut self.state)
            } else {
                self.state.clone()
            };
            let mut dealt = Vec::with_capacity(units.len());
            for unit in &units {
                dealt.push(self.first(&mut state, unit));
            }
            self.improve(&mut state, &units, &mut dealt);
            let uneven = state.uneven();
            if best.as_ref().is_none_or(|(least, ..)| uneven < *least) {
                best = Some((uneven, state, dealt));
            }
        }
        let Some((_, state, dealt)) = best else {
            return;
        };
        self.state = state;
        for (unit, dealt) in units.iter_mut().zip(dealt) {
            let order = &self.orders[&unit.group.len()][dealt.order];
            unit.group = order.iter().map(|&place| unit.group[place]).collect();
        }
    }

    /// Puts the group of a game of many seats in order.
    fn seat_many(&mut self, unit: &mut Unit) {
        let places: Vec<usize> = (0..unit.group.len()).collect();
        self.rng.shuffle(&mut unit.group);
        if self.state.in_all.is_empty() {
            return;
        }
        let mut least = self.state.cost(unit, &places);
        let mut better = true;
        while better {
            better = false;
            for (one, other) in places.iter().copied().tuple_combinations() {
                unit.group.swap(one, other);
                let cost = self.state.cost(unit, &places);
                if cost < least {
                    least = cost;
                    better = true;
                } else {
                    unit.group.swap(one, other);
                }
            }
        }
        self.state.count(unit, &places, 1);
    }

    /// The cheapest order now.
    fn first(&mut self, state: &mut Deals, unit: &Unit) -> Dealt {
        let orders = &self.orders[&unit.group.len()];
        let whole = u8::MAX >> (8 - orders.len());
        let key = (unit.game, unit.group.clone());
        let new = Left {
            orders: whole,
            cycle: 0,
        };
        let left = *state.left.entry(key.clone()).or_insert(new);
        let open = (0..orders.len()).filter(|order| left.orders >> order & 1 == 1);
        let costs: Vec<(u32, usize)> = open
            .map(|order| (state.cost(unit, &orders[order]), order))
            .collect();
        let least = costs.iter().map(|(cost, _)| *cost).min().unwrap_or(0);
        let best = costs.iter().filter(|(cost, _)| *cost == least);
        let best: Vec<usize> = best.map(|(_, order)| *order).collect();
        let order = best[self.rng.index(best.len())];
        state.count(unit, &orders[order], 1);
        let rest = left.orders & !(1 << order);
        let after = match rest {
            0 => Left {
                orders: whole,
                cycle: left.cycle + 1,
            },
            orders => Left { orders, ..left },
        };
        state.left.insert(key, after);
        Dealt {
            order,
            cycle: left.cycle,
        }
    }

    /// Exchanges orders for others that their groups have not had, as long as that evens out.
    fn improve(&self, state: &mut Deals, units: &[&mut Unit], dealt: &mut [Dealt]) {
        let passes = if units.len() <= SMALL {
            MOST_PASSES
        } else {
            PASSES_OF_LARGE
        };
        for _ in 0..passes {
            let mut better = false;
            for (unit, dealt) in units.iter().zip(dealt.iter_mut()) {
                let orders = &self.orders[&unit.group.len()];
                let key = (unit.game, unit.group.clone());
                let left = state.left[&key];
                if left.cycle != dealt.cycle {
                    continue;
                }
                state.count(unit, &orders[dealt.order], -1);
                let open = (0..orders.len()).filter(|order| left.orders >> order & 1 == 1);
                let costs = open.map(|order| (state.cost(unit, &orders[order]), order));
                let now = (state.cost(unit, &orders[dealt.order]), dealt.order);
                if let Some(least) = costs.min()
                    && least.0 < now.0
                {
                    let exchanged = left.orders & !(1 << least.1) | 1 << dealt.order;
                    let orders = Left {
                        orders: exchanged,
                        ..left
                    };
                    state.left.insert(key, orders);
                    dealt.order = least.1;
                    better = true;
                }
                state.count(unit, &orders[dealt.order], 1);
            }
            if !better {
                return;
            }
        }
    }
}

impl Deals {
    /// Number of earlier successions that this order would repeat.
    fn cost(&self, unit: &Unit, order: &[usize]) -> u32 {
        let in_game = self.by_game.get(&unit.game);
        let cells = followings(&unit.group, order).map(|(a, b)| a * self.bots + b);
        let times = cells.map(|cell| in_game.map_or(0, |game| game[cell]) + self.in_all[cell]);
        times.sum()
    }

    fn count(&mut self, unit: &Unit, order: &[usize], by: i32) {
        let cells = self.in_all.len();
        let in_game = self.by_game.entry(unit.game);
        let in_game = in_game.or_insert_with(|| vec![0; cells]);
        for (a, b) in followings(&unit.group, order) {
            let cell = a * self.bots + b;
            in_game[cell] = in_game[cell].wrapping_add_signed(by);
            self.in_all[cell] = self.in_all[cell].wrapping_add_signed(by);
        }
    }

    /// Sum of squares, which is least if all are equal.
    fn uneven(&self) -> u64 {
        let counts = self.by_game.values().flatten().chain(&self.in_all);
        counts.map(|&times| u64::from(times).pow(2)).sum()
    }
}

/// All orders around a circle of `seats` seats, as indices, starting with index 0.
fn cyclic_orders(seats: usize) -> Vec<Vec<usize>> {
    let rest: Vec<usize> = (1..seats).collect();
    let orders = rest.iter().copied().permutations(rest.len());
    orders
        .map(|rest| [0].into_iter().chain(rest).collect())
        .collect()
}

/// Each bot of a group with its successor in this cyclic order.
fn followings(group: &UnitGroup, order: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let next = order.iter().cycle().skip(1);
    let bot = |place: usize| group[place] as usize;
    order.iter().zip(next).map(move |(&a, &b)| (bot(a), bot(b)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{Earlier, Schedule, SeatOrders, Version};

    /// Counts after each unit of a schedule how often each bot followed each other one.
    fn followed(shape: &Shape, mut look: impl FnMut(u32, &[u32])) {
        let all: Vec<_> = Schedule::new(shape).known().collect();
        let mut counts = vec![0; shape.bots * shape.bots];
        let seats = shape.games[0].seats;
        let mut units = all.chunks(seats).peekable();
        while let Some(unit) = units.next() {
            let order = &unit[0].seats;
            for (at, a) in order.iter().enumerate() {
                counts[a * shape.bots + order[(at + 1) % seats]] += 1;
            }
            let last = units
                .peek()
                .is_none_or(|next| next[0].round > unit[0].round);
            look(if last { unit[0].round + 1 } else { 0 }, &counts);
        }
    }

    fn pairs(bots: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..bots).flat_map(move |a| (0..a).map(move |b| (a, b)))
    }

    #[test]
    fn each_bot_follows_each_other_one_equally_often() {
        for (seats, games) in [(3, 1), (3, 3), (4, 1), (4, 3)] {
            for bots in seats..=8 {
                let shape = Shape::round_robin(&vec![seats; games], bots, 7);
                let cell = |a: usize, b: usize| a * bots + b;
                followed(&shape, |rounds, counts| {
                    let off =
                        pairs(bots).map(|(a, b)| counts[cell(a, b)].abs_diff(counts[cell(b, a)]));
                    let lead = off.max().unwrap();
                    assert!(lead <= 8, "at any time: {seats} {bots} {games}: {lead}");
                    if rounds == 0 {
                        return;
                    }
                    let all =
                        pairs(bots).flat_map(|(a, b)| [counts[cell(a, b)], counts[cell(b, a)]]);
                    let (least, most) = all.fold((u32::MAX, 0), |(l, m), n| (l.min(n), m.max(n)));
                    // Where each group has had all orders, it is exact.
                    let exact = rounds % [2, 6][seats - 3] == 0;
                    let allowed = if exact { 0 } else { 2 };
                    assert!(
                        most - least <= allowed,
                        "{seats} {bots} {games}: {least} to {most}"
                    );
                    assert!(lead <= 2, "{seats} {bots} {games}: {lead}");
                });
            }
        }
    }

    #[test]
    fn very_many_bots_are_seated_at_random() {
        let shape = Shape::round_robin(&[16], MOST_COUNTED + 1, 1);
        let all: Vec<_> = Schedule::new(&shape).known().collect();
        assert_eq!(all.len(), 16 * (MOST_COUNTED + 1));
        assert!(!all[0].seats.is_sorted());
    }

    #[test]
    fn groups_get_each_cyclic_order_before_any_again() {
        for (seats, cycle) in [(3, 2), (4, 6)] {
            let shape = Shape::round_robin(&[seats], seats, 12 * cycle as u32);
            let all: Vec<_> = Schedule::new(&shape).known().collect();
            for some in all.chunks(seats * cycle) {
                let orders: HashSet<_> = some.iter().map(|m| m.seats.clone()).collect();
                assert_eq!(orders.len(), seats * cycle, "all permutations");
            }
            let each = all.chunks(seats * cycle);
            let drawn: HashSet<_> = each.map(|some| some[0].seats.clone()).collect();
            assert!(drawn.len() > 1, "each cycle is drawn for itself");
        }
    }

    #[test]
    fn the_first_version_never_changes_them() {
        let shape = Shape {
            version: Version::First,
            ..Shape::round_robin(&[3], 4, 3)
        };
        for unit in Schedule::new(&shape).known().collect::<Vec<_>>().chunks(3) {
            assert!(unit[0].seats.is_sorted());
        }
        let permutations = |version| Shape {
            version,
            orders: SeatOrders::Permutations,
            ..Shape::round_robin(&[2, 3, 4], 5, 2)
        };
        let both = [Version::First, Version::Second].map(permutations);
        let [first, second] = both.map(|shape| Schedule::new(&shape).known().collect::<Vec<_>>());
        assert_eq!(first, second, "nothing else changes");
    }

    #[test]
    fn what_was_dealt_does_not_depend_on_what_comes_later() {
        let of = |shape: &Shape, earlier: &[Earlier]| -> Vec<_> {
            Schedule::extending(shape, earlier).known().collect()
        };
        for seats in [3, 4] {
            let first = Shape::round_robin(&[seats], 5, 2);
            let second = Shape::round_robin(&[seats], 7, 2);
            let third = Shape::round_robin(&[seats, 2], 7, 5);
            let before = |shape: &Shape| Earlier {
                shape: shape.clone(),
                bots: (0..shape.bots).collect(),
                games: vec![0],
            };
            let one = of(&first, &[]);
            let two = of(&second, &[before(&first)]);
            let three = of(&third, &[before(&first), before(&second)]);
            assert_eq!(two[..one.len()], one);
            assert_eq!(three[..two.len()], two);
            assert!(three.len() > two.len() && two.len() > one.len());
        }
    }
}
