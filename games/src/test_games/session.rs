//! Sessions of the games for tests.

use std::any::Any;
use std::borrow::Cow;

use serde_json::{Value, json};

use super::position::{Perceived, Position};
use crate::kit::outcome::Seat;
use crate::kit::text::shown;
use crate::kit::to_move::{Actor, ToMove};
use crate::kit::view::View;
use crate::perft::{Perft, PerftRequest};
use crate::playout::{PlayoutBudget, PlayoutRequest, PlayoutResults};
use crate::session::{
    BrokenRules, End, MoveError, Session, Tally, UndoError, by_steps, wrong_count,
};

const SEATS: usize = 2;

#[derive(Clone)]
pub(super) struct TestSession<P> {
    now: P,
    sees: Perceived,
    before: Vec<(P, Perceived)>,
}

impl<P: Position> TestSession<P> {
    pub(super) fn of(now: P) -> Self {
        TestSession {
            now,
            sees: Vec::new(),
            before: Vec::new(),
        }
    }

    fn check(&self, actor: Actor, text: &str) -> Result<(), MoveError> {
        let Actor::Seat(seat) = actor else {
            let chances = self.now.chances();
            let is_possible = chances.iter().any(|(outcome, _)| outcome == text);
            return is_possible.then_some(()).ok_or(MoveError::NoOutcome {
                text: shown(text),
                outcomes: chances.len(),
            });
        };
        let legal = self.now.legal(seat);
        let is_legal = legal.iter().any(|mv| mv == text);
        is_legal.then_some(()).ok_or(MoveError::Illegal {
            text: shown(text),
            seat,
            role: format!("seat {seat}"),
            legal: legal.len() as u64,
        })
    }
}

impl<P: Position> Session for TestSession<P> {
    fn seats(&self) -> usize {
        SEATS
    }

    fn ply(&self) -> u32 {
        self.now.ply()
    }

    fn to_move(&self) -> ToMove {
        self.now.to_move()
    }

    fn each_legal(&mut self, seat: Seat, take: &mut dyn FnMut(&str)) -> Result<(), BrokenRules> {
        if self.to_move().includes(seat) {
            self.now.legal(seat).iter().for_each(|mv| take(mv));
        }
        Ok(())
    }

    fn chances(&self) -> Vec<(String, f64)> {
        self.now.chances()
    }

    fn check_move(&mut self, seat: Seat, text: &str) -> Result<(), MoveError> {
        if !self.to_move().includes(seat) {
            return Err(MoveError::Over { text: shown(text) });
        }
        self.check(Actor::Seat(seat), text)
    }

    fn play_step(&mut self, choices: &[&str]) -> Result<(), MoveError> {
        let to_move = self.to_move();
        if to_move.is_over() || to_move.count() != choices.len() {
            return Err(wrong_count(to_move, choices));
        }
        for (actor, text) in to_move.actors().zip(choices) {
            self.check(actor, text)?;
        }
        let mut next = self.now.clone();
        let mut sees = next.play(choices);
        sees.resize(SEATS, Vec::new());
        let now = std::mem::replace(&mut self.now, next);
        self.before
            .push((now, std::mem::replace(&mut self.sees, sees)));
        Ok(())
    }

    fn played(&self) -> usize {
        self.before.len()
    }

    fn undo(&mut self, count: usize) -> Result<(), UndoError> {
        let keep = UndoError::remaining(self.played(), count)?;
        if let Some(before) = self.before.drain(keep..).next() {
            (self.now, self.sees) = before;
        }
        Ok(())
    }

    fn state(&self) -> Result<Value, BrokenRules> {
        Ok(json!(self.now))
    }

    fn observation(&self, seat: Seat) -> Result<Value, BrokenRules> {
        Ok(self.now.observation(seat))
    }

    fn sees(&self) -> &[Vec<Value>] {
        if P::HIDDEN { &self.sees } else { &[] }
    }

    fn tally(&self) -> Result<Tally, BrokenRules> {
        Ok(self.now.tally())
    }

    fn end(&self) -> Option<End> {
        self.to_move().is_over().then(|| End {
            tally: self.now.tally(),
            reason: "over".to_owned(),
        })
    }

    fn reason(&self) -> Option<Cow<'_, str>> {
        self.to_move().is_over().then_some(Cow::Borrowed("over"))
    }

    fn identity(&self) -> Result<String, BrokenRules> {
        Ok(json!(self.now).to_string())
    }

    fn view(&self) -> Result<Option<View>, BrokenRules> {
        Ok(None)
    }

    fn fork(&self) -> Box<dyn Session> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn write_legal(&mut self, out: &mut String) -> Result<(), BrokenRules> {
        by_steps::write_legal(self, out)
    }

    fn each_child(
        &self,
        take: &mut dyn FnMut(&[&str], &mut dyn Session),
    ) -> Result<(), BrokenRules> {
        by_steps::each_child(self, take)
    }

    fn perft(&self, request: &PerftRequest) -> Result<Option<Perft>, BrokenRules> {
        by_steps::perft(self, request)
    }

    fn playouts(
        &self,
        request: &PlayoutRequest,
        budget: PlayoutBudget<'_>,
    ) -> Result<Option<PlayoutResults>, BrokenRules> {
        by_steps::playouts(self, request, budget)
    }
}
