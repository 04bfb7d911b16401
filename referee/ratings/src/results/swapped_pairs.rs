//! Matches sorted into units, and these into clusters: the same whatever order they came in.

use std::collections::BTreeMap;

use serde::Serialize;

use super::clusters::Clusters;
use super::evidence::{Evidence, Placing};
use super::selection::Selection;
use crate::matches::{MatchStore, StoredMatch};
use crate::report::{FALSE_DISCOVERIES, rates};
use crate::report::{Score, Trials};

/// The matches in order. Bots and games have new indices here, by name.
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

/// A match in terms of the digest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) stored: &'a StoredMatch,
    pub(crate) placing: Placing,
    pub(crate) seats: usize,
    /// Whether it repeats another one.
    pub(crate) duplicate: bool,
    /// Its cluster, and how many units that has.
    pub(crate) cluster: (u32, u32),
}

impl Entry<'_> {
    /// Whether ratings are made from the match.
    pub(crate) fn is_in(&self, selection: &Selection) -> bool {
        let game = self.placing.game as usize;
        selection.game.is_none_or(|only| only == game)
            && selection
                .weights
                .get(game)
                .is_none_or(|weight| *weight > 0.0)
            && !(selection.without_forfeits && self.stored.at_fault != 0)
    }

    /// The bot in a seat.
    pub(crate) fn bot(&self, seat: usize) -> usize {
        self.placing.bots[seat] as usize
    }

    /// What a seat scored against another: 1, ½ or 0.
    pub(crate) fn versus(&self, seat: usize, other: usize) -> f64 {
        match self.stored.ranks[seat].cmp(&self.stored.ranks[other]) {
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
            // Options that read alike in short need not be equal.
            (game.label(), game.options.to_string(), game.roles.len())
        });
        let label = |game: &usize| matches.standings.games()[*game].label();
        let stored = &matches.stored;
        let mut digest = SwappedPairs {
            labels: games.iter().map(label).collect(),
            matches,
            bots,
            games,
            bot_rank,
            game_rank,
            order: (0..stored.len() as u32).collect(),
            clusters: Clusters::new(stored, matches.standings.games().len()),
        };
        digest.order.sort_unstable_by_key(|&index| {
            let stored = &stored[index as usize];
            (stored.unit, stored.number, stored.moves, stored.ranks)
        });
        digest
    }

    /// Where a bot of the matches is in the digest.
    pub(crate) fn place_of(&self, bot: usize) -> Option<usize> {
        self.bot_rank.get(bot).map(|rank| usize::from(*rank))
    }

    fn entry(&self, index: u32) -> Entry<'_> {
        let stored = &self.matches.stored[index as usize];
        let seats = self.matches.standings.games()[stored.game as usize]
            .roles
            .len();
        let mut bots = [0; games::MAX_SEATS];
        for (bot, old) in bots.iter_mut().zip(&stored.bots[..seats]) {
            *bot = self.bot_rank[*old as usize];
        }
        Entry {
            stored,
            placing: Placing {
                game: self.game_rank[stored.game as usize],
                bots,
                ranks: stored.ranks,
            },
            seats,
            duplicate: self.clusters.duplicate[index as usize],
            cluster: self.clusters.of(index),
        }
    }

    /// The units, each with all its matches, duplicates included.
    pub(crate) fn units(&self) -> impl Iterator<Item = Vec<Entry<'_>>> {
        let unit = |index: &u32| self.matches.stored[*index as usize].unit;
        let units = self.order.chunk_by(move |a, b| unit(a) == unit(b));
        units.map(|unit| unit.iter().map(|index| self.entry(*index)).collect())
    }

    /// All matches in the order of their schedule.
    pub(crate) fn by_number(&self) -> impl Iterator<Item = Entry<'_>> {
        let mut order = self.order.clone();
        order.sort_by_key(|index| self.matches.stored[*index as usize].number);
        order.into_iter().map(|index| self.entry(index))
    }

    /// How many clusters there are.
    pub(crate) fn clusters(&self) -> u64 {
        self.clusters.count()
    }

    /// The numbers of seats of the games.
    fn seats(&self) -> Vec<usize> {
        let seats = self
            .games
            .iter()
            .map(|game| self.matches.standings.games()[*game].roles.len());
        seats.collect()
    }

    /// What ratings are made from.
    pub(crate) fn evidence(&self, choice: &Selection) -> Evidence {
        let mut evidence = Evidence::new(self.bots.len(), self.seats());
        evidence.weights.clone_from(&choice.weights);
        let several = self.games.iter().map(|game| self.clusters.several[*game]);
        evidence.openings = several.collect();
        let mut clusters: BTreeMap<u32, Vec<Vec<Placing>>> = BTreeMap::new();
        for unit in self.units() {
            let counts = unit.iter().filter(|entry| entry.is_in(choice));
            let placings: Vec<Placing> = counts.map(|entry| entry.placing).collect();
            match unit[0].cluster {
                (_, 1) => evidence.add(&placings),
                (cluster, _) => clusters.entry(cluster).or_default().push(placings),
            }
        }
        for cluster in clusters.into_values() {
            evidence.add_cluster(&cluster);
        }
        evidence
    }

    /// How each two bots did against each other, a game each.
    pub(crate) fn meetings(&self) -> Vec<Meeting> {
        let mut all: BTreeMap<([usize; 2], usize), (Meeting, Tried)> = BTreeMap::new();
        for unit in self.units() {
            let complete = complete(&unit);
            for met in meetings(&unit) {
                let key = (met.bots, met.game);
                let found = all.entry(key);
                let (sum, tried) =
                    found.or_insert_with(|| (met.without_results(), Tried::default()));
                sum.add(&met, complete);
                if complete {
                    tried.add(unit[0].cluster, met.points / met.matches as f64);
                }
            }
        }
        let all = all.into_values().map(|(mut met, tried)| {
            met.score = tried.score();
            met
        });
        let mut all: Vec<Meeting> = all.collect();
        let p_value = |met: &Meeting| Some(met.score.as_ref()?.p_value);
        let p_values: Vec<Option<f64>> = all.iter().map(p_value).collect();
        for (met, rate) in all.iter_mut().zip(rates(&p_values)) {
            met.false_discovery = rate;
        }
        all
    }
}

