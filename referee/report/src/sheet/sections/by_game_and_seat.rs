//! Results by game, by seat and by opening.

use std::collections::HashSet;

use super::pairs::MARKS;
use crate::sheet::figures::{COUNTS, counts, interval, of, percent, rated_grid, signed_figures};
use crate::sheet::parts::{Grid, Part, heading};
use crate::sheet::statistics::Sheet;
use protocol::shown as clean;
use ratings::report::{GameReport, Meeting, OpeningReport, Score, Totals};
use ratings::{Number, Report};

/// A table for each game: scores of each bot in each seat, and the value of the seats.
pub(super) fn overview(report: &Report) -> Vec<Part> {
    let mut parts = vec![heading("By game and seat: points of matches in that seat")];
    if report.ratings.seats.iter().any(|seats| !seats.is_empty()) {
        parts.push(Part::Note(
            "`advantage` is what a seat is worth against the game's other seats, in Elo: by the score \
             that one of two equal bots expects there."
                .to_owned(),
        ));
    }
    for (index, game) in report.games.iter().enumerate() {
        let mut grid = Grid::new([&*game.label], 0);
        grid.header
            .extend(game.roles.iter().map(|role| clean(&format!("as {role}"))));
        for &bot in ranked(report, game).iter() {
            let seats = game.bots[bot].iter().map(of);
            grid.rows.push(row(&report.bots[bot].name, seats));
        }
        grid.rows
            .push(row("all bots", game.seats.iter().map(percent)));
        if game.own_scores {
            let scores = game.seats.iter().map(mean_score);
            grid.rows.push(row("mean score of the game", scores));
        }
        let worth = report.ratings.seats[index].iter().map(signed_figures);
        if worth.len() > 0 {
            grid.rows.push(row("advantage", worth));
        }
        parts.push(Part::Table(grid));
    }
    parts
}

fn row(name: &str, cells: impl Iterator<Item = String>) -> Vec<String> {
    [clean(name)].into_iter().chain(cells).collect()
}

/// The bots that played a game, the best in it first.
fn ranked(report: &Report, game: &GameReport) -> Vec<usize> {
    let share = |bot: usize| {
        let seats = &game.bots[bot];
        let matches: u64 = seats.iter().map(|seat| seat.matches).sum();
        let points: f64 = seats.iter().map(|seat| seat.points).sum();
        points / matches.max(1) as f64
    };
    let played: HashSet<usize> = game.bots.played().map(|(bot, _)| bot).collect();
    let bots = report.ranking.iter().copied();
    let mut bots: Vec<usize> = bots.filter(|bot| played.contains(bot)).collect();
    bots.sort_by(|&a, &b| share(b).total_cmp(&share(a)));
    bots
}

fn mean_score(results: &Totals) -> String {
    match results.matches {
        0 => "·".to_owned(),
        matches => format!("{:.2}", results.scores as f64 / matches as f64),
    }
}

/// The sum over seats.
pub(crate) fn total(seats: &[Totals]) -> Totals {
    let mut sum = Totals::default();
    for seat in seats {
        sum.join(seat);
    }
    sum
}

/// The bots of each game, rated by its matches alone, the best first.
pub(crate) fn rated(sheet: &Sheet) -> impl Iterator<Item = (&GameReport, Vec<usize>)> {
    let games = sheet.report.games.iter().zip(&sheet.games);
    games.map(|(game, ratings)| {
        let rating = |bot: usize| ratings.bots[bot].map_or(f64::NEG_INFINITY, |rating| rating.elo);
        let mut bots = ranked(&sheet.report, game);
        bots.sort_by(|&a, &b| rating(b).total_cmp(&rating(a)));
        (game, bots)
    })
}

/// Ratings and results, in a table for each game.
pub(super) fn by_game(sheet: &Sheet, room: usize) -> Vec<Part> {
    let mut parts = vec![
        heading("By game"),
        Part::Note("Ratings are of the matches of that game alone.".to_owned()),
        Part::Note(
            "Below them: what the row's bot scored against the column's over swapped pairs, with \
             the 95 % interval in %."
                .to_owned(),
        ),
        Part::Note(MARKS.replace("in a table", "in these tables")),
    ];
    if sheet.report.games.iter().any(|game| game.own_scores) {
        parts.push(Part::Note(
            "Where a game has scores of its own: those of both bots over the swapped pairs, and in \
             how many pairs the row's bot had more, as many and fewer."
                .to_owned(),
        ));
    }
    for (index, ((game, bots), ratings)) in rated(sheet).zip(&sheet.games).enumerate() {
        let mut grid = rated_grid(&[&*game.label], 0);
        for &bot in &bots {
            let mut cells = vec![clean(&sheet.report.bots[bot].name)];
            cells.extend(interval(ratings.bots[bot].as_ref()));
            cells.extend(counts(&total(&game.bots[bot])));
            grid.rows.push(cells);
        }
        parts.push(Part::Table(grid));
        parts.extend(super::ranking::bounds(ratings));
        let report = &sheet.report;
        if game.roles.len() < 2 {
            continue;
        }
        if bots.len() > room {
            parts.push(Part::Note(format!(
                "{}: the scores of each two bots are in `--format html` and `--format json`.",
                clean(&game.label)
            )));
            continue;
        }
        let score = |met: &Meeting| Some(shown(met, met.score.as_ref()?));
        parts.push(against(report, (index, &game.label), &bots, score));
        if game.own_scores {
            let title = format!("{}, own scores", game.label);
            parts.push(against(report, (index, &title), &bots, tally));
        }
    }
    parts
}

