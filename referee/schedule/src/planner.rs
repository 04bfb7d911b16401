//! What a schedule asks of a format, and what a format learns about the matches so far.

use super::scheduled::Scheduled;
use super::standing::Standing;
use super::unit::Unit;

/// How far a match has come.
#[derive(Clone, Debug)]
pub(super) enum MatchStatus {
    Open,
    Taken,
    /// It belongs to another part of the schedule.
    Elsewhere,
    /// With its outcome, if later pairings depend on it.
    Finished(Option<Box<MatchOutcome>>),
}

/// The outcome of a match.
#[derive(Clone, Debug)]
pub(super) struct MatchOutcome {
    pub(super) outcome: Box<[f64]>,
    /// Equal for matches that repeat each other, if that matters.
    pub(super) repetition: Option<u64>,
}

/// The matches so far and their outcomes.
#[derive(Clone, Copy)]
pub(super) struct Played<'a> {
    pub(super) matches: &'a [Scheduled],
    pub(super) states: &'a [MatchStatus],
}

impl<'a> Played<'a> {
    /// The matches that are finished, with their outcomes.
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

/// A tournament format: who meets whom, and when it is over.
pub(super) trait Planner: Send {
    /// What is played next, when all that came before is finished; nothing at the end.
    fn next(&mut self, played: Played<'_>) -> Vec<Unit>;

    /// Whether the tournament is decided, so that no more matches are needed. Asked after each match.
    fn settled(&mut self, _: Played<'_>) -> bool {
        false
    }

    /// Whether later matches depend on results. If not, no results are stored.
    fn heeds_results(&self) -> bool {
        true
    }

    /// Whether it matters that a match repeats another one.
    fn heeds_repetition(&self) -> bool {
        false
    }

    /// The least number of matches after those that are known.
    fn ahead(&self) -> u64 {
        0
    }

    /// Where the tournament stands, if that is more than points.
    fn standing(&self, _: Played<'_>) -> Option<Standing> {
        None
    }

    /// The same, if it is worth a look after each match.
    fn live(&self) -> Option<Standing> {
        None
    }
}
