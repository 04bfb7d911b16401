//! A sheet as the rules of a game.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use games::learning::Learning;
use games::session::{Description, LoadError};
use games::{BrokenRules, Rules, Seat, Session};
use serde_json::Value;

use crate::engine::Engine;
use crate::play::knowledge;
use crate::play::learning::SheetLearning;
use crate::play::session::GdlSession;
use crate::play::shared::SharedRules;

pub(crate) struct GdlRules<E: Engine> {
    pub(crate) shared: Arc<SharedRules<E>>,
    /// Made when it is first asked for.
    learning: OnceLock<Option<SheetLearning<E>>>,
}

impl<E: Engine> GdlRules<E> {
    pub(crate) fn new(shared: SharedRules<E>) -> Self {
        GdlRules {
            shared: Arc::new(shared),
            learning: OnceLock::new(),
        }
    }
}

impl<E: Engine> Rules for GdlRules<E> {
    fn description(&self) -> &Description {
        &self.shared.description
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn start(&self, _seed: u64) -> Result<Box<dyn Session>, BrokenRules> {
        let started = || GdlSession::new(&self.shared, self.shared.first()?);
        Ok(Box::new(self.shared.within(started)?))
    }

    fn load(&self, state: &Value) -> Result<Box<dyn Session>, LoadError> {
        let loaded =
            || Ok::<_, LoadError>(GdlSession::new(&self.shared, self.shared.loaded(state)?)?);
        Ok(Box::new(self.shared.within(loaded)?))
    }

    fn sample(
        &self,
        observation: &Value,
        seat: Seat,
        seed: u64,
        count: u32,
    ) -> Result<Vec<Value>, LoadError> {
        if !self.shared.play.hidden {
            return Ok(vec![observation.clone(); count.min(1) as usize]);
        }
        let rules = &self.shared;
        rules.within(|| knowledge::sample(rules, observation, seat, (seed, count)))
    }
    fn learning(&self) -> Option<&dyn Learning> {
        let learning = || SheetLearning::new(&self.shared.play);
        let learning = self.learning.get_or_init(learning).as_ref()?;
        Some(learning)
    }
}
