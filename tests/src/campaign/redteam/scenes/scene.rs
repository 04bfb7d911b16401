//! A scene and its site.

use super::super::judge::Verdict;
use super::super::options::{Tier, User};
use super::super::site::Programs;

pub(crate) struct Scene {
    /// Its name for `--trick`.
    pub(crate) name: &'static str,
    /// The attacker: "an author", "a worker", "a spectator".
    pub(crate) by: &'static str,
    /// The forbidden outcome, after "cannot".
    pub(crate) cannot: &'static str,
    /// The sandboxes for this scene.
    pub(crate) tiers: Tiers,
    /// True if it is promised.
    pub(crate) promised: fn(Tier, User) -> bool,
    /// Runs the attack.
    pub(crate) play: fn(&Stage) -> Verdict,
}

/// The sandboxes for a scene.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tiers {
    /// All.
    Each,
    /// Run once: the outcome does not depend on the sandbox.
    Any,
}

pub(crate) struct Stage<'a> {
    pub(crate) programs: &'a Programs,
    pub(crate) tier: Tier,
    /// The user who runs the referee.
    pub(crate) user: User,
    /// Skips slow parts.
    pub(crate) short: bool,
}

impl Verdict {
    /// Records one attempt and its success.
    pub(crate) fn tried(&mut self, what: impl Into<String>, succeeded: bool) {
        let what = what.into();
        let mark = if succeeded { "YES" } else { "no" };
        self.attempts.push(format!("{mark} {what}"));
        if succeeded {
            self.successes.push(what);
        }
    }
}
