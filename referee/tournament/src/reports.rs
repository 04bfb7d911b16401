//! What slots, and backends, report to the writer of the log.

use games::BrokenRules;
use log::WriteError;
use protocol::Record;
use schedule::Standing;
use supervisor::News;
use thiserror::Error;

use crate::stop::Stop;

/// How many workers there are, where a backend has some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkersSeen {
    /// Workers that were heard lately.
    pub workers: usize,
    /// Matches that they can play at a time.
    pub slots: u32,
    /// How often a group that one had taken was taken by another.
    pub lost: u64,
}

/// What slots report to the writer.
pub enum FromSlot {
    Started(String),
    /// A match, by its number in the schedule.
    Finished(usize, Box<Record>),
    Trouble(News),
    /// The tournament cannot go on.
    Failed(RunError),
    /// Workers on other machines are there, or gone.
    Workers(WorkersSeen),
}

impl FromSlot {
    /// The match, if it reports one.
    pub(super) fn record(&self) -> Option<&Record> {
        match self {
            FromSlot::Finished(_, record) => Some(record),
            _ => None,
        }
    }
}

/// Why a tournament could not go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// The log.
    #[error(transparent)]
    Log(#[from] WriteError),
    /// The machine has run out of something.
    #[error("{0}")]
    Short(String),
    /// Rules from outside do not work.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
}

/// What happens in a tournament, for a display.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A match has begun: its id, game and players.
    Started(&'a str),
    /// A match was finished and is in the log.
    Finished {
        /// The match.
        record: &'a Record,
        /// How many are finished now.
        done: usize,
        /// How many there are, as far as is known.
        total: u64,
        /// Where the tournament stands, in formats in which each match changes that.
        standing: Option<Standing>,
    },
    /// A warning for the user.
    Trouble(&'a News),
    /// The workers that play, where these are on other machines.
    Workers(WorkersSeen),
    /// It was asked to end early, or sooner than before.
    Stopping(Stop),
}

/// How a tournament ended.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentOutcome {
    /// Whether everything was played. If not, it was interrupted, and the finished matches are in the
    /// log.
    pub complete: bool,
    /// Where the tournament stands, if that is more than points.
    pub standing: Option<Standing>,
}
