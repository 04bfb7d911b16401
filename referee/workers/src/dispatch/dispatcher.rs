//! The state machine: groups that are published, a few more than are being played, results that come, and
//! what is looked after because messages and servers' memories can be lost.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use cluster::{ClusterError, Heard, JobResult, Remedy};
use protocol::{Record, excerpt};
use schedule::{Schedule, ScheduledGroup};
use tournament::WorkersSeen;

use super::open_jobs::OpenJobs;
use super::rechecks::Rechecks;
use super::seen::Seen;
use super::{Action, Answer, Ending, Event, Examined, Request, Setup};
use crate::error::RemoteError;
use crate::wire::{GroupJob, Unplayable, WorkerNews, pack, unpack};

/// How often the coordinator looks after what news may have missed.
pub const TICK: Duration = Duration::from_millis(500);
/// Groups that are published at least, whoever is there.
const AHEAD: usize = 64;
/// Groups that are published at most, whatever workers say about their slots.
const MOST_OPEN: usize = 100_000;
/// For how long a server may be silent before the user hears of it.
const PATIENCE: Duration = Duration::from_secs(5);
/// For how long it may be silent at the beginning.
const FIRST_PATIENCE: Duration = Duration::from_secs(30);
/// For how long no worker may be able to play with a bot before the tournament stops.
const LONGEST_REFUSAL: Duration = Duration::from_secs(30);
/// How many bytes of results are kept that were not asked for yet.
const MOST_EARLY: usize = 256 << 20;
/// How many characters of what a worker says are shown.
const SHOWN: usize = 300;

/// Decides what the coordinator of one tournament does.
pub struct Dispatcher {
    setup: Setup,
    stage: Stage,
    open: OpenJobs,
    rechecks: Rechecks,
    /// Results of groups that were not asked for yet: they are from before the tournament was resumed.
    /// `None` for those that stay on the server until they are.
    early: HashMap<u64, Option<JobResult>>,
    /// How many bytes they have.
    early_bytes: usize,
    /// What has to be done on the server, in this order, when it answers.
    chores: VecDeque<Chore>,
    /// Whether there may be results that were not read.
    has_unread: bool,
    /// Whether the server did not answer: it is not asked again before the next tick.
    waits: bool,
    seen: Seen,
    shown: WorkersSeen,
    /// Since when the server has not answered.
    silent: Option<Duration>,
    told_silence: bool,
    /// Since when nobody who is there can play with this bot.
    refused: BTreeMap<String, Duration>,
    /// Since when nobody who is there plays matches of the tournament.
    declined: Option<Duration>,
    /// When the server was last looked after.
    checked: Duration,
    actions: VecDeque<Action>,
    has_ended: bool,
}

/// What has to be done on the server.
#[derive(Debug)]
enum Chore {
    Publish(u64),
    /// To read the result of a group that is wanted now; without one, the group is published.
    Fetch(u64),
    Refuse(JobResult),
}

/// What comes after chores.
#[derive(Debug)]
enum Stage {
    /// To learn whether it was announced before.
    Begin,
    /// To take groups out of the queue that are of the configuration before an extension: the log may have
    /// their matches.
    Withdraw,
    /// To read the results that are there from before.
    ReadEarly,
    /// To announce the tournament.
    Announce,
    /// Nothing but results.
    Play,
    /// To look which jobs are in the queue. A look at the server begins with this.
    ListJobs,
    /// To look whether the server has lost results. `lost` are jobs that are in the queue no more, and had no
    /// result then: a result is stored before its job leaves the queue. `done` are jobs that are in the queue
    /// and not needed any more.
    CheckResults { lost: Vec<u64>, done: Vec<u64> },
    /// To look whether the queue is stuck.
    MendQueue { lost: Vec<u64>, done: Vec<u64> },
    /// To read all results that are there.
    ReadResults { lost: Vec<u64> },
    /// To look for the results of those that still have none.
    Recover { lost: Vec<u64> },
}

