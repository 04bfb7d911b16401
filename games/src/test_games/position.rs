//! Positions of the small games for tests.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::kit::outcome::Seat;
use crate::kit::rng::Rng;
use crate::kit::to_move::ToMove;
use crate::session::Tally;

/// Percepts of a step, a list for each seat; empty lists may be left out.
pub type Perceived = Vec<Vec<Value>>;

/// A position of a small game of two seats. Positions say all that matters, settings included.
pub trait Position: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The id of the game.
    const ID: &'static str;
    /// True if seats know different things.
    const HIDDEN: bool = false;
    /// True if chance takes part.
    const CHANCE: bool = false;

    /// The number of plies so far.
    fn ply(&self) -> u32;
    /// The actors.
    fn to_move(&self) -> ToMove;
    /// The moves of a seat that acts.
    fn legal(&self, seat: Seat) -> Vec<String>;
    /// The outcomes with their probabilities, where chance takes part.
    fn chances(&self) -> Vec<(String, f64)> {
        Vec::new()
    }
    /// Makes a step, which is legal.
    fn play(&mut self, choices: &[&str]) -> Perceived;
    /// The points so far.
    fn tally(&self) -> Tally;
    /// The observation of a seat.
    fn observation(&self, _seat: Seat) -> Value {
        json!(self)
    }
    /// A position in which the seat would know this; `None` if there is none, or none can be drawn.
    fn sample(_observation: &Value, _seat: Seat, _rng: &mut Rng) -> Option<Self> {
        None
    }
}
