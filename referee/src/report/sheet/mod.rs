//! A report of a log as people and programs want it: put together here, once, as headings, notes
//! and tables, and written by one file a format.

mod conduct;
mod csv;
mod cyclic;
mod fitness;
mod html;
mod json;
mod markdown;
mod orders;
mod pairs;
mod places;
mod plot;
mod ranking;
mod test;
#[cfg(test)]
mod tests;
mod text;

use clap::ValueEnum;
use protocol::shown as clean;
use serde::Serialize;

use ratings::{MatchStore, Report, Request, RequestError};

use ratings::report::{Ratings, Totals};

pub use plot::plot;
pub(super) use ranking::interval;

/// What results are told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Ratings and results in each game
    Game,
    /// Totals in each seat of each game
    Seat,
    /// What each seat made of each opening, all bots together
    Opening,
    /// The difference between each two bots, and how sure it is
    Pair,
    /// All results, with each version of a bot as a bot of its own
    Version,
}

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SheetFormat {
    /// Tables for a terminal
    Text,
    /// Tables for a README
    Markdown,
    /// One table with a line of names, for programs
    Csv,
    /// All figures
    Json,
    /// A page by itself, with the plot of ratings
    Html,
}

/// The statistics of a log, and what they are shown by.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// The statistics.
    pub report: Report,
    /// What results are told apart by; without it, all of it is shown. [`By::Version`] is for matches
    /// whose versions were split ([`MatchSummary::split_versions`]).
    ///
    /// [`MatchSummary::split_versions`]: ratings::MatchSummary::split_versions
    pub by: Option<By>,
    /// With [`By::Game`], the ratings in each game alone.
    pub games: Vec<Ratings>,
}

impl Sheet {
    /// Makes the statistics.
    ///
    /// # Errors
    /// If the request names what is not there.
    pub fn new(
        matches: &MatchStore,
        request: &Request,
        by: Option<By>,
    ) -> Result<Self, RequestError> {
        let request = Request {
            openings: by == Some(By::Opening),
            ..request.clone()
        };
        let report = matches.report(&request)?;
        let games = match by {
            Some(By::Game) => matches.ratings_by_game(&request)?,
            _ => Vec::new(),
        };
        Ok(Sheet { report, by, games })
    }

    /// The report in a format.
    pub fn write(&self, format: SheetFormat) -> String {
        match format {
            SheetFormat::Text => text::write(self),
            SheetFormat::Markdown => markdown::write(self),
            SheetFormat::Csv => csv::write(self),
            SheetFormat::Json => json::write(self),
            SheetFormat::Html => html::write(self),
        }
    }

    /// What is shown to people. Tables with a column for each bot are left out if there are more
    /// bots than there is `room` for.
    fn parts(&self, room: usize) -> Vec<Part> {
        let mut parts = ranking::head(&self.report);
        parts.extend(fitness::warnings(&self.report));
        parts.extend(orders::all(&self.report));
        parts.extend(test::all(&self.report));
        match self.by {
            None | Some(By::Version) => {
                parts.extend(ranking::between(&self.report, room));
                if fitness::is_cyclic(&self.report) {
                    parts.extend(cyclic::second_opinion(&self.report));
                }
                parts.extend(fitness::residuals(&self.report));
                parts.extend(places::overview(&self.report));
                parts.extend(conduct::all(&self.report));
                parts.push(ranking::method(&self.report));
            }
            Some(By::Game) => parts.extend(places::by_game(self, room)),
            Some(By::Seat) => parts.extend(places::by_seat(&self.report)),
            Some(By::Opening) => parts.extend(places::by_opening(&self.report, room)),
            Some(By::Pair) => {
                parts.extend(pairs::list(&self.report));
                parts.extend(cyclic::second_opinion(&self.report));
            }
        }
        parts
    }
}

/// A part of what is shown to people.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Heading(String),
    Note(String),
    Table(Grid),
}

/// A table: one column has names, the others have figures.
#[derive(Clone, Debug, PartialEq)]
struct Grid {
    header: Vec<String>,
    /// The column with names.
    names: usize,
    rows: Vec<Vec<String>>,
}

impl Grid {
    fn new<'a>(header: impl IntoIterator<Item = &'a str>, names: usize) -> Self {
        Grid {
            header: header.into_iter().map(clean).collect(),
            names,
            rows: Vec::new(),
        }
    }
}

fn heading(text: &str) -> Part {
    Part::Heading(text.to_owned())
}

/// A name in a note, marked as one.
fn quoted(name: &str) -> String {
    format!("`{}`", clean(name).replace('`', "'"))
}

/// A whole number of Elo, without a negative zero.
fn elo(value: f64) -> String {
    format!("{}", value.round() + 0.0)
}

fn percent(results: &Totals) -> String {
    match share(results) {
        Some(share) => format!("{:.1} %", 100.0 * share),
        None => "·".to_owned(),
    }
}

/// Points a match.
fn share(results: &Totals) -> Option<f64> {
    (results.matches > 0).then(|| results.points / results.matches as f64)
}

/// Points as people write them, wins, draws and so on.
fn counts(results: &Totals) -> [String; 7] {
    [
        super::points(results.points),
        results.matches.to_string(),
        percent(results),
        results.wins.to_string(),
        results.draws.to_string(),
        results.losses.to_string(),
        results.faults.to_string(),
    ]
}

/// What [`counts`] are.
const COUNTS: [&str; 7] = [
    "points", "matches", "score", "wins", "draws", "losses", "faults",
];
