//! Standings as text tables.

use std::collections::HashMap;

use ratings::report::{Estimate, Totals};
use ratings::standings::{BotStanding, GameStanding};
use ratings::{Report, Standings};
use serde_json::{Value, json};

use super::sheet::{self, COUNTS, Scored, bounds, counts, interval, of, percent};
use super::table::Table;

/// No terminal has room for a crosstable of more bots.
const MOST_IN_CROSSTABLE: usize = 100;

/// The ranking, the crosstable and the results by game and seat, in at most `width` columns. Order,
/// ratings and the crosstable are those of the report, if there is one, as in `standings`. The
/// crosstable is left out if there are too many bots.
pub fn report(standings: &Standings, report: Option<&Report>, width: Option<usize>) -> String {
    let ranking = rated(standings, report).within(width);
    let mut text = format!("Standings\n{ranking}\n");
    let note = report.and_then(|report| bounds(&report.ratings));
    text += &sheet::text(note.into_iter().collect(), width);
    if let Some(report) = report
        && (2..=MOST_IN_CROSSTABLE).contains(&standings.bots().len())
        && !report.meetings.is_empty()
    {
        text += &format!(
            "\nCrosstable: points of the row's bot against the column's\n{}\n",
            crosstable(standings, report).within(width)
        );
    }
    text += "\nBy game and seat: points of matches in that seat\n";
    let mut games: Vec<(String, &GameStanding)> = standings
        .games()
        .iter()
        .map(|game| (game.label(), game))
        .collect();
    games.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (label, game) in games {
        text += &format!("\n{}\n", by_seat(standings, label, game).within(width));
    }
    text
}

/// The ranking for programs, the best first.
pub fn json(standings: &Standings, report: Option<&Report>) -> Value {
    let rows = ranked(standings, report).into_iter().map(|(bot, rating)| {
        let BotStanding { name, totals } = bot;
        json!({
            "bot": name, "rating": rating, "points": totals.points,
            "matches": totals.matches, "wins": totals.wins, "draws": totals.draws,
            "losses": totals.losses, "faults": totals.faults,
        })
    });
    rows.collect()
}

/// The best first, with their ratings, in the report's order like all pages and tables. Bots that are
/// not in the report follow by points per match.
fn ranked<'a>(
    standings: &'a Standings,
    report: Option<&Report>,
) -> Vec<(&'a BotStanding, Option<Estimate>)> {
    let report = report.into_iter();
    let rated: HashMap<&str, (usize, Option<Estimate>)> = report
        .flat_map(|report| {
            let ranking = report.ranking.iter().enumerate();
            ranking.map(|(place, &bot)| {
                let name = &*report.bots[bot].name;
                (name, (place, report.ratings.bots[bot]))
            })
        })
        .collect();
    let ranking = standings.ranking().into_iter();
    let mut ranking: Vec<_> = ranking
        .map(|bot| (bot, rated.get(&*bot.name).copied()))
        .collect();
    // A stable sort: bots without a place stay sorted by points.
    ranking.sort_by_key(|(_, rated)| rated.map_or(usize::MAX, |(place, _)| place));
    let ranking = ranking.into_iter();
    ranking
        .map(|(bot, rated)| (bot, rated.and_then(|(_, rating)| rating)))
        .collect()
}

/// The live ranking leaves these out if it lacks room, in this order.
const LESS_IMPORTANT: [&[&str]; 3] = [&["wins", "draws", "losses"], &["score"], &["faults"]];
/// Names keep at least this many columns while figures are left out.
const NAMES: usize = 12;

/// The ranking as at most `most` lines of at most `width` columns.
pub fn ranking(standings: &Standings, width: usize, most: usize) -> Vec<String> {
    let mut table = rated(standings, None);
    let left_out = (standings.bots().len() + HEAD).saturating_sub(most.max(HEAD));
    if left_out > 0 {
        // A line says so.
        table
            .rows
            .truncate(table.rows.len().saturating_sub(left_out + 1));
    }
    for names in LESS_IMPORTANT {
        if table.width_with_names(NAMES) > width {
            table.remove(names);
        }
    }
    let mut lines: Vec<String> = table
        .within(Some(width))
        .lines()
        .map(str::to_owned)
        .collect();
    if left_out > 0 {
        lines.push(format!("… and {} more", left_out + 1));
    }
    lines.truncate(most);
    lines
}

/// Lines above the rows of a table.
const HEAD: usize = 2;

fn rated(standings: &Standings, report: Option<&Report>) -> Table {
    let mut header = vec!["#", "bot"];
    if report.is_some() {
        header.extend(["elo", "±"]);
    }
    header.extend(COUNTS);
    let rows = ranked(standings, report)
        .into_iter()
        .enumerate()
        .map(|(i, (bot, rating))| {
            let mut row = vec![(i + 1).to_string(), bot.name.clone()];
            if report.is_some() {
                row.extend(interval(rating.as_ref()));
            }
            row.extend(counts(&bot.totals));
            row
        });
    Table {
        rows: rows.collect(),
        header: header.into_iter().map(str::to_owned).collect(),
        names: 1,
        keys: 2,
    }
}

