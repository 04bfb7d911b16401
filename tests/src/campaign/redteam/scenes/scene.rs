//! A scene and its site.

use super::super::judge::Verdict;
use super::super::options::{Tier, User};
use super::super::site::Programs;

/// One attack, tried by every user who may run the referee.
pub(crate) struct Scene {
    /// Its name for `--trick`.
    pub(crate) name: &'static str,
    /// The attacker: "an author", "a worker", "a spectator".
    pub(crate) by: &'static str,
    /// Goes on after "cannot": what must not happen.
    pub(crate) cannot: &'static str,
    /// In which sandboxes it is tried.
    pub(crate) tiers: Tiers,
    /// True where it is promised.
    pub(crate) promised: fn(Tier, User) -> bool,
    /// Tries it.
    pub(crate) play: fn(&Stage) -> Verdict,
}

/// In which sandboxes a scene is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tiers {
    /// In each of them.
    Each,
    /// Once: no sandbox has a part in it.
    Any,
}

pub(crate) struct Stage<'a> {
    pub(crate) programs: &'a Programs,
    /// The sandbox to ask for.
    pub(crate) tier: Tier,
    /// The user who runs the referee.
    pub(crate) user: User,
    /// Less of what takes long.
    pub(crate) short: bool,
}

impl Verdict {
    /// Takes one attempt in: what was tried, and whether it succeeded.
    pub(crate) fn tried(&mut self, what: impl Into<String>, succeeded: bool) {
        let what = what.into();
        let mark = if succeeded { "YES" } else { "no" };
        self.attempts.push(format!("{mark} {what}"));
        if succeeded {
            self.successes.push(what);
        }
    }
}
