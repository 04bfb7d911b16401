//! Environment variables of the program.

use tournament::Yardstick;

/// Set to `off`, it prevents measuring the machine's speed.
const YARDSTICK: &str = "REFEREE_YARDSTICK";

/// Measures the machine's speed, unless the environment says no.
pub(crate) fn yardstick() -> Yardstick {
    if std::env::var_os(YARDSTICK).is_some_and(|value| value == "off") {
        Yardstick::Off
    } else {
        Yardstick::Measured
    }
}