/// The scores of two bots' units, by cluster.
#[derive(Default)]
struct Tried {
    singles: Trials,
    /// The sum of the scores and the number of units, by cluster.
    clusters: BTreeMap<u32, (f64, u64)>,
}

impl Tried {
    fn add(&mut self, (cluster, size): (u32, u32), score: f64) {
        if size == 1 {
            self.singles.add(score, 1);
            return;
        }
        let (sum, count) = self.clusters.entry(cluster).or_default();
        *sum += score;
        *count += 1;
    }

    fn score(mut self) -> Option<Score> {
        for (sum, count) in self.clusters.into_values() {
            self.singles.add(sum, count);
        }
        self.singles.score()
    }
}

/// The order of some things by a key, as indices, and the rank of each.
fn sorted<T, K: Ord>(things: &[T], key: impl Fn(&T) -> K) -> (Vec<usize>, Vec<u16>) {
    let mut order: Vec<usize> = (0..things.len()).collect();
    order.sort_by_cached_key(|&index| key(&things[index]));
    let mut rank = vec![0; things.len()];
    for (place, &index) in order.iter().enumerate() {
        rank[index] = place as u16;
    }
    (order, rank)
}

/// Whether a unit is finished: every bot sat in each seat, and equally often.
fn complete(unit: &[Entry<'_>]) -> bool {
    let Some(first) = unit.first() else {
        return false;
    };
    let bots = &first.placing.bots[..first.seats];
    let sat = |bot: u16, seat: usize| {
        let there = unit.iter().filter(|entry| entry.placing.bots[seat] == bot);
        there.count()
    };
    let fair = |bot: &u16| (0..first.seats).all(|seat| sat(*bot, seat) == sat(*bot, 0));
    bots.iter().all(fair) && sat(bots[0], 0) > 0
}

/// How two bots did against each other in a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Meeting {
    /// The bots, as indices; the first is the lower one.
    pub bots: [usize; 2],
    /// The game, as an index.
    pub game: usize,
    /// Matches in which both were.
    pub matches: u64,
    /// The first bot's points in these: 1 where it did better than the second, ½ where equal.
    pub points: f64,
    /// Those of the matches that repeat another one move by move.
    pub duplicates: u64,
    /// Complete swapped pairs (or groups).
    pub pairs: u64,
    /// Pairs in which the first bot made more points, as many, and fewer.
    pub pair_results: [u64; 3],
    /// The first bot's scores of the pairs, each from 0 to 1, summed.
    pub pair_points: f64,
    /// Their mean, with its interval; `None` if there are none.
    pub score: Option<Score>,
    /// The least rate of false discoveries, among all meetings of a report, at which one of the bots
    /// is better.
    pub false_discovery: Option<f64>,
    /// The game's own scores of both bots, summed over the pairs.
    pub scores: [i64; 2],
    /// Pairs in which the first bot's own scores summed up to more, as much, and less.
    pub score_results: [u64; 3],
}