fn crosstable(standings: &Standings, report: &Report) -> Table {
    let ranking = ranked(standings, Some(report));
    let scored = Scored::new(report);
    let index = |(bot, _): &(&BotStanding, Option<Estimate>)| {
        let mut bots = report.bots.iter();
        bots.position(|it| it.name == bot.name)
    };
    let indices: Vec<Option<usize>> = ranking.iter().map(index).collect();
    let mut header = vec!["#".to_owned(), "bot".to_owned()];
    header.extend((1..=ranking.len()).map(|n| n.to_string()));
    let rows = ranking.iter().enumerate().map(|(i, (bot, _))| {
        let mut row = vec![(i + 1).to_string(), bot.name.clone()];
        row.extend(indices.iter().map(|other| match (indices[i], other) {
            (Some(bot), Some(other)) => scored.cell(bot, *other),
            _ => "·".to_owned(),
        }));
        row
    });
    Table {
        rows: rows.collect(),
        header,
        names: 1,
        keys: 2,
    }
}

fn by_seat(standings: &Standings, label: String, game: &GameStanding) -> Table {
    let mut header = vec![label];
    header.extend(game.roles.iter().map(|role| format!("as {role}")));
    let row = |name: &str, seats: &[Totals], show: fn(&Totals) -> String| {
        let mut row = vec![name.to_owned()];
        row.extend(seats.iter().map(show));
        row
    };
    let bots = game.bots.iter();
    let mut bots: Vec<(&str, &Vec<Totals>)> = bots
        .map(|(bot, seats)| (&*standings.bots()[*bot].name, seats))
        .collect();
    let sum = |seats: &[Totals]| seats.iter().map(|seat| seat.points).sum::<f64>();
    bots.sort_by(|(a, one), (b, other)| sum(other).total_cmp(&sum(one)).then(a.cmp(b)));
    let mut rows: Vec<_> = bots
        .iter()
        .map(|(name, seats)| row(name, seats, of))
        .collect();
    rows.push(row("all bots", &game.seats(), percent));
    Table {
        header,
        rows,
        names: 0,
        keys: 1,
    }
}

#[cfg(test)]
mod tests {
    use protocol::Record;
    use ratings::{MatchStore, MatchSummary, Request};

    use super::*;

    /// However few matches there are, figures and order are those of `standings`.
    #[test]
    fn ratings_are_those_of_standings() {
        let mut store = MatchStore::new();
        let mut standings = Standings::new(["a", "b", "c"]);
        let game = |number: usize, won: f64| -> Record {
            let players = ["a", "b"];
            serde_json::from_value(json!({
                "format": 1, "match": format!("m-{number}"), "game": "siam", "options": {},
                "seed": number, "start": {"n": number},
                "players": players.map(|name| json!({"name": name, "role": "x", "command": []})),
                "time": {"startup_ms": 1, "margin_ms": 1}, "limits": {}, "opening": 0, "moves": [],
                "result": {"scores": [1, 0], "outcome": [won, 1.0 - won], "reason": "x"},
                "started": "", "duration_ms": 1, "referee": ""
            }))
            .expect("a match")
        };
        for (number, won) in [1.0, 1.0, 0.0].into_iter().enumerate() {
            let record = game(number, won);
            standings.add_record(&record);
            store.add(&MatchSummary::from(&record));
        }
        let report = store.report(&Request::default()).expect("a report");
        let shown = super::report(&standings, Some(&report), None);
        let rows: Vec<&str> = shown.lines().skip(3).take(3).collect();
        let cells = |row: &str| -> Vec<String> {
            let cells = row.split("   ").map(str::trim);
            let cells = cells.filter(|cell| !cell.is_empty());
            cells.map(str::to_owned).collect()
        };
        for (row, &bot) in rows.iter().zip(&report.ranking) {
            let [figure, half] = interval(report.ratings.bots[bot].as_ref());
            assert_ne!(figure, "·", "two of three are a rating");
            let name = report.bots[bot].name.clone();
            assert_eq!(cells(row)[1..4], [name, figure, half], "{shown}");
        }
        assert_eq!(cells(rows[2])[1..4], ["c", "·", "·"], "it has not played");
        let json = json(&standings, Some(&report));
        assert_eq!(json[0]["bot"], "a");
        assert!(
            json[0]["rating"]["elo"].is_number() && json[2]["rating"].is_null(),
            "{json}"
        );
        // There is no report while a tournament runs, so points per match decide.
        let live = ranking(&standings, 80, 24);
        assert!(
            live[2].contains(" a ") && live[4].contains(" c "),
            "{live:?}"
        );
    }
}
