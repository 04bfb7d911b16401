//! The messages between referee and bots.

pub(crate) mod fast_path;
pub mod faults;
pub(crate) mod hints;
pub(crate) mod lines;
pub(crate) mod move_list;
pub(crate) mod search_info;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use smol_str::SmolStr;

use crate::json::state::StateJson;
use crate::json::whole_number;
use crate::messages::move_list::MoveList;
use crate::time::{ClockState, Millis, TimeControl};

/// A move as text. Nearly all are so short that they take no memory of their own.
pub type MoveText = SmolStr;

/// A message from the referee to a bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ToBot {
    /// The first message to a process; asks for `hello`.
    Hello {
        /// The version of the protocol.
        #[serde(deserialize_with = "whole_number::read")]
        protocol: u32,
        /// Name and version of the referee.
        referee: String,
    },
    /// A match begins; asks for `ready`.
    Start(Box<Start>),
    /// It is the bot's turn; asks for `move` (or `resign`).
    Turn(Box<Turn>),
    /// The bot has lost the match by a fault.
    Error {
        /// Which kind of fault.
        code: FaultCode,
        /// The event in words.
        message: String,
    },
    /// The match is over.
    End(Box<End>),
    /// There are no more matches; the process should exit.
    Quit,
}

/// The start of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    /// The match's id.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The game's id.
    pub game: String,
    /// The game's options, defaults filled in.
    pub options: Value,
    /// The seat that the bot takes.
    pub seat: usize,
    /// The seat's name in this game.
    pub role: String,
    /// The players in seat order.
    pub players: Vec<Opponent>,
    /// The position at the start; absent in games with hidden information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// The seat's observation of the start, in games with hidden information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observation: Option<Value>,
    /// The bot's own time control.
    pub time: TimeControl,
    /// The limits of a match that does not end by itself.
    pub limits: Limits,
    /// True if the match ends when all bots make the same offer; absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offers: bool,
}

/// A player as the others see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Opponent {
    /// The bot's name in the tournament.
    pub name: String,
    /// The seat's name in this game.
    pub role: String,
}

/// The limits of a match that does not end by itself; null for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// The number of plies.
    #[serde(default, deserialize_with = "whole_number::read_optional")]
    pub max_plies: Option<u32>,
    /// The number of times that a position occurs.
    #[serde(default, deserialize_with = "whole_number::read_optional")]
    pub repetition: Option<u32>,
}

/// A request for a move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// Plies made since the start of the match.
    #[serde(deserialize_with = "whole_number::read")]
    pub ply: u32,
    /// Every ply since this bot's last `turn`, its own last one first; in games with hidden
    /// information its own alone.
    pub moves: Vec<PlayedMove>,
    /// The seat's perceptions of each step since its last `turn`, in games with hidden information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sees: Option<Vec<Vec<Value>>>,
    /// The position, for bots that want it; absent in games with hidden information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub state: Option<StateJson>,
    /// All that the seat may know, in place of the position, in games with hidden information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observation: Option<Value>,
    /// All legal moves, for bots that want them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal: Option<MoveList>,
    /// The time left on each clock when the turn begins.
    pub clock: ClockState,
    /// The offers of the others with their last moves; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<SeatOffer>,
    /// In an analysis: the number of best lines wanted in `info`, at least
    /// 1. Absent in matches.
    #[serde(
        default,
        deserialize_with = "whole_number::read_optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub lines: Option<u32>,
}

/// An offer to end the match now. It ends if all bots make the same offer with their last moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Offer {
    /// With a draw: every seat's outcome is one half.
    Draw {},
    /// With this result, as if the match had been played out.
    Settle {
        /// The final points, one entry a seat; those of the moment if they are left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scores: Option<Vec<i64>>,
        /// Their worth in [0, 1], one entry a seat. The sum is half the number of seats.
        outcome: Vec<f64>,
    },
}

/// An offer that stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeatOffer {
    /// Whose.
    pub seat: usize,
    /// The offer.
    #[serde(flatten)]
    pub offer: Offer,
}

/// A ply that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlayedMove {
    /// The seat that made it; null for chance.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schemars(
        with = "Value",
        extend("type" = ["integer", "null"], "format" = "uint", "minimum" = 0)
    )]
    pub seat: Option<usize>,
    /// The move.
    #[serde(rename = "move")]
    pub mv: MoveText,
}

/// The end of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct End {
    /// Every ply since this bot's last `turn`; every ply of the match in games with hidden
    /// information.
    pub moves: Vec<PlayedMove>,
    /// The result.
    pub result: MatchResult,
}

