//! The match log: one finished match a line.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::{line, whole_number};
use crate::messages::{Limits, MatchResult, MoveText, Offer};
use crate::time::{Millis, TimeControl};

/// The version of the log's format that this crate writes.
pub const LOG_FORMAT: u32 = 1;

/// One finished match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The version of the format.
    pub format: u32,
    /// The match's id, unique in its log.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The game's id.
    pub game: String,
    /// The source of external rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesOrigin>,
    /// The game's options, defaults filled in.
    pub options: Value,
    /// The seed that start and opening were made from; the matches of one pairing share it.
    pub seed: u64,
    /// In games with chance or hidden information, start, opening and what chance brings are drawn from a
    /// secret of the tournament in place of the seed: this is the SHA-256 of its 32 bytes, as 64
    /// hexadecimal digits. Logs of older versions, and single matches, do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deal: Option<String>,
    /// The position at the start.
    pub start: Value,
    /// The players in seat order.
    pub players: Vec<Player>,
    /// The time control of all players that have none of their own.
    pub time: TimeControl,
    /// The limits that would have stopped the match.
    pub limits: Limits,
    /// The conditions under which it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Conditions>,
    /// The machine that it was played on. Logs of older versions do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
    /// The load of the machine meanwhile, where it reports that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// The number of plies at the start of `moves` that the referee made.
    pub opening: u32,
    /// Every ply.
    pub moves: Vec<LoggedMove>,
    /// The result.
    pub result: MatchResult,
    /// The first adjudication, where there was one: `result` follows from it unless the match was played
    /// out all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjudication: Option<Adjudication>,
    /// When it began, in RFC 3339 and UTC.
    pub started: String,
    /// The time that it took.
    pub duration_ms: Millis,
    /// Name and version of the referee.
    pub referee: String,
    /// The SHA-256 of the line before, without its line break, as 64 hexadecimal digits; 64 zeros in
    /// the first line. Logs of older versions do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
}

/// A result that was decided before the game had come to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Adjudication {
    /// Number of `moves` made before.
    #[serde(deserialize_with = "whole_number::read")]
    pub ply: u32,
    /// By what.
    #[serde(flatten)]
    pub by: AdjudicatedBy,
    /// The points of each seat, final ones where they are known.
    pub scores: Vec<i64>,
    /// Their worth in [0, 1], one entry a seat.
    pub outcome: Vec<f64>,
    /// True if the match went on all the same, to see whether that was right.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub played_out: bool,
}

/// The rule that decided a match before its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "lowercase")]
pub enum AdjudicatedBy {
    /// Nobody could disturb anybody else any more, and the rest was counted.
    Settled {
        /// The limit on positions for counting.
        #[serde(deserialize_with = "whole_number::read")]
        budget: u32,
        /// The number of positions that it took.
        #[serde(deserialize_with = "whole_number::read")]
        positions: u32,
        /// The time that it took.
        ms: Millis,
    },
    /// All bots said for this many of their moves that one of them loses.
    Resign {
        /// The highest value of the loser in [0, 1], so that the winner's was at least 1 less this.
        value: f64,
        /// For how many moves each.
        #[serde(deserialize_with = "whole_number::read")]
        moves: u32,
    },
    /// All bots said for this many of their moves that the match is even.
    Draw {
        /// The largest distance of a value from one half.
        value: f64,
        /// For how many moves each.
        #[serde(deserialize_with = "whole_number::read")]
        moves: u32,
        /// Not before this many plies.
        #[serde(deserialize_with = "whole_number::read")]
        after: u32,
    },
    /// All bots made the same offer.
    Agreed {},
}

impl AdjudicatedBy {
    /// The reason of a match that ended so.
    pub fn reason(&self) -> &'static str {
        match self {
            AdjudicatedBy::Settled { .. } => "settled",
            AdjudicatedBy::Resign { .. } => "adjudicated_win",
            AdjudicatedBy::Draw { .. } => "adjudicated_draw",
            AdjudicatedBy::Agreed {} => "agreed",
        }
    }
}

/// The source of external rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RulesOrigin {
    /// The rules program's name for itself, or the sheet's id.
    pub name: String,
    /// The version, as the rules program reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// SHA-256, in hexadecimal digits: of the sheet, or of the program's file and its answer to
    /// `hello`.
    pub sha256: String,
}

