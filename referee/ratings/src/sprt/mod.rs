//! The sequential probability ratio test between two bots: stop as soon as it is clear which of
//! two hypotheses holds.
//!
//! The hypotheses are about the first bot's strength against the second, in one of two scales
//! ([`EloModel`]). The observations are units, not matches: with two seats the points of a swapped
//! pair, 0, ½, 1, 1½ or 2 (pentanomial); with more, the first bot's mean score against the second
//! over all matches of the group. So neither a lopsided game nor a lopsided opening is taken for
//! noise.

mod estimate;
mod passage;
mod prospect;
mod scores;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use estimate::{Corrected, corrected};
pub use prospect::{Prospect, prospect};
pub use scores::Scores;

/// The scale of the hypotheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EloModel {
    /// Logistic Elo: the first bot expects the score s = 1 / (1 + 10^(−elo/400)).
    #[default]
    Logistic,
    /// Normalized Elo: (s − ½) / σ · 800 / ln 10, where σ is the standard deviation of a match,
    /// taken from swapped pairs: √2 times that of a pair's mean score. The effort to distinguish two
    /// bots depends on this alone, not on the share of draws. The definition is that of
    /// Fishtest (Michel Van den Bergh, "Normalized Elo", and `LLRcalc.py` there).
    Normalized,
}

impl EloModel {
    /// For people: "Elo" or "normalized Elo".
    pub fn unit(self) -> &'static str {
        match self {
            EloModel::Logistic => "Elo",
            EloModel::Normalized => "normalized Elo",
        }
    }
}

/// Normalized Elo for each standard deviation of a match.
const NORMALIZED: f64 = 800.0 / std::f64::consts::LN_10;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hypotheses {
    /// The scale of `elo0` and `elo1`.
    pub model: EloModel,
    /// H0: the first bot is stronger by this.
    pub elo0: f64,
    /// H1: the first bot is stronger by this; more than `elo0`.
    pub elo1: f64,
    /// Probability of accepting H1 although H0 holds.
    pub alpha: f64,
    /// Probability of accepting H0 although H1 holds.
    pub beta: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadHypotheses {
    #[error("differences from -1000 to 1000 are needed, `elo1` above `elo0`")]
    Elo,
    #[error("differences from -200 to 200 normalized Elo are needed, `elo1` above `elo0`")]
    NormalizedElo,
    #[error("`alpha` must be a chance from 0.0001 to 0.49")]
    Alpha,
    #[error("`beta` must be a chance from 0.0001 to 0.49")]
    Beta,
}

impl Hypotheses {
    /// Checks that the hypotheses can be tested.
    ///
    /// # Errors
    /// Says what is out of bounds.
    pub fn check(&self) -> Result<(), BadHypotheses> {
        let (most, wrong) = match self.model {
            EloModel::Logistic => (1000.0, BadHypotheses::Elo),
            EloModel::Normalized => (200.0, BadHypotheses::NormalizedElo),
        };
        let usual = |elo: f64| (-most..=most).contains(&elo);
        let chance = |chance: f64| (0.0001..=0.49).contains(&chance);
        if !usual(self.elo0) || !usual(self.elo1) || self.elo0 >= self.elo1 {
            return Err(wrong);
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Running,
    H0,
    H1,
}

impl Scores {
    /// The decision so far.
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
