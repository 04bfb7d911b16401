//! Pairings for a round of a Swiss tournament: the perfect matching of least cost.
//!
//! Costs in this order: meeting again (more than twice even more), giving the bye to another bot
//! than the lowest, meeting somebody with other points (a large difference more than several small
//! ones), and meeting somebody farther off in the ranking. Seats cost nothing: each pairing is
//! played in both orders.
//!
//! The cheapest matching may make rematches inevitable in later rounds. So, where they can be avoided
//! at all, matchings are tried in the order of their costs until one avoids them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use integer_blossom::min_weight_perfect_matching;

/// Maximum number of bots that are paired together. With more, the upper half of each batch is
/// fixed before the next bots join it: time grows with the cube of the number.
const MOST_AT_ONCE: usize = 200;
/// Matchings to try for one that leaves the next rounds possible.
const MOST_TRIES: usize = 500;
/// Step limit of the search for those rounds; beyond it they count as possible.
const MOST_STEPS: u32 = 20_000;

/// Cost of a forbidden pair: more than everything else together.
const FORBIDDEN: i128 = 1 << 110;
/// The cost of a first rematch.
const AGAIN: i128 = 1 << 84;
/// Cost of the bye for each place below its bot.
const BYE_ABOVE: i128 = 1 << 73;
/// Cost of half a point of difference, squared.
const POINTS: i128 = 1 << 25;
/// Rematches and differences of points beyond these cost no more.
const MOST_AGAIN: u32 = 100;
const MOST_HALVES: f64 = 1e6;

/// A bot that waits for its pairing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entrant {
    pub(super) bot: usize,
    pub(super) points: f64,
    pub(super) byes: u32,
}

/// The pairings of a round, each with the lower index first, and the bot with a bye, if the number
/// of bots is odd. `ranking` has the best first, `met` the numbers of meetings (the lower index
/// first), and `rounds` is the number of rounds left, including this one.
pub(super) fn round(
    ranking: &[Entrant],
    met: &HashMap<(usize, usize), u32>,
    rounds: u32,
) -> (Vec<Vec<usize>>, Option<usize>) {
    let mut waiting = ranking.to_vec();
    let mut pairs = Vec::new();
    let mut bye = None;
    if waiting.len() > MOST_AT_ONCE && !waiting.len().is_multiple_of(2) {
        let fewest = waiting.iter().map(|entrant| entrant.byes).min();
        let last = waiting.iter().rposition(|e| Some(e.byes) == fewest);
        bye = last.map(|at| waiting.remove(at).bot);
    }
    while waiting.len() > MOST_AT_ONCE {
        let (top, half) = (&waiting[..MOST_AT_ONCE], MOST_AT_ONCE / 2);
        let mate = Table::new(top, met).best();
        let settled = |place: usize| place.min(mate[place]) < half;
        let found = (0..half).filter(|&place| place < mate[place]);
        pairs.extend(found.map(|place| pair(top, place, mate[place])));
        waiting = (0..waiting.len())
            .filter(|&place| place >= MOST_AT_ONCE || !settled(place))
            .map(|place| waiting[place])
            .collect();
    }
    let table = Table::new(&waiting, met);
    let mate = if ranking.len() == waiting.len() {
        table.with_a_way_on(rounds)
    } else {
        table.best()
    };
    for (place, &other) in mate.iter().enumerate().take(waiting.len()) {
        if other == waiting.len() {
            bye = Some(waiting[place].bot);
        } else if place < other {
            pairs.push(pair(&waiting, place, other));
        }
    }
    (pairs, bye)
}

fn pair(entrants: &[Entrant], one: usize, other: usize) -> Vec<usize> {
    let (a, b) = (entrants[one].bot, entrants[other].bot);
    vec![a.min(b), a.max(b)]
}

/// The cost of each pairing. Bots are places in the ranking; if their number is odd, the
/// bye is one more.
struct Table {
    size: usize,
    cost: Vec<i128>,
    /// Number of meetings of two bots; with the bye, number of byes.
    met: Vec<u32>,
}

