//! The tables of time control, and of what depends on the machine.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

/// A machine on which more attempts are needed is no place for a tournament.
const MOST_ATTEMPTS: u32 = 100;

/// Time control. Without `per_move` and `base`, a move may take one second.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TimeTable {
    /// For each move.
    pub per_move: Option<Time>,
    /// For all moves of a match in total.
    pub base: Option<Time>,
    /// Added to `base` after each move.
    pub increment: Option<Time>,
    /// From a process's start to its `hello`, and from `start` to `ready`. Default "10s".
    pub startup: Option<Time>,
    /// Tolerated on top of each limit. Default "50ms".
    pub margin: Option<Time>,
    /// With `clock = "cpu"`: the wall-clock time that a move may take. The default is ten times the
    /// limit on its CPU time, and at least 2 s.
    pub wall: Option<Time>,
    /// In the tournament's own table: "yardstick" multiplies `per_move`, `base`, `increment` and `wall`,
    /// also those of single bots, by `reference` and divides them by the speed of the machine, which is
    /// measured before the first match: a slow machine gives more time. "none", the default, does not.
    pub scale: Option<TimeScaling>,
    /// With `scale = "yardstick"`: the speed of the machine that the limits are meant for, as `referee
    /// doctor` prints it there.
    pub reference: Option<f64>,
}

/// Adjustment of time limits to the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimeScaling {
    /// They are the same everywhere.
    #[default]
    None,
    /// By its speed.
    Yardstick,
}

/// Conditions for matches to count on a busy machine. Linux reports both shares; a match that is
/// too short for them, or on another system, always counts.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MachineTable {
    /// A match is played again if the host of the virtual machine took more than this share of the
    /// cores' time meanwhile, from 0 to 1.
    pub max_stolen: Option<f64>,
    /// A match is played again if some process was waiting for a core for more than this share of
    /// the time, from 0 to 1. Bots also wait for each other and for the referee, but only briefly.
    pub max_waiting: Option<f64>,
    /// Attempts at a match until one counts; after that the tournament stops. Default 3.
    #[schemars(range(min = 1, max = MOST_ATTEMPTS))]
    pub attempts: Option<u32>,
}

/// Work of workers of `--nats` besides playing.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WorkersTable {
    /// The share of groups, from 0 to 1, that another worker plays again, to compare the matches move by
    /// move. Only groups of bots that all have `deterministic = true` are. Default 0.01.
    pub recheck: Option<f64>,
}

/// The longest duration that is allowed. Added to the current time, it overflows no clock.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// A duration such as "100ms".
#[derive(Clone, Copy, Debug)]
pub struct Time(pub Duration);

impl std::str::FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match humantime::parse_duration(text) {
            Ok(time) if time <= LONGEST => Ok(Time(time)),
            Ok(_) => Err(format!(
                "\"{text}\" is too long: at most 366 days are allowed"
            )),
            Err(_) => Err(not_a_duration(&format!("\"{text}\""))),
        }
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let parsed = match value.as_str() {
            Some(text) => text.parse(),
            None => Err(not_a_duration(&value.to_string())),
        };
        parsed.map_err(de::Error::custom)
    }
}

fn not_a_duration(given: &str) -> String {
    format!(
        "{given} is not a duration; those are strings with a unit, as in \"100ms\", \"2s\", \"5m\""
    )
}

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "duration",
            "type": "string",
            "description": "A duration with a unit.",
            "examples": ["100ms", "2s", "5m"]
        })
    }
}
