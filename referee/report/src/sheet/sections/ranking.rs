//! The ranking, the crosstable, the likelihood of superiority.

use std::collections::HashMap;

use super::pairs::{MARKS, likelihood, mark, too_many};
use crate::points;
use crate::sheet::figures::{COUNTS, count, counts, elo, half, interval, signed_figures};
use crate::sheet::parts::{Grid, Part, heading, quoted};
use protocol::shown as clean;
use ratings::report::{Bound, Difference, Ratings};
use ratings::{RATED_SEATS, Report, is_rated};

pub(super) fn head(report: &Report) -> Vec<Part> {
    let mut parts = vec![heading("Standings"), Part::Note(played(report))];
    let wide = report.across_games.as_ref();
    let wide = wide.filter(|wide| wide.bots.iter().any(Option::is_some));
    let mut grid = Grid::new(["#", "bot", "elo", "±"], 1);
    if wide.is_some() {
        grid.header.push("±games".to_owned());
    }
    grid.header.extend(COUNTS.map(str::to_owned));
    for (place, &bot) in report.ranking.iter().enumerate() {
        let mut row = vec![(place + 1).to_string(), clean(&report.bots[bot].name)];
        row.extend(interval(report.ratings.bots[bot].as_ref()));
        row.extend(wide.map(|wide| half(wide.bots[bot].as_ref())));
        row.extend(counts(&report.bots[bot].results));
        grid.rows.push(row);
    }
    parts.push(Part::Table(grid));
    parts.extend(bounds(&report.ratings));
    parts.extend(unrated(report));
    parts.extend(apart(report));
    parts.extend(chosen(report));
    parts
}

