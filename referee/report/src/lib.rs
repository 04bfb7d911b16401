//! Reports for people and programs: standings and tables, pages, exported files, and progress while
//! matches run.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

pub mod analysis;
mod block;
pub mod checks;
pub mod forecast;
pub mod format_results;
pub mod match_rows;
pub mod progress;
pub mod sheet;
pub mod solutions;
pub mod standings_tables;
pub mod table;
pub mod terminal;
pub mod transcript;
pub mod trials;

use std::io::Write as _;

use protocol::{Record, shown};

/// Prints a notice on stderr. A closed or full stderr is no reason to stop, so errors are ignored.
pub fn print_notice(text: impl std::fmt::Display) {
    let text = text.to_string();
    let _ = std::io::stderr().write_all(terminal::fit(&text).as_bytes());
}

/// A match in one line: scores, game, and why it ended.
pub fn summary(record: &Record) -> String {
    let players: Vec<String> = record.players.iter().map(|p| shown(&p.name)).collect();
    let outcome: Vec<String> = record.result.outcome.iter().map(|o| points(*o)).collect();
    let mut text = format!(
        "{}  {}  {}  {}  {} after {}",
        shown(&record.match_id),
        shown(&record.game),
        players.join(" – "),
        outcome.join("–"),
        shown(&record.result.reason),
        match record.moves.len() {
            1 => "1 ply".to_owned(),
            plies => format!("{plies} plies"),
        }
    );
    for fault in &record.result.faults {
        let name = players.get(fault.seat).map_or("?", |name| name);
        text.push_str(&format!(" [{name}: {} at ply {}]", fault.code, fault.ply));
    }
    text
}

/// Points as people write them: `3`, `½`, `2½`. Other fractions have two digits.
pub fn points(points: f64) -> String {
    // Sums of thirds come close to whole numbers.
    let halves = (2.0 * points).round() / 2.0;
    let points = if (points - halves).abs() < 1e-6 {
        halves
    } else {
        points
    };
    let whole = points.trunc();
    match points - whole {
        f if f.abs() < 1e-9 => format!("{whole}"),
        f if (f - 0.5).abs() < 1e-9 && whole == 0.0 => "½".to_owned(),
        f if (f - 0.5).abs() < 1e-9 => format!("{whole}½"),
        _ => format!("{points:.2}"),
    }
}
