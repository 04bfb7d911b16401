//! The targets: each takes any bytes, and panics if it finds an error.

mod files;
mod network;
mod play;

use games::Rng;

use files::{bundles, clocks, config, log, sheets, submissions};
use network::{announcements, http, results};
use play::{messages, model, moves, options, states};

/// A parser of text from outside.
pub struct Target {
    pub name: &'static str,
    /// Valid examples to start from.
    pub seeds: fn(&mut Rng) -> Vec<Vec<u8>>,
    /// Tries an input; true if it was understood, so that more than its parser was tried.
    pub run: fn(&[u8]) -> bool,
}

macro_rules! targets {
    ($($name:literal $seeds:path, $run:path;)*) => {
        /// All targets.
        pub const TARGETS: &[Target] = &[$(Target { name: $name, seeds: $seeds, run: $run }),*];
    };
}

targets![
    "moves" moves::seeds, moves::run;
    "options" options::seeds, options::run;
    "states" states::seeds, states::run;
    "from-bot" messages::from_bot_seeds, messages::from_bot;
    "to-bot" messages::to_bot_seeds, messages::to_bot;
    "model" model::seeds, model::run;
    "config" config::seeds, config::run;
    "log" log::seeds, log::run;
    "sheets" sheets::seeds, sheets::run;
    "bundles" bundles::seeds, bundles::run;
    "http" http::seeds, http::run;
    "clocks" clocks::seeds, clocks::run;
    "announcements" announcements::seeds, announcements::run;
    "results" results::seeds, results::run;
    "submissions" submissions::seeds, submissions::run;
];
