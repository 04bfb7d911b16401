//! How a bot is built before it plays.

use std::time::Duration;

use supervisor::sandbox::limits::Wanted;

use crate::bundle::Unpacked;

/// How a bot is built before it plays, and whether it has to pass checks then.
#[derive(Clone, Debug)]
pub struct BuildPlan {
    /// Program and arguments; `None` if there is nothing to build.
    pub command: Option<Vec<String>>,
    /// What sets it up in its own folder where that was unpacked from a bundle; unpacked ones have no
    /// `command`, because they were built before.
    pub setup: Option<Vec<String>>,
    /// The bundle that it is played from, if it is.
    pub bundle: Option<Unpacked>,
    /// Whether `command` and `dir` are there on every machine.
    pub in_place: bool,
    /// How long it may take.
    pub timeout: Duration,
    /// What it may use.
    pub wanted: Wanted,
    /// Whether the bot is left out, or the tournament does not begin, if it cannot be built, does not
    /// start or fails a check.
    pub must_pass: bool,
}
