//! The evidence of a test, and the log-likelihood ratio of its hypotheses.
//!
//! The distribution over the values of a unit is not known; the generalised test compares the
//! likeliest distribution under H1 to the likeliest under H0 (Michel Van den Bergh's notes on the
//! generalised SPRT, as used in engine testing).

use std::collections::{BTreeMap, HashMap};

use super::{EloModel, Hypotheses, NORMALIZED, elo, expected};

/// A value that was never seen counts this often, so that it is not thought impossible.
const UNSEEN: f64 = 1e-3;

/// The first bot's score in each unit, as counts by value.
///
/// Matches that repeat each other move by move count for the score like all others. But they are
/// not independent of each other, so the ratio is scaled to what all are worth together: of n
/// matches, as many as n² / (n₁² + n₂² + …), where n₁, n₂, … count those that are the same. Without
/// repetitions that is n.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// By value in 1/[`Scores::GRID`].
    counts: BTreeMap<u32, u64>,
    matches: u64,
    /// Occurrences of each match that may be repeated.
    same: HashMap<u64, u64>,
    /// The sum of the squares of these, and 1 for each other match.
    squares: u64,
    repeats: u64,
}

impl Scores {
    /// Values are kept as multiples of 1/5040, which holds halves of means over 1 to 10 matches
    /// and of those over 12 and more that groups of three and four seats have.
    const GRID: u32 = 5040;

    pub fn new() -> Self {
        Scores::default()
    }

    /// Adds a swapped pair that repeats nothing: the first bot's mean score, from 0 to 1.
    pub fn add(&mut self, mean: f64) {
        self.add_unit(mean, [None; 2]);
    }

    /// Adds a unit: the first bot's mean score, from 0 to 1, and for each match that may be
    /// repeated a value that is equal for its repetitions.
    pub fn add_unit(&mut self, mean: f64, matches: impl IntoIterator<Item = Option<u64>>) {
        let value = (mean.clamp(0.0, 1.0) * f64::from(Self::GRID)).round();
        *self.counts.entry(value as u32).or_default() += 1;
        for repetition in matches {
            let before = repetition.map_or(0, |repetition| {
                let times = self.same.entry(repetition).or_default();
                *times += 1;
                *times - 1
            });
            self.matches += 1;
            self.repeats += u64::from(before > 0);
            self.squares += 2 * before + 1;
        }
    }

    pub fn units(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Number of matches that repeat an earlier one move by move.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }

    /// Equivalent number of units without repetitions.
    pub fn worth(&self) -> f64 {
        self.units() as f64 * self.share()
    }

    /// The share of the matches that are worth something.
    fn share(&self) -> f64 {
        match self.repeats {
            0 => 1.0,
            _ => self.matches as f64 / self.squares as f64,
        }
    }

    /// Counts of swapped pairs with 0, ½, 1, 1½ and 2 points; `None` if some units are not swapped
    /// pairs of two seats.
    pub fn pentanomial(&self) -> Option<[u64; 5]> {
        let mut counts = [0; 5];
        for (&value, &count) in &self.counts {
            let quarter = Self::GRID / 4;
            if !value.is_multiple_of(quarter) {
                return None;
            }
            counts[(value / quarter) as usize] += count;
        }
        Some(counts)
    }

    /// The mean score a match; ½ where there are none.
    pub fn mean(&self) -> f64 {
        match self.units() {
            0 => 0.5,
            units => self.sum(|value| value) / units as f64,
        }
    }

