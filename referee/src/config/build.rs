//! How a bot is built before it plays.

use std::time::Duration;

use supervisor::sandbox::limits::Wanted;

/// How a bot is built before it plays, and whether it has to pass checks then.
#[derive(Clone, Debug)]
pub struct BuildPlan {
    /// Program and arguments; `None` if there is nothing to build.
    pub command: Option<Vec<String>>,
    /// How long it may take.
    pub timeout: Duration,
    /// What it may use.
    pub wanted: Wanted,
    /// Whether the bot is left out, or the tournament does not begin, if it cannot be built, does not
    /// start or fails a check.
    pub must_pass: bool,
}