/// Results of these bots against each other in a game.
fn against(
    report: &Report,
    (game, title): (usize, &str),
    bots: &[usize],
    cell: impl Fn(&Meeting) -> Option<String>,
) -> Part {
    let mut grid = Grid::new([title], 0);
    grid.header.extend(bots.iter().map(|&bot| {
        let name = clean(&report.bots[bot].name);
        format!("against {name}")
    }));
    for &bot in bots {
        let others = bots.iter().map(|&other| {
            let met = met(report, game, [bot, other]);
            let shown = met.and_then(|met| cell(&met));
            shown.unwrap_or_else(|| "·".to_owned())
        });
        grid.rows.push(row(&report.bots[bot].name, others));
    }
    Part::Table(grid)
}

/// Results of the first of two bots against the second one.
fn met(report: &Report, game: usize, bots: [usize; 2]) -> Option<Meeting> {
    let [low, high] = [bots[0].min(bots[1]), bots[0].max(bots[1])];
    let all = &report.meetings;
    // Meetings are sorted by these.
    let found = all.binary_search_by_key(&([low, high], game), |met| (met.bots, met.game));
    let met = &all[found.ok()?];
    Some(if bots[0] == low {
        met.clone()
    } else {
        met.reversed()
    })
}

/// `51–38 (5 : 1 : 2)`: the game's own scores over all pairs, then the numbers of pairs with a higher,
/// an equal and a lower score.
fn tally(met: &Meeting) -> Option<String> {
    let ([own, other], [more, even, fewer]) = (met.scores, met.score_results);
    (met.pairs > 0).then(|| format!("{own}–{other} ({more} : {even} : {fewer})"))
}

fn shown(met: &Meeting, score: &Score) -> String {
    let [mean, low, high] = [score.mean, score.low, score.high].map(|part| 100.0 * part);
    let mark = match met.better() {
        Some(better) if better == met.bots[0] => " ▲",
        Some(_) => " ▼",
        None => "",
    };
    format!("{mean:.0} ({low:.0}–{high:.0}){mark}")
}

pub(super) fn by_seat(report: &Report) -> Vec<Part> {
    let mut parts = Vec::new();
    for (index, game) in report.games.iter().enumerate() {
        for (seat, role) in game.roles.iter().enumerate() {
            let title = format!("{} as {role}", game.label);
            parts.push(heading(&clean(&title)));
            if let Some(worth) = report.ratings.seats[index].get(seat) {
                parts.push(Part::Note(format!(
                    "The seat is worth {} Elo against the others.",
                    signed_figures(worth)
                )));
            }
            let mut grid = Grid::new(["bot"].into_iter().chain(COUNTS), 0);
            for &bot in ranked(report, game).iter() {
                let results = &game.bots[bot][seat];
                if results.matches > 0 {
                    let cells = counts(results).into_iter();
                    grid.rows.push(row(&report.bots[bot].name, cells));
                }
            }
            let all = counts(&game.seats[seat]).into_iter();
            grid.rows.push(row("all bots", all));
            parts.push(Part::Table(grid));
        }
    }
    parts
}

/// Scores of the seats from each opening, in a table for each game. If there are many openings, those
/// with the most matches are shown, a few for each bot that there is room for.
pub(super) fn by_opening(sheet: &Sheet, room: usize) -> Vec<Part> {
    let report = &sheet.report;
    let mut parts = vec![
        heading("By opening: score of all bots in each seat"),
        Part::Note(
            match report.logs {
                0 | 1 => {
                    "`first` is the number of the first match from that start with those opening \
                          moves."
                }
                _ => {
                    "`first` is the first match from that start with those opening moves: its log, \
                      in the order given, and its number."
                }
            }
            .to_owned(),
        ),
    ];
    for (index, game) in report.games.iter().enumerate() {
        let openings = report.openings.iter().flatten();
        let mut here: Vec<&OpeningReport> = openings.filter(|it| it.game == index).collect();
        let all = here.len();
        here.sort_by_key(|opening| std::cmp::Reverse(opening.seats[0].matches));
        here.truncate(4 * room);
        let mut grid = Grid::new([&*game.label, "first", "matches"], 0);
        grid.header
            .extend(game.roles.iter().map(|role| clean(&format!("as {role}"))));
        grid.header.push("moves".to_owned());
        for (place, opening) in here.iter().enumerate() {
            let first = number(opening.first, report.logs);
            let matches = opening.seats[0].matches.to_string();
            let seats = opening.seats.iter().map(percent);
            let moves = match sheet.moves_of(opening) {
                moves if moves.is_empty() => "·".to_owned(),
                moves => clean(&moves),
            };
            let cells = [first, matches].into_iter().chain(seats).chain([moves]);
            grid.rows
                .push(row(&format!("opening {}", place + 1), cells));
        }
        parts.push(Part::Table(grid));
        if all > 4 * room {
            let left = all - 4 * room;
            parts.push(Part::Note(format!(
                "{left} more openings are in `--format csv` and `--format json`."
            )));
        }
    }
    parts
}

/// A match number; with several logs after that of its log, as in `2:17`.
fn number(number: Number, logs: usize) -> String {
    match (number.in_log(), number.log()) {
        (Some(number), Some(log)) if logs > 1 => format!("{}:{number}", log + 1),
        (Some(number), _) => number.to_string(),
        _ => "·".to_owned(),
    }
}
