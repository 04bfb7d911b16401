//! Steps and states as JSON.

use std::sync::Arc;

use serde_json::Value;

/// A text as JSON.
pub(super) fn json_text(text: &str) -> Arc<str> {
    Arc::from(serde_json::to_string(text).expect("a text is JSON"))
}

/// A request to play steps, without its braces and `id`.
pub(super) fn play_request(steps: &[Arc<str>], want: &str) -> String {
    let mut body = String::from("\"op\":\"play\",\"moves\":[");
    for (index, step) in steps.iter().enumerate() {
        body.push_str(if index > 0 { "," } else { "" });
        body.push_str(step);
    }
    body.push_str("],\"want\":[");
    body.push_str(want);
    body.push(']');
    body
}

/// JSON with the keys of all objects in order, for states of programs that have no keys.
pub(super) fn canonical(value: &Value) -> Value {
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
