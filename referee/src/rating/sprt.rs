//! The sequential probability ratio test between two bots: stop as soon as it is clear which of
//! two hypotheses holds.
//!
//! The hypotheses are about the first bot's strength against the second in logistic Elo: its
//! expected score s is 1 / (1 + 10^(−elo/400)). The observations are units, not matches: with two
//! seats the points of a swapped pair, 0, ½, 1, 1½ or 2 (pentanomial); with more, the first bot's
//! mean score against the second over all matches of the group. So neither a lopsided game nor a
//! lopsided opening is taken for noise. The distribution over these values is not known; the
//! generalised test compares the likeliest distribution with mean s(elo1) to the likeliest with
//! mean s(elo0) (Michel Van den Bergh's notes on the generalised SPRT, as used in engine testing).

use std::collections::BTreeMap;

use serde::Serialize;
use thiserror::Error;

/// A value that was never seen counts this often, so that it is not thought impossible.
const UNSEEN: f64 = 1e-3;

/// What is tested.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hypotheses {
    /// H0: the first bot is stronger by this, in logistic Elo.
    pub elo0: f64,
    /// H1: the first bot is stronger by this; more than `elo0`.
    pub elo1: f64,
    /// How often H1 may be accepted although H0 holds.
    pub alpha: f64,
    /// How often H0 may be accepted although H1 holds.
    pub beta: f64,
}

/// Hypotheses that cannot be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadHypotheses {
    /// The differences.
    #[error("differences from -1000 to 1000 are needed, `elo1` above `elo0`")]
    Elo,
    /// `alpha`.
    #[error("`alpha` must be a chance from 0.0001 to 0.49")]
    Alpha,
    /// `beta`.
    #[error("`beta` must be a chance from 0.0001 to 0.49")]
    Beta,
}

impl Hypotheses {
    /// Whether they can be tested.
    ///
    /// # Errors
    /// Says what is out of bounds.
    pub fn check(&self) -> Result<(), BadHypotheses> {
        let usual = |elo: f64| (-1000.0..=1000.0).contains(&elo);
        let chance = |chance: f64| (0.0001..=0.49).contains(&chance);
        if !usual(self.elo0) || !usual(self.elo1) || self.elo0 >= self.elo1 {
            return Err(BadHypotheses::Elo);
        }
        if !chance(self.alpha) {
            return Err(BadHypotheses::Alpha);
        }
        if !chance(self.beta) {
            return Err(BadHypotheses::Beta);
        }
        Ok(())
    }

    /// Below this, H0 is accepted.
    pub fn lower(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// Above this, H1 is accepted.
    pub fn upper(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Not clear yet.
    Running,
    /// H0 is accepted.
    H0,
    /// H1 is accepted.
    H1,
}

/// The first bot's score in each unit, as counts by value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// By value in 1/[`Scores::GRID`].
    counts: BTreeMap<u32, u64>,
}

impl Scores {
    /// Values are kept as multiples of 1/5040, which holds halves of means over 1 to 10 matches
    /// and of those over 12 and more that groups of three and four seats have.
    const GRID: u32 = 5040;

    /// No units yet.
    pub fn new() -> Self {
        Scores::default()
    }

    /// Takes in a unit: the first bot's mean score, from 0 to 1.
    pub fn add(&mut self, mean: f64) {
        let value = (mean.clamp(0.0, 1.0) * f64::from(Self::GRID)).round();
        *self.counts.entry(value as u32).or_default() += 1;
    }

    /// How many units there are.
    pub fn units(&self) -> u64 {
        self.counts.values().sum()
    }

    /// How often 0, ½, 1, 1½ and 2 points were made in a swapped pair; `None` if there are units
    /// that are no swapped pairs of two seats.
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
        let [h0, h1] = [hypotheses.elo0, hypotheses.elo1].map(|elo| tilt(&values, expected(elo)));
        // The likeliest distribution with mean s gives a value a the chance p / (1 + t (a − s)).
        let terms = values
            .iter()
            .map(|(value, count)| count * ((1.0 + h0.of(*value)) / (1.0 + h1.of(*value))).ln());
        terms.sum()
    }

    /// Where the test stands.
    pub fn verdict(&self, hypotheses: &Hypotheses) -> Verdict {
        let llr = self.llr(hypotheses);
        if llr >= hypotheses.upper() {
            Verdict::H1
        } else if llr <= hypotheses.lower() {
            Verdict::H0
        } else {
            Verdict::Running
        }
    }
}

