//! The use of language models, by bot.

use crate::sheet::parts::{Grid, Part, heading};
use crate::sheet::statistics::Sheet;
use log::ModelUse;
use protocol::shown as clean;

/// The table "Models", if a bot has asked one.
pub(super) fn all(sheet: &Sheet) -> Vec<Part> {
    let bots = sheet
        .report
        .ranking
        .iter()
        .map(|&bot| &sheet.report.bots[bot].name);
    let used = bots.filter_map(|name| sheet.models.iter().find(|used| used.bot == *name));
    let used: Vec<&ModelUse> = used.collect();
    if used.is_empty() {
        return Vec::new();
    }
    vec![
        heading("Models"),
        Part::Table(table(&used)),
        Part::Note(NOTE.to_owned()),
    ]
}

const NOTE: &str = "What bots report of the language models that they ask: requests, tokens, answers that were \
                    no legal move, by kind, the share of turns whose first answer was legal, and the mean time \
                    of a request.";

/// A row for each bot.
pub fn table(used: &[&ModelUse]) -> Grid {
    let header = [
        "bot",
        "model",
        "matches",
        "moves",
        "calls",
        "tokens in",
        "tokens out",
        "illegal",
        "unparsable",
        "truncated",
        "refused",
        "legal at first",
        "ms a call",
    ];
    let mut grid = Grid::new(header, 0);
    let unknown = || "·".to_owned();
    for used in used {
        let models = match &used.models[..] {
            [] => unknown(),
            models => clean(&models.join(", ")),
        };
        let share = used.share_legal_at_first();
        let latency = used.mean_latency_ms();
        let mut row = vec![clean(&used.bot), models, used.matches.to_string()];
        row.extend(used.counts().iter().map(u64::to_string));
        row.push(share.map_or_else(unknown, |share| format!("{:.1} %", 100.0 * share)));
        row.push(latency.map_or_else(unknown, |ms| format!("{ms:.0}")));
        grid.rows.push(row);
    }
    grid
}