/// The end of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatchResult {
    /// The game's points, one entry a seat.
    pub scores: Vec<i64>,
    /// Their worth in [0, 1], one entry a seat.
    pub outcome: Vec<f64>,
    /// What ended it: a reason of the game, `max_plies`, `repetition`, `forfeit`, or one of
    /// [`AdjudicatedBy::reason`](crate::AdjudicatedBy::reason).
    pub reason: String,
    /// The faults that seats lost by, in the order in which they happened.
    #[serde(default)]
    pub faults: Vec<Fault>,
}

/// A fault of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// Whose.
    pub seat: usize,
    /// Which kind.
    pub code: FaultCode,
    /// The plies that had been made.
    #[serde(deserialize_with = "whole_number::read")]
    pub ply: u32,
    /// The event in words.
    pub message: String,
    /// For a loss on time, how long the turn had lasted when it was called: no answer came before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<Millis>,
    /// The CPU time that all processes of the bot had used by then, where the machine reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<Millis>,
    /// True if an answer was there by then, so that `ms` is when it came. The referee does not
    /// wait for late ones, so it need not have been.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answered: bool,
    /// In the log alone: the `info` that the bot sent in the turn of its fault, as with a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<Value>,
}

/// The kinds of faults, and resigning, which ends the game in the same way.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FaultCode {
    /// No process, or no `hello` or `ready` in time.
    Startup,
    /// Not JSON, a wrong type, an unknown protocol version, a line too long.
    Protocol,
    /// A move that is not legal.
    IllegalMove,
    /// No answer in time.
    Timeout,
    /// The bot said `fault`: it has no move to give.
    NoMove,
    /// The process exited or closed its output.
    Crash,
    /// The bot gave up: not a fault.
    Resign,
}

impl FaultCode {
    /// True if the bot is to blame.
    pub fn is_fault(self) -> bool {
        self != FaultCode::Resign
    }

    /// The code as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            FaultCode::Startup => "startup",
            FaultCode::Protocol => "protocol",
            FaultCode::IllegalMove => "illegal_move",
            FaultCode::Timeout => "timeout",
            FaultCode::NoMove => "no_move",
            FaultCode::Crash => "crash",
            FaultCode::Resign => "resign",
        }
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A message from a bot to the referee.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum FromBot {
    /// The answer to `hello`.
    Hello(Box<BotHello>),
    /// The answer to `start`.
    Ready {},
    /// The answer to `turn`.
    Move(BotMove),
    /// Gives the match up.
    Resign {},
    /// At any time during the bot's turn; logged, never judged.
    Info(BotInfo),
    /// Before the move of a turn: offered with that move.
    Offer(Offer),
    /// In place of a move: the bot has none, and loses by the fault `no_move`.
    Fault(NoMove),
}

/// The bot has no move to give, and says why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoMove {
    /// The one fault that a bot may call itself.
    pub code: NoMoveCode,
    /// The reason, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The code of [`NoMove`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoMoveCode {
    /// There is no move to give.
    #[default]
    NoMove,
}

/// A bot introduces itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotHello {
    /// The version of the protocol that it speaks.
    #[serde(deserialize_with = "whole_number::read")]
    pub protocol: u32,
    /// Its own name for itself.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The author, as the bot reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The ids of the games that it plays; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<Vec<String>>,
    /// The parts that it wants in `turn` messages; absent for both.
    #[serde(default)]
    pub wants: Wants,
    /// The SDK that it was written with and its version, as in `python 0.2.0`.
    #[serde(
        default,
        deserialize_with = "text_or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub sdk: Option<String>,
}

/// `sdk` is new, so a bot may have had something else under that name.
fn text_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => Some(text),
        _ => None,
    })
}

/// The parts of `turn` messages that a bot can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Wants {
    /// The position.
    pub state: bool,
    /// The legal moves.
    pub legal: bool,
}

impl Default for Wants {
    fn default() -> Self {
        Wants {
            state: true,
            legal: true,
        }
    }
}

/// A bot's move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BotMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: MoveText,
    /// The `ply` of the turn that it answers; an answer to another turn is dropped.
    #[serde(
        default,
        deserialize_with = "whole_number::read_optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub ply: Option<u32>,
    /// Anything; by convention the fields of [`SearchInfo`](crate::SearchInfo).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<Value>,
}

/// A report about the search: any fields, conventionally those of a move's `info`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BotInfo {
    /// All fields of the message but `type`.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}
