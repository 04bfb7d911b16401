//! Limits on sheets. Sheets come from outside, so everything that they make grow has a limit.
//! Nearly all limits are counts: a sheet means the same on every machine. Where there is a limit on time as
//! well, a sheet that is not grounded by then is interpreted, which is slower and means the same.

use std::time::Duration;

use games::budget::Budget;

/// The longest text, in bytes.
pub(crate) const MOST_BYTES: usize = 8 << 20;
/// The deepest nesting of parentheses.
pub(crate) const DEEPEST: usize = 500;
/// The most rules, counted after every `or` was split into alternatives.
pub(crate) const MOST_RULES: usize = 100_000;
/// The most alternatives that the `or`s of one rule may make.
pub(crate) const MOST_ALTERNATIVES: usize = 4_096;
/// The most literals in the body of one rule.
pub(crate) const MOST_LITERALS: usize = 400;
/// The most literals in the bodies of all rules together.
pub(crate) const MOST_ALL_LITERALS: usize = 2_000_000;
/// The most variables in one rule.
pub(crate) const MOST_VARIABLES: usize = 200;

/// The most words in a term, counted as often as they would be written. Terms share what they have in
/// common, so that a few of them could be longer than any memory.
pub(crate) const MOST_WORDS: u64 = 100_000;
/// The most words in all facts and moves of a game together, or in the facts of one position.
pub(crate) const MOST_ALL_WORDS: u64 = 4_000_000;

/// Limits of grounding, beyond which a sheet is interpreted instead, and of the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroundLimits {
    /// Ground atoms. Each takes about 150 bytes.
    pub atoms: usize,
    /// Literals in the bodies of all ground rules together. Each takes about 30 bytes until the
    /// network is there.
    pub literals: usize,
    /// Candidates that joins look at, about 50 million a second.
    pub candidates: u64,
    /// The largest nesting depth of terms.
    pub depth: u32,
    /// True to ground rules that are rewritten to have fewer instances, also where that is not needed.
    pub rewritten: bool,
    /// Work for a program of one joint move: gates that are looked at and inputs of new ones, some millions a
    /// second. Where it would be more, the network itself is evaluated for the move.
    pub change: usize,
    /// Candidates that the interpreter matches for one position, some million a second.
    pub steps: u64,
    /// `None` if only counts limit grounding.
    pub time: Option<Duration>,
    /// Time limit of each query about a position, likewise.
    pub question_time: Option<Duration>,
}

/// A sheet is small if it takes this part of what it may take.
const SMALL: usize = 6;

impl GroundLimits {
    pub(crate) fn budget(&self) -> Budget {
        within(self.time)
    }

    /// Limits below which rules are grounded as they are written.
    pub(crate) fn small(&self) -> GroundLimits {
        GroundLimits {
            atoms: self.atoms / SMALL,
            literals: self.literals / SMALL,
            candidates: self.candidates / SMALL as u64,
            ..*self
        }
    }

    /// Limits that keep grounding below some seconds and 500 MB.
    pub const DEFAULT: GroundLimits = GroundLimits {
        atoms: 1_000_000,
        literals: 6_000_000,
        candidates: 150_000_000,
        depth: 200,
        rewritten: false,
        change: 50_000,
        steps: 30_000_000,
        time: None,
        question_time: None,
    };
}

/// A budget that lasts so long from now on, if there is a limit.
pub(crate) fn within(time: Option<Duration>) -> Budget {
    time.map_or_else(Budget::default, |time| Budget::default().lasting(time))
}
