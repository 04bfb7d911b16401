//! Goodness of fit: results of pairs beside their expectation, intransitivity, bots that changed
//! during the tournament, and the law of draws. If the model does not fit, ratings are only a
//! summary.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

use super::ratings::Fitted;
use crate::evidence::{Placing, RATED_SEATS};
use crate::model::Strengths;
use crate::results::{Entry, SwappedPairs};

/// A test finds something below this chance. Reports are read often, so that it is small.
const UNLIKELY: f64 = 0.01;
/// With fewer clusters, a bot's interval is a rough one.
const ENOUGH_CLUSTERS: f64 = 10.0;
/// Cycles are searched among no more bots than this.
const MOST_BOTS: usize = 100;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Fitness {
    /// One for each two bots that met.
    pub residuals: Vec<Residual>,
    /// `None` if there is nothing to test.
    pub transitivity: Option<Transitivity>,
    /// Bots that became stronger or weaker.
    pub drifts: Vec<Drift>,
    /// By game: the chance of draws that follow strengths as badly as these, if the model held;
    /// `None` without draws or with more than two seats.
    pub draws: Vec<Option<f64>>,
    /// Games whose draws follow another law than the model's.
    pub odd_draws: Vec<usize>,
    /// Bots whose intervals are rough, since they rest on few clusters.
    pub few_clusters: Vec<usize>,
}

/// Observed and expected score of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Residual {
    /// The bots, as indices; the first is the lower one.
    pub bots: [usize; 2],
    pub matches: u64,
    /// The first one's score a match.
    pub score: f64,
    /// Expected score, given the ratings and seats.
    pub expected: f64,
    /// The difference in standard errors.
    pub errors: f64,
}

/// A test of whether one rating a bot is enough.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Transitivity {
    /// The sum of the squared residuals in standard errors.
    pub statistic: f64,
    /// Its mean, if the model holds.
    pub freedom: u64,
    /// The chance of as much or more, if the model holds.
    pub p_value: f64,
    /// True if the p-value is too small.
    pub broken: bool,
    /// Bots each of which beats the next one, and the last one the first, if results are cyclic.
    pub cycle: Option<[usize; 3]>,
}

/// A bot that was not the same all the time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Drift {
    pub bot: usize,
    /// Change of the score per match from the earlier to the later half, beyond what the opponents
    /// explain.
    pub change: f64,
    /// The chance of as much, up or down, in any bot of the tournament, if none had changed.
    pub p_value: f64,
}

/// Sums over clusters that are independent of each other.
#[derive(Clone, Debug, Default)]
struct Sum {
    all: f64,
    /// By cluster of several units.
    clusters: BTreeMap<u32, f64>,
    squares: f64,
}

impl Sum {
    fn add(&mut self, (cluster, size): (u32, u32), value: f64) {
        self.all += value;
        match size {
            1 => self.squares += value * value,
            _ => *self.clusters.entry(cluster).or_default() += value,
        }
    }

    fn squares(&self) -> f64 {
        let clusters = self.clusters.values().map(|value| value * value);
        self.squares + clusters.sum::<f64>()
    }

