//! The tables of limits and of adjudication.

use std::borrow::Cow;

use arbiter::early_end::MOST_POSITIONS;
use games::Limits;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

/// Limits that end matches besides the rules.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsTable {
    /// A match ends after this many plies; or "none".
    pub max_plies: Option<Limit>,
    /// A match ends when a position has occurred this many times; or "none".
    pub repetition: Option<Limit>,
}

impl LimitsTable {
    /// These limits, and the others where nothing is given.
    pub fn over(&self, others: Limits) -> Limits {
        let given = |limit: Option<Limit>, other| limit.map_or(other, |limit| limit.0);
        Limits {
            max_plies: given(self.max_plies, others.max_plies),
            repetition: given(self.repetition, others.repetition),
        }
    }
}

/// Ends matches before the game does. Nothing is set by default, and nothing of it applies once a
/// bot is at fault.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AdjudicateTable {
    /// Ends a match of Amazons, Amazon Penguins, Penguins or Paper Pen-guins with the result of best
    /// play, once no seat can reach what another one can, and counting proves it.
    pub settled: bool,
    /// The limit on positions that are counted after a ply, about a million a second. Default
    /// 20000.
    #[schemars(range(min = 1, max = MOST_POSITIONS))]
    pub positions: Option<u32>,
    /// Gives a match of two seats to one of them when both bots say for some moves that the other one
    /// loses.
    pub resign: Option<ResignTable>,
    /// Draws a match of two seats when both bots say for some moves that it is even.
    pub draw: Option<DrawTable>,
    /// Ends a match when all bots offer the same: a draw, or a result.
    pub offers: bool,
    /// The share of these matches, from 0 to 1, that is played out all the same, so that the report can
    /// say how often this is wrong. Default 0.1.
    pub play_out: Option<f64>,
}

/// Both bots say that one of them loses: by the `value` of their `info`, the expected outcome of their own
/// seat from 0 to 1.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResignTable {
    /// The highest value of the loser, above 0 and below 0.5. The winner's is at least 1 less this.
    pub value: f64,
    /// The number of consecutive moves of each bot.
    #[schemars(range(min = 1))]
    pub moves: u32,
    /// All bots have to agree. Only `true`, the default: no match is decided by the word of one
    /// bot.
    #[serde(default = "default_all")]
    pub(crate) all: bool,
}

fn default_all() -> bool {
    true
}

/// Both bots say that the match is even, by the same `value`.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrawTable {
    /// The largest distance of values from 0.5: above 0 and below 0.5.
    pub value: f64,
    /// The number of consecutive moves of each bot.
    #[schemars(range(min = 1))]
    pub moves: u32,
    /// Only after this many plies. Default 0.
    #[serde(default)]
    pub after: u32,
    /// All bots have to agree. Only `true`, the default.
    #[serde(default = "default_all")]
    pub(crate) all: bool,
}

/// A limit, or none.
#[derive(Clone, Copy, Debug)]
pub struct Limit(pub Option<u32>);

impl std::str::FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(n) if n >= 1 => Ok(Limit(Some(n))),
            _ if text == "none" => Ok(Limit(None)),
            _ => Err(format!(
                "{text} is not a limit; a number from 1 on or \"none\" is needed"
            )),
        }
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "whole number from 1 on or \"none\"",
            "anyOf": [{"type": "integer", "minimum": 1}, {"const": "none"}]
        })
    }
}
