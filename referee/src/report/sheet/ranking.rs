//! Who is better: the ranking, the crosstable, the likelihood of superiority.

use super::{COUNTS, Grid, Part, clean, counts, elo, heading, quoted};
use crate::rating::{Bound, Estimate, Ratings, Report};
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
    parts.extend(bounds(&report.ratings));
    parts.extend(apart(report));
    parts
}

/// An empty table with ratings and results after these columns.
pub(super) fn rated_grid(first: &[&str], names: usize) -> Grid {
    let columns = first.iter().copied().chain(["elo", "±"]).chain(COUNTS);
    Grid::new(columns, names)
}

/// A rating, and half its interval; a bound where there is no more than that.
pub(in crate::report) fn interval(rating: Option<&Estimate>) -> [String; 2] {
    let unknown = || "·".to_owned();
    let Some(rating) = rating else {
        return [unknown(), unknown()];
    };
    match rating.bound {
        None => [elo(rating.elo), elo((rating.high - rating.low) / 2.0)],
        Some(Bound::AtLeast) => [format!("≥ {}", elo(rating.low)), unknown()],
        Some(Bound::AtMost) => [format!("≤ {}", elo(rating.high)), unknown()],
        Some(Bound::Unknown) => ["?".to_owned(), unknown()],
    }
}

/// What `≥`, `≤` and `?` mean, if they are there.
pub(super) fn bounds(ratings: &Ratings) -> Option<Part> {
    let bounds = || ratings.bots.iter().flatten().filter_map(|it| it.bound);
    let one_sided = bounds().any(|bound| bound != Bound::Unknown);
    let unknown = bounds().any(|bound| bound == Bound::Unknown);
    let mut text = String::new();
    if one_sided {
        text += "≥ and ≤ are bounds, right with 97.5 %: no bot below has taken a point from those \
                 above, so that results do not say how far apart they are.";
    }
    if unknown {
        let space = if one_sided { " " } else { "" };
        text += &format!(
            "{space}? is between bots that are so far apart that its distance from their mean is not \
             known; `--anchor` measures ratings from one bot."
        );
    }
    (!text.is_empty()).then_some(Part::Note(text))
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
    let from = match report.anchor {
        Some(anchor) => format!(
            "measured from {} at {}",
            quoted(&report.bots[anchor.bot].name),
            elo(anchor.elo)
        ),
        None => "measured from their mean, which is 0".to_owned(),
    };
    Part::Note(format!(
        "Ratings are the likeliest ones given all matches at once, {from}. 200 Elo more mean three \
         points of four expected, in equally good seats. ± is half of the 95 % interval, from leaving \
         out one of {} in turn: all matches of the same bots at the same start, with those that repeat \
         them and those of the same opening.",
        count(report.clusters, "cluster", "clusters"),
    ))
}