    fn errors(&self) -> f64 {
        let squares = self.squares();
        if squares > 0.0 {
            self.all / squares.sqrt()
        } else {
            0.0
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Met {
    matches: u64,
    score: f64,
    expected: f64,
    variance: f64,
    off: Sum,
}

/// Tests the fit to those matches that count.
pub(crate) fn fitness(
    pairs: &SwappedPairs<'_>,
    fitted: &Fitted,
    counts: &dyn Fn(&Entry<'_>) -> bool,
) -> Fitness {
    let mut met: BTreeMap<[usize; 2], Met> = BTreeMap::new();
    let mut tables = Tables::new(&fitted.strengths);
    let mut beyond = vec![Beyond::default(); pairs.bots.len()];
    let mut draws = vec![[Sum::default(), Sum::default()]; pairs.games.len()];
    for unit in pairs.units() {
        for entry in unit.iter().filter(|entry| counts(entry)) {
            let expected = tables.get(entry);
            for seat in 0..entry.seats {
                beyond[entry.bot(seat)].add(off(entry, &expected, seat));
                for other in (0..entry.seats).filter(|other| *other != seat) {
                    let Expected { score, variance } = expected[seat][other];
                    let scored = entry.versus(seat, other);
                    let bots = [entry.bot(seat), entry.bot(other)];
                    if bots[0] < bots[1] {
                        let met = met.entry(bots).or_default();
                        met.matches += 1;
                        met.score += scored;
                        met.expected += score;
                        met.variance += variance;
                        met.off.add(entry.cluster, scored - score);
                    }
                }
            }
            if let Some((drawn, lead)) = tables.draw(fitted, entry) {
                let [with_lead, alone] = &mut draws[entry.game];
                with_lead.add(entry.cluster, drawn * lead);
                alone.add(entry.cluster, drawn);
            }
        }
    }
    let dispersion = dispersion(&met);
    let residuals: Vec<Residual> = met
        .iter()
        .map(|(bots, met)| residual(*bots, met, dispersion))
        .collect();
    let draws: Vec<Option<f64>> = draws
        .iter()
        .map(|[with_lead, _]| (with_lead.squares() > 0.0).then(|| two_sided(with_lead.errors())))
        .collect();
    let odd = |game: &usize| draws[*game].is_some_and(|p_value| p_value < UNLIKELY / 10.0);
    let rated = |bot: &usize| (0.5..ENOUGH_CLUSTERS).contains(&fitted.jackknife.clusters[*bot]);
    Fitness {
        transitivity: transitivity(&residuals, fitted.strengths.groups()),
        residuals,
        drifts: drifts(pairs, &beyond, &mut tables, counts),
        odd_draws: (0..draws.len()).filter(odd).collect(),
        draws,
        few_clusters: (0..pairs.bots.len()).filter(rated).collect(),
    }
}

/// The expected score of one seat against another one.
#[derive(Clone, Copy, Debug, Default)]
struct Expected {
    score: f64,
    variance: f64,
}

impl Expected {
    fn new(win: f64, draw: f64) -> Self {
        let score = win + 0.5 * draw;
        Expected {
            score,
            variance: win + 0.25 * draw - score * score,
        }
    }
}

type Table = [[Expected; RATED_SEATS]; RATED_SEATS];

/// Cached expectations. Those of more than two seats are kept by seating, as they take long to
/// compute.
struct Tables<'a> {
    strengths: &'a Strengths,
    known: HashMap<Placing, Table>,
}

impl<'a> Tables<'a> {
    fn new(strengths: &'a Strengths) -> Self {
        Tables {
            strengths,
            known: HashMap::new(),
        }
    }

    fn get(&mut self, entry: &Entry<'_>) -> Table {
        if entry.seats == 2 {
            return self.made(entry);
        }
        let placing = Placing {
            ranks: [0; RATED_SEATS],
            ..entry.placing()
        };
        if let Some(known) = self.known.get(&placing) {
            return *known;
        }
        let table = self.made(entry);
        self.known.insert(placing, table);
        table
    }

    fn made(&self, entry: &Entry<'_>) -> Table {
        let mut table = Table::default();
        if entry.seats == 2 {
            let [win, draw, loss] = self.strengths.pair_chances(&entry.placing(), [0, 1]);
            table[0][1] = Expected::new(win, draw);
            table[1][0] = Expected::new(loss, draw);
            return table;
        }
        for (seat, row) in table.iter_mut().enumerate().take(entry.seats) {
            for other in (0..entry.seats).filter(|other| *other != seat) {
                let chances = self.strengths.pair_chances(&entry.placing(), [seat, other]);
                let [win, draw, _] = chances;
                row[other] = Expected::new(win, draw);
            }
        }
        table
    }

    /// Of two seats in a game with draws: how much more of a draw there was than expected, and how
    /// far the seats are apart, less what that is worth to the share of draws on the whole.
    fn draw(&self, fitted: &Fitted, entry: &Entry<'_>) -> Option<(f64, f64)> {
        let game = &fitted.strengths.model.games[entry.game];
        if entry.seats != 2 || game.tie(2).is_none() || game.spread().is_some() {
            return None;
        }
        let at = &fitted.strengths.point;
        let worth = game.seat(1).map_or(0.0, |param| at[param]);
        let lead = (at[entry.bot(0)] - at[entry.bot(1)] - worth).abs();
        let [_, draw, _] = fitted
            .strengths
            .model
            .pair_chances(&entry.placing(), [0, 1], at);
        let drawn = f64::from(u8::from(entry.results[0].rank == entry.results[1].rank));
        Some((drawn - draw, lead - fitted.usual_lead(entry.game)))
    }
}

/// Variance of the results relative to independent matches.
fn dispersion(met: &BTreeMap<[usize; 2], Met>) -> f64 {
    let varied: f64 = met.values().map(|met| met.off.squares()).sum();
    let usual: f64 = met.values().map(|met| met.variance).sum();
    if usual > 0.0 { varied / usual } else { 1.0 }
}

fn residual(bots: [usize; 2], met: &Met, dispersion: f64) -> Residual {
    let matches = met.matches as f64;
    let variance = met.variance * dispersion;
    Residual {
        bots,
        matches: met.matches,
        score: met.score / matches,
        expected: met.expected / matches,
        errors: if variance > 0.0 {
            met.off.all / variance.sqrt()
        } else {
            0.0
        },
    }
}

/// Tests if one rating per bot explains the results between bots.
fn transitivity(residuals: &[Residual], groups: &[usize]) -> Option<Transitivity> {
    let mut met = vec![false; groups.len()];
    for residual in residuals {
        for bot in residual.bots {
            met[bot] = true;
        }
    }
    let bots = met.iter().filter(|met| **met).count() as u64;
    let mut seen: Vec<usize> = (0..groups.len())
        .filter(|bot| met[*bot])
        .map(|bot| groups[bot])
        .collect();
    seen.dedup();
    seen.sort_unstable();
    seen.dedup();
    let freedom = (residuals.len() as u64 + seen.len() as u64).checked_sub(bots)?;
    if freedom == 0 {
        return None;
    }
    let statistic: f64 = residuals.iter().map(|it| it.errors * it.errors).sum();
    let law = ChiSquared::new(freedom as f64).ok()?;
    let p_value = law.sf(statistic);
    let broken = p_value < UNLIKELY;
    let cycle = broken.then(|| cycle(residuals, groups.len())).flatten();
    Some(Transitivity {
        statistic,
        freedom,
        p_value,
        broken,
        cycle,
    })
}

/// The three bots each of which beats the next one, as much more than it should as possible.
fn cycle(residuals: &[Residual], bots: usize) -> Option<[usize; 3]> {
    if bots > MOST_BOTS {
        return None;
    }
    let mut beats = vec![vec![None; bots]; bots];
    for residual in residuals {
        let [a, b] = residual.bots;
        beats[a][b] = (residual.score > 0.5).then_some(residual.errors);
        beats[b][a] = (residual.score < 0.5).then_some(-residual.errors);
    }
    let mut best: Option<(f64, [usize; 3])> = None;
    for a in 0..bots {
        for b in a + 1..bots {
            for c in b + 1..bots {
                for [a, b, c] in [[a, b, c], [a, c, b]] {
                    let (Some(ab), Some(bc), Some(ca)) = (beats[a][b], beats[b][c], beats[c][a])
                    else {
                        continue;
                    };
                    let sum: f64 = ab + bc + ca;
                    // Alone, no cycle is worth a word that chance makes now and then.
                    if sum > 3.0 && best.is_none_or(|(most, _)| sum > most) {
                        best = Some((sum, [a, b, c]));
                    }
                }
            }
        }
    }
    best.map(|(_, cycle)| cycle)
}

/// A bot's score beyond expectation, per match.
#[derive(Clone, Debug, Default)]
struct Beyond {
    matches: u64,
    sum: f64,
}

impl Beyond {
    fn add(&mut self, off: f64) {
        self.matches += 1;
        self.sum += off;
    }
}

/// The drift of that score over the matches of a bot.
#[derive(Clone, Debug, Default)]
struct Course {
    /// Number of the bot's earlier matches.
    place: u64,
    trend: Sum,
    change: f64,
}

impl Course {
    fn add(&mut self, all: &Beyond, off: f64, cluster: (u32, u32)) {
        let matches = all.matches as f64;
        let time = (self.place as f64 + 0.5) / matches - 0.5;
        self.place += 1;
        self.trend.add(cluster, time * (off - all.sum / matches));
        self.change += 2.0 * time.signum() * off / matches;
    }
}

/// Bots whose later results deviate from their earlier ones.
fn drifts(
    pairs: &SwappedPairs<'_>,
    beyond: &[Beyond],
    tables: &mut Tables<'_>,
    counts: &dyn Fn(&Entry<'_>) -> bool,
) -> Vec<Drift> {
    let mut courses = vec![Course::default(); beyond.len()];
    for entry in pairs.by_number().filter(counts) {
        let expected = tables.get(&entry);
        for seat in 0..entry.seats {
            let bot = entry.bot(seat);
            courses[bot].add(&beyond[bot], off(&entry, &expected, seat), entry.cluster);
        }
    }
    let bots = beyond.iter().filter(|all| all.matches > 0).count() as f64;
    let found = courses.into_iter().enumerate().filter_map(|(bot, course)| {
        let p_value = (two_sided(course.trend.errors()) * bots).min(1.0);
        (course.place >= 20 && p_value < UNLIKELY).then_some(Drift {
            bot,
            change: course.change,
            p_value,
        })
    });
    found.collect()
}

/// A seat's score beyond expectation, per match.
fn off(entry: &Entry<'_>, expected: &Table, seat: usize) -> f64 {
    let others = (0..entry.seats).filter(|other| *other != seat);
    let off = others.map(|other| entry.versus(seat, other) - expected[seat][other].score);
    off.sum::<f64>() / (entry.seats - 1) as f64
}

/// The chance of as many standard errors, up or down.
fn two_sided(errors: f64) -> f64 {
    2.0 * Normal::standard().sf(errors.abs())
}
