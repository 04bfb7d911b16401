//! A finished tournament for its report.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use files::private_paths;
use log::{self, LogError, LogFile, MIN_CHOICES, Remarks, each_summary};
use protocol::Record;
use ratings::{MatchStore, Report, Request};
use report::sheet::Sheet;
use thiserror::Error;
use tournament::admission::{self, LeftOut};
use tournament::folder;

use crate::state::highlights::{Highlights, Strengths};

#[derive(Debug, Error)]
pub enum PageError {
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log has no match.
    #[error("`{}` has no finished match yet", .0.display())]
    Empty(PathBuf),
    #[error("`{}` played no match, because it was left out: {}", .0.bot, .0.why)]
    LeftOut(LeftOut),
    /// No bot has this name.
    #[error("no bot is called `{name}`; there are {}", .known.join(", "))]
    UnknownBot {
        name: String,
        /// In the log.
        known: Vec<String>,
    },
}

/// The bots that were left out of the tournament with this log. Empty if that cannot be read.
fn left_out_of(path: &Path) -> Vec<LeftOut> {
    let log = log::locate(path);
    let folder = log.parent().unwrap_or(Path::new("."));
    admission::left_out(folder).unwrap_or_default()
}

#[derive(Debug)]
pub struct PlayedTournament {
    /// The tournament's folder.
    pub(crate) folder: PathBuf,
    pub(crate) sheet: Sheet,
    /// By the bots' names.
    pub(crate) highlights: BTreeMap<String, Highlights>,
    /// The times at which the first and the last match began.
    pub(crate) began: Option<(String, String)>,
    /// Names and versions of the referee, with the number of concurrent matches.
    pub(crate) referees: BTreeSet<String>,
    pub(crate) at_a_time: BTreeSet<u32>,
    /// The bots that did not play because they are broken.
    pub(crate) left_out: Vec<LeftOut>,
    /// The damage in the log that was skipped, if any.
    pub warning: Option<String>,
}

impl PlayedTournament {
    /// A text for publication, without paths of this machine.
    pub(crate) fn without_private_paths(&self, text: &str) -> String {
        let mut places = vec![folder::origin(&self.folder)];
        let real = self.folder.canonicalize().ok();
        for folder in [real.as_deref(), Some(&*self.folder)] {
            let parent = folder.and_then(Path::parent).filter(|it| it.is_absolute());
            places.push(parent.map(Path::to_owned));
        }
        let places: Vec<&Path> = places.iter().flatten().map(PathBuf::as_path).collect();
        private_paths::hide(text, &places)
    }

    /// Reads the log of a tournament, for a page about this bot or about all of them.
    ///
    /// # Errors
    /// If the log cannot be read, or has no such bot.
    pub fn read(path: &Path, bot: Option<&str>) -> Result<Self, PageError> {
        let (mut matches, mut remarks) = (MatchStore::new(), Remarks::default());
        let warning = each_summary(
            path,
            |_| {},
            |counted| {
                counted.add_to(&mut matches);
                counted.add_remarks_to(&mut remarks);
            },
        )?;
        if matches.is_empty() {
            return Err(PageError::Empty(log::locate(path)));
        }
        if let Some(name) = bot
            && !matches.names().any(|known| known == name)
        {
            let mut known: Vec<String> = matches.names().map(str::to_owned).collect();
            known.sort();
            let left_out = left_out_of(path);
            if let Some(left_out) = left_out.into_iter().find(|left_out| left_out.bot == name) {
                return Err(PageError::LeftOut(left_out));
            }
            let name = name.to_owned();
            return Err(PageError::UnknownBot { name, known });
        }
        // The request names nothing that could be unknown.
        let sheet = Sheet::new(&matches, &Request::default(), None);
        let mut sheet = sheet.map_err(|_| PageError::Empty(log::locate(path)))?;
        sheet.same_answers = log::same_answers(&[path.to_owned()], matches.alike(MIN_CHOICES))?;
        (sheet.bot_warnings, sheet.models) = remarks.into_lists();
        let locate = log::locate(path);
        let folder = locate.parent().unwrap_or(Path::new("."));
        let mut played = PlayedTournament {
            folder: folder.to_owned(),
            sheet,
            highlights: BTreeMap::new(),
            began: None,
            referees: BTreeSet::new(),
            at_a_time: BTreeSet::new(),
            left_out: left_out_of(path),
            warning,
        };
        played.add_highlights(path, bot)?;
        Ok(played)
    }

    pub(crate) fn report(&self) -> &Report {
        &self.sheet.report
    }

    /// Reads the log a second time, as only ratings show which matches are remarkable.
    fn add_highlights(&mut self, path: &Path, bot: Option<&str>) -> Result<(), LogError> {
        let strengths = Strengths::new(self.report());
        LogFile::open(path)?.each(
            |record: Record, (): &mut ()| record,
            |record| {
                self.add(record, bot, &strengths);
                Ok(())
            },
        )
    }

    fn add(&mut self, record: &Record, bot: Option<&str>, strengths: &Strengths) {
        let start = &record.started;
        let (first, last) = self
            .began
            .get_or_insert_with(|| (start.clone(), start.clone()));
        if *start < *first {
            first.clone_from(start);
        }
        if *start > *last {
            last.clone_from(start);
        }
        if !self.referees.contains(&record.referee) {
            self.referees.insert(record.referee.clone());
        }
        let conditions = record.conditions.iter();
        self.at_a_time.extend(conditions.map(|it| it.concurrency));
        for (seat, player) in record.players.iter().enumerate() {
            if bot.is_none_or(|bot| bot == player.name) {
                let highlights = self.highlights.entry(player.name.clone()).or_default();
                highlights.add(record, seat, strengths);
            }
        }
    }
}
