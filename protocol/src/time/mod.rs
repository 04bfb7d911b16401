//! Times on the wire: milliseconds as plain numbers.

pub(crate) mod wall_time;

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The longest time, about 30 years: up to here, a time is written as the same number that was read.
const MOST_MICROS: f64 = 1e15;

/// A duration that is written as a number of milliseconds, to the microsecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millis(pub Duration);

impl From<Duration> for Millis {
    fn from(duration: Duration) -> Self {
        Millis(duration)
    }
}

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let micros = self.0.as_micros();
        match u64::try_from(micros / 1000) {
            Ok(millis) if micros.is_multiple_of(1000) => serializer.serialize_u64(millis),
            _ => serializer.serialize_f64(micros as f64 / 1000.0),
        }
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let millis = f64::deserialize(deserializer)?;
        let micros = (millis * 1000.0).round();
        if (0.0..=MOST_MICROS).contains(&micros) {
            return Ok(Millis(Duration::from_micros(micros as u64)));
        }
        let message = format!("{millis} is not a number of milliseconds");
        Err(de::Error::custom(message))
    }
}

impl JsonSchema for Millis {
    fn schema_name() -> Cow<'static, str> {
        "Millis".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "description": "Milliseconds."})
    }
}

/// The time limits of a seat. A limit that is absent does not apply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimeControl {
    /// For each move.
    #[serde(rename = "per_move_ms", skip_serializing_if = "Option::is_none")]
    pub per_move: Option<Millis>,
    /// For all moves of the match together, before increments.
    #[serde(rename = "base_ms", skip_serializing_if = "Option::is_none")]
    pub base: Option<Millis>,
    /// Added to the game clock after each move.
    #[serde(rename = "increment_ms", skip_serializing_if = "Option::is_none")]
    pub increment: Option<Millis>,
    /// From the start of the process to `hello`, and from `start` to `ready`.
    #[serde(rename = "startup_ms")]
    pub startup: Millis,
    /// Tolerated on top of each limit.
    #[serde(rename = "margin_ms")]
    pub margin: Millis,
    /// The clock that the limits count.
    #[serde(default, skip_serializing_if = "ClockKind::is_wall")]
    pub clock: ClockKind,
    /// The wall-clock time that a move may take, where the limits are of CPU time.
    #[serde(rename = "wall_ms", default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<Millis>,
}

/// The clock that time limits count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClockKind {
    /// The time that goes by.
    #[default]
    Wall,
    /// The CPU time that the bot's processes use, so that it does not matter what else the
    /// machine does.
    Cpu,
}

impl ClockKind {
    fn is_wall(&self) -> bool {
        *self == ClockKind::Wall
    }
}

/// The clocks at the start of a turn, with the limits that apply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockState {
    /// The limit on this move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<Millis>,
    /// The time left on the game clocks, one entry a seat; null for a seat without a game clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining_ms: Option<Vec<Option<Millis>>>,
    /// Added to the game clock after this move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<Millis>,
}

/// A duration for people: milliseconds below ten seconds, then seconds.
pub fn in_words(duration: Duration) -> String {
    if duration < Duration::from_secs(10) {
        format!("{:.0} ms", duration.as_secs_f64() * 1e3)
    } else {
        format!("{:.1} s", duration.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_milliseconds_are_integers() {
        let json = |micros| serde_json::to_string(&Millis(Duration::from_micros(micros)));
        assert_eq!(json(12_000).unwrap(), "12");
        assert_eq!(json(12_345).unwrap(), "12.345");
    }

    #[test]
    fn senseless_times_are_refused() {
        for text in ["-1", "1e13", "1e300", "\"5\"", "null"] {
            assert!(serde_json::from_str::<Millis>(text).is_err(), "{text}");
        }
        let half: Millis = serde_json::from_str("0.5").unwrap();
        assert_eq!(half.0, Duration::from_micros(500));
    }

    #[test]
    fn times_are_written_as_they_were_read() {
        for text in [
            "0",
            "0.001",
            "12.345",
            "92233720368.547",
            "999999999999.999",
            "1000000000000",
        ] {
            let time: Millis = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&time).unwrap(), text);
        }
    }
}
