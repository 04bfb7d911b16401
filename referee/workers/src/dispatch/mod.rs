//! The coordinator's decisions, as a pure state machine: it takes events and the server's answers, and
//! returns requests and actions. It reads no clock and sends nothing: `session` does. Times are relative to
//! its start.

mod dispatcher;
mod open_jobs;
mod rechecks;
mod roster;
mod together;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cluster::{JobResult, Remedy, WorkerMessage};
use deals::Deal;
use protocol::Record;
use schedule::{Scheduled, ScheduledGroup};
use tournament::WorkersSeen;

use super::error::RemoteError;
pub(crate) use dispatcher::{Dispatcher, TICK};
pub(crate) use together::MOST_GROUPS;

/// What a coordinator needs to know about a tournament.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// The tournament's name on the server.
    pub tournament: String,
    /// The hash of the configuration, which jobs carry.
    pub config: String,
    /// The names of the bots, in the order of the configuration.
    pub bots: Vec<String>,
    /// By bot: true if it always plays alike.
    pub deterministic: Vec<bool>,
    /// The share of groups that are rechecked, from 0 to 1.
    pub recheck: f64,
    /// Selects them, so that no worker can predict it.
    pub secret: [u64; 2],
    /// How long a worker holds a job without renewing it.
    pub lease: Duration,
    /// The deals of groups.
    pub dealer: Dealer,
}

/// The deals of groups. A job carries only the deal of its own group.
#[derive(Clone, Default)]
pub(crate) struct Dealer(Option<Arc<DealOf>>);

/// The deal of the group of a match.
type DealOf = dyn Fn(&Scheduled) -> Option<Deal> + Send + Sync;

impl Dealer {
    pub(super) fn new(deal: impl Fn(&Scheduled) -> Option<Deal> + Send + Sync + 'static) -> Self {
        Dealer(Some(Arc::new(deal)))
    }

    fn deal(&self, first: &Scheduled) -> Option<Deal> {
        self.0.as_ref()?(first)
    }
}

impl fmt::Debug for Dealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dealer")
    }
}

/// An event.
#[derive(Debug)]
pub(crate) enum Event {
    /// Groups are to be played, at most as many as [`Dispatcher::wanted_groups`] says; none if no more matches
    /// begin.
    Groups(Vec<ScheduledGroup>),
    /// A message of a worker.
    Message(WorkerMessage),
    /// A result was examined.
    Examined(Examined),
    /// Time has passed: every [`TICK`].
    Tick,
}

/// A request to the server.
#[derive(Debug)]
pub(crate) enum Request {
    /// Read the last announcement of this tournament.
    Announced,
    /// Announce it.
    Announce,
    /// Remove all jobs from the queue.
    Withdraw,
    /// Put a job into the queue, unless it is there.
    Publish { job: u64, payload: Vec<u8> },
    /// Remove a result.
    Refuse(JobResult),
    /// Read the next result.
    NextResult,
    /// Read the result of a job, whether it was read before or not.
    ResultOf(u64),
    /// List the jobs in the queue.
    Queued,
    /// Detect lost results; then read the remaining ones again.
    CheckResults,
    /// Detect and repair a stuck queue.
    RepairQueue {
        /// True if there are workers and none of them has a job.
        all_idle: bool,
        /// The jobs in the queue that are not needed any more.
        done: Vec<u64>,
    },
}

/// An answer of the server.
#[derive(Debug)]
pub(crate) enum Answer {
    Done,
    /// The hash of the configuration in the announcement.
    Announced(Option<String>),
    Result(Option<JobResult>),
    Queued(BTreeSet<u64>),
    Repaired(Remedy),
}

/// An action besides requests.
#[derive(Debug)]
pub(crate) enum Action {
    /// Examine whether the result of a job with these groups is credible.
    Examine(Vec<ScheduledGroup>, JobResult),
    /// Report that a match begins.
    Begins(Scheduled),
    /// Write a match, by its number in the schedule, to the log.
    Finished(usize, Box<Record>),
    /// Warn the user.
    Report(String),
    /// Report the number of workers.
    Workers(WorkersSeen),
    /// End; no action follows.
    End(Ending),
}

/// The reason for the end.
#[derive(Debug)]
pub(crate) enum Ending {
    /// No more matches begin.
    Finished,
    /// A rules program failed.
    BrokenRules(String),
    Remote(RemoteError),
}

/// An examined result.
#[derive(Debug)]
pub struct Examined {
    pub result: JobResult,
    /// For each group its matches in the order of the schedule, or the reason why the result is not
    /// credible. `None` for a group that is not in the result: the job that an earlier coordinator published
    /// with this number had others.
    pub records: Result<Vec<Option<Vec<Record>>>, String>,
}
