//! The forward model: requests of bots that search without knowing the rules.

pub(crate) mod request;

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::json::line;
use crate::messages::Limits;

/// One request.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct Request {
    /// Any JSON value; given back with the answer.
    #[serde(default)]
    pub id: Value,
    /// The operation.
    #[serde(flatten)]
    pub op: Op,
}

/// The operation of a request.
#[expect(
    clippy::large_enum_variant,
    reason = "each is made for one request and taken apart at once"
)]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Op {
    /// Asks rules for what they are and can; see [`ModelHello`].
    Hello {
        /// The version of the protocol that the other side speaks.
        #[serde(default)]
        protocol: u32,
        /// Name and version of the referee.
        #[serde(default)]
        referee: String,
    },
    /// Sets up a position: a given one, or the start that belongs to a seed.
    New {
        /// The game's id.
        game: String,
        /// Its options.
        #[serde(default)]
        options: Value,
        /// The seed of the start.
        #[serde(default)]
        seed: u64,
        /// The position.
        #[serde(default)]
        state: Option<Value>,
        /// A seat's observation in place of the position; only `sample` works then.
        #[serde(default)]
        observation: Option<Value>,
        /// Limit of playouts, instead of the game's own.
        #[serde(default)]
        max_plies: Option<u32>,
        /// The parts that the answer should hold.
        #[serde(default)]
        want: Vec<Want>,
    },
    /// Makes steps, all or none.
    Play {
        /// The steps, in order.
        moves: Vec<StepMoves>,
        /// The parts that the answer should hold.
        #[serde(default)]
        want: Vec<Want>,
    },
    /// Takes moves back.
    Undo {
        /// The number.
        #[serde(default = "one")]
        count: u32,
        /// The parts that the answer should hold.
        #[serde(default)]
        want: Vec<Want>,
    },
    /// Asks about the position.
    Get {
        /// The seat whose observation is wanted.
        #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
        #[schemars(with = "u32")]
        seat: Option<usize>,
        /// The parts that the answer should hold.
        #[serde(default)]
        want: Vec<Want>,
    },
    /// Samples states of a seat's information set.
    Sample {
        /// The seat.
        #[serde(default, rename = "as")]
        seat: usize,
        /// The seed of the draws.
        #[serde(default)]
        seed: u64,
        /// The largest number.
        #[serde(default = "one")]
        count: u32,
    },
    /// Lists every legal move with the position after it.
    Children {
        /// The parts that each position should hold besides its `key`.
        #[serde(default)]
        want: Vec<Want>,
    },
    /// Evaluates the position as the reference bots do, without a search.
    Evaluate {},
    /// Counts positions.
    Perft {
        /// After this many plies.
        depth: u32,
    },
    /// Plays random games from here.
    Playout {
        /// At most this many; if absent, 1, or as many as `ms` allows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "u32")]
        count: Option<u32>,
        /// Stop after this many milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "u32")]
        ms: Option<u32>,
        /// The seed of the moves.
        #[serde(default)]
        seed: u64,
    },
    /// Plays random games after each legal move.
    Playouts {
        /// At most this many a move; if absent, 1, or as many as `ms` allows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "u32")]
        count: Option<u32>,
        /// Stop after this many milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "u32")]
        ms: Option<u32>,
        /// The seed of the moves.
        #[serde(default)]
        seed: u64,
    },
}

impl Op {
    /// The value of `op` in a request.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Op::Hello { .. } => "hello",
            Op::New { .. } => "new",
            Op::Play { .. } => "play",
            Op::Undo { .. } => "undo",
            Op::Get { .. } => "get",
            Op::Sample { .. } => "sample",
            Op::Children { .. } => "children",
            Op::Evaluate {} => "evaluate",
            Op::Perft { .. } => "perft",
            Op::Playout { .. } => "playout",
            Op::Playouts { .. } => "playouts",
        }
    }
}

/// The choice in a step: the move of the only one who acts, or one choice for each of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum StepMoves {
    /// The move of the seat that acts alone, or the outcome of chance.
    One(String),
    /// By the seats' numbers, and `chance`.
    Several(BTreeMap<String, String>),
}

