//! The interface between a schedule and its format.

use super::scheduled::{Scheduled, Unit};
use super::standing::Standing;

#[derive(Clone, Debug)]
pub(super) enum MatchStatus {
    Open,
    Taken,
    /// In another shard.
    Elsewhere,
    /// The outcome, if later pairings depend on it.
    Finished(Option<Box<MatchOutcome>>),
}

#[derive(Clone, Debug)]
pub(super) struct MatchOutcome {
    pub(super) outcome: Box<[f64]>,
    /// Equal for matches that repeat each other, if the format asks for it.
    pub(super) repetition: Option<u64>,
}

/// The matches so far and their outcomes.
#[derive(Clone, Copy)]
pub(super) struct Played<'a> {
    pub(super) matches: &'a [Scheduled],
    pub(super) states: &'a [MatchStatus],
}

impl<'a> Played<'a> {
    /// The finished matches with their outcomes.
    pub(super) fn finished(self) -> impl Iterator<Item = (&'a Scheduled, &'a [f64])> {
        let both = self.matches.iter().zip(self.states);
        both.filter_map(|(scheduled, state)| match state {
            MatchStatus::Finished(Some(result)) => Some((scheduled, &*result.outcome)),
            _ => None,
        })
    }

    /// The outcome of the match with this number, if it is finished.
    pub(super) fn result(self, number: usize) -> Option<&'a MatchOutcome> {
        match self.states.get(number.checked_sub(1)?)? {
            MatchStatus::Finished(result) => result.as_deref(),
            _ => None,
        }
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