impl Table {
    fn new(entrants: &[Entrant], met: &HashMap<(usize, usize), u32>) -> Self {
        let (bots, size) = (entrants.len(), entrants.len().next_multiple_of(2));
        let mut table = Table {
            size,
            cost: vec![0; size * size],
            met: vec![0; size * size],
        };
        let times = |a: usize, b: usize| {
            let (a, b) = (entrants[a].bot, entrants[b].bot);
            met.get(&(a.min(b), a.max(b))).copied().unwrap_or(0)
        };
        let both = |bots| (0..bots).flat_map(move |b| (0..b).map(move |a| (a, b)));
        // Once everybody has met, only what is beyond that counts.
        let least = both(bots).map(|(a, b)| times(a, b)).min().unwrap_or(0);
        for (a, b) in both(bots) {
            let again = i128::from((times(a, b) - least).min(MOST_AGAIN));
            let halves = 2.0 * (entrants[a].points - entrants[b].points).abs();
            let halves = halves.min(MOST_HALVES).round() as i128;
            let places = (b - a) as i128;
            let cost = AGAIN * again * again + POINTS * halves * halves + places * places;
            table.set(a, b, cost, times(a, b));
        }
        if bots < size {
            let fewest = entrants.iter().map(|entrant| entrant.byes).min();
            for (place, entrant) in entrants.iter().enumerate() {
                let cost = if Some(entrant.byes) == fewest {
                    BYE_ABOVE * (bots - 1 - place) as i128
                } else {
                    FORBIDDEN
                };
                table.set(place, bots, cost, entrant.byes);
            }
        }
        table
    }

    fn set(&mut self, a: usize, b: usize, cost: i128, met: u32) {
        for cell in [a * self.size + b, b * self.size + a] {
            self.cost[cell] = cost;
            self.met[cell] = met;
        }
    }

    /// The matching of least cost, as the partner of each place.
    fn best(&self) -> Vec<usize> {
        min_weight_perfect_matching(&self.cost, self.size)
    }

    fn sum(&self, mate: &[usize]) -> i128 {
        let pairs = mate.iter().enumerate().filter(|(a, b)| a < b);
        pairs.map(|(a, &b)| self.cost[a * self.size + b]).sum()
    }

    /// The matching of least cost that leaves a way for as many of the next rounds as can be
    /// played without meeting again; if none is found, that of least cost of all.
    fn with_a_way_on(&self, rounds: u32) -> Vec<usize> {
        let best = self.best();
        let Some(ahead) = self.ahead(rounds) else {
            return best;
        };
        if self.leaves_a_way(&best, ahead) {
            return best;
        }
        let mut tries = ByCost::new(self, best.clone());
        while let Some(mate) = tries.next() {
            // It is no better to meet again now than later.
            if self.sum(&mate) - self.sum(&best) >= AGAIN {
                break;
            }
            if self.leaves_a_way(&mate, ahead) {
                return mate;
            }
        }
        best
    }

    /// Number of rounds after this one that are possible without rematches, if that takes care.
    fn ahead(&self, rounds: u32) -> Option<u32> {
        let size = self.size as u32;
        let before: u32 = self.met[..self.size].iter().sum();
        let cycle = size.checked_sub(1).filter(|cycle| *cycle > 0)?;
        let left = cycle - before % cycle;
        let ahead = rounds.min(left).saturating_sub(1);
        // Where everybody has as many as half of the others left in the last of these rounds,
        // there is always a way.
        (ahead > 0 && 2 * (left - ahead) < size).then_some(ahead)
    }

    /// True if `ahead` more rounds are possible after this one without a rematch.
    fn leaves_a_way(&self, mate: &[usize], ahead: u32) -> bool {
        let before: u32 = self.met[..self.size].iter().sum();
        let level = before / (self.size as u32 - 1);
        let open =
            |a: usize, b: usize| a != b && mate[a] != b && self.met[a * self.size + b] <= level;
        let open = (0..self.size)
            .flat_map(|a| (0..self.size).map(move |b| (a, b)))
            .map(|(a, b)| open(a, b));
        let mut search = RoundSearch {
            size: self.size,
            open: open.collect(),
            steps: MOST_STEPS,
        };
        search.rounds(ahead, &mut vec![false; self.size], 0)
    }
}

