//! Options of a game: read, checked against what the game declares, and completed with defaults.

use serde_json::{Map, Value};
use thiserror::Error;

use crate::kit::info::Info;
use crate::kit::text::{brief, nearest, quoted};

/// An option that the game does not accept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("option `{name}` of {game}: {message}")]
pub struct OptionError {
    /// The game's id.
    pub game: String,
    /// The option's key.
    pub name: String,
    /// The fault, and what is allowed.
    pub message: String,
}

impl OptionError {
    /// An error about one option of the game with this id.
    pub fn new(game: &str, name: &str, message: impl Into<String>) -> Self {
        OptionError {
            game: game.to_owned(),
            name: name.to_owned(),
            message: message.into(),
        }
    }
}

/// Checked options, which include every option that has a default.
#[derive(Clone, Debug, PartialEq)]
pub struct Options(Map<String, Value>);

impl Options {
    /// Checks an options object and fills in the defaults; `null` stands for an empty object.
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
                return Err(OptionError::new(&info.id, "options", message));
            }
        };
        if let Some(unknown) = given
            .keys()
            .find(|key| info.options.iter().all(|spec| spec.name != **key))
        {
            return Err(OptionError::new(
                &info.id,
                unknown,
                unknown_message(info, unknown),
            ));
        }
        let mut all = Map::new();
        for spec in &info.options {
            match given.get(&spec.name) {
                Some(Value::Null) if spec.kind.is_absent_by_default() => {}
                Some(value) if spec.kind.allows(value) => {
                    all.insert(spec.name.clone(), value.clone());
                }
                Some(value) => {
                    let message = format!("{} is not {}", brief(value), spec.kind.allowed());
                    return Err(OptionError::new(&info.id, &spec.name, message));
                }
                None => {
                    let replaced = spec.unless.as_ref();
                    let replaced = replaced.and_then(|other| given.get(other));
                    if let Some(default) = spec.kind.default()
                        && replaced.is_none_or(Value::is_null)
                    {
                        all.insert(spec.name.clone(), default);
                    }
                }
            }
        }
        Ok(Options(all))
    }

    /// A number that the game declared; `None` if it is null.
    pub fn int(&self, name: &str) -> Option<i64> {
        self.0.get(name).and_then(Value::as_i64)
    }

    /// A number that the game declared with a default.
    ///
    /// # Panics
    /// If the game declared no such number: a bug in the game, not in the input.
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

    /// The texts of a list (rows of digits, cells), if they were given.
    pub fn list(&self, name: &str) -> Option<Vec<&str>> {
        let rows = self.0.get(name)?.as_array()?;
        Some(rows.iter().filter_map(Value::as_str).collect())
    }

    /// The options as an object.
    pub fn to_json(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

fn unknown_message(info: &Info, unknown: &str) -> String {
    let names: Vec<&str> = info.options.iter().map(|spec| spec.name.as_str()).collect();
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::amazons::Amazons;

    fn error(given: Value) -> String {
        Options::of::<Amazons>(&given).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_option_and_what_is_allowed() {
        assert_eq!(
            error(json!({"size": 4})),
            "option `size` of amazons: 4 is not a whole number from 5 to 11"
        );
        assert_eq!(
            error(json!({"sise": 6})),
            "option `sise` of amazons: there is no such option; did you mean `size`? allowed are `size`, \
             `columns`, `rows`, `light`, `dark`"
        );
        assert!(error(json!({"size": "6"})).contains("\"6\" is not a whole number"));
        assert!(error(json!({"size": null})).contains("null is not"));
        assert!(error(json!([])).contains("options are an object"));
    }

    #[test]
    fn defaults_are_filled_in() {
        let options = Options::of::<Amazons>(&Value::Null).unwrap();
        assert_eq!(options.to_json(), json!({"size": 10}));
        assert_eq!(options, Options::defaults_of::<Amazons>());
    }
}