/// The score that a difference in logistic Elo makes expected.
pub fn expected(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The difference in logistic Elo that makes a score expected; infinite for 0 and 1.
pub fn elo(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

fn score(value: u32) -> f64 {
    f64::from(value) / f64::from(Scores::GRID)
}

/// How a distribution is bent to have a given mean.
struct Tilt {
    strength: f64,
    mean: f64,
}

impl Tilt {
    fn of(&self, value: f64) -> f64 {
        self.strength * (value - self.mean)
    }
}

/// Finds the bend by bisection: the mean falls as it grows. Values 0 and 1 are among `values`.
fn tilt(values: &[(f64, f64)], mean: f64) -> Tilt {
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..200 {
        let strength = 0.5 * (low + high);
        if strength <= low || strength >= high {
            break;
        }
        let excess: f64 = values
            .iter()
            .map(|(value, count)| count * (value - mean) / (1.0 + strength * (value - mean)))
            .sum();
        match excess > 0.0 {
            true => low = strength,
            false => high = strength,
        }
    }
    let strength = 0.5 * (low + high);
    Tilt { strength, mean }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(counts: [u64; 5]) -> Scores {
        let mut scores = Scores::new();
        for (quarter, count) in counts.into_iter().enumerate() {
            for _ in 0..count {
                scores.add(quarter as f64 / 4.0);
            }
        }
        scores
    }

    fn hypotheses(elo0: f64, elo1: f64) -> Hypotheses {
        Hypotheses {
            elo0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
        }
    }

    #[test]
    fn bounds_are_the_usual_ones() {
        let h = hypotheses(0.0, 5.0);
        assert!((h.upper() - 2.944_438_979).abs() < 1e-8, "ln 19");
        assert!((h.lower() + 2.944_438_979).abs() < 1e-8);
    }

    #[test]
    fn scores_and_elo_belong_together() {
        assert_eq!(expected(0.0), 0.5);
        assert!((expected(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert!((elo(0.75) - 190.848_501_9).abs() < 1e-6);
        assert!((elo(expected(-37.0)) + 37.0).abs() < 1e-9);
    }

    /// With two values only, the distribution follows from its mean, and the ratio can be worked
    /// out by hand: n₀ ln((1−s1)/(1−s0)) + n₂ ln(s1/s0).
    #[test]
    fn two_values_are_a_coin() {
        let scores = pairs([40, 0, 0, 0, 60]);
        let h = hypotheses(0.0, 100.0);
        let s1 = expected(100.0);
        let by_hand = 40.0 * ((1.0 - s1) / 0.5).ln() + 60.0 * (s1 / 0.5).ln();
        assert!(
            (scores.llr(&h) - by_hand).abs() < 0.01,
            "{}",
            scores.llr(&h)
        );
    }

    /// For small differences the ratio tends to n (s1−s0) (2 mean − s0 − s1) / (2 variance).
    #[test]
    fn small_differences_are_like_a_normal_distribution() {
        let scores = pairs([105, 510, 1250, 620, 133]);
        let h = hypotheses(0.0, 5.0);
        let (s0, s1) = (expected(0.0), expected(5.0));
        let normal = scores.units() as f64 * (s1 - s0) * (2.0 * scores.mean() - s0 - s1)
            / (2.0 * scores.variance());
        assert!(
            (scores.llr(&h) - normal).abs() < 0.01 * normal.abs(),
            "{normal}"
        );
        assert!(normal > 2.0);
    }

    #[test]
    fn the_test_is_symmetric() {
        let there = pairs([3, 20, 50, 30, 8]).llr(&hypotheses(-3.0, 7.0));
        let back = pairs([8, 30, 50, 20, 3]).llr(&hypotheses(-7.0, 3.0));
        assert!((there + back).abs() < 1e-9, "{there} {back}");
    }

    #[test]
    fn clear_results_are_accepted() {
        let h = hypotheses(0.0, 20.0);
        assert_eq!(Scores::new().verdict(&h), Verdict::Running);
        assert_eq!(Scores::new().llr(&h), 0.0);
        assert_eq!(pairs([0, 0, 2, 1, 1]).verdict(&h), Verdict::Running);
        assert_eq!(pairs([2, 10, 40, 60, 30]).verdict(&h), Verdict::H1);
        assert_eq!(pairs([30, 60, 40, 10, 2]).verdict(&h), Verdict::H0);
    }

    #[test]
    fn values_off_the_quarters_are_no_pentanomial() {
        let mut scores = pairs([1, 0, 2, 0, 0]);
        assert_eq!(scores.pentanomial(), Some([1, 0, 2, 0, 0]));
        scores.add(5.0 / 12.0);
        assert_eq!(scores.pentanomial(), None);
        assert_eq!(scores.units(), 4);
        assert!((scores.mean() - (1.0 + 5.0 / 12.0) / 4.0).abs() < 1e-4);
    }
}
