//! The `info` that a bot sends during a turn, up to a limit.

use serde_json::{Map, Value};

/// A move is logged with at most this many fields of `info`.
const MAX_FIELDS: usize = 50;
/// The field for people, which may be cut.
const TEXT: &str = "text";

/// The fields of all `info` messages of a turn.
#[derive(Debug, Default)]
pub(super) struct TurnInfo {
    fields: Map<String, Value>,
    /// Their approximate size in the log, with an empty `text`.
    bytes: u64,
    /// The last `text`. It gets the room that all other fields leave.
    text: Option<String>,
}

impl TurnInfo {
    /// Adds fields, each over an earlier one of the same name. Drops those that exceed the limits,
    /// so that a bot that never stops talking does not fill the memory; of `text` the beginning stays.
    pub(super) fn add(&mut self, fields: Map<String, Value>, max_bytes: u64) {
        for (name, value) in fields {
            let value = match value {
                Value::String(mut text) if name == TEXT => {
                    cut(&mut text, max_bytes);
                    self.text = Some(text);
                    Value::from("")
                }
                value => value,
            };
            let old = self.fields.get(&name).map(|old| size(&name, old));
            let bytes = self.bytes - old.unwrap_or(0) + size(&name, &value);
            if bytes <= max_bytes && (old.is_some() || self.fields.len() < MAX_FIELDS) {
                self.bytes = bytes;
                self.fields.insert(name, value);
            }
        }
    }

    /// The `info` to log with a move: all fields, with those of the move itself over the others.
    /// `None` if there are none.
    pub(super) fn with(mut self, own: Option<Value>, max_bytes: u64) -> Option<Value> {
        match own {
            Some(Value::Object(own)) => self.add(own, max_bytes),
            Some(other) if size("", &other) <= max_bytes => return Some(other),
            _ => {}
        }
        if let (Some(mut text), Some(place @ Value::String(_))) =
            (self.text, self.fields.get_mut(TEXT))
        {
            cut(&mut text, max_bytes.saturating_sub(self.bytes));
            *place = text.into();
        }
        (!self.fields.is_empty()).then_some(Value::Object(self.fields))
    }
}

/// Keeps the beginning of a text.
fn cut(text: &mut String, most: u64) {
    let mut end = usize::try_from(most).unwrap_or(usize::MAX).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
}

/// The approximate size in the log of a move's `info`, in bytes, as it is limited.
pub fn info_size(info: &Value) -> u64 {
    match info {
        Value::Object(fields) => fields.iter().map(|(name, value)| size(name, value)).sum(),
        other => size("", other),
    }
}

fn size(name: &str, value: &Value) -> u64 {
    let inside = match value {
        Value::String(text) => text.len() as u64,
        Value::Array(values) => values.iter().map(|value| size("", value)).sum(),
        Value::Object(_) => info_size(value),
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    };
    name.len() as u64 + inside + 4
}
