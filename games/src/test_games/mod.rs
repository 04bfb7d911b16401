//! Small games of every kind for tests: several seats at once, chance, hidden information. A game is a
//! position that can be written as JSON ([`Position`]); [`rules`] and [`entry`] do the rest.
//!
//! They go through [`Session`] alone, as rules from outside do, and are in no registry.

mod connect_four;
mod goofspiel;
mod kuhn_poker;
mod liars_dice;
mod pig;
mod position;
mod rock_paper_scissors;
mod session;

use std::any::Any;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::kit::info::{Info, Limits};
use crate::kit::options::Options;
use crate::kit::outcome::Seat;
use crate::kit::rng::Rng;
use crate::kit::state::StateError;
use crate::registry::Entry;
use crate::session::{BrokenRules, Description, LoadError, Rules, Session, Tally};

pub use connect_four::ConnectFour;
pub use goofspiel::Goofspiel;
pub use kuhn_poker::KuhnPoker;
pub use liars_dice::LiarsDice;
pub use pig::Pig;
pub use position::{Perceived, Position};
pub use rock_paper_scissors::RockPaperScissors;
use session::TestSession;

/// The rules of the game that starts with this position for any seed.
pub fn rules<P: Position>(start: P) -> Arc<dyn Rules> {
    let info = info::<P>();
    let options = Options::read(&info, &Value::Null).expect("there are no options");
    Arc::new(TestRules {
        description: Description::new(info, options),
        start,
    })
}

/// The same as an entry of a catalog.
pub fn entry<P: Position>(start: P) -> Arc<Entry> {
    let made = rules(start);
    let configure = move |_: &Value| Ok(made.clone());
    Arc::new(Entry::new(info::<P>(), String::new(), configure))
}

fn info<P: Position>() -> Info {
    Info {
        id: P::ID.to_owned(),
        title: P::ID.to_owned(),
        summary: "A game for tests.".to_owned(),
        roles: ["first", "second"].map(str::to_owned).to_vec(),
        symmetric: false,
        hidden: P::HIDDEN,
        chance: P::CHANCE,
        options: Vec::new(),
        notation: Vec::new(),
        limits: Limits::NONE,
    }
}

struct TestRules<P> {
    description: Description,
    start: P,
}

impl<P: Position> Rules for TestRules<P> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn start(&self, _seed: u64) -> Result<Box<dyn Session>, BrokenRules> {
        Ok(Box::new(TestSession::of(self.start.clone())))
    }

    fn load(&self, state: &Value) -> Result<Box<dyn Session>, LoadError> {
        let position: P = serde_json::from_value(state.clone())
            .map_err(|error| StateError::new("state", error.to_string()))?;
        Ok(Box::new(TestSession::of(position)))
    }

    fn sample(
        &self,
        observation: &Value,
        seat: Seat,
        seed: u64,
        count: u32,
    ) -> Result<Vec<Value>, LoadError> {
        let mut rng = Rng::new(seed);
        let drawn = (0..count).map_while(|_| P::sample(observation, seat, &mut rng));
        Ok(drawn.map(|position| json!(position)).collect())
    }
}

/// The tally of points that count by who has more.
fn ranked(scores: [i64; 2]) -> Tally {
    let share = |mine: i64, other: i64| match mine.cmp(&other) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 1.0,
    };
    Tally {
        scores: scores.to_vec(),
        outcome: vec![share(scores[0], scores[1]), share(scores[1], scores[0])],
    }
}

/// Outcomes that are equally likely.
fn equally(outcomes: impl IntoIterator<Item = u8>) -> Vec<(String, f64)> {
    let texts: Vec<String> = outcomes.into_iter().map(|n| n.to_string()).collect();
    let each = 1.0 / texts.len() as f64;
    texts.into_iter().map(|text| (text, each)).collect()
}

/// The number that a legal move or outcome consists of.
fn number(text: &str) -> u8 {
    text.parse().expect("steps that are made are legal")
}
