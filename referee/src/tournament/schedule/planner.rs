//! What the schedule asks a format, and what it tells one about the matches so far.

use super::scheduled::Scheduled;
use super::standing::Standing;
use super::unit::Unit;

/// How far a match is.
#[derive(Clone, Debug)]
pub(super) enum State {
    Open,
    Taken,
    /// With what came out, where anything depends on it.
    Finished(Option<Box<Finished>>),
}

/// What came out of a match.
#[derive(Clone, Debug)]
pub(super) struct Finished {
    pub(super) outcome: Box<[f64]>,
    /// Equal for matches that repeat each other, if that matters.
    pub(super) repetition: Option<u64>,
}

/// The matches so far and what came out.
#[derive(Clone, Copy)]
pub(super) struct Played<'a> {
    pub(super) matches: &'a [Scheduled],
    pub(super) states: &'a [State],
}

impl<'a> Played<'a> {
    /// The matches that are finished, with their outcomes.
    pub(super) fn finished(self) -> impl Iterator<Item = (&'a Scheduled, &'a [f64])> {
        let both = self.matches.iter().zip(self.states);
        both.filter_map(|(scheduled, state)| match state {
            State::Finished(Some(result)) => Some((scheduled, &*result.outcome)),
            _ => None,
        })
    }

    /// What came out of the match of this number, if it is finished.
    pub(super) fn result(self, number: usize) -> Option<&'a Finished> {
        match self.states.get(number.checked_sub(1)?)? {
            State::Finished(result) => result.as_deref(),
            _ => None,
        }
    }
}

/// How bots meet: what a format has to know.
pub(super) trait Planner: Send {
    /// What is played next, when all that came before is finished; nothing at the end.
    fn next(&mut self, played: Played<'_>) -> Vec<Unit>;

    /// Whether nothing more need be played. Asked after each match.
    fn settled(&mut self, _: Played<'_>) -> bool {
        false
    }

    /// Whether anything depends on results; else none are kept.
    fn heeds_results(&self) -> bool {
        true
    }

    /// Whether it matters that a match repeats another one.
    fn heeds_repetition(&self) -> bool {
        false
    }

    /// How many matches will come, at least, after those that are known.
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
