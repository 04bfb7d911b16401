//! The evidence for ratings: results, grouped into units, and units into independent clusters.

mod disjoint_sets;

use std::collections::{BTreeMap, HashMap};

use smallvec::SmallVec;

pub(crate) use disjoint_sets::DisjointSets;

/// Games of up to this many seats are rated: the model sums over all sets of seats that may tie.
pub const RATED_SEATS: usize = 6;

/// True if matches of this many seats say which bot is better.
pub fn is_rated(seats: usize) -> bool {
    (2..=RATED_SEATS).contains(&seats)
}

/// Ranks by seat, as in [`Placing`]. With one seat, the hundredths that are missing to an outcome of 1.
pub(crate) type Ranks = SmallVec<[u8; 16]>;

/// The result of one match for ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placing {
    pub game: u16,
    /// The bots in seat order, as indices; 0 beyond the game's seats.
    pub bots: [u16; RATED_SEATS],
    /// The rank of each seat; 0 is the best, equal ranks are ties, and there are no gaps.
    pub ranks: [u8; RATED_SEATS],
}

impl Placing {
    /// Ranks the seats by their outcomes.
    pub fn new(game: usize, bots: &[usize], outcome: &[f64]) -> Self {
        let mut placing = Placing {
            game: game as u16,
            bots: [0; RATED_SEATS],
            ranks: [0; RATED_SEATS],
        };
        for (slot, bot) in placing.bots.iter_mut().zip(bots) {
            *slot = *bot as u16;
        }
        for (slot, rank) in placing.ranks.iter_mut().zip(ranks(outcome)) {
            *slot = rank;
        }
        placing
    }
}

/// Dense ranks, 0 for the best. Differences by rounding count as ties.
pub(crate) fn ranks(outcome: &[f64]) -> Ranks {
    const ROUNDING: f64 = 1e-9;
    if let [only] = outcome {
        return Ranks::from_slice(&[(100.0 * (1.0 - only.clamp(0.0, 1.0))).round() as u8]);
    }
    let mut order: Vec<usize> = (0..outcome.len()).collect();
    order.sort_by(|a, b| outcome[*b].total_cmp(&outcome[*a]));
    let mut ranks: Ranks = outcome.iter().map(|_| 0).collect();
    for pair in order.windows(2) {
        let worse = outcome[pair[0]] - outcome[pair[1]] > ROUNDING;
        ranks[pair[1]] = ranks[pair[0]] + u8::from(worse);
    }
    ranks
}

/// The outcome of a seat: the share of the other seats that it beat, with ties as half.
pub(crate) fn outcome(ranks: &[u8], seat: usize) -> f64 {
    if let [only] = ranks {
        return (100.0 - f64::from(*only)) / 100.0;
    }
    let better = ranks.iter().filter(|rank| **rank > ranks[seat]).count();
    let equal = ranks.iter().filter(|rank| **rank == ranks[seat]).count() - 1;
    (better as f64 + 0.5 * equal as f64) / (ranks.len() - 1) as f64
}

/// The matches of one group of bots from one start in all seat orders, sorted. With two seats, a swapped
/// pair.
pub(crate) type Unit = SmallVec<[Placing; 2]>;

/// Units that depend on each other, each with its count, sorted.
pub(crate) type Cluster = Vec<(Unit, u32)>;

/// All results, as counts of equal clusters. Clusters are independent of each other. Each counts as one
/// observation, however many matches it has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The number of bots, including those without a match.
    pub bots: usize,
    /// The number of seats of each game.
    pub games: Vec<usize>,
    /// The weight of a match of each game, by default 1.
    pub weights: Vec<f64>,
    /// By game: true if it was started from several openings.
    pub openings: Vec<bool>,
    /// Clusters of one unit, which are the majority.
    singles: BTreeMap<Unit, u32>,
    clusters: BTreeMap<Cluster, u32>,
}

impl Evidence {
    pub fn new(bots: usize, games: Vec<usize>) -> Self {
        Evidence {
            bots,
            weights: vec![1.0; games.len()],
            openings: vec![true; games.len()],
            games,
            ..Evidence::default()
        }
    }

