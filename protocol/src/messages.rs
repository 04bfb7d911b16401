//! The messages between referee and bots.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use smol_str::SmolStr;
use thiserror::Error;

use crate::mistakes;
use crate::move_list::MoveList;
use crate::quick;
use crate::shown::excerpt;
use crate::time::{ClockState, Millis, TimeControl};

/// A move as text. Nearly all are so short that they take no memory of their own.
pub type MoveText = SmolStr;

/// What the referee says to a bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ToBot {
    /// The first message to a process; asks for `hello`.
    Hello {
        /// The version of the protocol.
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
        /// What happened, in words.
        message: String,
    },
    /// The match is over.
    End(Box<End>),
    /// There are no more matches; the process should exit.
    Quit,
}

/// The beginning of a match.
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
    /// Who sits where, in seat order.
    pub players: Vec<Opponent>,
    /// The position at the start.
    pub state: Value,
    /// The bot's own time control.
    pub time: TimeControl,
    /// What stops a match that does not end by itself.
    pub limits: Limits,
}

/// A player as the others see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Opponent {
    /// The bot's name in the tournament.
    pub name: String,
    /// The seat's name in this game.
    pub role: String,
}

/// What stops a match that does not end by itself; null where there is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// The number of plies.
    pub max_plies: Option<u32>,
    /// How many times a position is there.
    pub repetition: Option<u32>,
}

/// A request for a move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// Plies made since the start of the match.
    pub ply: u32,
    /// Every ply since this bot's last `turn`, its own last one first.
    pub moves: Vec<PlayedMove>,
    /// The position, for bots that want it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// All legal moves, for bots that want them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal: Option<MoveList>,
    /// The clocks.
    pub clock: ClockState,
}

/// A ply that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlayedMove {
    /// Who made it.
    pub seat: usize,
    /// The move.
    #[serde(rename = "move")]
    pub mv: MoveText,
}

/// The end of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct End {
    /// Every ply since this bot's last `turn`.
    pub moves: Vec<PlayedMove>,
    /// How it ended.
    pub result: MatchResult,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatchResult {
    /// The game's points, one entry a seat.
    pub scores: Vec<i64>,
    /// What they are worth in [0, 1], one entry a seat.
    pub outcome: Vec<f64>,
    /// What ended it: a reason of the game, `max_plies`, `repetition` or `forfeit`.
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
    pub ply: u32,
    /// What happened, in words.
    pub message: String,
    /// For a loss on time, how long the turn had lasted when it was called: no answer came before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<Millis>,
    /// The CPU time that all processes of the bot had used by then, where the machine tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<Millis>,
    /// True if an answer was there by then, so that `ms` is when it came. The referee does not
    /// wait for late ones, so it need not have been.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answered: bool,
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
    /// The process exited or closed its output.
    Crash,
    /// The bot gave up: not a fault.
    Resign,
}

impl FaultCode {
    /// Whether the bot did something wrong.
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

/// What a bot says to the referee.
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
}

/// A bot introduces itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotHello {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its own name for itself.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Who wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The ids of the games that it plays; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<Vec<String>>,
    /// What it wants in `turn` messages; absent for both.
    #[serde(default)]
    pub wants: Wants,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<u32>,
    /// Anything; by custom `depth`, `nodes`, `value`, `pv` and `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<Value>,
}

/// What a bot tells about its thinking: any fields, by custom those of a move's `info`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BotInfo {
    /// The fields.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

/// A line that is not a message.
#[derive(Debug, Error)]
#[error("{reason}; the line was `{line}`{}", hint.map(|hint| format!(" ({hint})")).unwrap_or_default())]
pub struct BadMessage {
    /// What is wrong with it.
    pub reason: String,
    /// The line, cut when it is long.
    pub line: String,
    /// The mistake that it usually comes from, and how to mend that.
    pub hint: Option<&'static str>,
}

impl ToBot {
    /// The message as a line.
    pub fn to_line(&self) -> String {
        let mut line = Vec::new();
        self.write_line(&mut line);
        String::from_utf8(line).expect("JSON is text")
    }

    /// Appends the message as a line.
    pub fn write_line(&self, out: &mut Vec<u8>) {
        match self {
            ToBot::Turn(turn) => quick::write_turn(turn, out),
            other => crate::write_line(other, out),
        }
    }

    /// Reads a line, with or without its end.
    ///
    /// # Errors
    /// If it is not a message of the referee.
    pub fn from_line(line: &[u8]) -> Result<Self, BadMessage> {
        read(line, "a message of the referee")
    }
}

impl FromBot {
    /// The message as a line.
    pub fn to_line(&self) -> String {
        crate::line(self)
    }

    /// Reads a line, with or without its end.
    ///
    /// # Errors
    /// If it is not a message of a bot.
    pub fn from_line(line: &[u8]) -> Result<Self, BadMessage> {
        match quick::read_move(line) {
            Some(mv) => Ok(FromBot::Move(mv)),
            None => read(line, OF_A_BOT),
        }
    }
}