/// A player of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Player {
    /// The bot's name in the tournament.
    pub name: String,
    /// The seat's name in this game.
    pub role: String,
    /// The version that the bot sent in its `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its command line.
    pub command: Vec<String>,
    /// SHA-256, in hexadecimal digits, of the files that the command names, when the bot's process
    /// was started; paths in its own folder are relative to that.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// SHA-256, in hexadecimal digits, of all its files: those that the command names, and those in a
    /// folder of its own. Equal for processes that were started from the same files. Absent if the
    /// bot has no files of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// SHA-256, in hexadecimal digits, of the bundle that its folder was unpacked from, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<String>,
    /// SHA-256, in hexadecimal digits, of the `bot.toml` that described it, if it was handed in with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot_file: Option<String>,
    /// Its own time control, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeControl>,
    /// The means that enforced its limits, where it was in a sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confined: Option<Confined>,
    /// The measure of its CPU time, where that was limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_time: Option<CpuTimeBy>,
}

/// The measure of the CPU time of a bot's processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CpuTimeBy {
    /// By the kernel, for all of them together.
    Counted,
    /// By looking at those that were there: a bot that wants to can hide some of its time.
    Estimated,
}

/// The limits that were enforced on a player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Confined {
    /// The sandbox that it really was in: `none`, `limits`, `restricted` or `strict`.
    pub sandbox: String,
    /// The layers of the sandbox.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<String>,
    /// The limits, by the names that they have in configurations: bytes, numbers, or
    /// milliseconds where the name ends in `_ms`.
    pub limits: BTreeMap<String, Enforced>,
    /// Requested protections of the sandbox that the machine could not provide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A limit that was enforced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Enforced {
    /// Its value.
    pub limit: u64,
    /// By whom: a part of the kernel, or the referee itself.
    pub by: String,
}

/// The conditions of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conditions {
    /// Bots between their turns: `run`, `freeze`, or `mixed` if only some were frozen.
    pub idle: String,
    /// Which cores were used: `off` for any, or `cores` for one.
    pub affinity: String,
    /// The number of matches that ran at a time.
    pub concurrency: u32,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Its name: the host name, unless the user says otherwise.
    pub name: String,
    /// The model of its CPU, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    /// The number of cores that the referee could use.
    pub cores: u32,
    /// Its speed by the referee's yardstick, measured on all slots at once: million steps a second, a
    /// slot. Absent where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
}

/// The load of a machine, as shares from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Load {
    /// The share of the time in which a process, any on the machine, was ready to run but had to
    /// wait for a core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<f64>,
    /// The share of the cores' time that the host of a virtual machine gave to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stolen: Option<f64>,
}

/// A ply of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoggedMove {
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
    /// The time that the bot took; 0 for plies of the referee.
    #[serde(default)]
    pub ms: Millis,
    /// The CPU time that all processes of the bot used meanwhile, where the machine reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<Millis>,
    /// For how long the referee itself did not run meanwhile (it was stopped, or its machine was):
    /// no clock ran then, and it is not in `ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended_ms: Option<Millis>,
    /// The move's `info`, else the bot's last `info` message of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<Value>,
    /// The end that the bot offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<Offer>,
    /// True for a random ply that the referee made for a seat at fault.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    /// The opinions of bots in a later analysis, one entry a bot; only in copies that an analysis made.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub analysis: Box<[MoveAnalysis]>,
}

/// The opinion of a bot about the position before a ply, and about the ply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MoveAnalysis {
    /// The name of the bot.
    pub bot: String,
    /// The outcome that it expects for the seat that is to move, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Its best line.
    pub line: Vec<MoveText>,
    /// By how much `value` is more than what the seat can expect after the ply that was made; 0 if the
    /// bot knows no better ply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
}

impl Player {
    /// First word of the `command` of a player that is asked over HTTP (GGP); its URL follows.
    pub const GGP: &str = "ggp";

    /// True if it was asked over HTTP (GGP) instead of being started.
    pub fn is_ggp(&self) -> bool {
        matches!(&self.command[..], [first, url, ..] if first == Self::GGP && url.starts_with("http://"))
    }
}

impl Record {
    /// The record as a line.
    pub fn to_line(&self) -> String {
        line::to_line(self)
    }

    /// Appends the record as a line.
    pub fn write_line(&self, out: &mut Vec<u8>) {
        line::append(self, out);
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;

    use super::LoggedMove;
    use crate::PlayedMove;

    fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
        serde_json::from_str(text).ok()
    }

    #[test]
    fn a_ply_without_a_seat_is_not_taken_for_chance() {
        let (chance, nobody) = (r#"{"seat":null,"move":"6"}"#, r#"{"move":"6"}"#);
        let logged: LoggedMove = read(chance).expect("an outcome of chance");
        let played: PlayedMove = read(chance).expect("an outcome of chance");
        assert_eq!((logged.seat, played.seat), (None, None));
        assert_eq!(read::<LoggedMove>(nobody), None);
        assert_eq!(read::<PlayedMove>(nobody), None);
    }
}
