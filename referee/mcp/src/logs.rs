//! Logs of the server's own folders.

use std::path::Path;

use log::LogFile;
use protocol::{FaultCode, LoggedMove, Record, excerpt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Server;
use crate::answer::{Answer, PlayerAnswer, Refusal};
use crate::background::blocking;
use crate::client::Caller;
use crate::matches::is_client;

/// The newest matches are listed, at most this many.
const MOST_LISTED: usize = 200;
/// Messages of faults in the list are cut after this many characters.
const CUT: usize = 300;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetLog {
    /// The folder, as new_match or run_tournament answered.
    folder: String,
    /// The id of a match in it, such as "m-000001" [default: list all].
    #[serde(rename = "match")]
    id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LogAnswer {
    folder: String,
    /// The number of finished matches in the log.
    count: usize,
    /// The newest 200 of them at most, or the one that was asked for.
    matches: Vec<MatchLine>,
    /// The match that was asked for, as in the log: players, every move with its time and what the bot
    /// said about it (`info`), result and faults. Of a match of yours with hidden information, only what
    /// your seat may know.
    record: Option<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct MatchLine {
    #[serde(rename = "match")]
    id: String,
    game: String,
    players: Vec<PlayerAnswer>,
    plies: usize,
    /// What it is worth to each seat, from 0 (lost) to 1 (won).
    outcome: Vec<f64>,
    /// What ended it.
    reason: String,
    /// The faults that seats lost by, in words.
    faults: Vec<String>,
}

pub(crate) async fn get_log(caller: Caller, asked: GetLog) -> Answer<LogAnswer> {
    let server = caller.server;
    let folder = server.tournaments.folder(&asked.folder)?;
    blocking(move || read(&server, &folder, asked.id.as_deref())).await
}

fn read(server: &Server, folder: &Path, id: Option<&str>) -> Answer<LogAnswer> {
    let mut answer = LogAnswer {
        folder: folder.display().to_string(),
        count: 0,
        matches: Vec::new(),
        record: None,
    };
    for record in LogFile::open(folder)? {
        let record: Record = record?;
        answer.count += 1;
        if id.is_some_and(|id| *id != record.match_id) {
            continue;
        }
        let only = viewer(server, &record);
        answer.matches.push(MatchLine::of(&record, only));
        if id.is_some() {
            answer.record = Some(seen(record, only)?);
        } else if answer.matches.len() > 2 * MOST_LISTED {
            answer.matches.drain(..MOST_LISTED);
        }
    }
    let older = answer.matches.len().saturating_sub(MOST_LISTED);
    answer.matches.drain(..older);
    match id {
        Some(id) if answer.record.is_none() => Err(Refusal(format!(
            "there is no match `{}` in the log, which has {}",
            excerpt(id.as_bytes(), CUT),
            answer.count
        ))),
        _ => Ok(answer),
    }
}

/// The seat of a client that alone knows what it knows; `None` if there are no secrets.
fn viewer(server: &Server, record: &Record) -> Option<usize> {
    let seat = record.players.iter().position(is_client)?;
    let entry = server.settings.rules.catalog.find(&record.game);
    // Rules that are not known now may have secrets.
    entry
        .map_or(true, |entry| entry.info.hidden)
        .then_some(seat)
}

impl MatchLine {
    fn of(record: &Record, only: Option<usize>) -> Self {
        let players = record.players.iter().enumerate();
        let players = players.map(|(seat, player)| PlayerAnswer {
            seat,
            role: player.role.clone(),
            name: player.name.clone(),
        });
        let faults = record.result.faults.iter().map(|fault| {
            let code = FaultCode::as_str(fault.code);
            let name = &record.players[fault.seat].name;
            let begin = format!("{name}: {code} at ply {}", fault.ply);
            match only.is_none_or(|seat| seat == fault.seat) {
                true => format!("{begin}: {}", excerpt(fault.message.as_bytes(), CUT)),
                false => begin,
            }
        });
        MatchLine {
            id: record.match_id.clone(),
            game: record.game.clone(),
            players: players.collect(),
            plies: record.moves.len(),
            outcome: record.result.outcome.clone(),
            reason: record.result.reason.clone(),
            faults: faults.collect(),
        }
    }
}

/// A match as this seat may know it: nothing of it says what was dealt to others.
fn seen(record: Record, only: Option<usize>) -> Answer<Value> {
    let Some(seat) = only else {
        return Ok(serde_json::to_value(record)?);
    };
    let mut result = record.result.clone();
    for fault in result.faults.iter_mut().filter(|fault| fault.seat != seat) {
        fault.message.clear();
    }
    let is_own = |played: &&LoggedMove| played.seat == Some(seat);
    let own = record.moves.iter().filter(is_own);
    let own = own.map(|played| json!({"seat": seat, "move": played.mv, "ms": played.ms}));
    Ok(json!({
        "match": record.match_id, "game": record.game, "options": record.options,
        "players": record.players, "time": record.time, "limits": record.limits,
        "moves": own.collect::<Vec<_>>(), "result": result, "started": record.started,
        "seen_by": seat,
    }))
}
