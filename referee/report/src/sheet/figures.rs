//! Numbers as people read them: Elo with intervals, results, counts.

pub use games::kit::text::count;

use super::parts::Grid;
use crate::points;
use ratings::report::{Estimate, Figure, Totals};

/// A whole number of Elo, without a negative zero.
pub(crate) fn elo(value: f64) -> String {
    format!("{}", value.round() + 0.0)
}

pub fn percent(results: &Totals) -> String {
    match results.share() {
        Some(share) => format!("{:.1} %", 100.0 * share),
        None => "·".to_owned(),
    }
}

/// `3½/4`: points of matches.
pub fn of(results: &Totals) -> String {
    match results.matches {
        0 => "·".to_owned(),
        matches => format!("{}/{matches}", points(results.points)),
    }
}

/// Points, wins, draws and so on, under the headings [`COUNTS`].
pub fn counts(results: &Totals) -> [String; 7] {
    [
        points(results.points),
        results.matches.to_string(),
        percent(results),
        results.wins.to_string(),
        results.draws.to_string(),
        results.losses.to_string(),
        results.faults.to_string(),
    ]
}

/// Headings of [`counts`].
pub const COUNTS: [&str; 7] = [
    "points", "matches", "score", "wins", "draws", "losses", "faults",
];

/// An empty table with ratings and results after these columns.
pub(crate) fn rated_grid(first: &[&str], names: usize) -> Grid {
    let columns = first.iter().copied().chain(["elo", "±"]).chain(COUNTS);
    Grid::new(columns, names)
}

/// A rating and half its interval. If only one end is known, that end.
pub fn interval(rating: Option<&Estimate>) -> [String; 2] {
    let Some(rating) = rating else {
        return ["·", "·"].map(str::to_owned);
    };
    let figure = match rating.figure() {
        Figure::Known { elo: value, .. } => elo(value),
        Figure::AtLeast(low) => format!("≥ {}", elo(low)),
        Figure::AtMost(high) => format!("≤ {}", elo(high)),
        Figure::Unknown => "?".to_owned(),
    };
    [figure, half(Some(rating))]
}

/// `146 ± 52`, or the known end.
pub fn figures(rating: &Estimate) -> String {
    joined(interval(Some(rating)))
}

fn joined([figure, half]: [String; 2]) -> String {
    match &*half {
        "·" => figure,
        half => format!("{figure} ± {half}"),
    }
}

/// Half of an interval that has both ends.
pub(crate) fn half(rating: Option<&Estimate>) -> String {
    match rating.map(Estimate::figure) {
        Some(Figure::Known { half, .. }) => elo(half),
        _ => "·".to_owned(),
    }
}

/// `+146 ± 52`.
pub fn signed_figures(difference: &Estimate) -> String {
    joined(signed(difference))
}

/// A signed difference and half its interval.
pub fn signed(difference: &Estimate) -> [String; 2] {
    let [figure, half] = interval(Some(difference));
    let plus = matches!(difference.figure(), Figure::Known { elo, .. } if elo.round() > 0.0);
    [format!("{}{figure}", if plus { "+" } else { "" }), half]
}
