//! Positions of a sheet, and data shared by its sessions.

use std::sync::Arc;
use std::time::Duration;

use games::session::{Description, LoadError, Tally};
use games::{BrokenRules, MAX_SEATS, StateError, rank};
use serde_json::{Map, Value, json};
use smallvec::{SmallVec, smallvec};

use crate::engine::{Engine, Failure, Percepts};
use crate::limits::within;
use crate::play::Play;
use crate::play::histories::{Histories, note, perceived};
use crate::play::view::Grid;
use crate::read::canonical;

/// A position with cached results.
pub(crate) struct At<E: Engine> {
    pub(crate) position: E::Position,
    pub(crate) ply: u32,
    pub(crate) counts: Vec<u32>,
    pub(crate) histories: Histories,
}

impl<E: Engine> Clone for At<E> {
    fn clone(&self) -> Self {
        At {
            position: self.position.clone(),
            ply: self.ply,
            counts: self.counts.clone(),
            histories: self.histories.clone(),
        }
    }
}

pub(crate) struct SharedRules<E: Engine> {
    pub(crate) play: Play<E>,
    /// The own id of a sheet is its file name.
    pub(crate) description: Description,
    pub(crate) text: Arc<str>,
    pub(crate) grid: Grid,
    /// `None` for no limit.
    pub(crate) time: Option<Duration>,
}

impl<E: Engine> SharedRules<E> {
    /// Answers a request within the time that it may take.
    pub(crate) fn within<T>(&self, act: impl FnOnce() -> T) -> T {
        match self.time {
            Some(_) => within(self.time).run(act),
            None => act(),
        }
    }

    pub(crate) fn tally(&self, position: &E::Position, over: bool) -> Result<Tally, BrokenRules> {
        let scores = self.play.scores(position, over)?;
        let outcome = outcome_of(&scores).to_vec();
        Ok(Tally { scores, outcome })
    }

    pub(crate) fn state(&self, at: &At<E>) -> Value {
        let mut state = Map::new();
        state.insert("ply".to_owned(), json!(at.ply));
        let facts = self.play.engine.facts(&at.position);
        state.insert("facts".to_owned(), json!(facts));
        if self.play.hidden {
            let seats = 0..self.play.seats.len();
            let seen: Value = seats.map(|seat| at.histories.to_json(seat)).collect();
            state.insert("seen".to_owned(), seen);
        }
        Value::Object(state)
    }

    /// The start, in which somebody has a choice or which is over.
    pub(crate) fn first(&self) -> Result<At<E>, BrokenRules> {
        let mut at = self.root()?;
        self.advance(&mut at, None)?;
        Ok(at)
    }

    /// The start as the sheet has it, before the steps in which nobody has a choice.
    pub(crate) fn root(&self) -> Result<At<E>, BrokenRules> {
        let start = self.play.engine.start();
        Ok(At {
            position: start.map_err(|failure| self.play.failed(&failure))?,
            ply: 0,
            counts: Vec::new(),
            histories: Histories::default(),
        })
    }

    /// Makes this step, if there is one, and those after it in which nobody has a choice. Returns what
    /// each seat saw; nothing if nothing is hidden.
    pub(crate) fn advance(
        &self,
        at: &mut At<E>,
        joint: Option<&[u32]>,
    ) -> Result<Vec<Vec<Value>>, BrokenRules> {
        let play = &self.play;
        // The texts of moves belong to the position before them.
        let before = play.hidden.then(|| at.position.clone());
        let mut steps: Vec<(Vec<u32>, Percepts)> = Vec::new();
        let mut on_step = |joint: &[u32], percepts: Percepts| {
            if play.hidden {
                steps.push((joint.to_vec(), percepts));
            }
        };
        if let Some(joint) = joint {
            at.ply += at.counts.iter().filter(|count| **count > 1).count() as u32;
            play.step(&mut at.position, joint, &mut on_step)?;
        }
        play.settle(&mut at.position, &mut at.counts, &mut on_step)?;
        let Some(mut before) = before else {
            return Ok(Vec::new());
        };
        at.histories.0.resize(play.seats.len(), Vec::new());
        let mut sees = vec![Vec::new(); play.seats.len()];
        for (joint, percepts) in steps {
            note(play, &before, &joint, &percepts, &mut at.histories);
            let made = play.engine.step(&mut before, &joint, None);
            made.map_err(|failure| play.failed(&failure))?;
            for (sees, role) in sees.iter_mut().zip(&play.seats) {
                sees.extend(percepts[*role].iter().map(|percept| json!(percept)));
            }
        }
        Ok(sees)
    }