impl Meeting {
    fn new(bots: [usize; 2], game: usize) -> Self {
        Meeting {
            bots,
            game,
            matches: 0,
            points: 0.0,
            duplicates: 0,
            pairs: 0,
            pair_results: [0; 3],
            pair_points: 0.0,
            score: None,
            false_discovery: None,
            scores: [0; 2],
            score_results: [0; 3],
        }
    }

    fn without_results(&self) -> Self {
        Meeting::new(self.bots, self.game)
    }

    /// Which of the bots is better, where that is marked as sure: of all that are, at most 5 % are
    /// false.
    pub fn better(&self) -> Option<usize> {
        let score = self.score.as_ref()?;
        let sure = self.false_discovery? <= FALSE_DISCOVERIES;
        (sure && score.mean != 0.5).then(|| self.bots[usize::from(score.mean < 0.5)])
    }

    /// The same from the other bot's side.
    pub fn reversed(&self) -> Self {
        let [lower, higher] = self.bots;
        let [own, other] = self.scores;
        let turned = |[more, even, fewer]: [u64; 3]| [fewer, even, more];
        Meeting {
            bots: [higher, lower],
            points: self.matches as f64 - self.points,
            pair_results: turned(self.pair_results),
            pair_points: self.pairs as f64 - self.pair_points,
            score: self.score.map(Score::reversed),
            scores: [other, own],
            score_results: turned(self.score_results),
            ..self.clone()
        }
    }

    /// Adds what happened in a unit.
    fn add(&mut self, unit: &Meeting, complete: bool) {
        self.matches += unit.matches;
        self.points += unit.points;
        self.duplicates += unit.duplicates;
        if complete {
            self.pairs += 1;
            self.pair_points += unit.points / unit.matches as f64;
            let even = 0.5 * unit.matches as f64;
            self.pair_results[class(even.total_cmp(&unit.points))] += 1;
            self.score_results[class(unit.scores[1].cmp(&unit.scores[0]))] += 1;
            for (sum, score) in self.scores.iter_mut().zip(unit.scores) {
                *sum += score;
            }
        }
    }
}

/// Better, equal or worse.
fn class(ordering: std::cmp::Ordering) -> usize {
    match ordering {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    }
}

/// Each two bots of a unit, with their sums over its matches.
fn meetings(unit: &[Entry<'_>]) -> impl Iterator<Item = Meeting> {
    let mut all: Vec<Meeting> = Vec::new();
    for entry in unit {
        let game = entry.placing.game as usize;
        for seat in 0..entry.seats {
            for other in 0..entry.seats {
                let bots = [entry.bot(seat), entry.bot(other)];
                if bots[0] >= bots[1] {
                    continue;
                }
                let found = all.iter().position(|meeting| meeting.bots == bots);
                let index = found.unwrap_or_else(|| {
                    all.push(Meeting::new(bots, game));
                    all.len() - 1
                });
                let meeting = &mut all[index];
                meeting.matches += 1;
                meeting.points += entry.versus(seat, other);
                meeting.duplicates += u64::from(entry.duplicate);
                for (sum, seat) in meeting.scores.iter_mut().zip([seat, other]) {
                    *sum += i64::from(entry.stored.scores[seat]);
                }
            }
        }
    }
    all.into_iter()
}
