//! The rules under test, and the extent of their checks.

use rules::RulesSet;

#[derive(Clone, Copy, Debug)]
pub struct RulesExtent {
    /// Random games of each game.
    pub games: u32,
    /// Determines the random games.
    pub seed: u64,
}

/// The rules under test, and what they are compared with.
pub struct Subjects {
    pub rules: RulesSet,
    /// A second process of the same program.
    pub twin: RulesSet,
    /// Other rules that should be equivalent.
    pub against: Option<RulesSet>,
}

/// A finding, or a note if there is something to say about rules that pass.
pub(super) type Verdict = Result<Option<String>, String>;
