//! A state in a message: a tree of values, or text that is passed on as it is.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A state in a message. Rules from outside say it as JSON, and who has checked that passes it on without
/// making a tree of it.
#[derive(Clone, Debug)]
pub enum StateJson {
    /// As a tree.
    Tree(Value),
    /// As JSON that was checked, on one line.
    Text(Arc<str>),
}

impl StateJson {
    /// The state as a tree; null if it is a text that is no JSON.
    #[must_use]
    pub fn value(&self) -> Value {
        match self {
            StateJson::Tree(value) => value.clone(),
            StateJson::Text(text) => serde_json::from_str(text).unwrap_or_default(),
        }
    }
}

impl From<Value> for StateJson {
    fn from(value: Value) -> Self {
        StateJson::Tree(value)
    }
}

impl PartialEq for StateJson {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (StateJson::Tree(one), StateJson::Tree(other)) => one == other,
            _ => self.value() == other.value(),
        }
    }
}

impl Serialize for StateJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            StateJson::Tree(value) => value.serialize(serializer),
            StateJson::Text(text) => {
                let raw: &RawValue =
                    serde_json::from_str(text).map_err(serde::ser::Error::custom)?;
                raw.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for StateJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(StateJson::Tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_are_what_trees_are() {
        let tree = StateJson::from(json!({"b": [1, null], "a": "x"}));
        let text = StateJson::Text(Arc::from(r#"{"b":[1,null],"a":"x"}"#));
        assert_eq!(tree, text);
        let written = serde_json::to_string(&text).unwrap();
        assert_eq!(written, serde_json::to_string(&tree).unwrap());
        assert_eq!(serde_json::from_str::<StateJson>(&written).unwrap(), tree);
        assert_ne!(text, StateJson::Tree(json!({})));
    }
}
