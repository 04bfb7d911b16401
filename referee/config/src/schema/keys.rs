//! Finds unknown keys and wrong values, with their lines and the allowed ones.
//!
//! The JSON Schema of the configuration's types says what is allowed, so it is written down in one
//! place only.

use games::kit::text::nearest;
use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::error::{At, Diagnostic, Problem};
use crate::schema;
use crate::schema::json_schema;
use crate::schema::values;
use crate::sources::Placed;

/// Refuses the first unknown key or wrong value.
pub(crate) fn check(tree: &DeTable<'_>) -> Result<(), Diagnostic> {
    check_against(tree, &schema::schema())
}

/// Like [`check`], for a file with another schema.
pub(crate) fn check_against(tree: &DeTable<'_>, schema: &Value) -> Result<(), Diagnostic> {
    Walk { root: schema }.table(tree, schema, "")
}

struct Walk<'a> {
    root: &'a Value,
}

impl Walk<'_> {
    fn table(&self, table: &DeTable<'_>, schema: &Value, path: &str) -> Result<(), Diagnostic> {
        let Some(properties) = json_schema::properties(self.root, schema) else {
            return self.own_keys(table, schema, path);
        };
        for (key, value) in table {
            let name = &**key.get_ref();
            let Some(inner) = properties.get(name) else {
                let allowed: Vec<&str> = properties.keys().map(String::as_str).collect();
                let problem = Problem::UnknownKey {
                    key: format!("{path}{name}"),
                    near: nearest(name, &allowed).map(str::to_owned),
                    allowed: allowed.into_iter().map(|key| format!("`{key}`")).collect(),
                };
                let place = key.span().start;
                return Err(Diagnostic {
                    at: At::Place(place),
                    problem,
                });
            };
            self.value(value, inner, &format!("{path}{name}"))?;
        }
        Ok(())
    }

    /// A table with keys of the user's own, such as `env`.
    fn own_keys(&self, table: &DeTable<'_>, schema: &Value, path: &str) -> Result<(), Diagnostic> {
        let schema = json_schema::resolve(self.root, schema);
        let Some(inner) = schema.get("additionalProperties") else {
            return Ok(());
        };
        table.iter().try_for_each(|(key, value)| {
            self.value(value, inner, &format!("{path}{}", key.get_ref()))
        })
    }

    fn value(&self, value: &Placed<'_>, schema: &Value, path: &str) -> Result<(), Diagnostic> {
        if let Some(message) = values::problem(self.root, schema, value.get_ref()) {
            return Err(Diagnostic {
                at: At::Place(value.span().start),
                problem: Problem::value(path, message),
            });
        }
        match value.get_ref() {
            DeValue::Table(table) => self.table(table, schema, &format!("{path}.")),
            DeValue::Array(list) => {
                let Some(items) = json_schema::items(self.root, schema) else {
                    return Ok(());
                };
                list.iter()
                    .try_for_each(|value| self.value(value, items, path))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ConfigError;
    use crate::sources::{Sources, Texts};
    use std::path::Path;

    fn checked(text: &str) -> Result<(), ConfigError> {
        let texts = Texts::default();
        let mut sources = Sources::new(&texts);
        let tree = sources.file(Path::new("t.toml"), text.to_owned())?;
        check(tree.get_ref()).map_err(|diagnostic| sources.locate(tree.get_ref(), diagnostic))
    }

    fn message(text: &str) -> String {
        let message = checked(text).unwrap_err().to_string();
        message.replace("t.toml: ", "")
    }

    #[test]
    fn unknown_keys_are_named_with_line_and_nearest() {
        let text = "name = \"x\"\nseed = 1\nronds = 2\n";
        let expected =
            "line 3: unknown key `ronds`, did you mean `rounds`?; allowed here are `name`";
        assert!(message(text).starts_with(expected), "{}", message(text));
        let time = message("[time]\nper_mvoe = \"1s\"\n");
        assert!(time.starts_with("line 2: unknown key `time.per_mvoe`, did you mean `per_move`?"));
        let bots = message("[[bots]]\nname = \"a\"\n[[bots]]\ncomand = \"b\"\n");
        assert!(bots.starts_with("line 4: unknown key `bots.comand`, did you mean `command`?"));
        let own = message("[[bots]]\ntime = { per_mov = \"1s\" }\n");
        assert!(
            own.starts_with("line 2: unknown key `bots.time.per_mov`"),
            "{own}"
        );
        let game = message("games = [\"siam\", { id = \"siam\", option = {} }]\n");
        assert!(
            game.contains("`games.option`, did you mean `options`?"),
            "{game}"
        );
    }

    #[test]
    fn keys_of_the_users_own_are_left_alone() {
        let text =
            "games = [{ id = \"siam\", options = { x = 1 } }]\n[[bots]]\nenv = { MY = \"1\" }\n";
        assert!(checked(text).is_ok());
    }

    #[test]
    fn what_is_not_toml_is_refused_with_its_line() {
        assert!(message("name = \"x\"\nseed = = 2\n").starts_with("line 2: "));
    }
}
