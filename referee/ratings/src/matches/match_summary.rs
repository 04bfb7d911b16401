//! What statistics need of a match, read from a line of the log without keeping the moves.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use protocol::{
    Adjudication, CpuTimeBy, FaultCode, Load, LoggedMove, Machine, Millis, Record, TimeControl,
};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::fingerprint::Fingerprint;

/// A finished match, as far as statistics go. It is read from a line of the log or made from a
/// [`Record`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MatchSummary {
    /// The version of the log's format.
    pub format: u32,
    /// The match's id.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The game's id.
    pub game: String,
    /// The game's options.
    pub options: Value,
    /// The seed, which the matches of one pairing share.
    pub seed: u64,
    /// The hash of the position at the start.
    pub start: Fingerprint,
    /// Who sat where.
    pub players: Vec<PlayerSummary>,
    /// The time control of players that have none of their own.
    pub time: TimeControl,
    /// The machine that it was played on, if the log has it.
    #[serde(default)]
    pub machine: Option<Machine>,
    /// How busy the machine was meanwhile, if the log has it.
    #[serde(default)]
    pub load: Option<Load>,
    /// How many plies at the beginning the referee made.
    pub opening: u32,
    /// The plies, without the moves themselves.
    pub moves: Plies,
    /// How it ended.
    pub result: ResultSummary,
    /// What was adjudicated, if anything was.
    #[serde(default)]
    pub adjudication: Option<Adjudication>,
}

/// A player of a match.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PlayerSummary {
    /// The bot's name in the tournament.
    pub name: String,
    /// The seat's name in the game.
    pub role: String,
    /// The bot's version, if it says one.
    #[serde(default)]
    pub version: Option<String>,
    /// The player's own time control, if it has one.
    #[serde(default)]
    pub time: Option<TimeControl>,
    /// How its CPU time was measured, if that was limited.
    #[serde(default)]
    pub cpu_time: Option<CpuTimeBy>,
    /// Whose bot it is, by its command.
    #[serde(default, rename = "command")]
    pub author: Author,
}

/// Whose bot plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Author {
    /// The referee's own, `referee bot NAME`: nobody else's code runs.
    Referee,
    /// Anybody else's.
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
        // Whatever else stands there is no fault of a match that can be counted.
        let command = Value::deserialize(from)?;
        let words = command.as_array().into_iter().flatten();
        let words: Vec<&str> = words
            .map(|word| word.as_str().unwrap_or_default())
            .collect();
        Ok(Author::of(&words))
    }
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ResultSummary {
    /// The game's own scores, a seat each.
    pub scores: Vec<i64>,
    /// What each seat got, from 0 to 1.
    pub outcome: Vec<f64>,
    /// What went wrong. The format leaves it out where nothing did.
    #[serde(default)]
    pub faults: Vec<FaultSummary>,
}

/// A fault.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FaultSummary {
    /// Whose.
    pub seat: usize,
    /// Of which kind.
    pub code: FaultCode,
    /// For a time-out, how long the turn had lasted when it was called, if the log has it.
    #[serde(default)]
    pub ms: Option<Millis>,
    /// The CPU time that the bot had taken by then, if the log has it.
    #[serde(default)]
    pub cpu_ms: Option<Millis>,
    /// Whether an answer was there by then.
    #[serde(default)]
    pub answered: bool,
}

/// The plies of a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plies {
    /// The hash of all moves in order.
    pub hash: Fingerprint,
    /// What else is known of each.
    pub list: Vec<Ply>,
}

/// A ply, without its move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ply {
    /// Who made it; `None` for chance.
    pub seat: Option<u8>,
    /// The hash of the move.
    pub hash: u64,
    /// The time that the bot took.
    pub ms: Millis,
    /// The CPU time that the bot took, if the log has it.
    pub cpu_ms: Option<Millis>,
    /// How deep the bot says that it looked.
    pub depth: Option<f64>,
    /// How many positions the bot says that it looked at.
    pub nodes: Option<f64>,
    /// Whether the referee made it for a seat at fault.
    pub forced: bool,
}