/// The legend of `≥`, `≤` and `?`, if they occur.
pub(crate) fn bounds(ratings: &Ratings) -> Option<Part> {
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
        "{}{} of {} in {}.",
        match report.logs {
            1 => String::new(),
            logs => format!("{logs} logs: "),
        },
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

/// Games that say nothing about who is stronger.
fn unrated(report: &Report) -> Option<Part> {
    let games = report
        .games
        .iter()
        .filter(|game| !is_rated(game.roles.len()));
    let names: Vec<String> = games.map(|game| quoted(&game.label)).collect();
    (!names.is_empty()).then(|| {
        Part::Note(format!(
            "Ratings are of games with 2 to {RATED_SEATS} seats; points have all matches. Left out: {}. `--by goal` \
             has the goals of each bot.",
            names.join(", ")
        ))
    })
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
    if bots < 2 || report.meetings.is_empty() {
        return Vec::new();
    }
    if let Some(note) = too_many(report) {
        return vec![note];
    }
    if bots > room {
        return vec![Part::Note(format!(
            "The crosstable, the differences and the likelihood of superiority of {bots} bots are in \
             `--format html` and `--format json`; `--by pair` lists each two bots."
        ))];
    }
    let mut parts = vec![
        heading("Crosstable: points of the row's bot against the column's"),
        Part::Table(crosstable(report)),
    ];
    if report.ratings.differences.is_empty() {
        return parts;
    }
    parts.push(heading(
        "Difference in Elo between the row's bot and the column's",
    ));
    if bots > room * 2 / 3 {
        parts.push(Part::Note(
            "There are too many bots for this table: `--by pair` has the differences.".to_owned(),
        ));
    } else {
        parts.push(Part::Table(differences(report)));
    }
    parts.push(Part::Note(MARKS.to_owned()));
    parts.push(heading(
        "Likelihood that the row's bot is stronger than the column's",
    ));
    parts.push(Part::Table(superiority(report)));
    parts
}

/// Results of each bot against each other one, in all games.
pub(crate) struct Scored(HashMap<[usize; 2], (f64, u64)>);

impl Scored {
    /// Sums over all meetings.
    pub(crate) fn new(report: &Report) -> Self {
        let mut scored: HashMap<[usize; 2], (f64, u64)> = HashMap::new();
        for meeting in &report.meetings {
            let [a, b] = meeting.bots;
            let all = meeting.matches;
            for (row, column, points) in
                [(a, b, meeting.points), (b, a, all as f64 - meeting.points)]
            {
                let (sum, matches) = scored.entry([row, column]).or_default();
                *sum += points;
                *matches += all;
            }
        }
        Scored(scored)
    }

    /// `3½/4`: points of matches.
    pub(crate) fn cell(&self, row: usize, column: usize) -> String {
        match self.0.get(&[row, column]) {
            None | Some((_, 0)) => "·".to_owned(),
            Some((scored, matches)) => format!("{}/{matches}", points(*scored)),
        }
    }
}

fn crosstable(report: &Report) -> Grid {
    let scored = Scored::new(report);
    matrix(report, |row, column| scored.cell(row, column))
}

fn superiority(report: &Report) -> Grid {
    of_pairs(report, |difference| {
        likelihood(difference.superiority) + mark(difference)
    })
}

fn differences(report: &Report) -> Grid {
    of_pairs(report, |difference| {
        signed_figures(&difference.elo) + mark(difference)
    })
}

/// A cell for each comparable pair.
fn of_pairs(report: &Report, show: impl Fn(&Difference) -> String) -> Grid {
    let bots = report.bots.len();
    let mut cells = vec![None; bots * bots];
    for difference in &report.ratings.differences {
        let [row, column] = difference.bots;
        cells[row * bots + column] = Some(*difference);
        cells[column * bots + row] = Some(difference.reversed());
    }
    matrix(report, |row, column| {
        let cell = &cells[row * bots + column];
        cell.as_ref().map_or_else(|| "·".to_owned(), &show)
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

/// The computation of ratings and intervals, if there are any.
pub(super) fn method(report: &Report) -> Option<Part> {
    let mut bots = report.ratings.bots.iter();
    if bots.all(Option::is_none) {
        return None;
    }
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
    let mut text = format!(
        "Ratings are the likeliest ones given all matches at once, in Elo by expected score, {from}: 200 \
         more mean three points of four in equally good seats. ± is half of the 95 % interval, from \
         leaving out one of {} in turn: all matches of the same bots at the same start, with those that \
         repeat them and those of the same opening.",
        count(report.clusters, "cluster", "clusters"),
    );
    if report.ratings.resamples > 0 {
        text += &format!(
            " So many bots met at random that this is not computed, but bounded by {} random samples: \
             intervals are rather too wide, by a sixth at most.",
            report.ratings.resamples
        );
    }
    if let Some(wide) = &report.across_games {
        text += &if wide.bots.iter().any(Option::is_some) {
            format!(
                " That is for the games that were played; `±games` is for games like these that were \
                 not, by how much ratings change when one of the {} games is left out.",
                wide.games
            )
        } else {
            " That is for the games that were played. For others like these nothing is known: \
                      without one of the games, results do not say how far apart all bots are; \
                      `--anchor` measures them from one bot."
                .to_owned()
        };
    }
    Some(Part::Note(text))
}

/// Matches that ratings leave out, and the weights of games.
fn chosen(report: &Report) -> Option<Part> {
    let games = report.games.iter().zip(&report.weights);
    let weights = games.filter(|(_, weight)| **weight != 1.0);
    let weights: Vec<String> = weights
        .map(|(game, weight)| format!("{} {weight}", quoted(&game.label)))
        .collect();
    let mut notes = Vec::new();
    if !weights.is_empty() {
        notes.push(format!(
            "For ratings, matches of these games do not count 1 each: {}.",
            weights.join(", ")
        ));
    }
    if let Some(left) = report.forfeits {
        notes.push(format!(
            "Ratings leave out {} lost by a fault; points have them.",
            count(left, "match that was", "matches that were")
        ));
    }
    if report.unstarted > 0 {
        notes.push(format!(
            "In {} no bot got ready: nobody gets a point there, and ratings leave them out \
             (`--share-unstarted` counts them as draws, as the log has them).",
            count(report.unstarted, "match", "matches")
        ));
    }
    (!notes.is_empty()).then(|| Part::Note(notes.join(" ")))
}
