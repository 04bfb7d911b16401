//! Reports of slots and backends to the writer of the log.

use games::BrokenRules;
use log::WriteError;
use protocol::Record;
use schedule::Standing;
use supervisor::News;
use thiserror::Error;

use crate::stop::Stop;

/// The state of a backend's workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkersSeen {
    /// Workers with a recent sign of life.
    pub workers: usize,
    /// Matches that they can play at a time.
    pub slots: u32,
    /// Groups that were taken over from a lost worker.
    pub lost: u64,
}

/// A report to the writer of the log.
pub enum FromSlot {
    Started(String),
    /// Number in the schedule, record.
    Finished(usize, Box<Record>),
    Warning(News),
    /// The tournament cannot go on.
    Failed(RunError),
    /// Workers on other machines have joined or left.
    Workers(WorkersSeen),
}

impl FromSlot {
    pub(super) fn record(&self) -> Option<&Record> {
        match self {
            FromSlot::Finished(_, record) => Some(record),
            _ => None,
        }
    }
}

/// The reason why a tournament cannot go on.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Log(#[from] WriteError),
    #[error("{0}")]
    ResourceExhausted(String),
    /// Rules from outside do not work.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
}

/// Progress of a tournament, for a display.
#[derive(Debug)]
pub enum Progress<'a> {
    /// Id, game and players of a match.
    Started(&'a str),
    /// The match is in the log.
    Finished {
        record: &'a Record,
        /// Finished matches.
        done: usize,
        /// Scheduled matches, as far as is known.
        total: u64,
        /// Only in formats in which each match changes it.
        standing: Option<Standing>,
    },
    Warning(&'a News),
    /// The backend's workers.
    Workers(WorkersSeen),
    /// A request to end, or to end sooner.
    Stopping(Stop),
}

#[derive(Clone, Debug, PartialEq)]
pub struct TournamentOutcome {
    /// False after an interruption; the finished matches are in the log.
    pub complete: bool,
    /// True if matches were not played because bots have used up their budget.
    pub budget_used_up: bool,
    /// `None` in formats that only count points.
    pub standing: Option<Standing>,
}
