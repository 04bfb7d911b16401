//! The state machine. It publishes slightly more jobs than workers play, takes results, and regularly
//! checks the server, as messages and the server's store can be lost.

mod requests;
mod results;
#[cfg(test)]
mod tests;
mod workers;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use cluster::JobResult;
use tournament::WorkersSeen;

use super::open_jobs::OpenJobs;
use super::rechecks::Rechecks;
use super::roster::Roster;
use super::together::{MOST_GROUPS, Together};
use super::{Action, Ending, Event, Setup};
use crate::error::Stuck;

/// The interval of regular checks.
pub(crate) const TICK: Duration = Duration::from_millis(500);
/// Groups that are open at least, whatever the number of workers.
const AHEAD: usize = 64;
/// Groups that are open at most, whatever the number of slots.
const MOST_OPEN: usize = 100_000;
/// A server may be silent for this long before the user is warned.
const SILENCE_LIMIT: Duration = Duration::from_secs(5);
/// A server may be silent for this long at the start.
const STARTUP_LIMIT: Duration = Duration::from_secs(30);
/// A tournament stops if no worker can play with a bot for this long.
const REFUSAL_LIMIT: Duration = Duration::from_secs(30);
/// Bytes of early results in memory.
const MOST_EARLY: usize = 256 << 20;
/// Characters shown of a worker's text.
const SHOWN: usize = 300;

/// The coordinator's decisions for one tournament.
pub(crate) struct Dispatcher {
    setup: Setup,
    stage: Stage,
    open: OpenJobs,
    together: Together,
    rechecks: Rechecks,
    /// Results of jobs that are not open, from before the tournament was resumed. `None` if the result stays
    /// on the server until then.
    early: HashMap<u64, Option<JobResult>>,
    /// The bytes of `early`.
    early_bytes: usize,
    /// Requests to the server, in this order.
    chores: VecDeque<Chore>,
    /// True if there may be unread results.
    has_unread: bool,
    /// True after a request without an answer, until the next tick.
    waits: bool,
    roster: Roster,
    shown: WorkersSeen,
    /// The start of the server's silence.
    silent: Option<Duration>,
    reported_silence: bool,
    /// By bot: since when no present worker can play with it.
    refused: BTreeMap<String, Duration>,
    /// Since when no present worker plays matches of the tournament.
    declined: Option<Duration>,
    /// When the server was checked last.
    checked: Duration,
    actions: VecDeque<Action>,
    has_ended: bool,
}

/// A request that waits for its turn.
#[derive(Debug)]
enum Chore {
    Publish(u64),
    /// Read the result of a job that is open now; without one, publish it.
    Fetch(u64),
    Refuse(JobResult),
}

/// The requests after all chores.
#[derive(Debug)]
enum Stage {
    /// Read an earlier announcement.
    Begin,
    /// Remove groups of the configuration before an extension from the queue: the log may have their
    /// matches.
    Withdraw,
    /// Read results from before.
    ReadEarly,
    /// Announce the tournament.
    Announce,
    /// Results only.
    Play,
    /// List the jobs in the queue: the first step of a check.
    ListJobs,
    /// Detect lost results. `lost` are jobs that have left the queue and had no result then: a result is
    /// stored before its job leaves the queue. `done` are jobs in the queue that are not needed any more.
    CheckResults { lost: Vec<u64>, done: Vec<u64> },
    /// Detect and repair a stuck queue.
    RepairQueue { lost: Vec<u64>, done: Vec<u64> },
    /// Read all results.
    ReadResults { lost: Vec<u64> },
    /// Look for the results of jobs that still have none.
    Recover { lost: Vec<u64> },
}

/// The number of a group's first match, which is its job's.
fn number_of(job: u64) -> usize {
    usize::try_from(job).unwrap_or(0)
}

impl Dispatcher {
    pub(crate) fn new(setup: Setup) -> Self {
        Dispatcher {
            rechecks: Rechecks::new(setup.recheck, setup.deterministic.clone(), setup.secret),
            setup,
            stage: Stage::Begin,
            open: OpenJobs::default(),
            together: Together::default(),
            early: HashMap::new(),
            early_bytes: 0,
            chores: VecDeque::new(),
            has_unread: false,
            waits: false,
            roster: Roster::default(),
            shown: WorkersSeen::default(),
            silent: None,
            reported_silence: false,
            refused: BTreeMap::new(),
            declined: None,
            checked: Duration::ZERO,
            actions: VecDeque::new(),
            has_ended: false,
        }
    }

    /// The number of groups that it takes now: some are always ahead, and two jobs for each slot.
    pub(crate) fn wanted_groups(&self) -> usize {
        let (groups, slots) = (self.open.groups_open(), self.shown.slots as usize);
        let is_short = groups < AHEAD + 2 * slots || self.open.jobs_open() < 2 * slots;
        let takes = !self.has_ended && !self.is_beginning() && !self.rechecks.is_last();
        if takes && is_short && groups < MOST_OPEN {
            MOST_GROUPS
        } else {
            0
        }
    }

    fn is_beginning(&self) -> bool {
        matches!(
            self.stage,
            Stage::Begin | Stage::Withdraw | Stage::ReadEarly | Stage::Announce
        )
    }

    pub(crate) fn next_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    pub(crate) fn handle(&mut self, now: Duration, event: Event) {
        if self.has_ended {
            return;
        }
        match event {
            Event::Groups(groups) if !groups.is_empty() => self.add(groups),
            // A decided test waits for nothing.
            Event::Groups(_) if self.open.groups_open() > 0 => self.end(Ending::Finished),
            Event::Groups(_) => self.rechecks.are_last(now),
            Event::Message(message) => self.receive_message(now, message),
            Event::Examined(examined) => self.take(now, examined),
            Event::Tick => self.catch_up(now),
        }
        if self.rechecks.are_over(now) {
            self.end(Ending::Finished);
        }
    }

    fn report(&mut self, what: String) {
        self.actions.push_back(Action::Report(what));
    }

    fn end(&mut self, ending: Ending) {
        if !self.has_ended {
            self.has_ended = true;
            self.actions.push_back(Action::End(ending));
        }
    }

    /// Makes up for lost news.
    fn catch_up(&mut self, now: Duration) {
        self.waits = false;
        self.has_unread = true;
        self.show_workers(now);
        self.unless_refused_by_all(now);
        self.unless_declined_by_all(now);
        let is_time = now.saturating_sub(self.checked) >= self.setup.lease / 2;
        if matches!(self.stage, Stage::Play) && is_time {
            self.checked = now;
            self.stage = Stage::ListJobs;
        }
    }
}

fn stuck(why: Stuck) -> Ending {
    Ending::Remote(why.into())
}
