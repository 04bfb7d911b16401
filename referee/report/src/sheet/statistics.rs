//! The statistics of a log, and their grouping.

use std::collections::{BTreeMap, BTreeSet};

use log::{BotWarning, ModelUse, SameAnswers};
use serde::Serialize;

use ratings::report::{OpeningReport, Ratings};
use ratings::{MatchStore, Number, Report, Request, RequestError};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Ratings and results in each game.
    Game,
    /// Results in each seat of each game.
    Seat,
    /// The mean of each bot's own scores in each game.
    Goal,
    /// Scores of each seat from each opening, over all bots.
    Opening,
    /// The difference between each two bots, and its certainty.
    Pair,
    /// All results, with each version of a bot as a bot of its own.
    Version,
    /// Matches on each machine, and whether their results differ. Requires matches counted by machine
    /// ([`MatchStore::by_machine`]).
    Machine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetFormat {
    /// Tables for a terminal.
    Text,
    /// Tables for a README.
    Markdown,
    /// One table with a header, for programs.
    Csv,
    /// All figures.
    Json,
    /// A self-contained page with a plot of the ratings.
    Html,
}

/// The statistics of a log, and their grouping.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    pub report: Report,
    /// `None` shows everything. [`By::Version`] requires matches whose versions were split
    /// ([`MatchSummary::split_versions`]).
    ///
    /// [`MatchSummary::split_versions`]: ratings::MatchSummary::split_versions
    pub by: Option<By>,
    /// With [`By::Game`]: the ratings of each game alone.
    pub games: Vec<Ratings>,
    /// With [`By::Opening`]: the referee's moves in the first match of each opening, if they were
    /// looked up.
    pub opening_moves: BTreeMap<Number, Vec<String>>,
    /// Pairs of bots that are probably the same, if they were looked up.
    pub same_answers: Vec<SameAnswers>,
    /// Warnings of bots, if they were looked up.
    pub bot_warnings: Vec<BotWarning>,
    /// The use of language models, if it was looked up.
    pub models: Vec<ModelUse>,
}

impl Sheet {
    /// # Errors
    ///
    /// If the request names a bot or game that is not in the log.
    pub fn new(
        matches: &MatchStore,
        request: &Request,
        by: Option<By>,
    ) -> Result<Self, RequestError> {
        let request = Request {
            openings: by == Some(By::Opening),
            goals: by == Some(By::Goal),
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
            models: Vec::new(),
        })
    }

    /// The first match of each opening.
    pub fn first_matches(&self) -> BTreeSet<Number> {
        let openings = self.report.openings.iter().flatten();
        openings.map(|opening| opening.first).collect()
    }

    /// The moves of an opening as text. Empty if it has none or they were not looked up.
    pub fn moves_of(&self, opening: &OpeningReport) -> String {
        let moves = self.opening_moves.get(&opening.first);
        moves.map_or_else(String::new, |moves| moves.join(" "))
    }
}
