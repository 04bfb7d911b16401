//! The statistics of a log, and what they are told apart by.

use serde::Serialize;

use ratings::report::Ratings;
use ratings::{MatchStore, Report, Request, RequestError};

/// What results are told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Ratings and results in each game
    Game,
    /// Results in each seat of each game
    Seat,
    /// What each seat made of each opening, all bots together
    Opening,
    /// The difference between each two bots, and how sure it is
    Pair,
    /// All results, with each version of a bot as a bot of its own
    Version,
}

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}
