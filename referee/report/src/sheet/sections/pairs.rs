//! Pairs of bots: their difference, how certain it is which of them is stronger, and their results
//! against each other.

use std::collections::HashMap;

use crate::points;
use crate::sheet::figures::{half, signed};
use crate::sheet::parts::{Grid, Part, heading};
use protocol::shown as clean;
use ratings::Report;
use ratings::report::{Difference, Estimate};

/// Longer lists are cut, except in CSV and JSON.
const MOST_ROWS: usize = 500;

/// Two bots; the one with the better place is first.
pub struct Pair {
    pub difference: Difference,
    /// The difference with an interval that generalizes to games that were not played.
    pub across: Option<Estimate>,
    /// Matches in which both sat.
    pub matches: u64,
    /// Points of the first bot in them.
    pub points: f64,
    pub pairs: u64,
}

/// All pairs that can be compared, in the order of the ranking.
pub(crate) fn all(report: &Report) -> Vec<Pair> {
    chosen(report, |_| true)
}

pub fn of_bot(report: &Report, bot: usize) -> Vec<Pair> {
    chosen(report, |bots| bots.contains(&bot))
}

fn chosen(report: &Report, wanted: impl Fn([usize; 2]) -> bool) -> Vec<Pair> {
    let bots = report.bots.len();
    let mut place = vec![0; bots];
    for (at, &bot) in report.ranking.iter().enumerate() {
        place[bot] = at;
    }
    let mut met: HashMap<[usize; 2], (u64, f64, u64)> = HashMap::new();
    for meeting in report.meetings.iter().filter(|met| wanted(met.bots)) {
        let (matches, points, pairs) = met.entry(meeting.bots).or_default();
        *matches += meeting.matches;
        *points += meeting.points;
        *pairs += meeting.pairs;
    }
    let pair = |(index, difference): (usize, &Difference)| {
        let [bot, other] = difference.bots;
        let (matches, points, pairs) = met.get(&[bot, other]).copied().unwrap_or_default();
        let across = report.across_games.as_ref();
        let across = across.and_then(|across| across.differences[index]);
        if place[bot] < place[other] {
            Pair {
                difference: *difference,
                across,
                matches,
                points,
                pairs,
            }
        } else {
            Pair {
                difference: difference.reversed(),
                across: across.map(Estimate::reversed),
                matches,
                points: matches as f64 - points,
                pairs,
            }
        }
    };
    let differences = report.ratings.differences.iter().enumerate();
    let differences = differences.filter(|(_, difference)| wanted(difference.bots));
    let mut all: Vec<Pair> = differences.map(pair).collect();
    all.sort_by_key(|pair| pair.difference.bots.map(|bot| place[bot]));
    all
}

/// Says that pairs are left out because there are too many bots.
pub(super) fn too_many(report: &Report) -> Option<Part> {
    let bots = report.bots.len();
    (!report.ratings.are_compared()).then(|| {
        Part::Note(format!(
            "Of {bots} bots no two are compared with each other; `--anchor` measures all ratings from one \
             of them."
        ))
    })
}

pub(super) fn list(report: &Report) -> Vec<Part> {
    if let Some(note) = too_many(report) {
        return vec![heading("Each two bots"), note];
    }
    let pairs = all(report);
    let wide = pairs.iter().any(|pair| pair.across.is_some());
    let mut grid = Grid::new(["bot", "other", "elo", "±"], 0);
    grid.keys = 2;
    if wide {
        grid.header.push("±games".to_owned());
    }
    grid.header
        .extend(["likelihood", "sure", "points", "matches", "score"].map(str::to_owned));
    for pair in pairs.iter().take(MOST_ROWS) {
        let names = pair
            .difference
            .bots
            .map(|bot| clean(&report.bots[bot].name));
        let mut row = names.to_vec();
        row.extend(signed(&pair.difference.elo));
        if wide {
            row.push(half(pair.across.as_ref()));
        }
        row.push(likelihood(pair.difference.superiority));
        row.push(mark(&pair.difference).trim().to_owned());
        match pair.matches {
            0 => row.extend(["·", "0", "·"].map(str::to_owned)),
            matches => row.extend([
                points(pair.points),
                matches.to_string(),
                format!("{:.1} %", 100.0 * pair.points / matches as f64),
            ]),
        }
        grid.rows.push(row);
    }
    let mut parts = vec![
        heading("Each two bots"),
        Part::Note(
            "`elo` is how much higher the first bot's rating is, `likelihood` how likely it is the \
             stronger one, `points` what it scored in the matches in which both were."
                .to_owned(),
        ),
        Part::Note(MARKS.to_owned()),
        Part::Table(grid),
    ];
    if pairs.len() > MOST_ROWS {
        parts.push(Part::Note(format!(
            "{} more pairs are in `--format csv` and `--format json`.",
            pairs.len() - MOST_ROWS
        )));
    }
    parts
}

/// The legend of the marks.
pub(super) const MARKS: &str = "▲ marks a bot that is surely stronger, ▼ one that is surely weaker: of \
                                all such marks in a table, 5 % at most are false on average \
                                (Benjamini and Hochberg's false-discovery rate).";

/// ` ▲` or ` ▼`, or empty unless it is certain which bot is stronger.
pub(super) fn mark(difference: &Difference) -> &'static str {
    match (difference.is_sure(), difference.superiority > 0.5) {
        (false, _) => "",
        (true, true) => " ▲",
        (true, false) => " ▼",
    }
}

/// A likelihood in %.
pub(super) fn likelihood(likely: f64) -> String {
    match likely {
        // 100 % would claim certainty.
        likely if likely > 0.9995 => "> 99.9 %".to_owned(),
        likely if likely < 0.0005 => "< 0.1 %".to_owned(),
        likely => format!("{:.1} %", 100.0 * likely),
    }
}
