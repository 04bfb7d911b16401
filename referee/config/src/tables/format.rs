//! The tables of formats: knockouts and tests.

use ratings::sprt::EloModel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bracket and ties of a knockout.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KnockoutTable {
    /// Seeding of the bracket: "order" (the order of the bots, the strongest first) or "lot" (drawn
    /// from the seed).
    pub seeding: Seeding,
    /// At most this many more swapped pairs decide a tied duel; after that, the bot that was seeded
    /// higher advances.
    pub tie_breaks: u32,
    /// Let the losers of the semifinals play for third place.
    pub third_place: bool,
}

impl Default for KnockoutTable {
    fn default() -> Self {
        KnockoutTable {
            seeding: Seeding::Order,
            tie_breaks: 4,
            third_place: false,
        }
    }
}

/// Seeding of a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Seeding {
    /// In the order of the bots.
    Order,
    /// In an order drawn by lot.
    Lot,
}

/// The hypotheses. H0: the first bot is stronger by `elo0`. H1: it is stronger by `elo1`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SprtTable {
    /// The scale of `elo0` and `elo1`: "logistic" (Elo by expected score) or "normalized" (the
    /// score in standard deviations of a match, which alone determines how many pairs a test takes,
    /// whatever the share of draws).
    pub(crate) model: EloModel,
    /// The lower difference in strength.
    pub elo0: f64,
    /// The higher difference in strength.
    pub elo1: f64,
    /// The probability of accepting H1 although H0 holds.
    pub alpha: f64,
    /// The probability of accepting H0 although H1 holds.
    pub beta: f64,
    /// The number of swapped pairs after which the test ends without a decision.
    #[schemars(range(min = 1))]
    pub max_pairs: u32,
}

impl Default for SprtTable {
    fn default() -> Self {
        SprtTable {
            model: EloModel::Logistic,
            elo0: 0.0,
            elo1: 20.0,
            alpha: 0.05,
            beta: 0.05,
            max_pairs: 10_000,
        }
    }
}
