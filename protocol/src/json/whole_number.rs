//! Reads numbers that bots send, with errors that say "a whole number" instead of naming a Rust type.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// Reads a number from 0 to 2^32 - 1.
pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    WholeNumber::deserialize(deserializer).map(|number| number.0)
}

/// The same for a field that may be null.
pub(crate) fn read_optional<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u32>, D::Error> {
    let number = Option::<WholeNumber>::deserialize(deserializer)?;
    Ok(number.map(|number| number.0))
}

struct WholeNumber(u32);

impl<'de> Deserialize<'de> for WholeNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u32(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = WholeNumber;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<WholeNumber, E> {
        let invalid = |_| E::invalid_value(Unexpected::Unsigned(number), &self);
        u32::try_from(number).map(WholeNumber).map_err(invalid)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<WholeNumber, E> {
        let invalid = |_| E::invalid_value(Unexpected::Signed(number), &self);
        u32::try_from(number).map(WholeNumber).map_err(invalid)
    }
}

#[cfg(test)]
mod tests {
    use crate::FromBot;

    #[test]
    fn errors_name_what_is_expected() {
        for (ply, found) in [
            ("-1", "integer `-1`"),
            ("4294967296", "integer `4294967296`"),
            ("1.5", "floating point `1.5`"),
            ("\"u32\"", "string \"u32\""),
            ("[]", "sequence"),
        ] {
            let line = format!(r#"{{"type":"move","move":"a1","ply":{ply},"more":0}}"#);
            let error = FromBot::from_line(line.as_bytes()).unwrap_err().to_string();
            let expected = format!("{found}, expected a whole number");
            assert!(error.contains(&expected), "{error}");
        }
        let hello = br#"{"type":"hello","protocol":"1","name":"x"}"#;
        let error = FromBot::from_line(hello).unwrap_err().to_string();
        assert!(
            error.contains("string \"1\", expected a whole number"),
            "{error}"
        );
    }

    #[test]
    fn the_ply_may_be_null_or_absent() {
        for line in [
            r#"{"type":"move","move":"a1","ply":null}"#,
            r#"{"type":"move","move":"a1","more":0}"#,
        ] {
            let FromBot::Move(read) = FromBot::from_line(line.as_bytes()).unwrap() else {
                panic!("not a move")
            };
            assert_eq!(read.ply, None);
        }
    }
}