impl MatchSummary {
    /// Makes each version of a bot one of its own: `mine` of version 1.2 becomes `mine (1.2)`.
    pub fn split_versions(&mut self) {
        for player in &mut self.players {
            if let Some(version) = &player.version {
                player.name = format!("{} ({version})", player.name);
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
    /// What standings need of a match: neither the start nor the plies, which take the time.
    pub(crate) fn without_plies(record: &Record) -> Self {
        let seated = |player: &protocol::Player| PlayerSummary {
            name: player.name.clone(),
            role: player.role.clone(),
            version: player.version.clone(),
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
            match_id: record.match_id.clone(),
            game: record.game.clone(),
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
        let mut hasher = DefaultHasher::new();
        let plies = moves.iter().map(|logged| {
            let hash = text_hash(&logged.mv);
            hash.hash(&mut hasher);
            let number = |name| logged.info.as_ref()?.get(name)?.as_f64();
            Ply {
                seat: logged.seat.and_then(|seat| seat.try_into().ok()),
                hash,
                ms: logged.ms,
                cpu_ms: logged.cpu_ms,
                depth: number("depth"),
                nodes: number("nodes"),
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

/// A text of which only the hash is kept.
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
                let mut hasher = DefaultHasher::new();
                let mut list = Vec::new();
                while let Some(logged) = moves.next_element::<Logged>()? {
                    logged.mv.0.hash(&mut hasher);
                    let (depth, nodes) = logged.info.depth_and_nodes();
                    list.push(Ply {
                        seat: logged.seat,
                        hash: logged.mv.0,
                        ms: logged.ms,
                        cpu_ms: logged.cpu_ms,
                        depth,
                        nodes,
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

/// What is counted of a move's `info`. Bots may report anything, of any type.
#[derive(Default)]
enum InfoValue {
    #[default]
    Nothing,
    Number(f64),
    Fields {
        depth: Option<f64>,
        nodes: Option<f64>,
    },
}

impl InfoValue {
    fn number(self) -> Option<f64> {
        match self {
            InfoValue::Number(number) => Some(number),
            _ => None,
        }
    }

    fn depth_and_nodes(self) -> (Option<f64>, Option<f64>) {
        match self {
            InfoValue::Fields { depth, nodes } => (depth, nodes),
            _ => (None, None),
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
            #[serde(other)]
            Other,
        }
        let (mut depth, mut nodes) = (None, None);
        while let Some(field) = fields.next_key::<Field>()? {
            match field {
                Field::Depth => depth = fields.next_value::<InfoValue>()?.number(),
                Field::Nodes => nodes = fields.next_value::<InfoValue>()?.number(),
                Field::Other => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(InfoValue::Fields { depth, nodes })
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
    fn a_line_gives_what_its_record_gives() {
        let text = line(json!([
            {"seat": 0, "move": "a", "ms": 0},
            {"seat": 1, "move": "b\"c", "ms": 12.5, "info": {"depth": 3, "nodes": 1e3, "pv": [{}]}},
            {"seat": 0, "move": "d", "ms": 1, "info": {"depth": "deep", "nodes": {"depth": 1}}},
            {"seat": 0, "move": "e", "info": [1, {"depth": 2}], "forced": true},
            {"seat": 0, "move": "f", "info": "hello"},
            {"seat": 0, "move": "g", "info": null}
        ]));
        let lean: MatchSummary = serde_json::from_str(&text).expect("a match");
        let record: Record = serde_json::from_str(&text).expect("a record");
        assert_eq!(lean, MatchSummary::from(&record));
        let told: Vec<_> = lean.moves.list.iter().map(|p| (p.depth, p.nodes)).collect();
        assert_eq!(told[1], (Some(3.0), Some(1000.0)));
        assert!(told[2..].iter().all(|told| *told == (None, None)));
    }

    #[test]
    fn moves_are_told_apart() {
        let hash = |moves| read(moves).moves.hash;
        let one = hash(json!([{"seat": 0, "move": "ab"}, {"seat": 1, "move": "c"}]));
        let timed = hash(json!([{"seat": 0, "move": "ab", "ms": 9}, {"seat": 1, "move": "c"}]));
        assert_eq!(one, timed, "how long it took is no part of the game");
        let cut = hash(json!([{"seat": 0, "move": "a"}, {"seat": 1, "move": "bc"}]));
        let swapped = hash(json!([{"seat": 0, "move": "c"}, {"seat": 1, "move": "ab"}]));
        assert!(one != cut && one != swapped && cut != swapped);
    }

    #[test]
    fn processor_time_and_late_answers_are_read_where_they_are_told() {
        let lean = read(json!([{"seat": 0, "move": "a", "ms": 2, "cpu_ms": 1.5}]));
        let micros = |ms: Option<Millis>| ms.map(|ms| ms.0.as_micros());
        assert_eq!(micros(lean.moves.list[0].cpu_ms), Some(1500));
        let fault: FaultSummary =
            serde_json::from_value(json!({"seat": 0, "code": "timeout", "ms": 31}))
                .expect("a fault");
        assert_eq!(micros(fault.ms), Some(31_000));
    }
}
