//! Standings as text tables.

use std::collections::BTreeMap;

use ratings::report::{Estimate, Totals};
use ratings::standings::{BotStanding, GameStanding};
use ratings::{Report, Standings};
use serde_json::{Value, json};

use super::sheet::{COUNTS, Scored, counts, interval, of, percent};
use super::table::Table;

/// With fewer matches of a bot, its rating would say next to nothing.
const ENOUGH: u64 = 16;

/// No terminal has room for a crosstable of more bots.
const MOST_IN_CROSSTABLE: usize = 100;

/// The ranking, the crosstable and the results by game and seat. Ratings and the crosstable are from
/// the report, if there is one; of very many bots there is no crosstable. Tables take at most `width` columns.
pub fn report(standings: &Standings, report: Option<&Report>, width: Option<usize>) -> String {
    let ratings = ratings(report);
    let ranking = rated(standings, &ratings).within(width);
    let mut text = format!("Standings\n{ranking}\n");
    if let Some(report) = report
        && (2..=MOST_IN_CROSSTABLE).contains(&standings.bots().len())
    {
        text += &format!(
            "\nCrosstable: points of the row's bot against the column's\n{}\n",
            crosstable(standings, &ratings, report).within(width)
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
    let ratings = ratings(report);
    let rows = ranked(standings, &ratings).into_iter().map(|bot| {
        let BotStanding { name, totals } = bot;
        json!({
            "bot": name, "rating": ratings.get(&**name), "points": totals.points,
            "matches": totals.matches, "wins": totals.wins, "draws": totals.draws,
            "losses": totals.losses, "faults": totals.faults,
        })
    });
    rows.collect()
}

/// By name, the ratings of the bots that have enough matches.
type Ratings<'a> = BTreeMap<&'a str, Estimate>;

fn ratings(report: Option<&Report>) -> Ratings<'_> {
    let bots = report.into_iter();
    let bots = bots.flat_map(|report| report.bots.iter().zip(&report.ratings.bots));
    let enough = bots.filter(|(bot, _)| bot.results.matches >= ENOUGH);
    let rated = enough.filter_map(|(bot, rating)| Some((&*bot.name, (*rating)?)));
    rated.collect()
}

/// The best first: bots with a rating by that, then the others by points per match.
fn ranked<'a>(standings: &'a Standings, ratings: &Ratings<'_>) -> Vec<&'a BotStanding> {
    let mut ranking = standings.ranking();
    let elo = |bot: &BotStanding| {
        let rating = ratings.get(&*bot.name);
        rating.map_or(f64::NEG_INFINITY, |rating| rating.elo)
    };
    // Stable: those without stay by points.
    ranking.sort_by(|one, other| elo(other).total_cmp(&elo(one)));
    ranking
}

/// Figures that the live ranking does without if there is no room for them.
const LESS_IMPORTANT: [&[&str]; 3] = [&["wins", "draws", "losses"], &["score"], &["faults"]];
/// What names keep of the room before figures are left out.
const NAMES: usize = 12;

/// The ranking as at most `most` lines of at most `width` columns.
pub fn ranking(standings: &Standings, width: usize, most: usize) -> Vec<String> {
    let mut table = rated(standings, &Ratings::new());
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

fn rated(standings: &Standings, ratings: &Ratings<'_>) -> Table {
    let mut header = vec!["#", "bot"];
    if !ratings.is_empty() {
        header.extend(["elo", "±"]);
    }
    header.extend(COUNTS);
    let rows = ranked(standings, ratings)
        .into_iter()
        .enumerate()
        .map(|(i, bot)| {
            let mut row = vec![(i + 1).to_string(), bot.name.clone()];
            if !ratings.is_empty() {
                row.extend(interval(ratings.get(&*bot.name)));
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

fn crosstable(standings: &Standings, ratings: &Ratings<'_>, report: &Report) -> Table {
    let ranking = ranked(standings, ratings);
    let scored = Scored::new(report);
    let index = |bot: &&BotStanding| {
        let mut bots = report.bots.iter();
        bots.position(|it| it.name == bot.name)
    };
    let indices: Vec<Option<usize>> = ranking.iter().map(index).collect();
    let mut header = vec!["#".to_owned(), "bot".to_owned()];
    header.extend((1..=ranking.len()).map(|n| n.to_string()));
    let rows = ranking.iter().enumerate().map(|(i, bot)| {
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
        standings.add_record(&game(["a", "b"]));
        standings.add_record(&game(["c", "d"]));
        let rating = |elo| Estimate {
            elo,
            error: 1.0,
            low: elo - 2.0,
            high: elo + 2.0,
            bound: None,
        };
        let names = |ratings: &Ratings<'_>| -> Vec<String> {
            let ranked = ranked(&standings, ratings).into_iter();
            ranked.map(|bot| bot.name.clone()).collect()
        };
        assert_eq!(names(&Ratings::new()), ["a", "c", "b", "d"]);
        let ratings = [("b", 10.0), ("a", -10.0)];
        let ratings = ratings.map(|(name, elo)| (name, rating(elo)));
        assert_eq!(names(&ratings.into()), ["b", "a", "c", "d"]);
    }
}
