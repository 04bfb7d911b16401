//! Who is better: the ranking, the crosstable, the likelihood of superiority.

use super::{COUNTS, Grid, Part, clean, counts, elo, heading, quoted};
use crate::rating::{Estimate, Ratings, Report};
use crate::report::points;

/// What was played, and the ranking.
pub(super) fn head(report: &Report) -> Vec<Part> {
    let mut parts = vec![heading("Standings"), Part::Note(played(report))];
    let places = report.ranking.iter().enumerate();
    let mut grid = rated_grid(&["#", "bot"], 1);
    for (place, &bot) in places {
        let mut row = vec![(place + 1).to_string(), clean(&report.bots[bot].name)];
        row.extend(interval(report.ratings.bots[bot].as_ref()));
        row.extend(counts(&report.bots[bot].results));
        grid.rows.push(row);
    }
    parts.push(Part::Table(grid));
    parts.extend(apart(report));
    parts
}

/// An empty table with ratings and results after these columns.
pub(super) fn rated_grid(first: &[&str], names: usize) -> Grid {
    let columns = first.iter().copied().chain(["elo", "±"]).chain(COUNTS);
    Grid::new(columns, names)
}

/// A rating, and half its interval.
pub(in crate::report) fn interval(rating: Option<&Estimate>) -> [String; 2] {
    match rating {
        Some(rating) => [elo(rating.elo), elo((rating.high - rating.low) / 2.0)],
        None => ["·".to_owned(), "·".to_owned()],
    }
}

fn played(report: &Report) -> String {
    let mut text = format!(
        "{} of {} in {}.",
        count(report.matches, "match", "matches"),
        count(report.bots.len() as u64, "bot", "bots"),
        count(report.games.len() as u64, "game", "games"),
    );
    if report.unusable > 0 {
        text += &format!(
            " {} more left out: the outcome does not fit the players.",
            count(report.unusable, "match is", "matches are")
        );
    }
    text
}

pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A warning about bots that no match connects.
fn apart(report: &Report) -> Option<Part> {
    let ratings = &report.ratings;
    let mut groups: Vec<Vec<String>> = Vec::new();
    for &bot in &report.ranking {
        if ratings.bots[bot].is_some() {
            let group = ratings.groups[bot];
            groups.resize_with(groups.len().max(group + 1), Vec::new);
            groups[group].push(quoted(&report.bots[bot].name));
        }
    }
    groups.retain(|group| !group.is_empty());
    let names: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
    (names.len() > 1).then(|| {
        Part::Note(format!(
            "Ratings cannot be compared between bots that no match connects: {}.",
            names.join(" | ")
        ))
    })
}

/// Every bot against every other one.
pub(super) fn between(report: &Report, room: usize) -> Vec<Part> {
    let bots = report.ranking.len();
    if bots < 2 {
        return Vec::new();
    }
    if bots > room {
        return vec![Part::Note(format!(
            "The crosstable and the likelihood of superiority of {bots} bots are in \
             `--format html` and `--format json`."
        ))];
    }
    vec![
        heading("Crosstable: points of the row's bot against the column's"),
        Part::Table(crosstable(report)),
        heading("Likelihood that the row's bot is stronger than the column's"),
        Part::Table(superiority(report)),
    ]
}

fn crosstable(report: &Report) -> Grid {
    let bots = report.bots.len();
    let mut met = vec![vec![(0.0, 0_u64); bots]; bots];
    for meeting in &report.meetings {
        let [a, b] = meeting.bots;
        let all = meeting.matches;
        for (row, column, points) in [(a, b, meeting.points), (b, a, all as f64 - meeting.points)] {
            met[row][column].0 += points;
            met[row][column].1 += all;
        }
    }
    matrix(report, |row, column| match met[row][column] {
        (_, 0) => "·".to_owned(),
        (scored, of) => format!("{}/{of}", points(scored)),
    })
}

fn superiority(report: &Report) -> Grid {
    let Ratings { superiority, .. } = &report.ratings;
    matrix(report, |row, column| match superiority[row][column] {
        None => "·".to_owned(),
        // 100 % would be a certainty, which there is not.
        Some(likely) if likely > 0.9995 => "> 99.9 %".to_owned(),
        Some(likely) if likely < 0.0005 => "< 0.1 %".to_owned(),
        Some(likely) => format!("{:.1} %", 100.0 * likely),
    })
}

/// A row and a column for each bot, in the order of the ranking.
fn matrix(report: &Report, cell: impl Fn(usize, usize) -> String) -> Grid {
    let ranking = &report.ranking;
    let mut grid = Grid::new(["#", "bot"], 1);
    grid.header
        .extend((1..=ranking.len()).map(|place| place.to_string()));
    for (place, &row) in ranking.iter().enumerate() {
        let mut cells = vec![(place + 1).to_string(), clean(&report.bots[row].name)];
        cells.extend(ranking.iter().map(|&column| cell(row, column)));
        grid.rows.push(cells);
    }
    grid
}

/// How ratings and intervals were made.
pub(super) fn method(report: &Report) -> Part {
    let anchors = report.anchors.iter().map(|anchor| {
        let name = quoted(&report.bots[anchor.bot].name);
        format!("{name} at {}", elo(anchor.elo))
    });
    let anchors: Vec<String> = anchors.collect();
    let from = match anchors.len() {
        0 => "measured from their mean, which is 0".to_owned(),
        1 => format!("measured from {}", anchors[0]),
        _ => format!("measured from the mean of {}", anchors.join(", ")),
    };
    Part::Note(format!(
        "Ratings are the likeliest ones given all matches at once, in Elo, {from}; ± is half of the \
         95 % interval, from {} resamples of {} (all matches of the same bots at the same start; \
         seed {}).",
        report.ratings.resamples,
        count(report.units, "unit", "units"),
        report.resampling.seed
    ))
}
