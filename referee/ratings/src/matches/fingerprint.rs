//! Hashes of JSON values, computed while a log is read.

use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::quality::{FixedState, FoldHasher};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// The hash of a JSON value, whatever its spacing and order of fields. With 64 bits, the probability of a
/// collision among a million values is 3 in 100 million.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    pub fn of(thing: impl Hash) -> Self {
        let mut hasher = hasher();
        thing.hash(&mut hasher);
        Fingerprint(hasher.finish())
    }

    /// Hashes a parsed value; equal to the hash while reading it.
    pub(crate) fn of_value(value: &Value) -> Self {
        // A parsed value always deserializes.
        Fingerprint::deserialize(value).unwrap_or_default()
    }
}

/// A hasher for one fingerprint: the same in each run, and quicker than the standard library's.
pub(super) fn hasher() -> FoldHasher<'static> {
    FixedState::default().build_hasher()
}

/// Distinguishes types of values in the hash.
#[derive(Hash)]
enum Kind {
    Null,
    Bool,
    Natural,
    Negative,
    Float,
    Text,
    List,
    Object,
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Fingerprint;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Fingerprint, E> {
        Ok(Fingerprint::of(Kind::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Fingerprint, E> {
        Ok(Fingerprint::of((Kind::Bool, value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Fingerprint, E> {
        Ok(Fingerprint::of((Kind::Natural, value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Fingerprint, E> {
        Ok(match u64::try_from(value) {
            Ok(value) => Fingerprint::of((Kind::Natural, value)),
            Err(_) => Fingerprint::of((Kind::Negative, value)),
        })
    }

    fn visit_f64<E>(self, value: f64) -> Result<Fingerprint, E> {
        Ok(Fingerprint::of((Kind::Float, value.to_bits())))
    }

    fn visit_str<E>(self, value: &str) -> Result<Fingerprint, E> {
        Ok(Fingerprint::of((Kind::Text, value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Fingerprint, A::Error> {
        let mut hasher = hasher();
        Kind::List.hash(&mut hasher);
        while let Some(item) = list.next_element::<Fingerprint>()? {
            item.hash(&mut hasher);
        }
        Ok(Fingerprint(hasher.finish()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Fingerprint, A::Error> {
        // A sum does not depend on the order.
        let mut sum = 0_u64;
        while let Some(field) = fields.next_entry::<Fingerprint, Fingerprint>()? {
            sum = sum.wrapping_add(Fingerprint::of(field).0);
        }
        Ok(Fingerprint::of((Kind::Object, sum)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Fingerprint {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn equal_values_have_equal_hashes() {
        let value = json!({"a": [1, -2, 0.5, null], "b": {"c": "d\n", "e": true}});
        let text = r#"{ "b": {"e":true,"c":"d\n"}, "a":[1,-2, 0.5,null] }"#;
        assert_eq!(read(text), Fingerprint::of_value(&value));
        assert_eq!(read(&value.to_string()), read(text));
    }

    #[test]
    fn different_values_have_different_hashes() {
        let texts = [
            "null",
            "true",
            "false",
            "0",
            "1",
            "-1",
            "0.5",
            "\"\"",
            "\"1\"",
            "[]",
            "[[]]",
            "{}",
            "[1,2]",
            "[2,1]",
            r#"{"a":1}"#,
            r#"{"a":2}"#,
            r#"{"b":1}"#,
            r#"{"a":1,"b":1}"#,
            r#"{"a":{"b":1}}"#,
        ];
        let mut seen = std::collections::HashSet::new();
        for text in texts {
            assert!(seen.insert(read(text)), "{text}");
        }
    }
}
