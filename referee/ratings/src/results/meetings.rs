//! Head-to-head results by game.

use std::collections::BTreeMap;

use serde::Serialize;

use super::swapped_pairs::{Entry, SwappedPairs};
use crate::inference::{FALSE_DISCOVERIES, Score, Trials, rates};

/// The results of two bots against each other in a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Meeting {
    /// The indices of the bots, in ascending order.
    pub bots: [usize; 2],
    pub game: usize,
    /// Matches with both.
    pub matches: u64,
    /// The first bot's points in them: 1 if it did better than the second, ½ if equal.
    pub points: f64,
    /// Matches that repeat another one move by move.
    pub duplicates: u64,
    /// Complete swapped pairs (or groups).
    pub pairs: u64,
    /// Pairs in which the first bot scored more, as many, and fewer points.
    pub pair_results: [u64; 3],
    /// The sum of the first bot's scores of pairs, each from 0 to 1.
    pub pair_points: f64,
    /// Their mean with its interval; `None` without pairs.
    pub score: Option<Score>,
    /// The least false-discovery rate, among all meetings of a report, at which the difference is marked.
    pub false_discovery: Option<f64>,
    /// The game's own scores of both bots, summed over the pairs.
    pub scores: [i64; 2],
    /// Pairs in which the first bot's own scores sum up to more, as much, and less.
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

    /// The better bot, if marked: of all marks, at most 5 % are false.
    pub fn better(&self) -> Option<usize> {
        let score = self.score.as_ref()?;
        let sure = self.false_discovery? <= FALSE_DISCOVERIES;
        (sure && score.mean != 0.5).then(|| self.bots[usize::from(score.mean < 0.5)])
    }

    /// The meeting from the other bot's side.
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

    /// Adds the results of a unit.
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

impl SwappedPairs<'_> {
    /// One for each two bots and each game.
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

/// True if a unit is complete: every bot sat in each seat equally often.
fn complete(unit: &[Entry<'_>]) -> bool {
    let Some(first) = unit.first() else {
        return false;
    };
    let bots: Vec<usize> = (0..first.seats).map(|seat| first.bot(seat)).collect();
    let sat = |bot: usize, seat: usize| {
        let there = unit.iter().filter(|entry| entry.bot(seat) == bot);
        there.count()
    };
    let fair = |bot: &usize| (0..first.seats).all(|seat| sat(*bot, seat) == sat(*bot, 0));
    bots.iter().all(fair) && sat(bots[0], 0) > 0
}

/// 0 if better, 1 if equal, 2 if worse.
fn class(ordering: std::cmp::Ordering) -> usize {
    match ordering {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    }
}

/// The meetings of a unit.
fn meetings(unit: &[Entry<'_>]) -> impl Iterator<Item = Meeting> {
    let mut all: Vec<Meeting> = Vec::new();
    for entry in unit {
        let game = entry.game;
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
                    *sum += i64::from(entry.results[seat].score);
                }
            }
        }
    }
    all.into_iter()
}
