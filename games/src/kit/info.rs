//! A game's description of itself: names, roles, options, notation and limits.
//!
//! Games that are compiled in say it with constants ([`StaticInfo`]), rules from outside when they are
//! asked; [`Info`] is what everybody reads.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::kit::text::quoted;

/// A game's description of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// The id in configurations, messages and logs.
    pub id: String,
    /// The name for people.
    pub title: String,
    /// One sentence about how the game is played and won.
    pub summary: String,
    /// The seats' names in seat order, for the largest number of seats.
    pub roles: Vec<String>,
    /// True if all seats play by the same rules and with the same pieces.
    pub symmetric: bool,
    /// True if the game has hidden information.
    pub hidden: bool,
    /// True if chance takes part after the start.
    pub chance: bool,
    /// All options.
    pub options: Vec<OptionSpec>,
    /// The notation of moves: pairs of an example and its meaning.
    pub notation: Vec<(String, String)>,
    /// The limits of a match that does not set its own.
    pub limits: Limits,
}

impl Info {
    /// True if something is dealt or drawn that nobody may know before: the game has chance, or hidden
    /// information.
    pub fn has_deals(&self) -> bool {
        self.hidden || self.chance
    }
}

/// When the referee stops a match that does not end by the rules; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
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
#[derive(Clone, Debug, PartialEq)]
pub struct OptionSpec {
    /// The key in an options object.
    pub name: String,
    /// The allowed values and the default.
    pub kind: OptionKind,
    /// One sentence about its meaning, for people.
    pub help: String,
    /// The option in whose place this one is: where that is given, this one has no default.
    pub unless: Option<String>,
}

/// The values that an option can have, and its default.
#[derive(Clone, Debug, PartialEq)]
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
    /// One of several words.
    Choice {
        /// All of them.
        words: Vec<String>,
        /// The default.
        default: String,
    },
    /// `true` or `false`.
    Bool {
        /// The default.
        default: bool,
    },
    /// Any text.
    Text {
        /// The default.
        default: String,
    },
    /// A list of strings of digits, absent by default.
    Rows,
    /// A whole number from `min` to `max`, absent by default.
    IntIfGiven {
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// A list of names of cells, absent by default.
    Cells,
}

impl OptionKind {
    /// True if the option is absent unless it is given. Null says the same there, and is a value elsewhere.
    pub fn is_absent_by_default(&self) -> bool {
        matches!(
            self,
            OptionKind::Rows | OptionKind::IntIfGiven { .. } | OptionKind::Cells
        )
    }

    /// The allowed values, in words.
    pub fn allowed(&self) -> String {
        match self {
            OptionKind::Int {
                min, max, default, ..
            } => {
                let null = if default.is_none() { "null or " } else { "" };
                format!("{null}a whole number from {min} to {max}")
            }
            OptionKind::Choice { words, .. } => {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                format!("one of {}", quoted(&words))
            }
            OptionKind::Bool { .. } => "true or false".to_owned(),
            OptionKind::Text { .. } => "a text".to_owned(),
            OptionKind::Rows => "a list of strings of digits, the top row first".to_owned(),
            OptionKind::IntIfGiven { min, max } => format!("a whole number from {min} to {max}"),
            OptionKind::Cells => "a list of cells".to_owned(),
        }
    }

    /// The default value; `None` for an option that is absent by default.
    pub fn default(&self) -> Option<Value> {
        match self {
            OptionKind::Int { default, .. } => Some(json!(default)),
            OptionKind::Choice { default, .. } | OptionKind::Text { default } => {
                Some(json!(default))
            }
            OptionKind::Bool { default } => Some(json!(default)),
            OptionKind::Rows | OptionKind::IntIfGiven { .. } | OptionKind::Cells => None,
        }
    }

    /// True if a value is allowed.
    pub fn allows(&self, value: &Value) -> bool {
        match self {
            OptionKind::Int { min, max, default } => match value.as_i64() {
                Some(n) => (*min..=*max).contains(&n),
                None => value.is_null() && default.is_none(),
            },
            OptionKind::Choice { words, .. } => {
                let given = value.as_str();
                given.is_some_and(|given| words.iter().any(|word| word == given))
            }
            OptionKind::Bool { .. } => value.is_boolean(),
            OptionKind::Text { .. } => value.is_string(),
            OptionKind::Rows => value.as_array().is_some_and(|rows| {
                let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
                rows.iter().all(|row| row.as_str().is_some_and(digits))
            }),
            OptionKind::IntIfGiven { min, max } => {
                value.as_i64().is_some_and(|n| (*min..=*max).contains(&n))
            }
            OptionKind::Cells => value
                .as_array()
                .is_some_and(|cells| cells.iter().all(Value::is_string)),
        }
    }
}

/// [`Info`] as a constant; see [`Game::INFO`](crate::Game::INFO).
#[derive(Debug)]
pub struct StaticInfo {
    /// See [`Info::id`].
    pub id: &'static str,
    /// See [`Info::title`].
    pub title: &'static str,
    /// See [`Info::summary`].
    pub summary: &'static str,
    /// See [`Info::roles`].
    pub roles: &'static [&'static str],
    /// See [`Info::symmetric`].
    pub symmetric: bool,
    /// See [`Info::options`].
    pub options: &'static [StaticOption],
    /// See [`Info::notation`].
    pub notation: &'static [(&'static str, &'static str)],
    /// See [`Info::limits`].
    pub limits: Limits,
}

/// [`OptionSpec`] as a constant.
#[derive(Debug)]
pub struct StaticOption {
    /// See [`OptionSpec::name`].
    pub name: &'static str,
    /// See [`OptionSpec::kind`].
    pub kind: StaticKind,
    /// See [`OptionSpec::help`].
    pub help: &'static str,
    /// See [`OptionSpec::unless`].
    pub unless: Option<&'static str>,
}

/// [`OptionKind`] as a constant.
#[derive(Debug)]
pub enum StaticKind {
    /// See [`OptionKind::Int`].
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
    /// See [`OptionKind::Rows`].
    Rows,
    /// See [`OptionKind::IntIfGiven`].
    IntIfGiven {
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// See [`OptionKind::Cells`].
    Cells,
}

impl From<&StaticInfo> for Info {
    fn from(info: &StaticInfo) -> Self {
        let owned = |(form, meaning): &(&str, &str)| ((*form).to_owned(), (*meaning).to_owned());
        Info {
            id: info.id.to_owned(),
            title: info.title.to_owned(),
            summary: info.summary.to_owned(),
            roles: info.roles.iter().map(|role| (*role).to_owned()).collect(),
            symmetric: info.symmetric,
            hidden: false,
            chance: false,
            options: info.options.iter().map(OptionSpec::from).collect(),
            notation: info.notation.iter().map(owned).collect(),
            limits: info.limits,
        }
    }
}

impl From<&StaticOption> for OptionSpec {
    fn from(option: &StaticOption) -> Self {
        OptionSpec {
            name: option.name.to_owned(),
            kind: match option.kind {
                StaticKind::Int { min, max, default } => OptionKind::Int { min, max, default },
                StaticKind::Choice(words) => OptionKind::Choice {
                    words: words.iter().map(|word| (*word).to_owned()).collect(),
                    default: words[0].to_owned(),
                },
                StaticKind::Flag => OptionKind::Bool { default: false },
                StaticKind::Rows => OptionKind::Rows,
                StaticKind::IntIfGiven { min, max } => OptionKind::IntIfGiven { min, max },
                StaticKind::Cells => OptionKind::Cells,
            },
            help: option.help.to_owned(),
            unless: option.unless.map(str::to_owned),
        }
    }
}
