//! Steps and states as JSON.

use std::sync::Arc;

use serde_json::Value;

/// Bytes of a request besides its steps, at most, as a rule.
const USUAL_REST: usize = 80;

pub(crate) fn json_text(text: &str) -> Arc<str> {
    Arc::from(serde_json::to_string(text).expect("a text is JSON"))
}

/// A request to play steps, without its braces and `id`.
pub(crate) fn play_request<'a>(
    steps: &[Arc<str>],
    want: impl IntoIterator<Item = &'a str>,
) -> String {
    let length: usize = steps.iter().map(|step| step.len() + 1).sum();
    let mut body = String::with_capacity(length + USUAL_REST);
    body.push_str("\"op\":\"play\",\"moves\":[");
    for (index, step) in steps.iter().enumerate() {
        body.push_str(if index > 0 { "," } else { "" });
        body.push_str(step);
    }
    body.push_str("],\"want\":[");
    for (index, word) in want.into_iter().enumerate() {
        body.push_str(if index > 0 { ",\"" } else { "\"" });
        body.push_str(word);
        body.push('"');
    }
    body.push(']');
    body
}

/// True if two steps are the same. Those of sessions with a common past are so by their address.
pub(crate) fn is_same(one: &Arc<str>, other: &Arc<str>) -> bool {
    Arc::ptr_eq(one, other) || one == other
}

/// True if the same steps were made.
pub(crate) fn are_same(some: &[Arc<str>], others: &[Arc<str>]) -> bool {
    // Sessions only append steps, and take the last ones away: before the very same step are the same ones.
    let is_shared = match (some.last(), others.last()) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        _ => false,
    };
    let mut both = some.iter().zip(others);
    some.len() == others.len() && (is_shared || both.all(|(one, other)| is_same(one, other)))
}

/// JSON with the keys of all objects in order, for states of programs that have no keys.
pub(crate) fn canonical(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(canonical).collect(),
        Value::Object(fields) => {
            let mut keys: Vec<&String> = fields.keys().collect();
            keys.sort();
            let sorted = keys
                .into_iter()
                .map(|key| (key.clone(), canonical(&fields[key])));
            Value::Object(sorted.collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_the_same_by_address_and_by_text() {
        let steps = |texts: &[&str]| -> Vec<Arc<str>> {
            texts.iter().map(|text| json_text(text)).collect()
        };
        let past = steps(&["a", "b"]);
        let mut longer = past.clone();
        longer.extend(steps(&["a"]));
        let mut other = past.clone();
        other.extend(steps(&["c"]));
        assert!(are_same(&[], &[]));
        assert!(are_same(&past, &past.clone()));
        assert!(are_same(&past, &steps(&["a", "b"])));
        assert!(are_same(&longer, &steps(&["a", "b", "a"])));
        assert!(!are_same(&past, &[]));
        assert!(!are_same(&past, &longer));
        assert!(!are_same(&longer, &other));
        assert!(!are_same(&past, &steps(&["b", "b"])));
    }
}