    /// Adds an independent unit. The order of its matches does not matter.
    pub fn add(&mut self, unit: &[Placing]) {
        if unit.is_empty() {
            return;
        }
        let mut unit = Unit::from_slice(unit);
        unit.sort_unstable();
        *self.singles.entry(unit).or_default() += 1;
    }

    /// Adds many independent units: quicker than one by one.
    pub(crate) fn add_all(&mut self, units: impl Iterator<Item = Unit>) {
        let mut counts: HashMap<Unit, u32, foldhash::fast::FixedState> = HashMap::default();
        for mut unit in units.filter(|unit| !unit.is_empty()) {
            unit.sort_unstable();
            *counts.entry(unit).or_default() += 1;
        }
        for (unit, count) in counts {
            *self.singles.entry(unit).or_default() += count;
        }
    }

    /// Adds units that depend on each other, as they repeat one another or share an opening. Their order does
    /// not matter.
    pub(crate) fn add_cluster<U: AsRef<[Placing]>>(&mut self, units: &[U]) {
        if let [unit] = units {
            self.add(unit.as_ref());
            return;
        }
        let mut counts: BTreeMap<Unit, u32> = BTreeMap::new();
        let units = units.iter().map(AsRef::as_ref);
        for unit in units.filter(|unit| !unit.is_empty()) {
            let mut unit = Unit::from_slice(unit);
            unit.sort_unstable();
            *counts.entry(unit).or_default() += 1;
        }
        if !counts.is_empty() {
            let cluster = counts.into_iter().collect();
            *self.clusters.entry(cluster).or_default() += 1;
        }
    }

    /// The distinct units that are clusters by themselves, in a fixed order, each with its count.
    pub(crate) fn singles(&self) -> impl Iterator<Item = (&Unit, u32)> {
        self.singles.iter().map(|(unit, count)| (unit, *count))
    }

    /// The distinct clusters of several units, each with its count.
    pub(crate) fn clusters(&self) -> impl Iterator<Item = (&Cluster, u32)> {
        self.clusters
            .iter()
            .map(|(cluster, count)| (cluster, *count))
    }

    /// All units with counts; equal units may occur several times.
    pub(crate) fn units(&self) -> impl Iterator<Item = (&Unit, u32)> {
        let clustered = self.clusters().flat_map(|(cluster, times)| {
            let units = cluster.iter();
            units.map(move |(unit, count)| (unit, count * times))
        });
        self.singles().chain(clustered)
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    #[test]
    fn ranks_are_dense_and_know_ties() {
        assert_eq!(ranks(&[0.0, 1.0])[..], [1, 0]);
        assert_eq!(ranks(&[0.5, 0.5])[..], [0, 0]);
        assert_eq!(ranks(&[0.25, 1.0, 0.25 + 1e-12])[..], [1, 0, 1]);
        assert_eq!(ranks(&[0.0, 2.0 / 3.0, 1.0, 1.0 / 3.0])[..], [3, 1, 0, 2]);
        for outcome in [0.0, 0.25, 0.37, 1.0] {
            assert_eq!(super::outcome(&ranks(&[outcome]), 0), outcome);
        }
        // Logs are not trusted.
        assert_eq!(super::outcome(&ranks(&[-7.0]), 0), 0.0);
        assert_eq!(super::outcome(&ranks(&[7.0]), 0), 1.0);
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
    fn equal_clusters_are_counted_whatever_the_order_of_their_units() {
        let mut evidence = Evidence::new(2, vec![2]);
        let won: Unit = smallvec![Placing::new(0, &[0, 1], &[1.0, 0.0])];
        let lost: Unit = smallvec![Placing::new(0, &[0, 1], &[0.0, 1.0])];
        evidence.add_cluster(&[won.clone(), lost.clone(), won.clone()]);
        evidence.add_cluster(&[lost.clone(), won.clone(), won.clone()]);
        evidence.add_cluster(std::slice::from_ref(&lost));
        let clusters: Vec<_> = evidence.clusters().collect();
        assert_eq!(clusters, [(&vec![(won, 2), (lost.clone(), 1)], 2)]);
        let singles: Vec<_> = evidence.singles().collect();
        assert_eq!(singles, [(&lost, 1)]);
        assert_eq!(evidence.units().map(|(_, count)| count).sum::<u32>(), 7);
    }
}
