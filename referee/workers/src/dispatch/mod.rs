//! What the coordinator decides, as a pure state machine: it takes events and the server's answers, and
//! says what to ask the server for and what to do. It reads no clock and sends nothing; `venue` does, over
//! NATS, and a simulation of a thousand workers does in its own time. Times are those since it began.

mod dispatcher;
mod open_jobs;
mod rechecks;
mod seen;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cluster::{Heard, JobResult, Remedy};
use deals::Deal;
use protocol::Record;
use schedule::{Scheduled, ScheduledGroup};
use tournament::WorkersSeen;

use super::error::RemoteError;
pub use dispatcher::{Dispatcher, TICK};

/// What a coordinator has to know about a tournament.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What the tournament is called on the server.
    pub tournament: String,
    /// The hash of the configuration, which jobs carry.
    pub config: String,
    /// The names of the bots, in the order of the configuration.
    pub bots: Vec<String>,
    /// Whether each of them always plays alike.
    pub deterministic: Vec<bool>,
    /// The share of groups that are played again, from 0 to 1.
    pub recheck: f64,
    /// Which ones: no worker can know it before.
    pub secret: [u64; 2],
    /// For how long a job is a worker's.
    pub lease: Duration,
    /// Says what groups are dealt from.
    pub dealer: Dealer,
}

/// Says what groups are dealt from: jobs carry what their own matches need, and no more.
#[derive(Clone, Default)]
pub struct Dealer(Option<Arc<DealOf>>);

/// What the group of a match is dealt from.
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

/// What happens.
#[derive(Debug)]
pub enum Event {
    /// A group is to be played; `None` if no more matches begin. Only while [`Dispatcher::wants_group`].
    Group(Option<ScheduledGroup>),
    /// A worker said something.
    Heard(Heard),
    /// A result was looked at.
    Examined(Examined),
    /// Time has passed: every [`TICK`].
    Tick,
}

/// What the server is asked for.
#[derive(Debug)]
pub enum Request {
    /// What was announced last for this tournament.
    Announced,
    /// To announce it.
    Announce,
    /// To take all jobs out of the queue.
    Withdraw,
    /// To put a job into the queue, unless it is there.
    Publish {
        /// Its number.
        job: u64,
        /// What is to be done.
        payload: Vec<u8>,
    },
    /// To remove a result.
    Refuse(JobResult),
    /// The next result that was not given yet.
    NextResult,
    /// The result of a job, whether it was given or not.
    ResultOf(u64),
    /// The jobs that are in the queue.
    Queued,
    /// Whether results were lost: then those that are there are given once more.
    CheckResults,
    /// Whether the queue is stuck: then something is done about it.
    MendQueue {
        /// Whether there are workers, and none of them has a job.
        all_idle: bool,
        /// The jobs that are in the queue and not needed any more.
        done: Vec<u64>,
    },
}

/// What the server answers.
#[derive(Debug)]
pub enum Answer {
    /// It is done.
    Done,
    /// The hash of the configuration that was announced, if anything was.
    Announced(Option<String>),
    /// A result, if there is one.
    Result(Option<JobResult>),
    /// The jobs in the queue.
    Queued(HashSet<u64>),
    /// What was done about the queue.
    Mended(Remedy),
}

/// What is to be done besides.
#[derive(Debug)]
pub enum Action {
    /// To look whether a result can be believed.
    Examine(ScheduledGroup, JobResult),
    /// To say that a match begins.
    Begins(Scheduled),
    /// To write a match, by its number in the schedule, to the log.
    Finished(usize, Box<Record>),
    /// To tell the user something.
    Tell(String),
    /// To show which workers are there.
    Workers(WorkersSeen),
    /// To end; nothing comes after it.
    End(Ending),
}

/// Why it goes on no longer.
#[derive(Debug)]
pub enum Ending {
    /// No more matches begin.
    Quiet,
    /// Rules from outside do not work.
    Broken(String),
    /// It cannot go on.
    Remote(RemoteError),
}

/// A result that was looked at.
#[derive(Debug)]
pub struct Examined {
    /// The result.
    pub result: JobResult,
    /// The matches in the order of the schedule, or what is wrong.
    pub records: Result<Vec<Record>, String>,
}
