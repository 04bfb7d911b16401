//! Match summaries, read from lines of a log without keeping the moves: ordinary lines by [`super::scan`], others
//! by serde.

use std::fmt;
use std::hash::{Hash, Hasher};

use protocol::{
    Adjudication, CpuTimeBy, FaultCode, Load, LoggedMove, Machine, Millis, Record, TimeControl,
};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use smol_str::{SmolStr, format_smolstr};

use super::fingerprint::{Fingerprint, hasher};

/// A finished match, reduced to the data for statistics. Read from a line of a log, or made from a
/// [`Record`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MatchSummary {
    pub format: u32,
    #[serde(rename = "match")]
    pub match_id: SmolStr,
    pub game: SmolStr,
    pub options: Value,
    /// Shared by the matches of one pairing.
    pub seed: u64,
    pub start: Fingerprint,
    /// In seat order.
    pub players: Vec<PlayerSummary>,
    /// The time control of players without their own.
    pub time: TimeControl,
    #[serde(default)]
    pub machine: Option<Machine>,
    /// The load of the machine during the match.
    #[serde(default)]
    pub load: Option<Load>,
    /// The number of plies that the referee made at the start.
    pub opening: u32,
    /// The plies without their moves.
    pub moves: Plies,
    pub result: ResultSummary,
    #[serde(default)]
    pub adjudication: Option<Adjudication>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PlayerSummary {
    pub name: SmolStr,
    pub role: SmolStr,
    /// The bot's version, if it sends one.
    #[serde(default)]
    pub version: Option<SmolStr>,
    /// The player's own time control, if any.
    #[serde(default)]
    pub time: Option<TimeControl>,
    /// Method of measurement, if CPU time was limited.
    #[serde(default)]
    pub cpu_time: Option<CpuTimeBy>,
    /// The author of the bot, by its command.
    #[serde(default, rename = "command")]
    pub author: Author,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Author {
    /// A bot of the referee, `referee bot NAME`: no foreign code runs.
    Referee,
    #[default]
    Other,
}

impl Author {
    fn of<S: AsRef<str>>(command: &[S]) -> Self {
        match command {
            [program, word, _, ..] if program.as_ref() == "referee" && word.as_ref() == "bot" => {
                Author::Referee
            }
            _ => Author::Other,
        }
    }
}

impl<'de> Deserialize<'de> for Author {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // A malformed command does not make the match useless.
        let command = Value::deserialize(from)?;
        let words = command.as_array().into_iter().flatten();
        let words: Vec<&str> = words
            .map(|word| word.as_str().unwrap_or_default())
            .collect();
        Ok(Author::of(&words))
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ResultSummary {
    pub scores: Vec<i64>,
    /// The points by seat, from 0 to 1.
    pub outcome: Vec<f64>,
    /// Left out in the log if empty.
    #[serde(default)]
    pub faults: Vec<FaultSummary>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FaultSummary {
    pub seat: usize,
    pub code: FaultCode,
    /// For a time-out: the length of the turn when it was called.
    #[serde(default)]
    pub ms: Option<Millis>,
    /// The CPU time of the bot by then.
    #[serde(default)]
    pub cpu_ms: Option<Millis>,
    /// True if the bot had answered by then.
    #[serde(default)]
    pub answered: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plies {
    /// The hash of all moves in order.
    pub hash: Fingerprint,
    pub list: Vec<Ply>,
}

/// A ply, without its move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ply {
    /// `None` for chance.
    pub seat: Option<u8>,
    pub hash: u64,
    /// The time of the bot.
    pub ms: Millis,
    /// The CPU time of the bot, if the log has it.
    pub cpu_ms: Option<Millis>,
    /// What the bot reports.
    pub info: Info,
    /// True if the referee made it for a seat at fault.
    pub forced: bool,
}

/// The keys of a bot's `info` for which a line is read once more, since few lines have one: a warning, and
/// the use of a language model.
pub const REMARKS: [&str; 3] = ["warning", "calls", "tokens_in"];

/// What counts of a bot's `info`. Bots may report anything, of any type.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Info {
    /// The depth of its search.
    pub depth: Option<f64>,
    /// The number of nodes.
    pub nodes: Option<f64>,
    /// True if it has one of the keys in [`REMARKS`].
    pub has_remark: bool,
}

impl MatchSummary {
    /// Makes each version of a bot a separate bot: `mine` of version 1.2 becomes `mine (1.2)`.
    pub fn split_versions(&mut self) {
        for player in &mut self.players {
            if let Some(version) = &player.version {
                player.name = format_smolstr!("{} ({version})", player.name);
            }
        }
    }
}

impl From<&Record> for MatchSummary {
    fn from(record: &Record) -> Self {
        MatchSummary {
            start: Fingerprint::of_value(&record.start),
            moves: Plies::from(&*record.moves),
            ..MatchSummary::without_plies(record)
        }
    }
}

impl MatchSummary {
    /// A summary for standings, without start and plies, which are slow to compute.
    pub(crate) fn without_plies(record: &Record) -> Self {
        let seated = |player: &protocol::Player| PlayerSummary {
            name: player.name.as_str().into(),
            role: player.role.as_str().into(),
            version: player.version.as_deref().map(SmolStr::from),
            time: player.time.clone(),
            cpu_time: player.cpu_time,
            author: Author::of(&player.command),
        };
        let fault = |fault: &protocol::Fault| FaultSummary {
            seat: fault.seat,
            code: fault.code,
            ms: fault.ms,
            cpu_ms: fault.cpu_ms,
            answered: fault.answered,
        };
        MatchSummary {
            format: record.format,
            match_id: record.match_id.as_str().into(),
            game: record.game.as_str().into(),
            options: record.options.clone(),
            seed: record.seed,
            start: Fingerprint::default(),
            players: record.players.iter().map(seated).collect(),
            time: record.time.clone(),
            machine: record.machine.clone(),
            load: record.load,
            opening: record.opening,
            moves: Plies::default(),
            result: ResultSummary {
                scores: record.result.scores.clone(),
                outcome: record.result.outcome.clone(),
                faults: record.result.faults.iter().map(fault).collect(),
            },
            adjudication: record.adjudication.clone(),
        }
    }
}

impl From<&[LoggedMove]> for Plies {
    fn from(moves: &[LoggedMove]) -> Self {
        let mut hasher = hasher();
        let plies = moves.iter().map(|logged| {
            let hash = text_hash(&logged.mv);
            hash.hash(&mut hasher);
            let get = |name| logged.info.as_ref()?.get(name);
            let number = |name| get(name)?.as_f64();
            Ply {
                seat: logged.seat.and_then(|seat| seat.try_into().ok()),
                hash,
                ms: logged.ms,
                cpu_ms: logged.cpu_ms,
                info: Info {
                    depth: number("depth"),
                    nodes: number("nodes"),
                    has_remark: REMARKS.iter().any(|name| get(name).is_some()),
                },
                forced: logged.forced,
            }
        });
        let list = plies.collect();
        Plies {
            hash: Fingerprint(hasher.finish()),
            list,
        }
    }
}

pub(super) fn text_hash(text: &str) -> u64 {
    Fingerprint::of(text).0
}

struct HashedText(u64);

impl<'de> Deserialize<'de> for HashedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = HashedText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E>(self, text: &str) -> Result<HashedText, E> {
                Ok(HashedText(text_hash(text)))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

impl<'de> Deserialize<'de> for Plies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Logged {
            seat: Option<u8>,
            #[serde(rename = "move")]
            mv: HashedText,
            #[serde(default)]
            ms: Millis,
            #[serde(default)]
            cpu_ms: Option<Millis>,
            #[serde(default)]
            info: InfoValue,
            #[serde(default)]
            forced: bool,
        }
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Plies;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of moves")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut moves: A) -> Result<Plies, A::Error> {
                let mut hasher = hasher();
                let mut list = Vec::new();
                while let Some(logged) = moves.next_element::<Logged>()? {
                    logged.mv.0.hash(&mut hasher);
                    list.push(Ply {
                        seat: logged.seat,
                        hash: logged.mv.0,
                        ms: logged.ms,
                        cpu_ms: logged.cpu_ms,
                        info: match logged.info {
                            InfoValue::Fields(info) => info,
                            InfoValue::Nothing | InfoValue::Number(_) => Info::default(),
                        },
                        forced: logged.forced,
                    });
                }
                let hash = Fingerprint(hasher.finish());
                Ok(Plies { hash, list })
            }
        }
        deserializer.deserialize_seq(List)
    }
}

