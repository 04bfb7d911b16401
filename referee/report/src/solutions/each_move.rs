//! The values of all moves of a position, as text and as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use games::Session;
use serde_json::{Map, Value, json};
use solver::{MoveValue, Question, Value as Found, Winner};

use super::answer;

/// What is known about the moves of a position.
pub struct EachMove<'a> {
    pub question: Question,
    /// Of the position itself.
    pub value: Found,
    pub moves: Vec<(&'a MoveValue, Found)>,
    /// True if checks were requested.
    pub check: bool,
    pub took: Duration,
}

impl EachMove<'_> {
    /// True if every move is decided.
    pub fn is_solved(&self) -> bool {
        self.moves.iter().all(|(mv, _)| mv.decided)
    }

    fn positions(&self) -> u64 {
        self.moves.iter().map(|(mv, _)| mv.positions).sum()
    }

    /// `about` describes the position and the search.
    pub fn json(&self, about: &Map<String, Value>) -> Value {
        let moves = self.moves.iter().map(|(mv, value)| {
            let mut known = json!({"move": mv.text, "solved": mv.decided});
            answer::put_value(&mut known, value);
            known["positions"] = mv.positions.into();
            known["proof_positions"] = json!(mv.checked);
            known
        });
        let mut all = Value::Object(about.clone());
        all["solved"] = self.is_solved().into();
        answer::put_value(&mut all, &self.value);
        all["moves"] = moves.collect();
        all["positions"] = self.positions().into();
        all["seconds"] = json!(self.took.as_secs_f64());
        all
    }

    /// `session` is the position, `roles` are the names of the seats.
    pub fn text(&self, roles: &[String], session: &dyn Session) -> String {
        let mut text = answer::who_wins(self.value.winner, roles, session);
        let seats =
            (0..roles.len()).map(|seat| (Winner::Seat(seat), format!("{} wins", roles[seat])));
        let ends = seats.chain([(Winner::Draw, "a draw".to_owned())]);
        let ends = ends.map(|(winner, end)| (Some(winner), end));
        for (winner, end) in ends.chain([(None, "not known".to_owned())]) {
            let such = self
                .moves
                .iter()
                .filter(|(_, value)| value.winner == winner);
            let names: Vec<String> = such.map(|(mv, value)| self.name(mv, value)).collect();
            if !names.is_empty() {
                let (count, all) = (names.len(), self.moves.len());
                let _ = writeln!(
                    text,
                    "{end} after {count} of {all} moves:\n  {}",
                    names.join(" ")
                );
            }
        }
        let open = self.moves.iter().filter(|(mv, _)| !mv.decided);
        if let Some(least) = open.map(|(mv, _)| mv.tried).min() {
            let _ = writeln!(
                text,
                "each of those that are open had at least {least} positions"
            );
        }
        let decided = self.moves.iter().filter(|(mv, _)| mv.decided).count();
        let checked = self.moves.iter().filter_map(|(mv, _)| mv.checked);
        let checked: Vec<u64> = checked.collect();
        if self.check {
            let _ = writeln!(
                text,
                "the whole proofs of {} of {decided} decided moves were checked: {} positions",
                checked.len(),
                checked.iter().sum::<u64>()
            );
        }
        if self.check && checked.len() < decided {
            text += "others are too large to be checked, or were found before without a check\n";
        }
        let _ = writeln!(
            text,
            "{} positions searched in {:.1} s",
            self.positions(),
            self.took.as_secs_f64()
        );
        text
    }

    /// A move, with the margin after it where that was asked for.
    fn name(&self, mv: &MoveValue, value: &Found) -> String {
        let (least, most) = value.bounds;
        match self.question {
            Question::Value if least == most => format!("{} ({least:+})", mv.text),
            _ => mv.text.clone(),
        }
    }
}
