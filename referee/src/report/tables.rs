//! Standings as text tables.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
use serde_json::{Value, json};

use super::points;
use super::sheet::interval;
use super::standings::{GameTally, Standings, Tally};
use ratings::report::Estimate;

/// The ranking, the crosstable and the results by game and seat. The ranking has those ratings
/// that there are.
pub fn report(standings: &Standings, ratings: &BTreeMap<String, Estimate>) -> String {
    let mut text = format!("Standings\n{}\n", rated(standings, ratings));
    if standings.ranking().len() > 1 {
        text += &format!(
            "\nCrosstable: points of the row's bot against the column's\n{}\n",
            crosstable(standings, ratings)
        );
    }
    text += "\nBy game and seat: points of matches in that seat\n";
    for (label, game) in standings.games() {
        text += &format!("\n{}\n", by_seat(label, game));
    }
    text
}

/// The ranking for programs, the best first.
pub(crate) fn json(standings: &Standings, ratings: &BTreeMap<String, Estimate>) -> Value {
    let rows = ranked(standings, ratings).into_iter().map(|(name, tally)| {
        json!({
            "bot": name, "rating": ratings.get(name), "points": tally.points,
            "matches": tally.matches, "wins": tally.wins, "draws": tally.draws,
            "losses": tally.losses, "faults": tally.faults,
        })
    });
    rows.collect()
}

/// The best first: bots with a rating by that, then the others by points a match.
fn ranked<'a>(
    standings: &'a Standings,
    ratings: &BTreeMap<String, Estimate>,
) -> Vec<(&'a str, Tally)> {
    let mut ranking = standings.ranking();
    let elo = |name: &str| ratings.get(name).map_or(f64::NEG_INFINITY, |it| it.elo);
    // Stable: those without stay by points.
    ranking.sort_by(|(one, _), (other, _)| elo(other).total_cmp(&elo(one)));
    ranking
}

/// The ranking alone.
pub(crate) fn ranking(standings: &Standings) -> String {
    rated(standings, &BTreeMap::new())
}

fn rated(standings: &Standings, ratings: &BTreeMap<String, Estimate>) -> String {
    let mut header = vec!["#", "bot"];
    if !ratings.is_empty() {
        header.extend(["elo", "±"]);
    }
    header.extend([
        "points", "matches", "score", "wins", "draws", "losses", "faults",
    ]);
    let rows = ranked(standings, ratings)
        .into_iter()
        .enumerate()
        .map(|(i, (name, tally))| {
            let mut row = vec![(i + 1).to_string(), name.to_owned()];
            if !ratings.is_empty() {
                row.extend(interval(ratings.get(name)));
            }
            row.extend([
                points(tally.points),
                tally.matches.to_string(),
                percent(&tally),
                tally.wins.to_string(),
                tally.draws.to_string(),
                tally.losses.to_string(),
                tally.faults.to_string(),
            ]);
            row
        });
    let header = header.into_iter().map(str::to_owned).collect();
    table(header, rows, 1)
}

fn crosstable(standings: &Standings, ratings: &BTreeMap<String, Estimate>) -> String {
    let ranking = ranked(standings, ratings);
    let mut header = vec!["#".to_owned(), "bot".to_owned()];
    header.extend((1..=ranking.len()).map(|n| n.to_string()));
    let rows = ranking.iter().enumerate().map(|(i, (name, _))| {
        let mut row = vec![(i + 1).to_string(), (*name).to_owned()];
        row.extend(ranking.iter().map(|(other, _)| {
            standings
                .pair(name, other)
                .as_ref()
                .map_or("·".to_owned(), of)
        }));
        row
    });
    table(header, rows, 1)
}

fn by_seat(label: &str, game: &GameTally) -> String {
    let mut header = vec![label.to_owned()];
    header.extend(game.roles.iter().map(|role| format!("as {role}")));
    let row = |name: &str, seats: &[Tally], show: fn(&Tally) -> String| {
        let mut row = vec![name.to_owned()];
        row.extend(seats.iter().map(show));
        row
    };
    let mut bots: Vec<_> = game.bots.iter().collect();
    let sum = |seats: &[Tally]| seats.iter().map(|seat| seat.points).sum::<f64>();
    bots.sort_by(|(_, a), (_, b)| sum(b).total_cmp(&sum(a)));
    let mut rows: Vec<_> = bots
        .iter()
        .map(|(name, seats)| row(name, seats, of))
        .collect();
    rows.push(row("all bots", &game.seats, percent));
    table(header, rows.into_iter(), 0)
}

/// `3½/4`: points of matches.
fn of(tally: &Tally) -> String {
    match tally.matches {
        0 => "·".to_owned(),
        matches => format!("{}/{matches}", points(tally.points)),
    }
}

fn percent(tally: &Tally) -> String {
    match tally.matches {
        0 => "·".to_owned(),
        _ => format!("{:.1} %", 100.0 * tally.share()),
    }
}

/// A table whose columns after the one with the names are aligned to the right.
pub(super) fn table(
    header: Vec<String>,
    rows: impl Iterator<Item = Vec<String>>,
    names: usize,
) -> String {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_header(header);
    table.add_rows(rows);
    for (i, column) in table.column_iter_mut().enumerate() {
        if i != names {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_with_a_rating_come_first_and_by_it() {
        let mut standings = Standings::new(["a", "b", "c", "d"]);
        let game = |players: [&str; 2]| {
            serde_json::from_value(json!({
                "format": 1, "match": "m-1", "game": "siam", "options": {}, "seed": 1, "start": {},
                "players": players.map(|name| json!({"name": name, "role": "x", "command": []})),
                "time": {"startup_ms": 1, "margin_ms": 1}, "limits": {}, "opening": 0, "moves": [],
                "result": {"scores": [1, 0], "outcome": [1.0, 0.0], "reason": "x"},
                "started": "", "duration_ms": 1, "referee": ""
            }))
            .expect("a match")
        };
        standings.add(&game(["a", "b"]));
        standings.add(&game(["c", "d"]));
        let rating = |elo| Estimate {
            elo,
            error: 1.0,
            low: elo - 2.0,
            high: elo + 2.0,
            bound: None,
        };
        let names = |ratings: &BTreeMap<String, Estimate>| -> Vec<String> {
            let ranked = ranked(&standings, ratings).into_iter();
            ranked.map(|(name, _)| name.to_owned()).collect()
        };
        assert_eq!(names(&BTreeMap::new()), ["a", "c", "b", "d"]);
        let ratings = [("b", 10.0), ("a", -10.0)];
        let ratings = ratings.map(|(name, elo)| (name.to_owned(), rating(elo)));
        assert_eq!(names(&ratings.into()), ["b", "a", "c", "d"]);
    }
}