    /// A position that a state describes.
    pub(crate) fn loaded(&self, state: &Value) -> Result<At<E>, LoadError> {
        let Some(fields) = state.as_object() else {
            return Err(StateError::new("state", "it is not an object").into());
        };
        let known = ["ply", "facts", "seen"];
        let known = &known[..if self.play.hidden { 3 } else { 2 }];
        if let Some(field) = fields.keys().find(|field| !known.contains(&field.as_str())) {
            return Err(StateError::new(field, "there is no such field").into());
        }
        let ply = fields.get("ply").and_then(Value::as_u64);
        let ply = ply.and_then(|ply| u32::try_from(ply).ok());
        let ply = ply.ok_or_else(|| StateError::new("ply", "it is not a whole number from 0"))?;
        let facts = texts(fields.get("facts"), "facts")?;
        let position = self
            .play
            .engine
            .load(&facts)
            .map_err(|failure| match failure {
                Failure::NoFact(_) => {
                    LoadError::State(StateError::new("facts", failure.to_string()))
                }
                other => LoadError::Broken(self.play.failed(&other)),
            })?;
        let mut at = At {
            position,
            ply,
            counts: Vec::new(),
            histories: self.seen(fields.get("seen"))?,
        };
        self.advance(&mut at, None)?;
        Ok(at)
    }

    fn seen(&self, given: Option<&Value>) -> Result<Histories, StateError> {
        let mut histories = Histories::default();
        if !self.play.hidden {
            return Ok(histories);
        }
        histories.0.resize(self.play.seats.len(), Vec::new());
        let wrong = || {
            StateError::new(
                "seen",
                "it is not, for each seat, a list of what it saw at each step",
            )
        };
        let Some(given) = given else {
            return Ok(histories);
        };
        let seats = given
            .as_array()
            .filter(|seats| seats.len() == histories.0.len());
        for (steps, history) in seats.ok_or_else(wrong)?.iter().zip(&mut histories.0) {
            let steps = steps.as_array().ok_or_else(wrong)?;
            *history = steps
                .iter()
                .map(perceived)
                .collect::<Option<_>>()
                .ok_or_else(wrong)?;
        }
        Ok(histories)
    }
}

/// Texts of terms in canonical form and small letters.
pub(crate) fn texts(value: Option<&Value>, field: &str) -> Result<Vec<String>, StateError> {
    let wrong = |what: &str| StateError::new(field, what);
    let list = value.and_then(Value::as_array);
    let list =
        list.ok_or_else(|| wrong("it is not a list of facts, as in `[\"(cell 1 1 b)\"]`"))?;
    let texts = list.iter().map(|text| text.as_str().and_then(canonical));
    let texts: Option<Vec<String>> = texts.collect();
    texts.ok_or_else(|| wrong("one of them is not a fact, as in `(cell 1 1 b)`"))
}

/// Outcomes by the rank of the goals; with one seat, the goal itself. Sheets may have more seats
/// than other games; few need no heap.
pub(crate) fn outcome_of(scores: &[i64]) -> SmallVec<[f64; MAX_SEATS]> {
    match scores {
        [only] => smallvec![*only as f64 / 100.0],
        _ => rank(scores),
    }
}