/// The number of a group's first match, which is that of its job.
fn number_of(job: u64) -> usize {
    usize::try_from(job).unwrap_or(0)
}

impl Dispatcher {
    /// Nothing is published, and nothing is known of what the server has.
    pub fn new(setup: Setup) -> Self {
        Dispatcher {
            rechecks: Rechecks::new(setup.recheck, setup.deterministic.clone(), setup.secret),
            setup,
            stage: Stage::Begin,
            open: OpenJobs::default(),
            early: HashMap::new(),
            early_bytes: 0,
            chores: VecDeque::new(),
            has_unread: false,
            waits: false,
            seen: Seen::default(),
            shown: WorkersSeen::default(),
            silent: None,
            told_silence: false,
            refused: BTreeMap::new(),
            declined: None,
            checked: Duration::ZERO,
            actions: VecDeque::new(),
            has_ended: false,
        }
    }

    /// Whether it would take another group.
    pub fn wants_group(&self) -> bool {
        !self.has_ended
            && !self.is_beginning()
            && !self.rechecks.is_last()
            && self.open.len() < self.window()
    }

    /// How many groups are open at a time.
    fn window(&self) -> usize {
        MOST_OPEN.min(AHEAD + 2 * self.shown.slots as usize)
    }

    fn is_beginning(&self) -> bool {
        matches!(
            self.stage,
            Stage::Begin | Stage::Withdraw | Stage::ReadEarly | Stage::Announce
        )
    }

    /// What is to be done next, if anything is.
    pub fn next_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// Takes in what happened.
    pub fn handle(&mut self, now: Duration, event: Event) {
        if self.has_ended {
            return;
        }
        match event {
            Event::Group(Some(group)) => self.add(group),
            // A test that is decided waits for nothing.
            Event::Group(None) if self.open.len() > 0 => self.end(Ending::Quiet),
            Event::Group(None) => self.rechecks.are_last(now),
            Event::Heard(heard) => self.hear(now, heard),
            Event::Examined(examined) => self.take(now, examined),
            Event::Tick => self.look_after(now),
        }
        if self.rechecks.are_over(now) {
            self.end(Ending::Quiet);
        }
    }

    /// Whether there is something to ask the server for.
    pub fn has_request(&self) -> bool {
        let is_idle =
            matches!(self.stage, Stage::Play) && !self.has_unread && self.chores.is_empty();
        !(self.has_ended || self.waits || is_idle)
    }

    /// What to ask the server for. Give the answer before anything else.
    pub fn next_request(&mut self, now: Duration) -> Option<Request> {
        if self.has_ended || self.waits {
            return None;
        }
        if !self.is_beginning()
            && let Some(request) = self.next_chore()
        {
            return Some(request);
        }
        let request = match &mut self.stage {
            Stage::Begin => Request::Announced,
            Stage::Withdraw => Request::Withdraw,
            Stage::Announce => Request::Announce,
            Stage::ListJobs => Request::Queued,
            Stage::CheckResults { .. } => Request::CheckResults,
            Stage::MendQueue { done, .. } => Request::MendQueue {
                all_idle: self.seen.all_idle(now, &self.setup.tournament),
                done: std::mem::take(done),
            },
            Stage::ReadEarly | Stage::ReadResults { .. } => Request::NextResult,
            Stage::Play if self.has_unread => Request::NextResult,
            Stage::Play => return None,
            Stage::Recover { lost } => loop {
                let Some(job) = lost.pop() else {
                    self.stage = Stage::Play;
                    return self.next_request(now);
                };
                if self.open.awaits_result(job) || self.rechecks.awaits_result(job) {
                    break Request::ResultOf(job);
                }
            },
        };
        Some(request)
    }

