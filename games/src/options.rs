//! Options of games: declared once as data, checked in one place.

use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::game::Info;

/// One option of a game.
#[derive(Debug)]
pub struct OptionSpec {
    /// Its key.
    pub name: &'static str,
    /// What values it takes, and its default.
    pub kind: OptionKind,
    /// One sentence for people.
    pub help: &'static str,
}

/// The values that an option takes, with its default.
#[derive(Debug)]
pub enum OptionKind {
    /// A whole number from `min` to `max`.
    Int {
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
        /// The default; `None` is `null`, which is then allowed too.
        default: Option<i64>,
    },
    /// One of several words, the first one by default.
    Choice(&'static [&'static str]),
    /// `true` or `false`, by default `false`.
    Flag,
    /// A list of strings of digits, absent by default.
    Rows,
}

/// An option that a game does not take, with what it would take.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("option `{name}` of {game}: {message}")]
pub struct OptionError {
    /// The game's id.
    pub game: &'static str,
    /// The option's key.
    pub name: String,
    /// What is wrong and what is allowed.
    pub message: String,
}

impl OptionError {
    /// An error about one option.
    pub fn new(info: &Info, name: &str, message: impl Into<String>) -> Self {
        OptionError {
            game: info.id,
            name: name.to_owned(),
            message: message.into(),
        }
    }
}

impl OptionKind {
    /// What is allowed, in words.
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

    /// The value when nothing is given; `None` where the option is then simply absent.
    pub fn default(&self) -> Option<Value> {
        match self {
            OptionKind::Int { default, .. } => Some(json!(default)),
            OptionKind::Choice(words) => Some(json!(words[0])),
            OptionKind::Flag => Some(json!(false)),
            OptionKind::Rows => None,
        }
    }

    fn accepts(&self, value: &Value) -> bool {
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

/// Checked options: every option that has a default is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Options(Map<String, Value>);

impl Options {
    /// Checks an options object (or `null`, which is the empty one) and fills in the defaults.
    ///
    /// # Errors
    /// If an option is unknown, of a wrong type or out of range.
    pub fn read(info: &Info, given: &Value) -> Result<Self, OptionError> {
        let empty = Map::new();
        let given = match given {
            Value::Null => &empty,
            Value::Object(map) => map,
            other => {
                let message = format!("options are an object, not {}", brief(other));
                return Err(OptionError::new(info, "options", message));
            }
        };
        if let Some(unknown) = given
            .keys()
            .find(|key| info.options.iter().all(|spec| spec.name != **key))
        {
            return Err(OptionError::new(
                info,
                unknown,
                unknown_message(info, unknown),
            ));
        }
        let mut all = Map::new();
        for spec in info.options {
            match given.get(spec.name) {
                // A grid that is null is as good as absent; for the others null is a value.
                Some(Value::Null) if matches!(spec.kind, OptionKind::Rows) => {}
                Some(value) if spec.kind.accepts(value) => {
                    all.insert(spec.name.to_owned(), value.clone());
                }
                Some(value) => {
                    let message = format!("{} is not {}", brief(value), spec.kind.allowed());
                    return Err(OptionError::new(info, spec.name, message));
                }
                None => {
                    if let Some(default) = spec.kind.default() {
                        all.insert(spec.name.to_owned(), default);
                    }
                }
            }
        }
        Ok(Options(all))
    }

    /// The defaults of a game.
    pub fn defaults(info: &Info) -> Self {
        let defaults = info.options.iter().filter_map(|spec| {
            let value = spec.kind.default()?;
            Some((spec.name.to_owned(), value))
        });
        Options(defaults.collect())
    }

    /// A number that the game declared; `None` if it is null.
    pub fn int(&self, name: &str) -> Option<i64> {
        self.0.get(name).and_then(Value::as_i64)
    }

    /// A number that the game declared with a default.
    ///
    /// # Panics
    /// If the game declared no such number: a mistake in the game, not in the input.
    pub fn number(&self, name: &str) -> usize {
        self.int(name)
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or_else(|| panic!("{name} is declared as a number with a default"))
    }

    /// A word that the game declared.
    pub fn choice(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A flag that the game declared.
    pub fn flag(&self, name: &str) -> bool {
        self.0
            .get(name)
            .and_then(Value::as_bool)
            .unwrap_or_default()
    }

    /// The rows of a grid of digits, if they were given.
    pub fn rows(&self, name: &str) -> Option<Vec<&str>> {
        let rows = self.0.get(name)?.as_array()?;
        Some(rows.iter().filter_map(Value::as_str).collect())
    }

    /// The options as an object.
    pub fn to_json(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

fn unknown_message(info: &Info, unknown: &str) -> String {
    let names: Vec<&str> = info.options.iter().map(|spec| spec.name).collect();
    if names.is_empty() {
        return "there is no such option: this game has none".to_owned();
    }
    let nearest =
        nearest(unknown, &names).map_or(String::new(), |n| format!("did you mean `{n}`? "));
    format!(
        "there is no such option; {nearest}allowed are {}",
        quoted(&names)
    )
}

/// The candidate that a misspelt word most likely means, if any is close.
pub fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let similarity = |c: &str| strsim::jaro_winkler(word, c);
    candidates
        .iter()
        .copied()
        .max_by(|a, b| similarity(a).total_cmp(&similarity(b)))
        .filter(|best| similarity(best) > 0.7)
}

/// A list of words for an error message.
pub fn quoted(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    words.join(", ")
}

/// A value for an error message: as JSON, cut when it is long.
pub(crate) fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;
    use crate::amazons::Amazons;

    fn error(given: Value) -> String {
        Options::read(&Amazons::INFO, &given)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn errors_name_the_option_and_what_is_allowed() {
        assert_eq!(
            error(json!({"size": 4})),
            "option `size` of amazons: 4 is not a whole number from 5 to 11"
        );
        assert_eq!(
            error(json!({"sise": 6})),
            "option `sise` of amazons: there is no such option; did you mean `size`? allowed are `size`"
        );
        assert!(error(json!({"size": "6"})).contains("\"6\" is not a whole number"));
        assert!(error(json!({"size": null})).contains("null is not"));
        assert!(error(json!([])).contains("options are an object"));
    }

    #[test]
    fn defaults_are_filled_in() {
        let options = Options::read(&Amazons::INFO, &Value::Null).unwrap();
        assert_eq!(options.to_json(), json!({"size": 10}));
        assert_eq!(options, Options::defaults(&Amazons::INFO));
    }
}
