//! The forward model: requests of bots that search without knowing the rules.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json_line;

/// One request.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct Request {
    /// Any JSON value; given back with the answer.
    #[serde(default)]
    pub id: Value,
    /// What to do.
    #[serde(flatten)]
    pub op: Op,
}

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Op {
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
        /// Where playouts stop, instead of the game's own limit.
        #[serde(default)]
        max_plies: Option<u32>,
        /// What the answer should hold.
        #[serde(default)]
        want: Vec<Want>,
    },
    /// Plays moves, all or none.
    Play {
        /// The moves, in order.
        moves: Vec<String>,
        /// What the answer should hold.
        #[serde(default)]
        want: Vec<Want>,
    },
    /// Takes moves back.
    Undo {
        /// How many.
        #[serde(default = "one")]
        count: u32,
        /// What the answer should hold.
        #[serde(default)]
        want: Vec<Want>,
    },
    /// Asks about the position.
    Get {
        /// What the answer should hold.
        #[serde(default)]
        want: Vec<Want>,
    },
    /// Lists every legal move with the position after it.
    Children {
        /// What each of the positions should hold besides its `key`.
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

/// How many moves are taken back if the request does not say.
fn one() -> u32 {
    1
}

/// What an answer can hold beside `ply`, `to_move` and `result`.
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
}

/// The answer to a request: `ok` or `error`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct Answer {
    /// The request's id.
    pub id: Value,
    /// What was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<Value>,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ModelError>,
    /// What is odd about the request, such as a field that its `op` does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl Answer {
    /// The answer as a line.
    pub fn to_line(&self) -> String {
        json_line::line(self)
    }
}

/// Why a request could not be done; the position is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct ModelError {
    /// `bad_request`, `unknown_game`, `bad_option`, `bad_state`, `no_game`, `illegal_move`,
    /// `game_over`, `bad_count` or `too_much`.
    #[schemars(with = "String")]
    pub code: ModelErrorCode,
    /// What happened, in words.
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
}
