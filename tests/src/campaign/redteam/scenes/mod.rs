//! Attacks by others than a bot in a match: the author of a submission, a worker or a coordinator over
//! the network, a spectator. A scene is one function and one line in the list of its file.

mod analysts;
mod authors;
pub(super) mod deals;
mod limits;
mod neighbours;
mod network;
mod spectators;
mod workers;

use super::judge::Verdict;
use super::options::{Options, Tier, User};
use super::site::Programs;

/// Everything that is tried.
const ALL: &[&[Scene]] = &[
    analysts::SCENES,
    authors::SCENES,
    deals::SCENES,
    limits::SCENES,
    neighbours::SCENES,
    network::SCENES,
    spectators::SCENES,
    workers::SCENES,
];

/// One attack, tried by every user who may run the referee.
pub(super) struct Scene {
    /// What it is chosen by, as `--trick`.
    pub(super) name: &'static str,
    /// Who attacks: "an author", "a worker", "a spectator".
    pub(super) by: &'static str,
    /// Goes on after "cannot": what must not happen.
    pub(super) cannot: &'static str,
    /// In which sandboxes it is tried.
    pub(super) tiers: Tiers,
    /// Whether it is promised there.
    pub(super) promised: fn(Tier, User) -> bool,
    /// Tries it.
    pub(super) play: fn(&Stage) -> Verdict,
}

/// In which sandboxes a scene is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tiers {
    /// In each of them.
    Each,
    /// Once: no sandbox has a part in it.
    Any,
}

/// Where a scene is played.
pub(super) struct Stage<'a> {
    pub(super) programs: &'a Programs,
    /// The sandbox to ask for.
    pub(super) tier: Tier,
    /// Who runs the referee.
    pub(super) user: User,
    /// Less of what takes long.
    pub(super) short: bool,
}

impl Verdict {
    /// Takes one attempt in: what was tried, and whether it succeeded.
    pub(super) fn tried(&mut self, what: impl Into<String>, succeeded: bool) {
        let what = what.into();
        let mark = if succeeded { "YES" } else { "no" };
        self.attempts.push(format!("{mark} {what}"));
        if succeeded {
            self.successes.push(what);
        }
    }
}

/// The scenes that are asked for.
pub(super) fn chosen(options: &Options) -> impl Iterator<Item = &'static Scene> {
    let all = ALL.iter().copied().flatten();
    all.filter(move |scene| options.trick.as_ref().is_none_or(|only| only == scene.name))
}

/// Whether there is a scene of this name.
pub(super) fn exists(name: &str) -> bool {
    ALL.iter()
        .copied()
        .flatten()
        .any(|scene| scene.name == name)
}