    fn next_chore(&mut self) -> Option<Request> {
        loop {
            match self.chores.pop_front()? {
                Chore::Refuse(result) => return Some(Request::Refuse(result)),
                Chore::Fetch(job) => {
                    if self.open.awaits_result(job) {
                        return Some(Request::ResultOf(job));
                    }
                }
                Chore::Publish(job) => {
                    // Nothing, if it is not wanted any more.
                    if let Some(payload) = self.payload(job) {
                        return Some(Request::Publish { job, payload });
                    }
                }
            }
        }
    }

    fn payload(&self, job: u64) -> Option<Vec<u8>> {
        let recheck = self.rechecks.get(job);
        let group = recheck.map(|recheck| &recheck.group);
        let group = group.or_else(|| self.open.group(job))?;
        Some(pack(&GroupJob {
            config: self.setup.config.clone(),
            matches: group.matches.clone(),
            not_for: recheck.map(|recheck| recheck.worker.clone()),
            deal: self.setup.dealer.deal(group.matches.first()?),
        }))
    }

    /// Takes in what the server answered to the last request.
    pub fn answered(
        &mut self,
        now: Duration,
        schedule: &Schedule,
        request: Request,
        answer: Result<Answer, ClusterError>,
    ) {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return self.not_now(now, request, error),
        };
        match (request, answer) {
            (Request::Announced, Answer::Announced(before)) => {
                let is_same = before.is_some_and(|before| before == self.setup.config);
                self.stage = if is_same {
                    Stage::ReadEarly
                } else {
                    Stage::Withdraw
                };
            }
            (Request::Withdraw, _) => self.stage = Stage::ReadEarly,
            (Request::Announce, _) => self.stage = Stage::Play,
            (Request::NextResult, Answer::Result(result)) => {
                self.read(now, schedule, result);
            }
            (Request::ResultOf(_), Answer::Result(Some(result))) => {
                self.receive(now, schedule, result);
            }
            (Request::ResultOf(job), _) => self.chores.push_back(Chore::Publish(job)),
            (Request::Queued, Answer::Queued(queued)) => {
                let open = self.open.without_result();
                let open = open.chain(self.rechecks.without_result());
                let lost = open.filter(|job| !queued.contains(job)).collect();
                let is_done = |job: &u64| !self.is_needed(schedule, *job);
                let done = queued.into_iter().filter(is_done).collect();
                self.stage = Stage::CheckResults { lost, done };
            }
            (Request::CheckResults, _) => {
                if let Stage::CheckResults { lost, done } = &mut self.stage {
                    let (lost, done) = (std::mem::take(lost), std::mem::take(done));
                    self.stage = Stage::MendQueue { lost, done };
                }
            }
            (Request::MendQueue { .. }, answer) => {
                if let Answer::Mended(remedy @ (Remedy::RemoveDone | Remedy::BeginAnew)) = answer {
                    tracing::info!(?remedy, "the queue had jobs that nobody got");
                }
                if let Stage::MendQueue { lost, .. } = &mut self.stage {
                    let lost = std::mem::take(lost);
                    self.stage = Stage::ReadResults { lost };
                }
            }
            // A job may be in the queue from before: by an earlier coordinator, or a worker has yet to
            // acknowledge a result that was refused. It is published again if it turns out not to be.
            (Request::Publish { .. } | Request::Refuse(_), _) => self.silent = None,
            (request, answer) => debug_assert!(false, "{answer:?} to {request:?}"),
        }
    }

    /// Whether a job that is in the queue has still to be done, now or later.
    fn is_needed(&self, schedule: &Schedule, job: u64) -> bool {
        if Rechecks::is_second(job) {
            self.rechecks.get(job).is_some()
        } else {
            self.open.group(job).is_some() || schedule.awaits_group(number_of(job))
        }
    }

    /// The server did not do something. If it just does not answer, it is asked again later.
    fn not_now(&mut self, now: Duration, request: Request, error: ClusterError) {
        let is_too_long = self.is_beginning() && now >= FIRST_PATIENCE;
        if !error.is_passing() || is_too_long {
            return self.end(Ending::Remote(error.into()));
        }
        self.waits = true;
        match request {
            Request::Publish { job, .. } => self.chores.push_front(Chore::Publish(job)),
            Request::Refuse(result) => self.chores.push_front(Chore::Refuse(result)),
            Request::ResultOf(job) if !matches!(self.stage, Stage::Recover { .. }) => {
                self.chores.push_front(Chore::Fetch(job));
            }
            _ if self.is_beginning() => {
                self.stage = Stage::Begin;
                return;
            }
            _ => self.stage = Stage::Play,
        }
        let since = *self.silent.get_or_insert(now);
        if now.saturating_sub(since) >= PATIENCE && !self.told_silence {
            self.told_silence = true;
            self.tell(format!("{error}; the tournament waits for it"));
        }
    }

    /// The stream of results was read on.
    fn read(&mut self, now: Duration, schedule: &Schedule, result: Option<JobResult>) {
        let is_early = matches!(self.stage, Stage::ReadEarly);
        match result {
            Some(result) if is_early => self.keep_early(schedule, result),
            Some(result) => self.receive(now, schedule, result),
            None if is_early => self.stage = Stage::Announce,
            None => {
                self.has_unread = false;
                self.silent = None;
                self.told_silence = false;
                if let Stage::ReadResults { lost } = &mut self.stage {
                    let lost = std::mem::take(lost);
                    self.stage = Stage::Recover { lost };
                }
            }
        }
    }

    /// A group is to be played, unless its result is here.
    fn add(&mut self, group: ScheduledGroup) {
        let job = group.number as u64;
        self.open.add(group);
        match self.early.remove(&job) {
            Some(Some(result)) => {
                self.early_bytes -= size_of_result(&result);
                self.receive_first(result);
            }
            Some(None) => self.chores.push_back(Chore::Fetch(job)),
            None => self.chores.push_back(Chore::Publish(job)),
        }
    }

    /// A result has come, of whatever.
    fn receive(&mut self, now: Duration, schedule: &Schedule, result: JobResult) {
        if Rechecks::is_second(result.job) {
            self.receive_second(now, result);
        } else if self.open.group(result.job).is_some() {
            self.receive_first(result);
        } else if schedule.get(number_of(result.job)).is_some() {
            self.keep_early(schedule, result);
        } else {
            self.refuse(result);
        }
    }

    /// A result of a group that is open has come.
    fn receive_first(&mut self, result: JobResult) {
        if self.seen.is_ignored(&result.worker) {
            return self.play_again(result);
        }
        if let Err(why) = &result.result {
            let why = unpack(why).unwrap_or_else(|why| Unplayable {
                why,
                broken_rules: false,
            });
            return self.unplayable(result, &why);
        }
        if self.open.note_result(result.job)
            && let Some(group) = self.open.group(result.job)
        {
            let group = group.clone();
            self.actions.push_back(Action::Examine(group, result));
        }
    }

    /// The second result of a group has come.
    fn receive_second(&mut self, now: Duration, result: JobResult) {
        let Some(recheck) = self.rechecks.get(result.job) else {
            return self.refuse(result);
        };
        let says_nothing = result.worker == recheck.worker
            || result.result.is_err()
            || self.seen.is_ignored(&result.worker);
        let group = recheck.group.clone();
        if says_nothing {
            self.rechecks.remove(now, result.job);
        } else if self.rechecks.note_result(result.job) {
            self.actions.push_back(Action::Examine(group, result));
        }
    }

    /// A result of a group that was not asked for yet may be of use later, unless the group is in the log.
    fn keep_early(&mut self, schedule: &Schedule, result: JobResult) {
        if !schedule.awaits_group(number_of(result.job)) {
            return;
        }
        let bytes = size_of_result(&result);
        let kept = self.early_bytes + bytes <= MOST_EARLY;
        let (job, kept) = (result.job, kept.then_some(result));
        if kept.is_some() {
            self.early_bytes += bytes;
        }
        if let Some(Some(before)) = self.early.insert(job, kept) {
            self.early_bytes -= size_of_result(&before);
        }
    }

    /// The second result of a group was examined.
    fn compare(&mut self, now: Duration, examined: Examined) {
        let Examined { result, records } = examined;
        let Some(recheck) = self.rechecks.remove(now, result.job) else {
            return;
        };
        match records {
            Ok(records) => {
                if let Some(what) = recheck.difference(&result.worker, &records) {
                    self.tell(what);
                }
            }
            Err(why) => self.disbelieve(now, &result, &why),
        }
    }

    /// Tells that a result is wrong, and what follows.
    fn disbelieve(&mut self, now: Duration, result: &JobResult, why: &str) {
        let follows = self.seen.was_wrong(now, &result.worker);
        self.tell(format!(
            "a result of the worker `{}` cannot be believed: {}; {follows}",
            result.worker,
            excerpt(why.as_bytes(), SHOWN)
        ));
    }

    /// A worker says that a group cannot be played. One worker alone may be wrong.
    fn unplayable(&mut self, result: JobResult, why: &Unplayable) {
        let shown = excerpt(why.why.as_bytes(), SHOWN);
        let id = self.first_match(result.job);
        if self.open.bury(result.job, &result.worker) {
            self.end(if why.broken_rules {
                Ending::Broken(shown)
            } else {
                stuck(format!("the match `{id}` cannot be played: {shown}"))
            });
            return;
        }
        self.tell(format!(
            "the worker `{}` cannot play the match `{id}`, which is tried again: {shown}",
            result.worker
        ));
        self.play_again(result);
    }

    fn first_match(&self, job: u64) -> String {
        let group = self.open.group(job);
        group.map_or(String::new(), |group| group.matches[0].id())
    }

    /// A result was examined.
    fn take(&mut self, now: Duration, examined: Examined) {
        if Rechecks::is_second(examined.result.job) {
            return self.compare(now, examined);
        }
        let Examined { result, records } = examined;
        match records {
            Ok(records) => self.count(now, &result, records),
            Err(why) => {
                self.disbelieve(now, &result, &why);
                self.play_again(result);
            }
        }
    }

    /// A result can be believed.
    fn count(&mut self, now: Duration, result: &JobResult, records: Vec<Record>) {
        let Some(group) = self.open.group(result.job).cloned() else {
            return;
        };
        let again = self.rechecks.wants(&group)
            && (self.seen).is_another(now, &self.setup.tournament, &result.worker);
        let copies = again.then(|| records.clone());
        for (scheduled, record) in group.matches.iter().zip(records) {
            self.begins(result.job, scheduled.number, false);
            let finished = Action::Finished(scheduled.number, Box::new(record));
            self.actions.push_back(finished);
        }
        self.open.remove(result.job);
        if let Some(records) = copies {
            let worker = result.worker.clone();
            let job = self.rechecks.add(now, group, worker, records);
            self.chores.push_back(Chore::Publish(job));
        }
    }

    /// Removes a result, so that there can be another one of this group, and has the group played again.
    fn play_again(&mut self, result: JobResult) {
        self.open.forget_result(&result);
        let job = result.job;
        self.refuse(result);
        self.chores.push_back(Chore::Publish(job));
    }

    fn refuse(&mut self, result: JobResult) {
        self.chores.push_back(Chore::Refuse(result));
    }

    fn tell(&mut self, what: String) {
        self.actions.push_back(Action::Tell(what));
    }

    fn end(&mut self, ending: Ending) {
        if !self.has_ended {
            self.has_ended = true;
            self.actions.push_back(Action::End(ending));
        }
    }

    /// A match begins, as far as is known.
    fn begins(&mut self, job: u64, number: usize, first: bool) {
        if let Some(scheduled) = self.open.begins(job, number, first) {
            let scheduled = scheduled.clone();
            self.actions.push_back(Action::Begins(scheduled));
        }
    }

    fn hear(&mut self, now: Duration, heard: Heard) {
        let (worker, about) = match heard {
            Heard::Heartbeat(presence) => {
                return self.seen.heard(now, presence, &self.setup.tournament);
            }
            Heard::News { worker, about } => (worker, about),
        };
        if about.is_empty() {
            self.has_unread = true;
            return;
        }
        let Ok(news) = serde_json::from_slice::<WorkerNews>(&about) else {
            return;
        };
        let shown = |what: &str| excerpt(what.as_bytes(), SHOWN);
        match news {
            WorkerNews::Begins { job, number, first } => {
                self.rechecks.begins(now, job);
                self.begins(job, number, first);
                self.unless_hopeless(job);
            }
            WorkerNews::CannotPlay { bot, why } => {
                let why = shown(&why);
                let is_known = self.setup.bots.contains(&bot);
                if is_known && self.seen.refuses(now, &worker, &bot, &why) {
                    self.tell(format!(
                        "the worker `{worker}` cannot play with `{bot}`: {why}"
                    ));
                }
            }
            WorkerNews::CannotServe { why } => {
                let why = shown(&why);
                if self.seen.declines(now, &worker, &why) {
                    self.tell(format!("the worker `{worker}` plays no matches: {why}"));
                }
            }
            WorkerNews::Trouble { what } => {
                let what = shown(&what);
                self.tell(format!("the worker `{worker}`: {what}"));
            }
        }
    }

    /// A group that workers take again and again may be what ends them.
    fn unless_hopeless(&mut self, job: u64) {
        if self.open.is_hopeless(job) {
            let id = self.first_match(job);
            self.end(stuck(format!(
                "workers have begun the match `{id}` again and again, and never finished it: does it \
                 end them, or is the lease too short for them?"
            )));
        }
    }

    /// Makes up for news that were lost.
    fn look_after(&mut self, now: Duration) {
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

    /// Reports how many workers there are, when that changes.
    fn show_workers(&mut self, now: Duration) {
        let (workers, slots) = self.seen.count(now);
        let lost = self.open.lost;
        let seen = WorkersSeen {
            workers,
            slots,
            lost,
        };
        if seen != self.shown {
            self.shown = seen;
            self.actions.push_back(Action::Workers(seen));
        }
    }

    /// Ends the tournament if there are workers, but for long none that plays matches of it.
    fn unless_declined_by_all(&mut self, now: Duration) {
        let Some(why) = self.seen.nobody_serves(now) else {
            self.declined = None;
            return;
        };
        let since = *self.declined.get_or_insert(now);
        if self.open.len() > 0 && now.saturating_sub(since) >= LONGEST_REFUSAL {
            self.end(stuck(format!(
                "none of the workers that are there plays matches of this tournament: {why}"
            )));
        }
    }

    /// Ends the tournament if there are workers, but none of them can play with a bot for long.
    fn unless_refused_by_all(&mut self, now: Duration) {
        let mut refused = BTreeMap::new();
        for (bot, name) in self.setup.bots.iter().enumerate() {
            let Some(why) = self.seen.nobody_plays(now, name) else {
                continue;
            };
            if !self.open.need(bot) {
                continue;
            }
            let since = self.refused.get(name).copied().unwrap_or(now);
            if now.saturating_sub(since) >= LONGEST_REFUSAL {
                return self.end(stuck(format!("no worker can play with `{name}`: {why}")));
            }
            refused.insert(name.clone(), since);
        }
        self.refused = refused;
    }
}

fn size_of_result(result: &JobResult) -> usize {
    match &result.result {
        Ok(payload) | Err(payload) => payload.len(),
    }
}

fn stuck(what: String) -> Ending {
    Ending::Remote(RemoteError::Stuck(what))
}
