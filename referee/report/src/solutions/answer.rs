//! The answer of a solver, as text and as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use games::Session;
use serde_json::{Map, Value, json};
use solver::{Value as Found, Winner};

/// The known facts about a position.
pub struct Answer {
    pub solved: bool,
    pub winner: Option<Winner>,
    pub bounds: (i32, i32),
    /// The scores at the end of the line, if they are those of best play.
    pub scores: Option<Vec<i64>>,
    pub line: Vec<String>,
    /// The positions of the whole proof, if it was checked.
    pub checked: Option<u64>,
    /// True if a check was requested.
    pub check: bool,
    pub positions: u64,
    pub table: f64,
    pub took: Duration,
}

impl Answer {
    /// The outcome of both seats.
    pub fn outcome(&self) -> Option<[f64; 2]> {
        outcome(self.value().winner)
    }

    fn value(&self) -> Found {
        Found {
            winner: self.winner,
            bounds: self.bounds,
        }
    }

    /// `about` describes the position and the search.
    pub fn json(&self, about: &Map<String, Value>) -> Value {
        let mut answer = Value::Object(about.clone());
        answer["solved"] = self.solved.into();
        put_value(&mut answer, &self.value());
        answer["scores"] = json!(self.scores);
        answer["line"] = json!(self.line);
        answer["line_verified"] = self.solved.into();
        answer["proof_positions"] = json!(self.checked);
        answer["positions"] = self.positions.into();
        answer["table"] = json!(self.table);
        answer["seconds"] = json!(self.took.as_secs_f64());
        answer
    }

    /// `session` is the position, `roles` are the names of the seats.
    pub fn text(&self, roles: &[String], session: &dyn Session) -> String {
        let mut text = who_wins(self.winner, roles, session);
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

fn outcome(winner: Option<Winner>) -> Option<[f64; 2]> {
    winner.map(|winner| match winner {
        Winner::Seat(0) => [1.0, 0.0],
        Winner::Seat(_) => [0.0, 1.0],
        Winner::Draw => [0.5, 0.5],
    })
}

/// Adds who wins and by how much.
pub(super) fn put_value(answer: &mut Value, value: &Found) {
    let bound = |bound: i32| match bound {
        i32::MIN | i32::MAX => Value::Null,
        bound => bound.into(),
    };
    answer["winner"] = match value.winner {
        None => Value::Null,
        Some(Winner::Draw) => "draw".into(),
        Some(Winner::Seat(seat)) => seat.into(),
    };
    answer["outcome"] = json!(outcome(value.winner));
    answer["margin"] = json!([bound(value.bounds.0), bound(value.bounds.1)]);
}

/// A line that says who wins; `session` is the position, `roles` are the names of the seats.
pub(super) fn who_wins(winner: Option<Winner>, roles: &[String], session: &dyn Session) -> String {
    match winner {
        None => "not solved: who wins is not known\n".to_owned(),
        Some(Winner::Draw) => "a draw with best play\n".to_owned(),
        Some(Winner::Seat(seat)) => {
            let moves = match session.to_move().alone() {
                Some(mover) if mover == seat => ", who is to move,",
                _ => "",
            };
            format!("{}{moves} wins\n", roles[seat])
        }
    }
}
