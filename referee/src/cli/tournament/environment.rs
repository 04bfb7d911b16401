//! What variables of the environment say.

use tournament::Yardstick;

/// The variable that is `off` where the machine's speed is not to be measured.
const YARDSTICK: &str = "REFEREE_YARDSTICK";

/// Whether the machine's speed is measured: the environment may say no.
pub(crate) fn yardstick() -> Yardstick {
    if std::env::var_os(YARDSTICK).is_some_and(|value| value == "off") {
        Yardstick::Off
    } else {
        Yardstick::Measured
    }
}
