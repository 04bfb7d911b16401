//! Answers of the solver: verified and printed.

use std::time::Duration;

use games::{Game, Session};
use report::solutions::Answer;
use serde_json::{Map, Value};
use solver::{Question, Solver, Stopped};

use crate::cli::common::format::print_json;
use crate::cli::{CliError, print};

/// Why there is no answer.
pub(super) enum Failed {
    /// The line of play could not be found in time.
    Stopped,
    /// Rules and search disagree: a bug of the program.
    Wrong(String),
}

impl From<Stopped> for Failed {
    fn from(_: Stopped) -> Self {
        Failed::Stopped
    }
}

/// Facts from an unfinished search.
pub(super) fn unsolved<G: Game>(solver: &Solver<'_, G>, took: Duration) -> Answer {
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
pub(super) fn answer<G: Game>(
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
    session: &dyn Session,
    json: bool,
) -> Result<(), CliError> {
    if json {
        print_json(&answer.json(about))
    } else {
        print(&answer.text(&roles(about), session))
    }
}

/// The names of the seats, from a game's description.
fn roles(about: &Map<String, Value>) -> Vec<String> {
    let id = about["game"].as_str().and_then(games::find);
    id.map_or_else(Vec::new, |entry| entry.info.roles.clone())
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
