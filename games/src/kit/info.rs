//! What a game says about itself: names, roles, options, notation and limits.

use serde::Serialize;
use serde_json::{Value, json};

use crate::kit::text::quoted;

/// What a game says about itself; see [`Game::INFO`](crate::Game::INFO).
#[derive(Debug)]
pub struct Info {
    /// The id in configurations, messages and logs.
    pub id: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// One sentence about how the game is played and won.
    pub summary: &'static str,
    /// The seats' names in seat order, for the largest number of seats.
    pub roles: &'static [&'static str],
    /// Whether all seats play by the same rules and with the same pieces.
    pub symmetric: bool,
    /// All options.
    pub options: &'static [OptionSpec],
    /// How moves are written: pairs of an example and its meaning.
    pub notation: &'static [(&'static str, &'static str)],
    /// The limits of a match that does not set its own.
    pub limits: Limits,
}

/// When the referee stops a match that does not end by the rules; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// The match ends when this many plies were made.
    pub max_plies: Option<u32>,
    /// The match ends when one position has occurred this many times.
    pub repetition: Option<u32>,
}

impl Limits {
    /// No limits, for games that always end by the rules.
    pub const NONE: Limits = Limits {
        max_plies: None,
        repetition: None,
    };
}

/// One option of a game.
#[derive(Debug)]
pub struct OptionSpec {
    /// The key in an options object.
    pub name: &'static str,
    /// The allowed values and the default.
    pub kind: OptionKind,
    /// One sentence about its meaning, for people.
    pub help: &'static str,
}

/// The values that an option can have, and its default.
#[derive(Debug)]
pub enum OptionKind {
    /// A whole number from `min` to `max`.
    Int {
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
        /// The default; `None` means `null`, which is then an allowed value.
        default: Option<i64>,
    },
    /// One of several words, the first one by default.
    Choice(&'static [&'static str]),
    /// `true` or `false`, by default `false`.
    Flag,
    /// A list of strings of digits, absent by default.
    Rows,
}

impl OptionKind {
    /// The allowed values, in words.
    pub fn allowed(&self) -> String {
        match self {
            OptionKind::Int {
                min, max, default, ..
            } => {
                let null = if default.is_none() { "null or " } else { "" };
                format!("{null}a whole number from {min} to {max}")
            }
            OptionKind::Choice(words) => format!("one of {}", quoted(words)),
            OptionKind::Flag => "true or false".to_owned(),
            OptionKind::Rows => "a list of strings of digits, the top row first".to_owned(),
        }
    }

    /// The default value; `None` for an option that is absent by default.
    pub fn default(&self) -> Option<Value> {
        match self {
            OptionKind::Int { default, .. } => Some(json!(default)),
            OptionKind::Choice(words) => Some(json!(words[0])),
            OptionKind::Flag => Some(json!(false)),
            OptionKind::Rows => None,
        }
    }

    /// Whether a value is allowed.
    pub(crate) fn accepts(&self, value: &Value) -> bool {
        match self {
            OptionKind::Int { min, max, default } => match value.as_i64() {
                Some(n) => (*min..=*max).contains(&n),
                None => value.is_null() && default.is_none(),
            },
            OptionKind::Choice(words) => value.as_str().is_some_and(|w| words.contains(&w)),
            OptionKind::Flag => value.is_boolean(),
            OptionKind::Rows => value.as_array().is_some_and(|rows| {
                let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
                rows.iter().all(|row| row.as_str().is_some_and(digits))
            }),
        }
    }
}
