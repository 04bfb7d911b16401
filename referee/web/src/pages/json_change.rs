//! Differences between JSON values, as successive states of a match differ little.

use serde_json::{Map, Value, json};

/// The change from `before` to `after`: `{"=": new}`, or `{"in": {key: change}, "out": [keys]}` for an
/// object or a list of the same length.
pub(crate) fn change(before: &Value, after: &Value) -> Value {
    let whole = || json!({ "=": after });
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let changed = after
                .iter()
                .filter(|(key, value)| before.get(*key) != Some(value))
                .map(|(key, value)| {
                    let inner = before.get(key).map(|old| change(old, value));
                    (key.clone(), inner.unwrap_or_else(|| json!({ "=": value })))
                });
            let mut made = json!({"in": changed.collect::<Map<_, _>>()});
            let out: Vec<&String> = before
                .keys()
                .filter(|key| !after.contains_key(*key))
                .collect();
            if !out.is_empty() {
                made["out"] = json!(out);
            }
            made
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            let pairs = before.iter().zip(after).enumerate();
            let changed = pairs
                .filter(|(_, (old, new))| old != new)
                .map(|(at, (old, new))| (at.to_string(), change(old, new)));
            json!({"in": changed.collect::<Map<_, _>>()})
        }
        _ => whole(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_told() {
        let before = json!({"ply": 1, "board": ["a", null, "b"], "gone": true, "deep": {"x": 1}});
        let after = json!({"ply": 2, "board": ["a", "b", null], "deep": {"x": 1}, "new": [1]});
        assert_eq!(
            change(&before, &after),
            json!({
                "in": {"board": {"in": {"1": {"=": "b"}, "2": {"=": null}}}, "new": {"=": [1]}, "ply": {"=": 2}},
                "out": ["gone"]
            })
        );
        assert_eq!(change(&json!([1, 2]), &json!([1])), json!({"=": [1]}));
        assert_eq!(change(&before, &before), json!({"in": {}}));
    }
}