/// What a bot's line should be.
const OF_A_BOT: &str = "a message of a bot";

fn read<'a, T: Deserialize<'a>>(line: &'a [u8], what: &str) -> Result<T, BadMessage> {
    serde_json::from_slice(line).map_err(|error| {
        let reason = match error.classify() {
            _ if line.trim_ascii().is_empty() => "an empty line".to_owned(),
            serde_json::error::Category::Data if !line.trim_ascii_start().starts_with(b"{") => {
                format!("not {what}: those are JSON objects")
            }
            serde_json::error::Category::Data => {
                let error = error.to_string().replace("u32", "a whole number");
                format!("not {what}: {error}")
            }
            _ => format!("not JSON: {error}"),
        };
        let whole = error.classify() == serde_json::error::Category::Data;
        // The error quotes what the line says, as long as it is, escapes resolved.
        BadMessage {
            hint: mistakes::hint(line, whole).filter(|_| what == OF_A_BOT),
            reason: excerpt(reason.as_bytes(), 300),
            line: excerpt(line, 120),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contracts_examples_are_read() {
        let hello = r#"{"type":"hello","protocol":1,"name":"alpha","version":"1.2","author":"…","games":["siam"],"wants":{"state":true,"legal":false},"colour":"red"}"#;
        let FromBot::Hello(hello) = FromBot::from_line(hello.as_bytes()).unwrap() else {
            panic!("not a hello")
        };
        assert!(hello.wants.state && !hello.wants.legal);
        let short = FromBot::from_line(br#"{"type":"hello","protocol":1,"name":"x"}"#).unwrap();
        assert!(matches!(short, FromBot::Hello(h) if h.wants == Wants::default()));
        for (text, expected) in [
            (r#"{"type":"ready","more":1}"#, FromBot::Ready {}),
            ("{\"type\":\"resign\"}\r\n", FromBot::Resign {}),
        ] {
            assert_eq!(FromBot::from_line(text.as_bytes()).unwrap(), expected);
        }
        for line in [
            r#"{"type":"move","move":"a1","ply":3,"info":{"depth":2},"more":1}"#,
            r#"{"move":"a1","info":{"depth":2},"ply":3,"type":"move"}"#,
            r#"{"type":"mov\u0065","move":"a\u0031","ply":3,"info":{"depth":2}}"#,
        ] {
            let FromBot::Move(mv) = FromBot::from_line(line.as_bytes()).unwrap() else {
                panic!("not a move")
            };
            let depth = mv.info.map(|info| info["depth"].clone());
            assert_eq!((&*mv.mv, mv.ply, depth), ("a1", Some(3), Some(2.into())));
        }
        let info = FromBot::from_line(br#"{"type":"info","depth":3}"#).unwrap();
        assert!(matches!(info, FromBot::Info(info) if info.fields["depth"] == 3));
    }

    #[test]
    fn bad_lines_say_what_is_wrong() {
        let reason = |line: &[u8]| FromBot::from_line(line).unwrap_err().to_string();
        assert!(reason(b"hello").starts_with("not JSON"));
        assert!(reason(b"\xff\xfe").starts_with("not JSON"));
        assert!(reason(b"{'type': 'ready'}").contains("{'type': 'ready'}"));
        assert!(reason(br#"{"type":"mvoe","move":"a1"}"#).starts_with("not a message of a bot"));
        assert!(reason(br#"{"type":"move","move":7}"#).contains("expected a string"));
        assert!(reason(br#"{"type":"move","move":"a","move":"b"}"#).contains("duplicate field"));
        assert!(reason(b"\r").starts_with("an empty line"));
        assert!(reason(b"1").contains("those are JSON objects"));
        assert!(reason("[".repeat(100_000).as_bytes()).len() < 700);
    }

    #[test]
    fn numbers_of_bots_are_written_as_they_were_read() {
        let line = r#"{"type":"info","value":2.1844674407370954,"other":2.184467440737095}"#;
        let info = FromBot::from_line(line.as_bytes()).unwrap();
        assert_eq!(info.to_line().trim_end(), line);
        assert_eq!(FromBot::from_line(info.to_line().as_bytes()).unwrap(), info);
    }

    #[test]
    fn bad_lines_cannot_flood_logs_or_steer_terminals() {
        let reason = |line: &str| FromBot::from_line(line.as_bytes()).unwrap_err().to_string();
        let long = reason(&format!(r#"{{"type":"{}"}}"#, "x".repeat(100_000)));
        assert!(long.len() < 700, "{}", long.len());
        for line in [r#"{"type":"\u001b[2J\n"}"#, "{\"type\":\"\u{1b}[2J\""] {
            assert!(!reason(line).contains(char::is_control), "{line}");
        }
    }
}