/// Not derived: that would read every move twice.
impl<'de> Deserialize<'de> for StepMoves {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = StepMoves;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a move, or an object with the moves of several seats")
            }

            fn visit_str<E>(self, text: &str) -> Result<StepMoves, E> {
                Ok(StepMoves::One(text.to_owned()))
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<StepMoves, M::Error> {
                let several = Deserialize::deserialize(MapAccessDeserializer::new(map));
                several.map(StepMoves::Several)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

/// The number of moves to take back if the request does not say.
fn one() -> u32 {
    1
}

/// The parts that an answer can hold besides `ply`, `to_move` and `result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Want {
    /// All legal moves.
    Legal,
    /// The state.
    State,
    /// The board, for drawing.
    View,
    /// A text that is equal exactly for equal positions.
    Key,
    /// The outcome that the reference evaluation expects, from 0 to 1 a seat.
    Value,
    /// The points and what they would be worth if play stopped here.
    Scores,
    /// All that a seat knows, in games with hidden information; with `as`.
    Observation,
    /// Each seat's perceptions of each step played, in games with hidden information.
    Sees,
}

/// The answer to a request: `ok` or `error`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct Answer {
    /// The request's id.
    pub id: Value,
    /// The result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<Value>,
    /// The reason for a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ModelError>,
    /// Oddities of the request, such as a field that its `op` does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl Answer {
    /// The answer as a line.
    pub fn to_line(&self) -> String {
        line::to_line(self)
    }
}

/// The answer to `hello`: what a rules program is and can.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct ModelHello {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name for itself.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Optional abilities: the requests `undo`, `perft`, `playout`, `playouts`, `sample`, and the
    /// wants `key`, `view`, `scores`, `observation`, `actions`.
    #[serde(default)]
    pub can: Vec<String>,
    /// It promises that `play` refuses every move that `legal` does not list. A seat that acts
    /// alone is then not checked beforehand, and `legal` is requested only if needed.
    #[serde(default)]
    pub strict: bool,
    /// Its games.
    pub games: Vec<GameHello>,
}

/// A game of a rules program.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct GameHello {
    /// Its id: small letters, digits and hyphens.
    pub id: String,
    /// The name for people; the id if it is left out.
    #[serde(default)]
    pub title: String,
    /// One sentence about how it is played and won.
    #[serde(default)]
    pub summary: String,
    /// The rules for people, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guide: Option<String>,
    /// The names of the seats, for the largest number of them.
    #[serde(default)]
    pub roles: Vec<String>,
    /// The smallest and the largest number of seats, where options decide it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<(usize, usize)>,
    /// True if all seats play by the same rules and with the same means.
    #[serde(default)]
    pub symmetric: bool,
    /// True if the game has hidden information.
    #[serde(default)]
    pub hidden: bool,
    /// True if chance takes part: `to_move` may be `"chance"`. What it brings is drawn so that no bot can
    /// foresee it. Left out if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chance: bool,
    /// Its options, by name.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// The notation of moves: pairs of an example and its meaning.
    #[serde(default)]
    pub notation: Vec<(String, String)>,
    /// The limits of a match that sets none of its own.
    #[serde(default)]
    pub limits: Limits,
}

/// The reason why a request failed; the position is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct ModelError {
    /// `bad_request`, `unknown_game`, `bad_option`, `bad_state`, `no_game`, `illegal_move`,
    /// `game_over`, `bad_count`, `too_much` or `broken_rules`.
    #[schemars(with = "String")]
    pub code: ModelErrorCode,
    /// The event in words.
    pub message: String,
}

/// The kinds of errors of the forward model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelErrorCode {
    /// The request is not JSON, unknown, or of a wrong form.
    BadRequest,
    /// No game has the requested id.
    UnknownGame,
    /// The game does not accept the options.
    BadOption,
    /// The state breaks the rules of the game.
    BadState,
    /// A request about a position came before any `new`.
    NoGame,
    /// A move is not legal, or not written like a move.
    IllegalMove,
    /// A move was played in a finished game.
    GameOver,
    /// A count or depth is out of range.
    BadCount,
    /// The answer would take too long.
    TooMuch,
    /// The rules come from outside and do not work.
    BrokenRules,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn operations_have_the_names_that_requests_give_them() {
        let schema = schemars::schema_for!(Op).to_value();
        for variant in schema["oneOf"].as_array().unwrap() {
            let name = variant["properties"]["op"]["const"].as_str().unwrap();
            let request = json!({"op": name, "game": "run", "moves": [], "depth": 1});
            let op: Op = serde_json::from_value(request).unwrap();
            assert_eq!(op.name(), name);
        }
    }
}
