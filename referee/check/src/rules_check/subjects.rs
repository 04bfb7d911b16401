//! What is checked, and how thoroughly.

use rules::RulesSet;

/// How much is checked.
#[derive(Clone, Copy, Debug)]
pub struct RulesExtent {
    /// How many random games of each game.
    pub games: u32,
    /// What they are made from.
    pub seed: u64,
}

/// Where the rules under test come from, and what they are compared with.
pub struct Subjects {
    /// The rules under test.
    pub rules: RulesSet,
    /// A second process of the same program.
    pub twin: RulesSet,
    /// Other rules that should be the same.
    pub against: Option<RulesSet>,
}

/// What a check finds wrong; a note, if there is something to say although nothing is.
pub(super) type Verdict = Result<Option<String>, String>;