/// A move's `info`, or a value in it.
#[derive(Default)]
enum InfoValue {
    #[default]
    Nothing,
    Number(f64),
    Fields(Info),
}

impl InfoValue {
    fn number(self) -> Option<f64> {
        match self {
            InfoValue::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for InfoValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Anything)
    }
}

struct Anything;

impl<'de> Visitor<'de> for Anything {
    type Value = InfoValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<InfoValue, E> {
        Ok(InfoValue::Nothing)
    }

    fn visit_bool<E>(self, _: bool) -> Result<InfoValue, E> {
        Ok(InfoValue::Nothing)
    }

    fn visit_str<E>(self, _: &str) -> Result<InfoValue, E> {
        Ok(InfoValue::Nothing)
    }

    fn visit_u64<E>(self, value: u64) -> Result<InfoValue, E> {
        Ok(InfoValue::Number(value as f64))
    }

    fn visit_i64<E>(self, value: i64) -> Result<InfoValue, E> {
        Ok(InfoValue::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<InfoValue, E> {
        Ok(InfoValue::Number(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<InfoValue, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(InfoValue::Nothing)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<InfoValue, A::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Field {
            Depth,
            Nodes,
            #[serde(alias = "calls", alias = "tokens_in")]
            Warning,
            #[serde(other)]
            Other,
        }
        let mut info = Info::default();
        while let Some(field) = fields.next_key::<Field>()? {
            match field {
                Field::Depth => info.depth = fields.next_value::<InfoValue>()?.number(),
                Field::Nodes => info.nodes = fields.next_value::<InfoValue>()?.number(),
                field => {
                    info.has_remark |= matches!(field, Field::Warning);
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(InfoValue::Fields(info))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(moves: Value) -> String {
        json!({
            "format": 1, "match": "m-000017", "game": "siam", "options": {"b": 1, "a": [2]},
            "seed": 7, "start": {"ply": 0, "cells": ["a1"]},
            "players": [{"name": "x", "role": "elephants", "command": ["x"]},
                {"name": "y", "role": "rhinos", "version": "1", "command": [],
                 "time": {"per_move_ms": 5, "startup_ms": 1, "margin_ms": 1}}],
            "time": {"base_ms": 100, "startup_ms": 1, "margin_ms": 1},
            "limits": {"max_plies": null, "repetition": null}, "opening": 1, "moves": moves,
            "result": {"scores": [1, 0], "outcome": [1.0, 0.0], "reason": "forfeit", "faults":
                [{"seat": 1, "code": "timeout", "ply": 3, "message": "late"}]},
            "started": "", "duration_ms": 1, "referee": ""
        })
        .to_string()
    }

    fn read(moves: Value) -> MatchSummary {
        serde_json::from_str(&line(moves)).expect("a match")
    }

    #[test]
    fn a_line_has_the_summary_of_its_record() {
        let text = line(json!([
            {"seat": 0, "move": "a", "ms": 0},
            {"seat": 1, "move": "b\"c", "ms": 12.5, "info": {"depth": 3, "nodes": 1e3, "pv": [{}]}},
            {"seat": 0, "move": "d", "ms": 1, "info": {"depth": "deep", "nodes": {"depth": 1}}},
            {"seat": 0, "move": "e", "info": [1, {"depth": 2}], "forced": true},
            {"seat": 0, "move": "f", "info": "hello"},
            {"seat": 0, "move": "g", "info": null}
        ]));
        let summary: MatchSummary = serde_json::from_str(&text).expect("a match");
        let record: Record = serde_json::from_str(&text).expect("a record");
        assert_eq!(summary, MatchSummary::from(&record));
        let reported: Vec<_> = summary
            .moves
            .list
            .iter()
            .map(|p| (p.info.depth, p.info.nodes))
            .collect();
        assert_eq!(reported[1], (Some(3.0), Some(1000.0)));
        assert!(reported[2..].iter().all(|it| *it == (None, None)));
    }

    #[test]
    fn moves_are_distinguished() {
        let hash = |moves| read(moves).moves.hash;
        let one = hash(json!([{"seat": 0, "move": "ab"}, {"seat": 1, "move": "c"}]));
        let timed = hash(json!([{"seat": 0, "move": "ab", "ms": 9}, {"seat": 1, "move": "c"}]));
        assert_eq!(one, timed, "how long it took is no part of the game");
        let cut = hash(json!([{"seat": 0, "move": "a"}, {"seat": 1, "move": "bc"}]));
        let swapped = hash(json!([{"seat": 0, "move": "c"}, {"seat": 1, "move": "ab"}]));
        assert!(one != cut && one != swapped && cut != swapped);
    }

    #[test]
    fn processor_time_and_late_answers_are_read_where_there_are_any() {
        let summary = read(json!([{"seat": 0, "move": "a", "ms": 2, "cpu_ms": 1.5}]));
        let micros = |ms: Option<Millis>| ms.map(|ms| ms.0.as_micros());
        assert_eq!(micros(summary.moves.list[0].cpu_ms), Some(1500));
        let fault: FaultSummary =
            serde_json::from_value(json!({"seat": 0, "code": "timeout", "ms": 31}))
                .expect("a fault");
        assert_eq!(micros(fault.ms), Some(31_000));
    }
}
