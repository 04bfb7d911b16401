//! Matches sorted into units and clusters, independent of the order in which they were added.

use std::collections::BTreeMap;

use rayon::slice::ParallelSliceMut;

use super::clusters::Clusters;
use super::selection::Selection;
use crate::evidence::{Evidence, Placing, RATED_SEATS, Unit, is_rated};
use crate::matches::Number;
use crate::store::{MatchStore, StoredMatch, StoredSeat};

/// The sorted matches. Bots and games have new indices here, by name.
pub(crate) struct SwappedPairs<'a> {
    matches: &'a MatchStore,
    /// The bots by name, as indices of `matches`.
    pub(crate) bots: Vec<usize>,
    /// The games by label, as indices of `matches`.
    pub(crate) games: Vec<usize>,
    /// The games' labels, in the same order.
    pub(crate) labels: Vec<String>,
    bot_rank: Vec<u16>,
    game_rank: Vec<u16>,
    /// All matches, unit by unit.
    order: Vec<u32>,
    clusters: Clusters,
}

/// A match with the new indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) stored: &'a StoredMatch,
    pub(crate) results: &'a [StoredSeat],
    bot_rank: &'a [u16],
    pub(crate) game: usize,
    pub(crate) seats: usize,
    /// True if it repeats another one.
    pub(crate) duplicate: bool,
    /// Its cluster, and the cluster's number of units.
    pub(crate) cluster: (u32, u32),
}

impl Entry<'_> {
    /// True if the match is selected for ratings.
    pub(crate) fn is_in(&self, selection: &Selection) -> bool {
        is_rated(self.seats)
            && selection.game.is_none_or(|only| only == self.game)
            && selection
                .weights
                .get(self.game)
                .is_none_or(|weight| *weight > 0.0)
            && !(selection.without_forfeits && self.stored.at_fault != 0)
    }

    pub(crate) fn bot(&self, seat: usize) -> usize {
        usize::from(self.bot_rank[usize::from(self.results[seat].bot)])
    }

    /// The result for ratings, if the game is rated.
    pub(crate) fn placing(&self) -> Placing {
        let mut placing = Placing {
            game: self.game as u16,
            bots: [0; RATED_SEATS],
            ranks: [0; RATED_SEATS],
        };
        for (seat, result) in self.results.iter().enumerate().take(RATED_SEATS) {
            placing.bots[seat] = self.bot_rank[usize::from(result.bot)];
            placing.ranks[seat] = result.rank;
        }
        placing
    }

    /// The score of a seat against another: 1, ½ or 0.
    pub(crate) fn versus(&self, seat: usize, other: usize) -> f64 {
        match self.results[seat].rank.cmp(&self.results[other].rank) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 0.0,
        }
    }
}

impl<'a> SwappedPairs<'a> {
    pub(crate) fn new(matches: &'a MatchStore) -> Self {
        let (bots, bot_rank) = sorted(matches.standings.bots(), |bot| bot.name.clone());
        let (games, game_rank) = sorted(matches.standings.games(), |game| {
            // Labels abbreviate options, so equal labels may have different options.
            (game.label(), game.options.to_string(), game.roles.len())
        });
        let label = |game: &usize| matches.standings.games()[*game].label();
        let stored = &matches.stored;
        let mut pairs = SwappedPairs {
            labels: games.iter().map(label).collect(),
            matches,
            bots,
            games,
            bot_rank,
            game_rank,
            order: (0..stored.len() as u32).collect(),
            clusters: Clusters::new(stored, matches.standings.games().len()),
        };
        pairs.order.par_sort_unstable_by(|&one, &other| {
            let [one, other] = [one, other].map(|index| &stored[index as usize]);
            let key = |stored: &StoredMatch| (stored.unit, stored.number, stored.moves);
            let ranks = |stored| matches.seats_of(stored).iter().map(|seat| seat.rank);
            let order = key(one).cmp(&key(other));
            order.then_with(|| ranks(one).cmp(ranks(other)))
        });
        pairs
    }

    pub(crate) fn place_of(&self, bot: usize) -> Option<usize> {
        self.bot_rank.get(bot).map(|rank| usize::from(*rank))
    }

    fn entry(&self, index: u32) -> Entry<'_> {
        let stored = &self.matches.stored[index as usize];
        let results = self.matches.seats_of(stored);
        Entry {
            stored,
            results,
            bot_rank: &self.bot_rank,
            game: usize::from(self.game_rank[usize::from(stored.game)]),
            seats: results.len(),
            duplicate: self.clusters.duplicate[index as usize],
            cluster: self.clusters.of(index),
        }
    }

    /// The units, each with all its matches, including duplicates.
    pub(crate) fn units(&self) -> impl Iterator<Item = Vec<Entry<'_>>> {
        let unit = |index: &u32| self.matches.stored[*index as usize].unit;
        let units = self.order.chunk_by(move |a, b| unit(a) == unit(b));
        units.map(|unit| unit.iter().map(|index| self.entry(*index)).collect())
    }

    /// In the order of the schedule.
    pub(crate) fn by_number(&self) -> impl Iterator<Item = Entry<'_>> {
        // Of equal numbers, as in a log with matches twice, the order is that of the units.
        let places = self.order.iter().zip(0..);
        let mut order: Vec<(Number, u32)> = places
            .map(|(index, place)| (self.matches.stored[*index as usize].number, place))
            .collect();
        order.par_sort_unstable();
        let places = order.into_iter();
        places.map(|(_, place)| self.entry(self.order[place as usize]))
    }

    pub(crate) fn clusters(&self) -> u64 {
        self.clusters.count()
    }

    /// By game: the number of seats; 1 if it is not rated.
    fn rated_seats(&self) -> Vec<usize> {
        let seats = self
            .games
            .iter()
            .map(|game| self.matches.standings.games()[*game].roles.len());
        seats
            .map(|seats| if is_rated(seats) { seats } else { 1 })
            .collect()
    }

    /// The evidence of the selected matches.
    pub(crate) fn evidence(&self, choice: &Selection) -> Evidence {
        let mut evidence = Evidence::new(self.bots.len(), self.rated_seats());
        evidence.weights.clone_from(&choice.weights);
        let several = self.games.iter().map(|game| self.clusters.several[*game]);
        evidence.openings = several.collect();
        let mut clusters: BTreeMap<u32, Vec<Unit>> = BTreeMap::new();
        let singles = self.units().filter_map(|unit| {
            let counts = unit.iter().filter(|entry| entry.is_in(choice));
            let placings: Unit = counts.map(Entry::placing).collect();
            match unit[0].cluster {
                (_, 1) => return Some(placings),
                (cluster, _) => clusters.entry(cluster).or_default().push(placings),
            }
            None
        });
        evidence.add_all(singles);
        for cluster in clusters.into_values() {
            evidence.add_cluster(&cluster);
        }
        evidence
    }
}

/// Sorts things by a key: their indices in order, and the rank of each.
fn sorted<T, K: Ord>(things: &[T], key: impl Fn(&T) -> K) -> (Vec<usize>, Vec<u16>) {
    let mut order: Vec<usize> = (0..things.len()).collect();
    order.sort_by_cached_key(|&index| key(&things[index]));
    let mut rank = vec![0; things.len()];
    for (place, &index) in order.iter().enumerate() {
        rank[index] = place as u16;
    }
    (order, rank)
}
