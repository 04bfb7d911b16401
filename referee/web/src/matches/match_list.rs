//! The match list: a page of the index, completed from the log.

use protocol::FaultCode;
use serde::{Deserialize, Serialize};

use crate::state::index::Wanted;
use crate::state::site::Site;

/// The most matches on a page.
const MOST_ROWS: usize = 500;

#[derive(Debug, Serialize)]
pub(crate) struct ListPage {
    /// The number of matches on all pages.
    total: usize,
    matches: Vec<MatchRow>,
}

#[derive(Debug, Serialize)]
pub(crate) struct MatchRow {
    id: String,
    game: String,
    players: Vec<String>,
    scores: Vec<i64>,
    outcome: Vec<f64>,
    reason: String,
    plies: usize,
    /// The code of the first fault.
    fault: Option<FaultCode>,
    started: String,
}

/// The fields of a line that the list needs.
#[derive(Deserialize)]
struct LineHead {
    #[serde(rename = "match")]
    match_id: String,
    game: String,
    options: serde_json::Value,
    players: Vec<Named>,
    moves: Vec<serde::de::IgnoredAny>,
    result: Ended,
    #[serde(default)]
    started: String,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Ended {
    scores: Vec<i64>,
    outcome: Vec<f64>,
    reason: String,
    #[serde(default)]
    faults: Vec<Coded>,
}

#[derive(Deserialize)]
struct Coded {
    code: FaultCode,
}

pub(crate) fn page(site: &Site, wanted: &Wanted) -> ListPage {
    let (total, page) = site.index().page(wanted, MOST_ROWS);
    // A log that is being rewritten may have something else there.
    let rows = page.iter().filter_map(|indexed| {
        let line = site.line(indexed)?;
        row(site, indexed.log, &line)
    });
    ListPage {
        total,
        matches: rows.collect(),
    }
}

/// A line of a log as a row.
pub(crate) fn row(site: &Site, log: u16, line: &[u8]) -> Option<MatchRow> {
    let head: LineHead = serde_json::from_slice(line).ok()?;
    let faults = head.result.faults.iter().map(|fault| fault.code);
    Some(MatchRow {
        id: site.page_id(log, &head.match_id),
        game: ratings::game_label(&head.game, &head.options),
        players: head.players.into_iter().map(|player| player.name).collect(),
        fault: faults.into_iter().find(|code| code.is_fault()),
        scores: head.result.scores,
        outcome: head.result.outcome,
        reason: head.result.reason,
        plies: head.moves.len(),
        started: head.started,
    })
}
