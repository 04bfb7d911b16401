//! A running match as pages show it: its future line in the log, as far as it is played.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use arbiter::{Arbiter, wire_limits};
use machine::program;
use protocol::{LOG_FORMAT, LoggedMove, MatchResult, Millis, Player, Record};
use serde_json::{Value, json};
use supervisor::BotSpec;

use crate::playing::match_run::{MatchRun, origin};

/// Longest text of a bot that is shown with a move, in characters.
const MOST_TEXT: usize = 300;
/// Moves of a principal variation that are shown.
const MOST_MOVES: usize = 12;
/// If not everything fits, only this many of the newest moves keep the bots' `info`.
const NEWEST: usize = 8;

pub(crate) struct LiveRecord {
    /// The record without moves and result.
    head: Record,
}

impl LiveRecord {
    /// `None` if the rules cannot describe the start.
    pub(crate) fn new(run: &MatchRun) -> Option<Self> {
        let rules = &run.game.rules;
        let player = |(spec, role): (&Arc<BotSpec>, &String)| Player {
            name: spec.name.clone(),
            role: role.clone(),
            version: None,
            command: Vec::new(),
            files: BTreeMap::new(),
            build: None,
            bundle: None,
            bot_file: None,
            time: spec.own_time.then(|| spec.time.clone()),
            confined: None,
            cpu_time: None,
        };
        let head = Record {
            deal: None,
            format: LOG_FORMAT,
            match_id: run.id.clone(),
            game: rules.info().id.clone(),
            rules: rules.description().origin.as_ref().map(origin),
            options: rules.options().to_json(),
            seed: run.seed,
            start: run.start.state().ok()?,
            players: run.specs.iter().zip(rules.roles()).map(player).collect(),
            time: run.time.clone(),
            limits: wire_limits(run.game.limits),
            conditions: Some(run.conditions.clone()),
            machine: None,
            load: None,
            opening: run.opening.len() as u32,
            moves: Vec::new(),
            result: MatchResult {
                scores: Vec::new(),
                outcome: Vec::new(),
                reason: String::new(),
                faults: Vec::new(),
            },
            adjudication: None,
            started: protocol::timestamp(SystemTime::now(), 3),
            duration_ms: Millis::default(),
            referee: program::name(),
            prev: None,
        };
        Some(LiveRecord { head })
    }

    /// The match so far, in at most `room` bytes; `None` if it does not fit.
    pub(crate) fn so_far(&self, arbiter: &Arbiter, room: usize) -> Option<Value> {
        let moves = arbiter.moves();
        let scores = arbiter.session().tally().map(|tally| tally.scores.to_vec());
        let scores = scores.unwrap_or_default().into_iter();
        let mut record = serde_json::to_value(&self.head).ok()?;
        record["result"]["scores"] = scores.collect();
        // Everything that bots said, or only with the newest moves, or nothing.
        [moves.len(), NEWEST, 0].into_iter().find_map(|newest| {
            let full = moves.len().saturating_sub(newest);
            let moves = moves.iter().enumerate();
            let moves = moves.map(|(at, played)| shortened(played, at >= full, newest > 0));
            record["moves"] = moves.collect();
            (record.to_string().len() <= room).then(|| record.clone())
        })
    }
}

/// A logged move with shortened texts of the bot.
fn shortened(played: &LoggedMove, has_texts: bool, has_figures: bool) -> Value {
    let mut short = json!({"seat": played.seat, "move": played.mv, "ms": played.ms});
    if let Some(cpu_ms) = played.cpu_ms {
        short["cpu_ms"] = json!(cpu_ms);
    }
    if played.forced {
        short["forced"] = json!(true);
    }
    let info = played.info.as_ref().filter(|_| has_figures);
    let Some(info) = info else {
        return short;
    };
    let mut said = json!({});
    for figure in ["value", "depth", "nodes"] {
        if let Some(value) = info.get(figure).filter(|value| value.is_number()) {
            said[figure] = value.clone();
        }
    }
    if has_texts {
        if let Some(pv) = info.get("pv").and_then(Value::as_array) {
            said["pv"] = pv.iter().take(MOST_MOVES).cloned().collect();
        }
        if let Some(text) = info.get("text").and_then(Value::as_str) {
            said["text"] = text.chars().take(MOST_TEXT).collect::<String>().into();
        }
    }
    short["info"] = said;
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bots_say_is_shortened() {
        let played: LoggedMove = serde_json::from_value(json!({
            "seat": 0, "move": "a1", "ms": 2.0, "info": {
                "value": 0.5, "depth": "deep", "pv": vec!["b1"; 50], "text": "x".repeat(1000),
                "own": "y".repeat(1000),
            }
        }))
        .unwrap();
        let short = shortened(&played, true, true);
        assert_eq!(short["info"]["pv"].as_array().unwrap().len(), MOST_MOVES);
        assert_eq!(short["info"]["text"].as_str().unwrap().len(), MOST_TEXT);
        assert!(short["info"].get("own").is_none() && short["info"].get("depth").is_none());
        let figures = shortened(&played, false, true);
        assert_eq!(figures["info"], json!({"value": 0.5}));
        assert!(shortened(&played, false, false).get("info").is_none());
    }
}
