//! Finds keys that a configuration may not have, with their lines and the nearest right ones.
//!
//! What is allowed is read off the JSON Schema of the configuration's types, so it is written
//! down in one place only.

use games::kit::text::nearest;
use serde_json::Value;
use toml_edit::{Document, Item, TableLike};

use super::error::Problem;
use super::schema;
use super::spans::line_of;

/// Refuses the first unknown key.
pub(super) fn check(text: &str) -> Result<(), Problem> {
    let document = Document::parse(text).map_err(|error| Problem::Syntax {
        line: error.span().map(|span| line_of(text, span.start)),
        message: error.message().lines().collect::<Vec<_>>().join(", "),
    })?;
    let schema = schema::schema();
    Walk {
        text,
        root: &schema,
    }
    .table(document.as_table(), &schema, "")
}

struct Walk<'a> {
    text: &'a str,
    root: &'a Value,
}

impl Walk<'_> {
    fn table(&self, table: &dyn TableLike, schema: &Value, path: &str) -> Result<(), Problem> {
        let Some(properties) = schema::properties(self.root, schema) else {
            return Ok(());
        };
        for (name, item) in table.iter() {
            let Some(inner) = properties.get(name) else {
                return Err(self.unknown(table, name, properties, path));
            };
            self.item(item, inner, &format!("{path}{name}."))?;
        }
        Ok(())
    }

    fn item(&self, item: &Item, schema: &Value, path: &str) -> Result<(), Problem> {
        if let Some(table) = item.as_table_like() {
            return self.table(table, schema, path);
        }
        let element = schema::resolve(self.root, schema)
            .get("items")
            .unwrap_or(&Value::Null);
        if let Some(tables) = item.as_array_of_tables() {
            for table in tables {
                self.table(table, element, path)?;
            }
        }
        for value in item.as_array().into_iter().flatten() {
            if let Some(table) = value.as_inline_table() {
                self.table(table, element, path)?;
            }
        }
        Ok(())
    }

    fn unknown(
        &self,
        table: &dyn TableLike,
        name: &str,
        properties: &serde_json::Map<String, Value>,
        path: &str,
    ) -> Problem {
        let span = table.get_key_value(name).and_then(|(key, _)| key.span());
        let allowed: Vec<&str> = properties.keys().map(String::as_str).collect();
        Problem::UnknownKey {
            line: span.map(|span| line_of(self.text, span.start)),
            key: format!("{path}{name}"),
            near: nearest(name, &allowed).map(str::to_owned),
            allowed: allowed.into_iter().map(|key| format!("`{key}`")).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        check(text).unwrap_err().to_string()
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
        assert!(check(text).is_ok());
    }

    #[test]
    fn what_is_not_toml_is_refused_with_its_line() {
        assert!(message("name = \"x\"\nseed = = 2\n").starts_with("line 2: "));
    }
}
