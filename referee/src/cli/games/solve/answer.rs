//! Answers of the solver: verified and printed.

use std::time::Duration;

use games::Session;
use report::solutions::Answer;
use serde_json::{Map, Value};
use solver::{Playable, Question, Solver, Stopped};

use crate::cli::common::format::print_json;
use crate::cli::{CliError, print};

/// Why there is no answer.
pub(super) enum Failed {
    /// The line of play was not found.
    Stopped(Stopped),
    /// Rules and search disagree: a bug of the program.
    Wrong(String),
}

impl From<Stopped> for Failed {
    fn from(stopped: Stopped) -> Self {
        Failed::Stopped(stopped)
    }
}

/// Facts from an unfinished search.
pub(super) fn unsolved<G: Playable>(solver: &Solver<'_, G>, took: Duration) -> Answer {
    let (value, progress) = (solver.value(), solver.progress());
    Answer {
        solved: false,
        winner: value.winner,
        bounds: value.bounds,
        scores: None,
        line: Vec::new(),
        checked: None,
        check: false,
        positions: progress.positions,
        table: progress.table,
        took,
    }
}

/// The answer of a finished search, with its line replayed by the rules.
pub(super) fn answer<G: Playable>(
    solver: &mut Solver<'_, G>,
    session: &dyn Session,
    check: Option<u64>,
    took: Duration,
) -> Result<Answer, Failed> {
    let mut answer = unsolved(solver, took);
    if !solver.is_solved() {
        return Ok(answer);
    }
    answer.line = solver.written_line()?;
    let end = replay(session, &answer.line)?;
    compare(&answer, &*end)?;
    if solver.question() == Question::Value {
        let tally = end
            .tally()
            .map_err(|broken| Failed::Wrong(broken.to_string()))?;
        answer.scores = Some(tally.scores);
    }
    if let Some(most) = check {
        answer.check = true;
        answer.checked = solver.check(most)?;
    }
    answer.solved = true;
    Ok(answer)
}

/// Checks that the end of the line has the outcome of the search.
fn compare(answer: &Answer, end: &dyn Session) -> Result<(), Failed> {
    let tally = end
        .tally()
        .map_err(|broken| Failed::Wrong(broken.to_string()))?;
    let expected = answer.outcome();
    if end.end().is_none() || Some(&tally.outcome[..]) != expected.as_ref().map(|o| &o[..]) {
        return Err(Failed::Wrong(format!(
            "the line of play ends with {:?}, not with {expected:?}: {}",
            tally.outcome,
            answer.line.join(" ")
        )));
    }
    Ok(())
}

pub(super) fn print_answer(
    answer: &Answer,
    about: &Map<String, Value>,
    (roles, session): (&[String], &dyn Session),
    json: bool,
) -> Result<(), CliError> {
    if json {
        print_json(&answer.json(about))
    } else {
        print(&answer.text(roles, session))
    }
}

/// Plays the line by the rules.
fn replay(session: &dyn Session, line: &[String]) -> Result<Box<dyn Session>, Failed> {
    let mut session = session.fork();
    for mv in line {
        session.play(mv).map_err(|error| {
            Failed::Wrong(format!("the line of play is wrong at `{mv}`: {error}"))
        })?;
    }
    Ok(session)
}
