//! Checks rules programs during matches: their states must survive a round trip, and they must
//! answer when a bot did not, since the bot may have waited for its own rules process.

use std::ops::ControlFlow;

use arbiter::{Action, Arbiter, Event, FinishedMatch};
use games::session::PlyByPly;
use games::{BrokenRules, Rules, Session};
use play::match_runner::Observer;
use protocol::{FaultCode, LoggedMove};

/// One match in this many is checked, starting with the first. Checking a log checks all.
const ONE_IN: u64 = 8;

/// An observer that keeps positions to check after the match.
pub(crate) struct TriedRules<'o, O> {
    observer: &'o mut O,
    /// The ply of the first position to check; `None` to check none.
    at: Option<usize>,
    /// At most one from the middle, and the last one.
    positions: Vec<Box<dyn Session>>,
}

impl<'o, O: Observer> TriedRules<'o, O> {
    /// Observes the match with this id, from this start.
    pub(crate) fn new(observer: &'o mut O, id: &str, start: &dyn Session) -> Self {
        let number = id.strip_prefix("m-").and_then(|number| number.parse().ok());
        let number: u64 = number.unwrap_or(1);
        let is_wanted = number % ONE_IN == 1 && rules::is_of_program(start);
        TriedRules {
            observer,
            at: is_wanted.then_some((number / ONE_IN) as usize % 8 + 1),
            positions: Vec::new(),
        }
    }

    /// Checks that the states of the positions survive a round trip.
    ///
    /// # Errors
    /// If one does not.
    pub(crate) fn check(&self, rules: &dyn Rules) -> Result<(), BrokenRules> {
        let mut positions = self.positions.iter();
        positions.try_for_each(|position| rules.comes_back(&**position))
    }
}

impl<O: Observer> Observer for TriedRules<'_, O> {
    fn before(&mut self, arbiter: &Arbiter, event: &mut Event) -> ControlFlow<()> {
        self.observer.before(arbiter, event)
    }

    fn action(&mut self, action: &mut Action) -> ControlFlow<()> {
        self.observer.action(action)
    }

    fn after(&mut self, arbiter: &Arbiter) {
        self.observer.after(arbiter);
        let Some(at) = self.at else { return };
        let is_due = self.positions.is_empty() && arbiter.moves().len() >= at;
        if is_due || arbiter.is_over() {
            self.positions.push(arbiter.session().fork());
        }
        if arbiter.is_over() {
            self.at = None;
        }
    }
}

/// Checks that the rules work where a bot did not answer, as it may have waited for them. If they
/// do not, the bot is not at fault.
///
/// # Errors
/// If they do not work.
pub(crate) fn after_faults(
    start: &dyn Session,
    played: &FinishedMatch,
    seed: u64,
) -> Result<(), BrokenRules> {
    if !rules::is_of_program(start) {
        return Ok(());
    }
    let waited = |code| matches!(code, FaultCode::Timeout | FaultCode::Crash);
    for fault in played
        .result
        .faults
        .iter()
        .filter(|fault| waited(fault.code))
    {
        let asked = at_ply(start, &played.moves, fault.ply)?;
        rules::try_from(&*asked, seed)?;
    }
    Ok(())
}

/// The position of the request to a seat at this ply.
fn at_ply(
    start: &dyn Session,
    moves: &[LoggedMove],
    ply: u32,
) -> Result<Box<dyn Session>, BrokenRules> {
    let mut session = start.fork();
    let mut step = PlyByPly::default();
    for played in moves {
        if session.ply() >= ply && step.is_whole() {
            break;
        }
        let added = step.add(&mut *session, &played.mv);
        added
            .map_err(|error| BrokenRules::new(format!("they refuse a move of before: {error}")))?;
    }
    Ok(session)
}
