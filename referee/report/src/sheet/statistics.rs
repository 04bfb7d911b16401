//! The statistics of a log, and what they are grouped by.

use std::collections::{BTreeMap, BTreeSet};

use log::{BotWarning, SameAnswers};
use serde::Serialize;

use ratings::report::{OpeningReport, Ratings};
use ratings::{MatchStore, Number, Report, Request, RequestError};

/// What results are grouped by.
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
    /// What was played on each machine, and whether results there are those of the others. For matches
    /// that were counted like that ([`MatchStore::by_machine`])
    Machine,
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
    /// What results are grouped by; without it, all of it is shown. [`By::Version`] is for matches
    /// whose versions were split ([`MatchSummary::split_versions`]).
    ///
    /// [`MatchSummary::split_versions`]: ratings::MatchSummary::split_versions
    pub by: Option<By>,
    /// With [`By::Game`], the ratings in each game alone.
    pub games: Vec<Ratings>,
    /// With [`By::Opening`], the moves that the referee made in the first match of each opening, as
    /// far as they were looked up.
    pub opening_moves: BTreeMap<Number, Vec<String>>,
    /// Pairs of bots that are probably the same, as far as that was looked up.
    pub same_answers: Vec<SameAnswers>,
    /// What bots warn of, as far as that was looked up.
    pub bot_warnings: Vec<BotWarning>,
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
        Ok(Sheet {
            report,
            by,
            games,
            opening_moves: BTreeMap::new(),
            same_answers: Vec::new(),
            bot_warnings: Vec::new(),
        })
    }

    /// The first match of each opening.
    pub fn first_matches(&self) -> BTreeSet<Number> {
        let openings = self.report.openings.iter().flatten();
        openings.map(|opening| opening.first).collect()
    }

    /// The moves of an opening in words; empty if there are none or they were not looked up.
    pub fn moves_of(&self, opening: &OpeningReport) -> String {
        let moves = self.opening_moves.get(&opening.first);
        moves.map_or_else(String::new, |moves| moves.join(" "))
    }
}
