//! A sheet as the rules of a game.

use std::any::Any;
use std::sync::Arc;

use games::session::{Description, LoadError};
use games::{BrokenRules, Rules, Seat, Session};
use serde_json::Value;

use crate::engine::Engine;
use crate::play::knowledge;
use crate::play::session::GdlSession;
use crate::play::shared::SharedRules;

pub(crate) struct GdlRules<E: Engine>(pub(crate) Arc<SharedRules<E>>);

impl<E: Engine> Rules for GdlRules<E> {
    fn description(&self) -> &Description {
        &self.0.description
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn start(&self, _seed: u64) -> Result<Box<dyn Session>, BrokenRules> {
        let started = || GdlSession::new(&self.0, self.0.first()?);
        Ok(Box::new(self.0.within(started)?))
    }

    fn load(&self, state: &Value) -> Result<Box<dyn Session>, LoadError> {
        let loaded = || Ok::<_, LoadError>(GdlSession::new(&self.0, self.0.loaded(state)?)?);
        Ok(Box::new(self.0.within(loaded)?))
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
        let rules = &self.0;
        rules.within(|| knowledge::sample(rules, observation, seat, (seed, count)))
    }
}