    /// The variance of a unit's score.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.sum(|value| (value - mean).powi(2)) / self.units().max(1) as f64
    }

    fn sum(&self, of: impl Fn(f64) -> f64) -> f64 {
        let values = self.counts.iter();
        let terms = values.map(|(value, count)| of(score(*value)) * *count as f64);
        terms.sum()
    }

    /// The difference in strength that the score implies, in the scale of a test; infinite if it is
    /// undefined.
    pub fn elo(&self, model: EloModel) -> f64 {
        match model {
            EloModel::Logistic => elo(self.mean()),
            EloModel::Normalized => {
                let deviation = (self.variance() * self.a_unit()).sqrt();
                NORMALIZED * (self.mean() - 0.5) / deviation
            }
        }
    }

    /// The matches of a unit, on average.
    pub(super) fn a_unit(&self) -> f64 {
        match self.units() {
            0 => 2.0,
            units => self.matches as f64 / units as f64,
        }
    }

    /// The log-likelihood ratio of H1 to H0.
    pub fn llr(&self, hypotheses: &Hypotheses) -> f64 {
        if self.units() == 0 {
            return 0.0;
        }
        let mut counts: BTreeMap<u32, f64> =
            self.counts.iter().map(|(v, c)| (*v, *c as f64)).collect();
        for quarter in 0..=4 {
            let value = quarter * (Self::GRID / 4);
            counts.entry(value).or_insert(UNSEEN);
        }
        let values: Vec<(f64, f64)> = counts.iter().map(|(v, c)| (score(*v), *c)).collect();
        let [h0, h1] = [hypotheses.elo0, hypotheses.elo1].map(|elo| match hypotheses.model {
            EloModel::Logistic => with_mean(&values, expected(elo)),
            EloModel::Normalized => with_t_value(&values, elo / NORMALIZED * self.a_unit().sqrt()),
        });
        let terms = values
            .iter()
            .zip(h0.iter().zip(&h1))
            .map(|((_, count), (h0, h1))| count * (h1 / h0).ln());
        terms.sum::<f64>() * self.share()
    }
}

fn score(value: u32) -> f64 {
    f64::from(value) / f64::from(Scores::GRID)
}

/// The likeliest distribution with this mean, as a chance for each of the values, which come with
/// how often each was seen; 0 and 1 are among them.
fn with_mean(values: &[(f64, f64)], mean: f64) -> Vec<f64> {
    let moved: Vec<f64> = values.iter().map(|(value, _)| value - mean).collect();
    bent(values, &moved)
}

/// The likeliest distribution whose mean is `t` standard deviations above ½. The standard
/// deviation is that of the distribution itself, so this is found step by step: each one takes
/// what depends on the deviation as it is around the distribution of the step before.
fn with_t_value(values: &[(f64, f64)], t: f64) -> Vec<f64> {
    const MOST_STEPS: usize = 100;
    const EXACT: f64 = 1e-12;
    let mut chances = vec![1.0 / values.len() as f64; values.len()];
    for _ in 0..MOST_STEPS {
        let both = || values.iter().map(|(value, _)| value).zip(&chances);
        let mean: f64 = both().map(|(value, chance)| value * chance).sum();
        let variance: f64 = both().map(|(v, chance)| (v - mean).powi(2) * chance).sum();
        let deviation = variance.sqrt();
        let moved: Vec<f64> = values
            .iter()
            .map(|(value, _)| {
                let far = ((value - mean) / deviation).powi(2);
                value - 0.5 - 0.5 * t * deviation * (1.0 + far)
            })
            .collect();
        let next = bent(values, &moved);
        let change = next.iter().zip(&chances).map(|(a, b)| (a - b).abs());
        let change = change.fold(0.0, f64::max);
        chances = next;
        if change < EXACT {
            break;
        }
    }
    chances
}

/// The likeliest distribution under which the mean of `moved` is 0: a value a gets the chance
/// p / (1 + t a), where p is the share in which it was seen. `moved` is below 0 somewhere and above
/// somewhere.
fn bent(values: &[(f64, f64)], moved: &[f64]) -> Vec<f64> {
    let total: f64 = values.iter().map(|(_, count)| count).sum();
    let (least, most) = moved
        .iter()
        .fold((0.0, 0.0), |(least, most): (f64, f64), &a| {
            (least.min(a), most.max(a))
        });
    // By bisection: the mean falls as t grows.
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..200 {
        let t = 0.5 * (low + high);
        if t <= low || t >= high {
            break;
        }
        let terms = values.iter().zip(moved);
        let excess: f64 = terms.map(|((_, count), a)| count * a / (1.0 + t * a)).sum();
        if excess > 0.0 { low = t } else { high = t }
    }
    let t = 0.5 * (low + high);
    let chances = values.iter().zip(moved);
    chances
        .map(|((_, count), a)| count / total / (1.0 + t * a))
        .collect()
}
