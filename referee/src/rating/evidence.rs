//! What ratings are made from: results, grouped into the units that bootstrapping resamples.

use std::collections::BTreeMap;

use games::MAX_SEATS;

/// The result of one match, as ratings see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placing {
    /// The game, as an index.
    pub game: u32,
    /// The bots in seat order, as indices; what is beyond the game's seats is 0.
    pub bots: [u32; MAX_SEATS],
    /// The rank of each seat from 0, the best; equal ranks are ties. Ranks leave no gaps.
    pub ranks: [u8; MAX_SEATS],
}

impl Placing {
    /// A result from outcomes: who has more ranks higher.
    pub fn new(game: usize, bots: &[usize], outcome: &[f64]) -> Self {
        let mut placing = Placing {
            game: game as u32,
            bots: [0; MAX_SEATS],
            ranks: [0; MAX_SEATS],
        };
        for (slot, bot) in placing.bots.iter_mut().zip(bots) {
            *slot = *bot as u32;
        }
        placing.ranks = ranks(outcome);
        placing
    }
}

/// Dense ranks, 0 for the best; outcomes that differ by rounding only are equal.
pub(crate) fn ranks(outcome: &[f64]) -> [u8; MAX_SEATS] {
    const ROUNDING: f64 = 1e-9;
    let mut order: Vec<usize> = (0..outcome.len().min(MAX_SEATS)).collect();
    order.sort_by(|a, b| outcome[*b].total_cmp(&outcome[*a]));
    let mut ranks = [0; MAX_SEATS];
    for pair in order.windows(2) {
        let worse = outcome[pair[0]] - outcome[pair[1]] > ROUNDING;
        ranks[pair[1]] = ranks[pair[0]] + u8::from(worse);
    }
    ranks
}

/// All results, as counts of equal units. A unit is all matches of one pairing (or group) from one
/// start, in all seat orders; units are independent of each other, matches within one are not.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// How many bots there are, those without a match included.
    pub bots: usize,
    /// The number of seats of each game.
    pub games: Vec<usize>,
    /// How much a match of each game counts: 1 unless told otherwise.
    pub weights: Vec<f64>,
    units: BTreeMap<Vec<Placing>, u32>,
}

impl Evidence {
    /// No results yet.
    pub fn new(bots: usize, games: Vec<usize>) -> Self {
        Evidence {
            bots,
            weights: vec![1.0; games.len()],
            games,
            units: BTreeMap::new(),
        }
    }

    /// Takes in a unit. The order of its matches has no meaning.
    pub fn add(&mut self, unit: &[Placing]) {
        if unit.is_empty() {
            return;
        }
        let mut unit = unit.to_vec();
        unit.sort_unstable();
        *self.units.entry(unit).or_default() += 1;
    }

    /// How many matches there are of each game, by their weight.
    pub(crate) fn matches_by_game(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.games.len()];
        for (unit, count) in self.units() {
            for placing in unit {
                let game = placing.game as usize;
                sums[game] += f64::from(count) * self.weights[game];
            }
        }
        sums
    }

    /// The different units, in an order that does not depend on how they came, with how often
    /// each occurs.
    pub fn units(&self) -> impl Iterator<Item = (&[Placing], u32)> {
        self.units.iter().map(|(unit, count)| (&**unit, *count))
    }

    /// The sets of bots that are connected by matches, as an index for each bot: two bots can be
    /// compared only if theirs are equal. Sets are numbered by their first bot.
    pub fn groups(&self) -> Vec<usize> {
        let mut parent: Vec<usize> = (0..self.bots).collect();
        fn root(parent: &mut [usize], mut bot: usize) -> usize {
            while parent[bot] != bot {
                parent[bot] = parent[parent[bot]];
                bot = parent[bot];
            }
            bot
        }
        for placing in self.units.keys().flatten() {
            let seats = self.games[placing.game as usize];
            let first = root(&mut parent, placing.bots[0] as usize);
            for &bot in &placing.bots[1..seats] {
                let other = root(&mut parent, bot as usize);
                let mine = root(&mut parent, first);
                parent[mine.max(other)] = mine.min(other);
            }
        }
        let mut numbers = BTreeMap::new();
        let mut groups = Vec::with_capacity(self.bots);
        for bot in 0..self.bots {
            let root = root(&mut parent, bot);
            let next = numbers.len();
            groups.push(*numbers.entry(root).or_insert(next));
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_dense_and_know_ties() {
        assert_eq!(ranks(&[0.0, 1.0]), [1, 0, 0, 0]);
        assert_eq!(ranks(&[0.5, 0.5]), [0, 0, 0, 0]);
        assert_eq!(ranks(&[0.25, 1.0, 0.25 + 1e-12]), [1, 0, 1, 0]);
        assert_eq!(ranks(&[0.0, 2.0 / 3.0, 1.0, 1.0 / 3.0]), [3, 1, 0, 2]);
    }

    #[test]
    fn equal_units_are_counted_whatever_the_order_of_their_matches() {
        let mut evidence = Evidence::new(2, vec![2]);
        let there = Placing::new(0, &[0, 1], &[1.0, 0.0]);
        let back = Placing::new(0, &[1, 0], &[0.5, 0.5]);
        evidence.add(&[there, back]);
        evidence.add(&[back, there]);
        evidence.add(&[]);
        let units: Vec<_> = evidence.units().map(|(_, count)| count).collect();
        assert_eq!(units, [2]);
    }

    #[test]
    fn groups_are_what_matches_connect() {
        let mut evidence = Evidence::new(6, vec![2, 3]);
        evidence.add(&[Placing::new(0, &[4, 1], &[1.0, 0.0])]);
        evidence.add(&[Placing::new(1, &[5, 0, 4], &[1.0, 0.5, 0.0])]);
        assert_eq!(evidence.groups(), [0, 0, 1, 2, 0, 0]);
    }
}
