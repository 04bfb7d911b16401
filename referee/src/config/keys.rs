//! Finds keys that a configuration may not have, with their lines and the nearest right ones.
//!
//! What is allowed is read off the JSON Schema of the configuration's types, so it is written
//! down in one place only.

use games::kit::text::nearest;
use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::error::Problem;
use super::schema;
use super::sources::{Place, Placed, Sources};

/// A key that a configuration may not have.
#[derive(Debug)]
pub(super) struct UnknownKey {
    place: Place,
    /// With the tables that it is in.
    key: String,
    near: Option<String>,
    allowed: Vec<String>,
}

impl UnknownKey {
    /// The problem, with the line of the key.
    pub(super) fn at(self, sources: &Sources<'_>) -> Problem {
        let line = sources.find(self.place).and_then(|(_, line)| line);
        self.problem(line)
    }

    /// The problem of a key that is not from a file.
    pub(super) fn without_line(self) -> Problem {
        self.problem(None)
    }

    fn problem(self, line: Option<usize>) -> Problem {
        Problem::UnknownKey {
            line,
            key: self.key,
            near: self.near,
            allowed: self.allowed,
        }
    }
}

/// Refuses the first unknown key.
pub(super) fn check(tree: &DeTable<'_>) -> Result<(), UnknownKey> {
    let schema = schema::schema();
    Walk { root: &schema }.table(tree, &schema, "")
}

struct Walk<'a> {
    root: &'a Value,
}

impl Walk<'_> {
    fn table(&self, table: &DeTable<'_>, schema: &Value, path: &str) -> Result<(), UnknownKey> {
        let Some(properties) = schema::properties(self.root, schema) else {
            return Ok(());
        };
        for (key, value) in table {
            let name = &**key.get_ref();
            let Some(inner) = properties.get(name) else {
                let allowed: Vec<&str> = properties.keys().map(String::as_str).collect();
                return Err(UnknownKey {
                    place: key.span().start,
                    key: format!("{path}{name}"),
                    near: nearest(name, &allowed).map(str::to_owned),
                    allowed: allowed.into_iter().map(|key| format!("`{key}`")).collect(),
                });
            };
            self.value(value, inner, &format!("{path}{name}."))?;
        }
        Ok(())
    }

    fn value(&self, value: &Placed<'_>, schema: &Value, path: &str) -> Result<(), UnknownKey> {
        match value.get_ref() {
            DeValue::Table(table) => self.table(table, schema, path),
            DeValue::Array(list) => {
                let schema = schema::resolve(self.root, schema);
                let element = schema.get("items").unwrap_or(&Value::Null);
                let tables = list.iter().filter_map(|value| value.get_ref().as_table());
                tables
                    .into_iter()
                    .try_for_each(|table| self.table(table, element, path))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sources::Texts;
    use super::*;
    use std::path::Path;

    fn checked(text: &str) -> Result<(), Problem> {
        let texts = Texts::default();
        let mut sources = Sources::new(&texts);
        let tree = sources.file(Path::new(""), text.to_owned())?;
        check(tree.get_ref()).map_err(|unknown| unknown.at(&sources))
    }

    fn message(text: &str) -> String {
        checked(text).unwrap_err().to_string()
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