/// A search for rounds without rematches.
struct RoundSearch {
    size: usize,
    /// Allowed pairings.
    open: Vec<bool>,
    steps: u32,
}

impl RoundSearch {
    /// True if there are `more` rounds; the `busy` ones are paired in the first one already.
    fn rounds(&mut self, more: u32, busy: &mut Vec<bool>, from: usize) -> bool {
        let Some(first) = (from..self.size).find(|&place| !busy[place]) else {
            return more <= 1 || self.rounds(more - 1, &mut vec![false; self.size], 0);
        };
        for other in first + 1..self.size {
            if busy[other] || !self.open[first * self.size + other] {
                continue;
            }
            if self.steps == 0 {
                return true;
            }
            self.steps -= 1;
            self.put(first, other, false, busy);
            let found = self.rounds(more, busy, first + 1);
            self.put(first, other, true, busy);
            if found {
                return true;
            }
        }
        false
    }

    fn put(&mut self, one: usize, other: usize, open: bool, busy: &mut [bool]) {
        self.open[one * self.size + other] = open;
        self.open[other * self.size + one] = open;
        (busy[one], busy[other]) = (!open, !open);
    }
}

/// The matchings one by one, by their costs (Murty's way): of all that are left, each one divides
/// the others by the first of its pairs that they do not have.
struct ByCost<'a> {
    table: &'a Table,
    heap: BinaryHeap<Reverse<Subproblem>>,
    tries: usize,
}

/// Matchings with some pairs and without others, and the one of least cost among them.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Subproblem {
    cost: i128,
    mate: Vec<usize>,
    with: Vec<(usize, usize)>,
    without: Vec<(usize, usize)>,
}

impl<'a> ByCost<'a> {
    /// Starts after the matching of least cost.
    fn new(table: &'a Table, best: Vec<usize>) -> Self {
        let whole = Subproblem {
            cost: table.sum(&best),
            mate: best,
            with: Vec::new(),
            without: Vec::new(),
        };
        let mut all = ByCost {
            table,
            heap: BinaryHeap::new(),
            tries: 0,
        };
        all.divide(&whole);
        all
    }

    fn next(&mut self) -> Option<Vec<usize>> {
        let Reverse(part) = self.heap.pop()?;
        self.tries += 1;
        if self.tries < MOST_TRIES {
            self.divide(&part);
        }
        Some(part.mate)
    }

    fn divide(&mut self, part: &Subproblem) {
        let mut with = part.with.clone();
        let pairs = part.mate.iter().enumerate().filter(|(a, b)| a < b);
        let pairs: Vec<(usize, usize)> = pairs.map(|(a, &b)| (a, b)).collect();
        for pair in pairs.into_iter().filter(|pair| !part.with.contains(pair)) {
            let mut without = part.without.clone();
            without.push(pair);
            self.heap
                .extend(self.least(with.clone(), without).map(Reverse));
            with.push(pair);
        }
    }

    /// The part with and without these pairs, if there is anything in it.
    fn least(&self, with: Vec<(usize, usize)>, without: Vec<(usize, usize)>) -> Option<Subproblem> {
        let size = self.table.size;
        let paired = |place: &usize| with.iter().any(|&(a, b)| a == *place || b == *place);
        let free: Vec<usize> = (0..size).filter(|place| !paired(place)).collect();
        let mut cost = Vec::with_capacity(free.len() * free.len());
        for &a in &free {
            for &b in &free {
                let barred = without.contains(&(a.min(b), a.max(b)));
                cost.push(if barred {
                    FORBIDDEN
                } else {
                    self.table.cost[a * size + b]
                });
            }
        }
        let found = min_weight_perfect_matching(&cost, free.len());
        let mut mate = vec![0; size];
        for &(a, b) in &with {
            (mate[a], mate[b]) = (b, a);
        }
        for (at, &other) in found.iter().enumerate() {
            mate[free[at]] = free[other];
        }
        let barred = without.iter().any(|&(a, b)| mate[a] == b);
        let cost = self.table.sum(&mate);
        (!barred && cost < FORBIDDEN).then_some(Subproblem {
            cost,
            mate,
            with,
            without,
        })
    }
}

