//! Answers of the solver: verified, and printed for people and for programs.

use std::fmt::Write as _;
use std::time::Duration;

use games::{Game, Session};
use serde_json::{Map, Value, json};
use solver::{Question, Solver, Stopped, Winner};

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

/// The known facts about a position.
pub(super) struct Answer {
    pub(super) solved: bool,
    winner: Option<Winner>,
    bounds: (i32, i32),
    /// The scores at the end of the line, if they are those of best play.
    scores: Option<Vec<i64>>,
    line: Vec<String>,
    /// The positions of the whole proof, if it was checked.
    checked: Option<u64>,
    /// True if a check was requested.
    check: bool,
    positions: u64,
    table: f64,
    took: Duration,
}

impl Answer {
    /// Facts from an unfinished search.
    pub(super) fn unsolved<G: Game>(solver: &Solver<'_, G>, took: Duration) -> Self {
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
    pub(super) fn of<G: Game>(
        solver: &mut Solver<'_, G>,
        session: &dyn Session,
        check: Option<u64>,
        took: Duration,
    ) -> Result<Self, Failed> {
        let mut answer = Answer::unsolved(solver, took);
        if !solver.is_solved() {
            return Ok(answer);
        }
        answer.line = solver.written_line()?;
        let end = replay(session, &answer.line)?;
        answer.compare(&*end)?;
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
    fn compare(&self, end: &dyn Session) -> Result<(), Failed> {
        let tally = end
            .tally()
            .map_err(|broken| Failed::Wrong(broken.to_string()))?;
        let expected = self.outcome();
        if end.end().is_none() || Some(&tally.outcome[..]) != expected.as_ref().map(|o| &o[..]) {
            return Err(Failed::Wrong(format!(
                "the line of play ends with {:?}, not with {expected:?}: {}",
                tally.outcome,
                self.line.join(" ")
            )));
        }
        Ok(())
    }

    fn outcome(&self) -> Option<[f64; 2]> {
        self.winner.map(|winner| match winner {
            Winner::Seat(0) => [1.0, 0.0],
            Winner::Seat(_) => [0.0, 1.0],
            Winner::Draw => [0.5, 0.5],
        })
    }

    pub(super) fn print(
        &self,
        about: &Map<String, Value>,
        session: &dyn Session,
        json: bool,
    ) -> Result<(), CliError> {
        if json {
            print_json(&self.json(about))
        } else {
            print(&self.text(&roles(about), session))
        }
    }

    fn json(&self, about: &Map<String, Value>) -> Value {
        let bound = |bound: i32| match bound {
            i32::MIN | i32::MAX => Value::Null,
            bound => bound.into(),
        };
        let mut answer = Value::Object(about.clone());
        answer["solved"] = self.solved.into();
        answer["winner"] = match self.winner {
            None => Value::Null,
            Some(Winner::Draw) => "draw".into(),
            Some(Winner::Seat(seat)) => seat.into(),
        };
        answer["outcome"] = json!(self.outcome());
        answer["margin"] = json!([bound(self.bounds.0), bound(self.bounds.1)]);
        answer["scores"] = json!(self.scores);
        answer["line"] = json!(self.line);
        answer["line_verified"] = self.solved.into();
        answer["proof_positions"] = json!(self.checked);
        answer["positions"] = self.positions.into();
        answer["table"] = json!(self.table);
        answer["seconds"] = json!(self.took.as_secs_f64());
        answer
    }

    fn text(&self, roles: &[String], session: &dyn Session) -> String {
        let mut text = match self.winner {
            None => "not solved: who wins is not known\n".to_owned(),
            Some(Winner::Draw) => "a draw with best play\n".to_owned(),
            Some(Winner::Seat(seat)) => {
                let moves = match session.to_move().alone() {
                    Some(mover) if mover == seat => ", who is to move,",
                    _ => "",
                };
                format!("{}{moves} wins\n", roles[seat])
            }
        };
        if let Some(scores) = &self.scores {
            let scores: Vec<String> = scores.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "scores of best play: {}", scores.join(" : "));
        } else if !self.solved {
            let (least, most) = self.bounds;
            let _ = writeln!(
                text,
                "final margin of {}: {}",
                roles[0],
                match (least, most) {
                    (i32::MIN, i32::MAX) => "nothing is known".to_owned(),
                    (least, i32::MAX) => format!("at least {least}"),
                    (least, most) => format!("{least} to {most}"),
                }
            );
        }
        if !self.line.is_empty() {
            let _ = writeln!(
                text,
                "line of play, replayed by the rules ({} plies):\n  {}",
                self.line.len(),
                self.line.join(" ")
            );
        }
        match self.checked {
            Some(positions) => {
                let _ = writeln!(text, "the whole proof was checked: {positions} positions");
            }
            None if self.check => text += "the whole proof is too large to be checked\n",
            None => {}
        }
        let _ = writeln!(
            text,
            "{} positions searched in {:.1} s; table {:.0} % full",
            self.positions,
            self.took.as_secs_f64(),
            self.table * 100.0
        );
        text
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
