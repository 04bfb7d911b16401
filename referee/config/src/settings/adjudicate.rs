//! Adjudication: endings of matches before their games end.

use std::sync::Arc;

use arbiter::early_end::{DrawRule, EarlyEnds, ResignRule};
use games::{Entry, GAMES};
use serde_json::Value;

use crate::error::Diagnostic;
use crate::setup::game::GameSetup;
use crate::tables::{AdjudicateTable, DrawTable, ResignTable};

/// Default limit on the positions of exact counting: about 20 ms.
const POSITIONS: u32 = 20_000;
/// Default share of adjudicated matches that are played out.
const PLAY_OUT: f64 = 0.1;

pub(crate) fn early_ends(table: &AdjudicateTable) -> Result<EarlyEnds, Diagnostic> {
    let play_out = table.play_out.unwrap_or(PLAY_OUT);
    if !(0.0..=1.0).contains(&play_out) {
        let message = format!("{play_out} is not a share from 0 to 1");
        return Err(Diagnostic::value("adjudicate.play_out", message));
    }
    if table.positions.is_some() && !table.settled {
        let message = "needs `settled = true`";
        return Err(Diagnostic::value("adjudicate.positions", message));
    }
    Ok(EarlyEnds {
        settled: table.settled.then(|| table.positions.unwrap_or(POSITIONS)),
        resign: table.resign.map(resign).transpose()?,
        draw: table.draw.map(draw).transpose()?,
        offers: table.offers,
        play_out,
    })
}

/// Checks that `settled` is useful: some game must support it.
pub(crate) fn check(early_ends: &EarlyEnds, games: &[GameSetup]) -> Result<(), Diagnostic> {
    if early_ends.settled.is_none() || games.iter().any(|game| game.rules.description().settles) {
        return Ok(());
    }
    let settles = |entry: &&Arc<Entry>| {
        let rules = entry.configure(&Value::Null);
        rules.is_ok_and(|rules| rules.description().settles)
    };
    let can: Vec<String> = GAMES
        .iter()
        .filter(settles)
        .map(|entry| format!("`{}`", entry.info.id))
        .collect();
    Err(Diagnostic::value(
        "adjudicate.settled",
        format!(
            "none of the games here can be settled by counting: {} can",
            can.join(", ")
        ),
    ))
}

fn resign(table: ResignTable) -> Result<ResignRule, Diagnostic> {
    let ResignTable { value, moves, all } = table;
    check_values("resign", value, all)?;
    Ok(ResignRule { value, moves })
}

fn draw(table: DrawTable) -> Result<DrawRule, Diagnostic> {
    let DrawTable {
        value,
        moves,
        after,
        all,
    } = table;
    check_values("draw", value, all)?;
    Ok(DrawRule {
        value,
        moves,
        after,
    })
}

fn check_values(kind: &str, value: f64, all: bool) -> Result<(), Diagnostic> {
    if !(value > 0.0 && value < 0.5) {
        return Err(Diagnostic::value(
            &format!("adjudicate.{kind}.value"),
            format!("{value} is not between 0 and 0.5"),
        ));
    }
    if !all {
        return Err(Diagnostic::value(
            &format!("adjudicate.{kind}.all"),
            "can only be `true`: no match is decided by the word of one bot",
        ));
    }
    Ok(())
}
