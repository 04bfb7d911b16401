//! A match that a bot follows, and why it may not be able to.

use std::time::Instant;

use games::session::LoadError;
use games::{BrokenRules, ConfigureError, OptionError, ParseError, Seat, StateError};
use protocol::Turn;
use serde_json::Value;
use thiserror::Error;

use crate::sdk::Choice;

/// The match that a bot is playing, with the type of its game erased.
pub(crate) trait CurrentMatch {
    /// Follows the match up to this turn and chooses a move. `asked` is when the turn was read; `report`
    /// takes what there is to report meanwhile, if the turn asks for lines.
    fn turn(
        &mut self,
        turn: &Turn,
        asked: Instant,
        report: &mut dyn FnMut(Value),
    ) -> Result<Choice, FollowError>;
}

/// The reason why a match cannot be followed.
#[derive(Debug, Error)]
pub enum FollowError {
    /// The game is not in the catalog.
    #[error("unknown game `{game}`; known are {known}")]
    UnknownGame {
        /// The game that was asked for.
        game: String,
        /// The ids of all games, quoted.
        known: String,
    },
    /// The game does not take these options.
    #[error(transparent)]
    Options(#[from] OptionError),
    /// The state at the start breaks the rules.
    #[error(transparent)]
    State(#[from] StateError),
    /// A ply of the match is not written like a move.
    #[error(transparent)]
    Move(#[from] ParseError),
    /// A ply of the match is not legal.
    #[error("`{mv}` of seat {seat} is not legal after {ply} plies")]
    Illegal {
        /// The move.
        mv: String,
        /// The seat that is said to have played it.
        seat: Seat,
        /// The number of plies before it.
        ply: u32,
    },
    /// The referee asks for a move although, by the bot's account, it is another seat's turn.
    #[error("seat {seat} is asked for a move, but it is not its turn after {ply} plies")]
    NotMyTurn {
        /// The bot's seat.
        seat: Seat,
        /// The number of plies that the match has had.
        ply: u32,
    },
    /// The first `turn` came without a `start`.
    #[error("`turn` came before `start`")]
    NoMatch,
    /// The engine plays only games that are compiled in.
    #[error("`{bot}` plays only games that are compiled in, and `{game}` is not")]
    NotCompiledIn {
        /// The name of the bot.
        bot: &'static str,
        /// The game that was asked for.
        game: String,
    },
    /// The game is unknown, and the referee does not say what is legal.
    #[error("the game is unknown, and `turn` lists no legal moves")]
    NoMoves,
    /// The rules come from outside and do not work.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
}

impl From<LoadError> for FollowError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::State(error) => error.into(),
            LoadError::Broken(error) => error.into(),
        }
    }
}

impl From<ConfigureError> for FollowError {
    fn from(error: ConfigureError) -> Self {
        match error {
            ConfigureError::Option(error) => error.into(),
            ConfigureError::Broken(error) => error.into(),
        }
    }
}
