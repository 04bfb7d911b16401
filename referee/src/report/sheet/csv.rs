//! A report as one tidy table: a line of names, then a line each. Shares and scores are fractions;
//! what is not known is empty.

use super::places::{number, rated, total};
use super::{By, Sheet, share};
use crate::rating::{Estimate, FAULT_CODES, Results};

/// The table of what was asked for.
pub(super) fn write(sheet: &Sheet) -> String {
    // One at a time: there may be as many as matches.
    let rows: Box<dyn Iterator<Item = Row>> = match sheet.by {
        None => Box::new(bots(sheet).into_iter()),
        Some(By::Game) => Box::new(games(sheet).into_iter()),
        Some(By::Seat) => Box::new(seats(sheet).into_iter()),
        Some(By::Opening) => Box::new(openings(sheet)),
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Nothing can go wrong in memory, with rows of one length.
        let _ = writer.write_record(row);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

type Row = Vec<String>;

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Row {
    names.into_iter().map(str::to_owned).collect()
}

/// A number with so many digits behind the point at most.
fn figure(value: Option<f64>, digits: usize) -> String {
    let Some(value) = value else {
        return String::new();
    };
    let text = format!("{value:.digits$}");
    let short = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    match short {
        "-0" => "0".to_owned(),
        short => short.to_owned(),
    }
}

const ESTIMATE: [&str; 5] = ["elo", "error", "low", "high", "bound"];

fn estimate(estimate: Option<&Estimate>) -> [String; 5] {
    let part = |part: fn(&Estimate) -> f64| {
        let value = estimate.map(part).filter(|value| value.is_finite());
        figure(value, 1)
    };
    [
        part(|it| it.elo),
        part(|it| it.error),
        part(|it| it.low),
        part(|it| it.high),
        match estimate.and_then(|it| it.bound) {
            None => String::new(),
            Some(bound) => bound.as_str().to_owned(),
        },
    ]
}

const RESULTS: [&str; 7] = [
    "matches", "points", "score", "wins", "draws", "losses", "faults",
];

fn results(results: &Results) -> [String; 7] {
    [
        results.matches.to_string(),
        figure(Some(results.points), 4),
        figure(share(results), 4),
        results.wins.to_string(),
        results.draws.to_string(),
        results.losses.to_string(),
        results.faults.to_string(),
    ]
}

fn bots(sheet: &Sheet) -> Vec<Row> {
    let report = &sheet.report;
    let codes = FAULT_CODES.map(|code| code.as_str());
    let time = [
        "plies",
        "mean_ms",
        "mean_cpu_ms",
        "mean_share",
        "worst_share",
        "forgiven",
        "mean_depth",
        "mean_nodes",
    ];
    let header = ["rank", "bot", "group"].into_iter().chain(ESTIMATE);
    let mut rows = vec![names(header.chain(RESULTS).chain(codes).chain(time))];
    for (place, &index) in report.ranking.iter().enumerate() {
        let bot = &report.bots[index];
        let group = report.ratings.groups[index].to_string();
        let mut row = vec![(place + 1).to_string(), bot.name.clone(), group];
        row.extend(estimate(report.ratings.bots[index].as_ref()));
        row.extend(results(&bot.results));
        row.extend(bot.faults.iter().map(u64::to_string));
        let worst = (bot.time.limited > 0).then_some(bot.time.worst_share);
        row.push(bot.time.plies.to_string());
        row.push(figure(bot.time.mean_ms(), 3));
        row.push(figure(bot.time.mean_cpu_ms(), 3));
        row.push(figure(bot.time.mean_share(), 4));
        row.push(figure(worst, 4));
        row.push(bot.time.forgiven.to_string());
        row.push(figure(bot.time.depth.mean(), 2));
        row.push(figure(bot.time.nodes.mean(), 1));
        rows.push(row);
    }
    rows
}

fn games(sheet: &Sheet) -> Vec<Row> {
    let header = ["game", "bot"].into_iter().chain(ESTIMATE).chain(RESULTS);
    let mut rows = vec![names(header.chain(["scores"]))];
    for ((game, bots), ratings) in rated(sheet).zip(&sheet.games) {
        for bot in bots {
            let sum = total(&game.bots[bot]);
            let mut row = vec![game.label.clone(), sheet.report.bots[bot].name.clone()];
            row.extend(estimate(ratings.bots[bot].as_ref()));
            row.extend(results(&sum));
            row.push(sum.scores.to_string());
            rows.push(row);
        }
    }
    rows
}

/// Rows without a bot are of all bots together, and have what the seat is worth.
fn seats(sheet: &Sheet) -> Vec<Row> {
    let report = &sheet.report;
    let header = ["game", "seat", "role", "bot"].into_iter().chain(RESULTS);
    let worth = ["scores", "advantage", "error", "low", "high", "bound"];
    let mut rows = vec![names(header.chain(worth))];
    for (index, game) in report.games.iter().enumerate() {
        for (seat, role) in game.roles.iter().enumerate() {
            let mut add = |bot: &str, played: &Results, worth: Option<&Estimate>| {
                let (label, role, bot) = (game.label.clone(), role.clone(), bot.to_owned());
                let mut row = vec![label, seat.to_string(), role, bot];
                row.extend(results(played));
                row.push(played.scores.to_string());
                row.extend(estimate(worth));
                rows.push(row);
            };
            for &bot in &report.ranking {
                if game.bots[bot][seat].matches > 0 {
                    add(&report.bots[bot].name, &game.bots[bot][seat], None);
                }
            }
            let worth = report.ratings.seats[index].get(seat);
            add("", &game.seats[seat], worth);
        }
    }
    rows
}

fn openings(sheet: &Sheet) -> impl Iterator<Item = Row> {
    let report = &sheet.report;
    let header = ["game", "first_match", "seat", "role"].into_iter();
    let openings = report.openings.iter().flatten();
    let rows = openings.flat_map(|opening| {
        let game = &report.games[opening.game];
        let seats = game.roles.iter().zip(&opening.seats).enumerate();
        seats.map(|(seat, (role, played))| {
            let first = match opening.first >> 63 {
                0 => number(opening.first),
                _ => String::new(),
            };
            let mut row = vec![game.label.clone(), first, seat.to_string(), role.clone()];
            row.extend(results(played));
            row
        })
    });
    [names(header.chain(RESULTS))].into_iter().chain(rows)
}
