//! Numbers for rules that list their moves as texts.

use std::collections::HashMap;

use super::{ActionError, Learning, Planes, PlayError};
use crate::kit::outcome::Seat;
use crate::session::{BrokenRules, Session};

/// Every move of some rules, by number. Positions have no planes.
#[derive(Clone, Debug)]
pub struct ListedMoves {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl ListedMoves {
    /// Numbers moves by their places in a list; of equal ones, the first counts.
    pub fn new(texts: impl IntoIterator<Item = String>) -> Self {
        let mut moves = ListedMoves {
            texts: Vec::new(),
            numbers: HashMap::new(),
        };
        for text in texts {
            let next = moves.texts.len() as u32;
            if !moves.numbers.contains_key(&text) {
                moves.numbers.insert(text.clone(), next);
                moves.texts.push(text);
            }
        }
        moves
    }

    fn number(&self, text: &str) -> Result<u32, ActionError> {
        let number = self.numbers.get(text).copied();
        number.ok_or_else(|| ActionError::unlisted(text))
    }
}

impl Learning for ListedMoves {
    fn actions(&self) -> usize {
        self.texts.len()
    }

    fn text(&self, action: u32) -> Option<String> {
        self.texts.get(action as usize).cloned()
    }

    fn parts(&self, text: &str) -> Result<Vec<u32>, ActionError> {
        Ok(vec![self.number(text)?])
    }

    fn list_actions(
        &self,
        session: &mut dyn Session,
        seat: Seat,
        _begun: &[u32],
        actions: &mut Vec<i64>,
    ) -> Result<(), BrokenRules> {
        let mut unlisted = None;
        session.each_legal(seat, &mut |text| match self.number(text) {
            Ok(action) => actions.push(action.into()),
            Err(error) => unlisted = Some(error),
        })?;
        unlisted.map_or(Ok(()), |error| {
            Err(BrokenRules::new(format!("{error}, but it is legal")))
        })
    }

    fn play(
        &self,
        session: &mut dyn Session,
        _begun: &mut Vec<u32>,
        action: u32,
    ) -> Result<(), PlayError> {
        let Some(text) = self.texts.get(action as usize) else {
            return Err(PlayError::NoAction {
                action: action.into(),
                actions: self.actions(),
            });
        };
        Ok(session.play(text)?)
    }

    fn planes(&self) -> Option<&Planes> {
        None
    }

    fn observe(&self, _: &dyn Session, _: &[u32], _: Seat, _: &mut [f32]) {}
}