#[cfg(test)]
mod tests {
    use games::Rng;

    use super::*;

    /// Entrants with random points and byes, and their meetings.
    fn some(bots: usize, rng: &mut Rng) -> (Vec<Entrant>, HashMap<(usize, usize), u32>) {
        let mut entrants: Vec<Entrant> = (0..bots)
            .map(|bot| Entrant {
                bot,
                points: rng.below(9) as f64 / 2.0,
                byes: rng.below(2) as u32,
            })
            .collect();
        entrants.sort_by(|a, b| b.points.total_cmp(&a.points));
        let both = (0..bots).flat_map(|b| (0..b).map(move |a| (a, b)));
        (
            entrants,
            both.map(|pair| (pair, rng.below(3) as u32)).collect(),
        )
    }

    /// The costs of all matchings.
    fn all(table: &Table, busy: &mut Vec<bool>, sum: i128, costs: &mut Vec<i128>) {
        let Some(first) = busy.iter().position(|busy| !busy) else {
            costs.push(sum);
            return;
        };
        busy[first] = true;
        for other in first + 1..table.size {
            if !busy[other] {
                busy[other] = true;
                all(
                    table,
                    busy,
                    sum + table.cost[first * table.size + other],
                    costs,
                );
                busy[other] = false;
            }
        }
        busy[first] = false;
    }

    #[test]
    fn matchings_come_by_their_costs() {
        let mut rng = Rng::new(1);
        for number in 0..200 {
            let (entrants, met) = some(2 + number % 7, &mut rng);
            let table = Table::new(&entrants, &met);
            let mut costs = Vec::new();
            all(&table, &mut vec![false; table.size], 0, &mut costs);
            costs.retain(|cost| *cost < FORBIDDEN);
            costs.sort_unstable();
            let best = table.best();
            let mut found = vec![table.sum(&best)];
            let mut others = ByCost::new(&table, best);
            while let Some(mate) = others.next() {
                assert!((0..table.size).all(|a| mate[mate[a]] == a && mate[a] != a));
                found.push(table.sum(&mate));
            }
            assert_eq!(found, costs, "{entrants:?} {met:?}");
        }
    }

    #[test]
    fn who_is_lowest_of_those_with_the_fewest_byes_has_it() {
        let entrant = |bot, points, byes| Entrant { bot, points, byes };
        let ranking = [
            entrant(4, 3.0, 0),
            entrant(2, 2.0, 0),
            entrant(0, 2.0, 0),
            entrant(1, 1.0, 0),
            entrant(3, 0.0, 1),
        ];
        let (pairs, bye) = round(&ranking, &HashMap::new(), 1);
        assert_eq!(bye, Some(1));
        assert_eq!(pairs, [[2, 4], [0, 3]]);
        // Rather another bye than meeting again.
        let met = HashMap::from([((0, 3), 1), ((2, 3), 1), ((3, 4), 1)]);
        let (pairs, bye) = round(&ranking, &met, 1);
        assert_eq!((pairs, bye), (vec![vec![2, 4], vec![1, 3]], Some(0)));
    }

    #[test]
    fn many_bots_are_paired_in_parts() {
        let mut rng = Rng::new(5);
        for bots in [MOST_AT_ONCE + 1, 3 * MOST_AT_ONCE] {
            let (entrants, _) = some(bots, &mut rng);
            let (pairs, bye) = round(&entrants, &HashMap::new(), 9);
            let mut paired: Vec<usize> = pairs.into_iter().flatten().chain(bye).collect();
            paired.sort_unstable();
            assert_eq!(paired, (0..bots).collect::<Vec<_>>());
        }
    }
}
