//! Labels of games in tables.

use serde_json::Value;

/// A game with its options that differ from the defaults.
pub fn game_label(game: &str, options: &Value) -> String {
    let defaults = games::find(game)
        .and_then(|entry| games::Options::read(&entry.info, &Value::Null).ok())
        .map_or(Value::Null, |defaults| defaults.to_json());
    let options = options.as_object();
    let changed: Vec<String> = options
        .into_iter()
        .flatten()
        .filter(|(name, value)| defaults.get(name) != Some(value))
        .map(|(name, value)| match value.as_str() {
            Some(word) => format!("{name}={word}"),
            None if value.is_array() => format!("{name}=…"),
            None => format!("{name}={value}"),
        })
        .collect();
    if changed.is_empty() {
        game.to_owned()
    } else {
        format!("{game} ({})", changed.join(", "))
    }
}
