//! The interface between a schedule and its format.

use std::collections::BTreeMap;

use super::plan::Plan;
use super::scheduled::{Scheduled, Unit};
use super::standing::Standing;

#[derive(Clone, Debug)]
pub(super) struct MatchOutcome {
    pub(super) outcome: Box<[f64]>,
    /// Equal for matches that repeat each other, if the format asks for it.
    pub(super) repetition: Option<u64>,
}

/// The matches so far and their outcomes.
#[derive(Clone, Copy)]
pub(super) struct Played<'a> {
    pub(super) plan: &'a Plan,
    /// By number: finished matches, if the format heeds results.
    pub(super) outcomes: &'a BTreeMap<usize, MatchOutcome>,
}

impl<'a> Played<'a> {
    /// The finished matches with their outcomes.
    pub(super) fn finished(self) -> impl Iterator<Item = (Scheduled, &'a [f64])> {
        let all = self.outcomes.iter();
        all.filter_map(move |(&number, result)| Some((self.plan.get(number)?, &*result.outcome)))
    }

    /// The match of this number with its outcome, if it is finished.
    pub(super) fn result(self, number: usize) -> Option<(Scheduled, &'a MatchOutcome)> {
        Some((self.plan.get(number)?, self.outcomes.get(&number)?))
    }
}

/// A tournament format: the pairings, and the end.
pub(super) trait Planner: Send {
    /// The next units, after all earlier ones are finished; empty at the end.
    fn next(&mut self, played: Played<'_>) -> Vec<Unit>;

    /// True if the tournament is decided early. Called after each match.
    fn settled(&mut self, _: Played<'_>) -> bool {
        false
    }

    /// True if later matches depend on results. If not, no results are stored.
    fn heeds_results(&self) -> bool {
        true
    }

    fn heeds_repetition(&self) -> bool {
        false
    }

    /// The least number of matches after the known ones.
    fn ahead(&self) -> u64 {
        0
    }

    /// The standing, if the format has more than points.
    fn standing(&self, _: Played<'_>) -> Option<Standing> {
        None
    }

    /// The standing, if it is of interest after each match.
    fn live(&self) -> Option<Standing> {
        None
    }
}
