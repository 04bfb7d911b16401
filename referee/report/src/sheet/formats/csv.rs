//! A report as one tidy table: a header, then a record a line. Shares and scores are fractions; unknown
//! values are empty. Spreadsheets evaluate cells that look like formulas, so texts from the log that do
//! get a leading apostrophe. Numbers never do.

use crate::sheet::sections::by_game_and_seat::{rated, total};
use crate::sheet::sections::machines::elsewhere;
use crate::sheet::sections::pairs;
use crate::sheet::statistics::{By, Sheet};
use log::ModelUse;
use protocol::shown as clean;
use ratings::FAULT_CODES;
use ratings::report::{Bound, Estimate, Totals};

pub(super) fn write(sheet: &Sheet) -> String {
    // One at a time: there may be as many as matches.
    let rows: Box<dyn Iterator<Item = Row>> = match sheet.by {
        None | Some(By::Version) => Box::new(bots(sheet).into_iter()),
        Some(By::Game) => Box::new(games(sheet).into_iter()),
        Some(By::Seat) => Box::new(seats(sheet).into_iter()),
        Some(By::Goal) => Box::new(goals(sheet).into_iter()),
        Some(By::Opening) => Box::new(openings(sheet)),
        Some(By::Pair) => Box::new(pairs(sheet)),
        Some(By::Machine) => Box::new(machines(sheet).into_iter()),
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to memory cannot fail with rows of one length.
        let _ = writer.write_record(row);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

type Row = Vec<String>;

/// Formulas begin with these, in half width and in full width.
const FORMULAS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// A text from the log as a cell that no spreadsheet evaluates. Control characters are escaped, so it
/// cannot begin with a tab or a line end, which some programs skip.
pub(crate) fn text(text: &str) -> String {
    let text = clean(text);
    if text.trim_start().starts_with(FORMULAS) {
        format!("'{text}")
    } else {
        text
    }
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Row {
    names.into_iter().map(str::to_owned).collect()
}

/// At most `digits` decimals. An infinite number is unknown.
fn figure(value: Option<f64>, digits: usize) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else {
        return String::new();
    };
    let text = format!("{value:.digits$}");
    let short = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    match short {
        "-0" => "0".to_owned(),
        short => short.to_owned(),
    }
}

const ESTIMATE: [&str; 4] = ["elo", "error", "low", "high"];

fn estimate(estimate: Option<&Estimate>) -> [String; 4] {
    let part = |part: fn(&Estimate) -> f64| figure(estimate.map(part), 1);
    [
        part(|it| it.elo),
        part(|it| it.error),
        part(|it| it.low),
        part(|it| it.high),
    ]
}

/// The known end, if an interval lacks the other one.
fn bound(estimate: Option<&Estimate>) -> String {
    let bound = estimate.and_then(|it| it.bound);
    bound.map_or("", Bound::as_str).to_owned()
}

/// The interval that generalizes to games that were not played.
const ACROSS: [&str; 3] = ["games_error", "games_low", "games_high"];

fn across(wide: Option<&Estimate>) -> [String; 3] {
    let [_, error, low, high] = estimate(wide);
    [error, low, high]
}

const RESULTS: [&str; 7] = [
    "matches", "points", "score", "wins", "draws", "losses", "faults",
];

fn results(results: &Totals) -> [String; 7] {
    [
        results.matches.to_string(),
        figure(Some(results.points), 4),
        figure(results.share(), 4),
        results.wins.to_string(),
        results.draws.to_string(),
        results.losses.to_string(),
        results.faults.to_string(),
    ]
}

/// The use of language models.
const MODELS: [&str; 11] = [
    "model",
    "model_moves",
    "calls",
    "tokens_in",
    "tokens_out",
    "illegal",
    "unparsable",
    "truncated",
    "refused",
    "legal_at_first",
    "mean_call_ms",
];

fn model_use(used: Option<&ModelUse>) -> Row {
    let Some(used) = used else {
        return vec![String::new(); MODELS.len()];
    };
    let mut row = vec![text(&used.models.join(", "))];
    row.extend(used.counts().iter().map(u64::to_string));
    row.push(figure(used.share_legal_at_first(), 4));
    row.push(figure(used.mean_latency_ms(), 3));
    row
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
    let header = header.chain(RESULTS).chain(codes).chain(time);
    let header = header.chain(["log_odds"]).chain(ACROSS);
    let header = header.chain(["nash_share", "nash_score", "bound"]);
    // Only where a bot has asked a model: other tables keep their columns.
    let models = if sheet.models.is_empty() {
        &[][..]
    } else {
        &MODELS
    };
    let mut rows = vec![names(header.chain(models.iter().copied()))];
    for (place, &index) in report.ranking.iter().enumerate() {
        let bot = &report.bots[index];
        let group = report.ratings.groups[index].to_string();
        let mut row = vec![(place + 1).to_string(), text(&bot.name), group];
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
        row.push(figure(report.ratings.log_odds[index], 4));
        let wide = report.across_games.as_ref();
        row.extend(across(wide.and_then(|wide| wide.bots[index].as_ref())));
        let nash = report.nash[index];
        row.push(figure(nash.map(|nash| nash.share), 4));
        row.push(figure(nash.map(|nash| nash.score), 4));
        row.push(bound(report.ratings.bots[index].as_ref()));
        if !sheet.models.is_empty() {
            row.extend(model_use(
                sheet.models.iter().find(|used| used.bot == bot.name),
            ));
        }
        rows.push(row);
    }
    rows
}

fn games(sheet: &Sheet) -> Vec<Row> {
    let header = ["game", "bot"].into_iter().chain(ESTIMATE).chain(RESULTS);
    let mut rows = vec![names(header.chain(["scores", "bound"]))];
    for ((game, bots), ratings) in rated(sheet).zip(&sheet.games) {
        for bot in bots {
            let sum = total(&game.bots[bot]);
            let mut row = vec![text(&game.label), text(&sheet.report.bots[bot].name)];
            row.extend(estimate(ratings.bots[bot].as_ref()));
            row.extend(results(&sum));
            row.push(sum.scores.to_string());
            row.push(bound(ratings.bots[bot].as_ref()));
            rows.push(row);
        }
    }
    rows
}

/// Rows without a bot have the machine's test; rows of bots have the p-value of each alone.
fn machines(sheet: &Sheet) -> Vec<Row> {
    let report = &sheet.report;
    let header = ["machine", "cpu", "cores", "speed", "bot"].into_iter();
    let header = header.chain(RESULTS).chain(["score_elsewhere"]);
    let test = ["waiting", "stolen", "chi_square", "df", "p_value"];
    let mut rows = vec![names(header.chain(test))];
    for machine in &report.machines {
        let about = [
            machine.name.as_deref().map(text).unwrap_or_default(),
            machine.cpu.as_deref().map(text).unwrap_or_default(),
            machine
                .cores
                .map_or(String::new(), |cores| cores.to_string()),
            figure(machine.speed, 1),
        ];
        let test = machine.homogeneity.as_ref();
        let mut row = about.to_vec();
        row.extend([String::new(), machine.matches.to_string()]);
        row.resize(row.len() + RESULTS.len(), String::new());
        row.push(figure(machine.load.waiting.mean(), 4));
        row.push(figure(machine.load.stolen.mean(), 4));
        row.push(figure(test.map(|test| test.chi_square), 4));
        row.push(test.map_or(String::new(), |test| test.freedom.to_string()));
        row.push(figure(test.map(|test| test.p_value), 6));
        rows.push(row);
        for &bot in &report.ranking {
            let Some(there) = machine.bots.get(bot).filter(|there| there.matches > 0) else {
                continue;
            };
            let p_value = machine.p_values.get(bot).copied().flatten();
            let bot = &report.bots[bot];
            let mut row = about.to_vec();
            row.push(text(&bot.name));
            row.extend(results(there));
            row.push(figure(elsewhere(&bot.results, there).share(), 4));
            row.resize(row.len() + 4, String::new());
            row.push(figure(p_value, 6));
            rows.push(row);
        }
    }
    rows
}

/// The bot with the better place comes first.
fn pairs(sheet: &Sheet) -> impl Iterator<Item = Row> {
    let report = &sheet.report;
    let header = ["bot", "other"].into_iter().chain(ESTIMATE);
    let header = header.chain(["superiority", "false_discovery", "sure"]);
    let header = header.chain(ACROSS);
    let header = header.chain(["matches", "points", "score", "pairs", "bound"]);
    let rows = pairs::all(report).into_iter().map(|pair| {
        let mut row = names(pair.difference.bots.map(|bot| &*report.bots[bot].name));
        row.extend(estimate(Some(&pair.difference.elo)));
        row.push(figure(Some(pair.difference.superiority), 6));
        row.push(figure(Some(pair.difference.false_discovery), 6));
        row.push(pair.difference.is_sure().to_string());
        row.extend(across(pair.across.as_ref()));
        row.push(pair.matches.to_string());
        row.push(figure(Some(pair.points), 4));
        let score = pair.points / pair.matches as f64;
        row.push(figure((pair.matches > 0).then_some(score), 4));
        row.push(pair.pairs.to_string());
        row.push(bound(Some(&pair.difference.elo)));
        row
    });
    [names(header)].into_iter().chain(rows)
}

/// Rows without a bot are of all bots together and have the seat's value.
fn seats(sheet: &Sheet) -> Vec<Row> {
    let report = &sheet.report;
    let header = ["game", "seat", "role", "bot"].into_iter().chain(RESULTS);
    let worth = ["scores", "advantage", "error", "low", "high", "bound"];
    let mut rows = vec![names(header.chain(worth))];
    for (index, game) in report.games.iter().enumerate() {
        for (seat, role) in game.roles.iter().enumerate() {
            let mut add = |bot: &str, played: &Totals, worth: Option<&Estimate>| {
                let (label, role, bot) = (text(&game.label), text(role), text(bot));
                let mut row = vec![label, seat.to_string(), role, bot];
                row.extend(results(played));
                row.push(played.scores.to_string());
                row.extend(estimate(worth));
                row.push(bound(worth));
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

fn goals(sheet: &Sheet) -> Vec<Row> {
    let report = &sheet.report;
    let header = [
        "game", "bot", "goal", "error", "low", "high", "least", "most", "matches",
    ];
    let mut rows = vec![names(header)];
    for goals in report.goals.iter().flatten() {
        let end = |sign: f64| goals.reach.map(|reach| goals.mean + sign * reach);
        rows.push(vec![
            text(&report.games[goals.game].label),
            text(&report.bots[goals.bot].name),
            figure(Some(goals.mean), 4),
            figure(goals.error, 4),
            figure(end(-1.0), 4),
            figure(end(1.0), 4),
            goals.least.to_string(),
            goals.most.to_string(),
            goals.matches.to_string(),
        ]);
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
            let first = opening.first.in_log().map(|number| number.to_string());
            let first = first.unwrap_or_default();
            let mut row = vec![text(&game.label), first, seat.to_string(), text(role)];
            row.extend(results(played));
            row.extend(
                opening
                    .log
                    .map(|log| (log + 1).to_string())
                    .or(Some(String::new())),
            );
            row.push(text(&sheet.moves_of(opening)));
            row
        })
    });
    [names(header.chain(RESULTS).chain(["log", "moves"]))]
        .into_iter()
        .chain(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_formulas() {
        for formula in ["=1+1", "+x", "-x", "@SUM(A1)", " =1", "＝1"] {
            assert_eq!(text(formula), format!("'{formula}"));
        }
        assert_eq!(text("\t=1"), "\\u0009=1");
        assert_eq!(text("\r=1"), "\\u000d=1");
        for plain in ["mcts", "a=b", "", "'=", "a-1"] {
            assert_eq!(text(plain), plain);
        }
        assert_eq!(figure(Some(-12.5), 1), "-12.5", "numbers stay numbers");
    }
}
