//! A sheet as the rules of a game.

use std::any::Any;
use std::sync::Arc;

use games::session::{LoadError, Origin, Tally};
use games::{BrokenRules, Info, Options, Rules, Seat, Session, StateError};
use serde_json::Value;

use crate::engine::{Engine, Failure};
use crate::knowledge;
use crate::play::Play;
use crate::read::canonical;
use crate::session::{At, GdlSession, Histories, Perceived, note, outcome_of, state};
use crate::view::Grid;

/// What all sessions of a sheet share.
pub(crate) struct SharedRules<E: Engine> {
    pub(crate) play: Play<E>,
    pub(crate) info: Info,
    /// The id that the sheet gives itself: its file name.
    pub(crate) own_id: String,
    pub(crate) options: Options,
    /// The names of the seats.
    pub(crate) roles: Vec<String>,
    pub(crate) origin: Origin,
    /// The columns and rows of its board.
    pub(crate) grid: Grid,
}

impl<E: Engine> SharedRules<E> {
    /// The goals of a position and what they are worth.
    pub(crate) fn tally(&self, position: &E::Position, over: bool) -> Result<Tally, BrokenRules> {
        let scores = self.play.scores(position, over)?;
        let mut outcome = vec![0.0; scores.len()];
        outcome_of(&scores, |seat, value| outcome[seat] = value);
        Ok(Tally { scores, outcome })
    }

    pub(crate) fn state(&self, at: &At<E>) -> Value {
        state(&self.play, at)
    }

    /// The start, in which somebody has a choice or which is over.
    pub(crate) fn first(&self) -> Result<At<E>, BrokenRules> {
        let failed = |failure: Failure| self.play.failed(&failure);
        let mut at = At {
            position: self.play.engine.start().map_err(failed)?,
            ply: 0,
            counts: Vec::new(),
            histories: Histories::default(),
        };
        self.settle(&mut at)?;
        Ok(at)
    }

    /// Makes the steps in which nobody has a choice.
    fn settle(&self, at: &mut At<E>) -> Result<(), BrokenRules> {
        if !self.play.hidden {
            return self
                .play
                .settle(&mut at.position, &mut at.counts, &mut |_, _| {});
        }
        let mut before = at.position.clone();
        let mut steps = Vec::new();
        let mut on_step = |joint: &[u32], percepts| steps.push((joint.to_vec(), percepts));
        self.play
            .settle(&mut at.position, &mut at.counts, &mut on_step)?;
        at.histories.0.resize(self.play.seats.len(), Vec::new());
        for (joint, percepts) in steps {
            note(&self.play, &before, &joint, &percepts, &mut at.histories);
            let made = self.play.engine.step(&mut before, &joint, None);
            made.map_err(|failure| self.play.failed(&failure))?;
        }
        Ok(())
    }

    /// A position that a state describes.
    fn loaded(&self, state: &Value) -> Result<At<E>, LoadError> {
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
        self.settle(&mut at)?;
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

/// What a seat saw at a step, as JSON has it.
pub(crate) fn perceived(step: &Value) -> Option<Perceived> {
    let texts = step
        .as_array()?
        .iter()
        .map(|text| text.as_str().map(str::to_owned));
    texts.collect()
}

/// Texts of terms in canonical form and small letters.
fn texts(value: Option<&Value>, field: &str) -> Result<Vec<String>, StateError> {
    let wrong = |what: &str| StateError::new(field, what);
    let list = value.and_then(Value::as_array);
    let list =
        list.ok_or_else(|| wrong("it is not a list of facts, as in `[\"(cell 1 1 b)\"]`"))?;
    let texts = list.iter().map(|text| text.as_str().and_then(canonical));
    let texts: Option<Vec<String>> = texts.collect();
    texts.ok_or_else(|| wrong("one of them is not a fact, as in `(cell 1 1 b)`"))
}

/// Rules are shared by their sessions.
pub(crate) struct GdlRules<E: Engine>(pub(crate) Arc<SharedRules<E>>);

impl<E: Engine> Rules for GdlRules<E> {
    fn info(&self) -> &Info {
        &self.0.info
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn own_id(&self) -> &str {
        &self.0.own_id
    }

    fn options(&self) -> &Options {
        &self.0.options
    }

    fn roles(&self) -> &[String] {
        &self.0.roles
    }

    fn origin(&self) -> Option<&Origin> {
        Some(&self.0.origin)
    }

    fn start(&self, _seed: u64) -> Result<Box<dyn Session>, BrokenRules> {
        Ok(Box::new(GdlSession::new(&self.0, self.0.first()?)?))
    }

    fn load(&self, state: &Value) -> Result<Box<dyn Session>, LoadError> {
        Ok(Box::new(GdlSession::new(&self.0, self.0.loaded(state)?)?))
    }

    fn sample(
        &self,
        observation: &Value,
        seat: Seat,
        seed: u64,
        count: u32,
    ) -> Result<Vec<Value>, LoadError> {
        if !self.0.play.hidden {
            return Ok(vec![observation.clone(); count.min(1) as usize]);
        }
        knowledge::sample(&self.0, observation, seat, (seed, count))
    }
}
