//! The JSON Schema of configurations, and a list of all keys for people. Both come from the types
//! in `file`, so each key is described in one place only.

pub mod json_schema;
pub(crate) mod keys;
pub(crate) mod values;

use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;

use crate::schema::json_schema::{kinds, properties, resolve};
use crate::tables::{ConfigFile, SubmissionTable};

/// The mark of keys with paths, which are relative to their file: `path` (one path, or a list),
/// [`FOLDER`] or [`RULES`].
pub(crate) const PATH_MARK: &str = "x-path";
/// A path that is by default the folder of the file.
pub(crate) const FOLDER: &str = "folder";
/// Sources of rules: paths of sheets, command lines or tables.
pub(crate) const RULES: &str = "rules";

/// The JSON Schema, in the draft that editors support best.
pub fn schema() -> Value {
    let generator = SchemaSettings::draft07().into_generator();
    let mut schema = generator.into_root_schema_for::<ConfigFile>();
    schema.insert("title".to_owned(), "Tournament of `referee`".into());
    schema.to_value()
}

/// The schema of the `bot.toml` of a submission.
pub(crate) fn submission() -> Value {
    let generator = SchemaSettings::draft07().into_generator();
    let schema = generator.into_root_schema_for::<SubmissionTable>();
    schema.to_value()
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Key {
    /// With the tables that it is in; `bots[].name` is the key of each element of a list.
    pub key: String,
    /// A short description of its values.
    #[serde(rename = "type")]
    pub kind: String,
    /// True if its table needs it.
    pub required: bool,
    /// The value without it, if that is always the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    pub meaning: String,
}

/// All keys, tables before their contents.
pub fn keys() -> Vec<Key> {
    let root = schema();
    let mut keys = Vec::new();
    List { root: &root }.table(&root, "", &mut keys);
    keys
}

struct List<'a> {
    root: &'a Value,
}

impl List<'_> {
    fn table(&self, schema: &Value, path: &str, keys: &mut Vec<Key>) {
        let holder = self.holder(schema);
        let required = holder.get("required").and_then(Value::as_array);
        let is_required = |name: &String| {
            let mut names = required.into_iter().flatten();
            names.any(|other| other.as_str() == Some(name))
        };
        for (name, inner) in properties(self.root, schema).into_iter().flatten() {
            let key = format!("{path}{name}");
            keys.push(Key {
                kind: kinds(self.root, inner).join(" or "),
                required: is_required(name),
                default: inner
                    .get("default")
                    .filter(|value| !value.is_null())
                    .cloned(),
                meaning: self.meaning(inner),
                key: key.clone(),
            });
            let element = resolve(self.root, inner).get("items");
            match element {
                Some(element) => self.table(element, &format!("{key}[]."), keys),
                None => self.table(inner, &format!("{key}."), keys),
            }
        }
    }

    /// The schema that has the properties.
    fn holder<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let schema = resolve(self.root, schema);
        if schema.get("properties").is_some() {
            return schema;
        }
        let alternatives = schema.get("anyOf").and_then(Value::as_array);
        let mut alternatives = alternatives.into_iter().flatten();
        let holder = alternatives.find(|inner| properties(self.root, inner).is_some());
        holder.map_or(schema, |inner| self.holder(inner))
    }

    fn meaning(&self, schema: &Value) -> String {
        let text = |schema: &Value| {
            let text = schema.get("description").and_then(Value::as_str)?;
            Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let inner = || text(resolve(self.root, schema));
        text(schema).or_else(inner).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        let found = keys().into_iter().find(|key| key.key == name);
        found.unwrap_or_else(|| panic!("no key {name}"))
    }

    #[test]
    fn keys_have_types_defaults_and_meanings() {
        let rounds = key("rounds");
        assert_eq!(
            (&*rounds.kind, rounds.required),
            ("whole number from 1 on", false)
        );
        assert_eq!(key("name").kind, "string");
        assert!(key("name").required && key("bots[].name").required);
        let format = key("format");
        assert!(
            format.kind.starts_with("\"round-robin\" or \"gauntlet\""),
            "{}",
            format.kind
        );
        assert_eq!(format.default, Some("round-robin".into()));
        assert_eq!(key("time.per_move").kind, "duration");
        assert_eq!(key("bots[].time.per_move").kind, "duration");
        assert_eq!(key("bots[].command").kind, "list of strings or string");
        assert_eq!(
            key("limits.max_plies").kind,
            "whole number from 1 on or \"none\""
        );
        assert_eq!(key("resources.memory").kind, "size or \"none\"");
        assert_eq!(key("resources.processes").kind, "size or \"none\"");
        assert_eq!(key("resources.cpu_time").kind, "duration or \"none\"");
        assert_eq!(key("games[].weight").kind, "whole number from 1 to 1000");
        assert_eq!(key("sprt.alpha").default, Some(0.05.into()));
        assert_eq!(key("games[].weight").default, Some(1.into()));
        assert_eq!(key("opening.random_plies").default, Some(0.into()));
        for key in keys() {
            assert!(!key.meaning.is_empty(), "{} has no meaning", key.key);
            assert!(!key.kind.is_empty(), "{} has no type", key.key);
        }
    }
}
