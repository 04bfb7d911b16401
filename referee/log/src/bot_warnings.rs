//! Warnings of bots in the `info` of their moves: that a move is worse than usual.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;

use memchr::memmem;
use protocol::{LoggedMove, Record, excerpt};

use super::read::locate;

/// Bytes of a warning.
const LONGEST: usize = 300;
/// Distinct warnings of a bot: bots may write anything.
const MOST: usize = 3;

/// A warning of a bot.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct BotWarning {
    pub bot: String,
    /// Its text, escaped and shortened.
    pub text: String,
    /// The number of moves with it.
    pub moves: u64,
    /// The id of the first match with it.
    pub first: String,
}

/// The warning that a bot sent with a move, escaped and shortened.
pub fn warning_of(played: &LoggedMove) -> Option<String> {
    let warning = played.info.as_ref()?.get("warning")?.as_str()?;
    Some(excerpt(warning.as_bytes(), LONGEST))
}

/// The warnings in these logs. Unreadable parts are skipped; the reader of matches reports them.
pub fn bot_warnings(logs: &[PathBuf]) -> Vec<BotWarning> {
    let mut found: BTreeMap<String, Vec<BotWarning>> = BTreeMap::new();
    for log in logs {
        let Ok(file) = File::open(locate(log)) else {
            continue;
        };
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut line = Vec::new();
        while file.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            // Hardly any line has one, and the others need not be read.
            if memmem::find(&line, b"\"warning\":\"").is_some()
                && let Ok(record) = serde_json::from_slice(&line)
            {
                add(&mut found, &record);
            }
            line.clear();
        }
    }
    found.into_values().flatten().collect()
}

fn add(found: &mut BTreeMap<String, Vec<BotWarning>>, record: &Record) {
    for played in &record.moves {
        let player = played.seat.and_then(|seat| record.players.get(seat));
        let (Some(player), Some(text)) = (player, warning_of(played)) else {
            continue;
        };
        let warnings = found.entry(player.name.clone()).or_default();
        if let Some(known) = warnings.iter_mut().find(|known| known.text == text) {
            known.moves += 1;
        } else if warnings.len() < MOST {
            warnings.push(BotWarning {
                bot: player.name.clone(),
                text,
                moves: 1,
                first: record.match_id.clone(),
            });
        }
    }
}
