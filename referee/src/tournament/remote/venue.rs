//! What the coordinator does while workers play: it publishes groups, a few more than are being played,
//! takes results, and reports those that can be believed to the writer.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cluster::{ClusterError, Coordinator, Heard, JobResult, Patience, Published};
use games::BrokenRules;
use protocol::{Record, excerpt};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

use super::error::RemoteError;
use super::examine::{Examined, Examiner};
use super::open_jobs::OpenJobs;
use super::rechecks::Rechecks;
use super::seen::{Seen, WorkersSeen};
use super::wire::{Announced, GroupJob, Unplayable, WorkerNews, pack, unpack};
use crate::config::Config;
use crate::tournament::queue::Queue;
use crate::tournament::schedule::ScheduledGroup;
use crate::tournament::slots::{FromSlot, describe};
use crate::tournament::stop::{self, Stop};

/// How often the coordinator looks after what news may have missed.
const TICK: Duration = Duration::from_millis(500);
/// Groups that are published at least, whoever is there.
const AHEAD: usize = 64;
/// Groups that are published at most, whatever workers say about their slots.
const MOST_OPEN: usize = 100_000;
/// For how long a server may be silent before the user hears of it.
const PATIENCE: Duration = Duration::from_secs(5);
/// For how long no worker may be able to play with a bot before the tournament stops.
const LONGEST_REFUSAL: Duration = Duration::from_secs(30);
/// How many characters of what a worker says are shown.
const SHOWN: usize = 300;

/// The workers' side of a tournament, as the coordinator has it.
pub(super) struct Venue {
    config: Arc<Config>,
    queue: Arc<Queue>,
    coordinator: Coordinator,
    reports: mpsc::Sender<FromSlot>,
    examiner: Examiner,
    lease: Duration,
    hash: String,
    open: OpenJobs,
    rechecks: Rechecks,
    /// Results of groups that were not asked for yet: they are from before the tournament was resumed.
    early: HashMap<u64, JobResult>,
    /// What has to be done on the server, in this order, when it answers.
    chores: VecDeque<Chore>,
    seen: Seen,
    shown: WorkersSeen,
    /// Since when the server has not answered.
    silent: Option<Instant>,
    told_silence: bool,
    /// Since when nobody who is there can play with this bot.
    refused: HashMap<String, Instant>,
    checked: Instant,
}

/// What has to be done on the server.
#[derive(Debug)]
enum Chore {
    Publish(u64),
    Refuse(JobResult),
}

/// The number of a group's first match, which is that of its job.
fn number_of(job: u64) -> usize {
    usize::try_from(job).unwrap_or(0)
}

/// Why it goes on no longer.
enum End {
    /// No more matches begin, or the user wants it.
    Quiet,
    /// Something that the writer has to know.
    Report(FromSlot),
}

impl From<ClusterError> for End {
    fn from(error: ClusterError) -> Self {
        End::Report(FromSlot::Remote(error.into()))
    }
}

impl Venue {
    pub(super) fn new(
        config: &Arc<Config>,
        queue: &Arc<Queue>,
        coordinator: Coordinator,
        reports: mpsc::Sender<FromSlot>,
        lease: Duration,
    ) -> Self {
        Venue {
            examiner: Examiner::start(config),
            config: config.clone(),
            queue: queue.clone(),
            coordinator,
            reports,
            lease,
            hash: String::new(),
            open: OpenJobs::default(),
            rechecks: Rechecks::of(config),
            early: HashMap::new(),
            chores: VecDeque::new(),
            seen: Seen::default(),
            shown: WorkersSeen::default(),
            silent: None,
            told_silence: false,
            refused: HashMap::new(),
            checked: Instant::now(),
        }
    }

    /// Has workers play until no more matches begin, or it is asked to stop.
    pub(super) async fn play(mut self, announced: Announced, mut stop: watch::Receiver<Stop>) {
        self.hash.clone_from(&announced.hash);
        let end = match self.begin_patiently(&announced).await {
            Ok(()) => self.until_the_end(&mut stop).await,
            Err(error) => End::from(error),
        };
        // What nobody has taken is not needed now; results of the rest wait for --resume.
        let withdrawn = self.coordinator.withdraw().await;
        if let Err(error) = withdrawn {
            self.tell(format!(
                "matches that no worker has taken are still offered: {error}"
            ))
            .await;
        }
        if let End::Report(report) = end {
            let _ = self.reports.send(report).await;
        }
    }

    /// Looks at what is there from before, and announces the tournament.
    async fn begin(&mut self, announced: &Announced) -> Result<(), ClusterError> {
        let before = self.coordinator.announced().await?;
        let before = before.and_then(|bytes| unpack::<Announced>(&bytes).ok());
        if before.is_none_or(|before| before.hash != announced.hash) {
            // Groups of the configuration before an extension, whose matches the log may have.
            self.coordinator.withdraw().await?;
        }
        while let Some(result) = self.coordinator.next_result().await? {
            self.keep_early(result);
        }
        self.coordinator.announce(pack(announced)).await
    }

    async fn begin_patiently(&mut self, announced: &Announced) -> Result<(), ClusterError> {
        let patience = Patience::new();
        loop {
            match self.begin(announced).await {
                Err(error) if patience.bears(&error).await => {}
                done => return done,
            }
        }
    }

    async fn until_the_end(&mut self, stop: &mut watch::Receiver<Stop>) -> End {
        let queue = self.queue.clone();
        let reports = self.reports.clone();
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if self.rechecks.are_over() {
                return End::Quiet;
            }
            let wants_more = self.open.len() < self.window() && !self.rechecks.is_last();
            let went_on = tokio::select! {
                group = queue.next_group(), if wants_more => match group {
                    Some(group) => self.add(group).await,
                    // A test that is decided waits for nothing.
                    None if self.open.len() > 0 => return End::Quiet,
                    None => {
                        self.rechecks.are_last();
                        Ok(())
                    }
                },
                Some(examined) = self.examiner.done.recv() => self.take(examined).await,
                heard = self.coordinator.heard() => self.hear(heard).await,
                _ = ticks.tick() => self.look_after().await,
                _ = stop::asked(stop, Stop::Finish) => return End::Quiet,
                () = reports.closed() => return End::Quiet,
            };
            if let Err(end) = went_on {
                return end;
            }
        }
    }

    /// How many groups are open at a time.
    fn window(&self) -> usize {
        MOST_OPEN.min(AHEAD + 2 * self.shown.slots as usize)
    }

    /// A group is to be played, unless its result is here.
    async fn add(&mut self, group: ScheduledGroup) -> Result<(), End> {
        let job = group.number as u64;
        self.open.add(group);
        match self.early.remove(&job) {
            Some(result) => self.receive(result).await,
            None => {
                self.chores.push_back(Chore::Publish(job));
                self.do_chores().await
            }
        }
    }

    /// Does what has to be done on the server, as far as it answers.
    async fn do_chores(&mut self) -> Result<(), End> {
        while let Some(chore) = self.chores.pop_front() {
            let done = match &chore {
                Chore::Publish(job) => self.publish(*job).await,
                Chore::Refuse(result) => self.coordinator.refuse(result).await,
            };
            if let Err(error) = done {
                self.chores.push_front(chore);
                return self.not_now(error).await;
            }
            self.silent = None;
        }
        Ok(())
    }

    async fn publish(&self, job: u64) -> Result<(), ClusterError> {
        let recheck = self.rechecks.get(job);
        let group = recheck.map(|recheck| &recheck.group);
        let Some(group) = group.or_else(|| self.open.group(job)) else {
            return Ok(());
        };
        let payload = pack(&GroupJob {
            config: self.hash.clone(),
            matches: group.matches.clone(),
            not_for: recheck.map(|recheck| recheck.worker.clone()),
        });
        match self.coordinator.publish(job, payload).await? {
            // Before: by an earlier coordinator, or a worker has yet to acknowledge a result that was
            // refused. `look_after` publishes it again if it turns out not to be in the queue.
            Published::Now | Published::Before => Ok(()),
        }
    }

    /// The server did not do something. If it just does not answer, it is asked again later.
    async fn not_now(&mut self, error: ClusterError) -> Result<(), End> {
        if !error.is_passing() {
            return Err(error.into());
        }
        let since = *self.silent.get_or_insert_with(Instant::now);
        if since.elapsed() >= PATIENCE && !self.told_silence {
            self.told_silence = true;
            self.tell(format!("{error}; the tournament waits for it"))
                .await;
        }
        Ok(())
    }

    async fn tell(&self, what: String) {
        let _ = self.reports.send(FromSlot::Trouble(what.into())).await;
    }

    /// Takes the results that are there.
    async fn take_results(&mut self) -> Result<(), End> {
        loop {
            match self.coordinator.next_result().await {
                Ok(Some(result)) => self.receive(result).await?,
                Ok(None) => {
                    self.silent = None;
                    self.told_silence = false;
                    return Ok(());
                }
                Err(error) => return self.not_now(error).await,
            }
        }
    }

    /// A result has come, of whatever.
    async fn receive(&mut self, result: JobResult) -> Result<(), End> {
        if Rechecks::is_second(result.job) {
            return self.receive_second(result).await;
        }
        if self.open.group(result.job).is_none() {
            if self.queue.schedule().get(number_of(result.job)).is_none() {
                self.refuse(result);
                return self.do_chores().await;
            }
            self.keep_early(result);
            return Ok(());
        }
        if self.seen.is_ignored(&result.worker) {
            self.play_again(result);
            return self.do_chores().await;
        }
        if let Err(why) = &result.result {
            let why = unpack(why).unwrap_or_else(|why| Unplayable {
                why,
                broken_rules: false,
            });
            return self.unplayable(result, &why).await;
        }
        if self.open.note_result(result.job)
            && let Some(group) = self.open.group(result.job)
        {
            self.examiner.examine(group.clone(), result);
        }
        Ok(())
    }

    /// The second result of a group has come.
    async fn receive_second(&mut self, result: JobResult) -> Result<(), End> {
        let Some(recheck) = self.rechecks.get(result.job) else {
            self.refuse(result);
            return self.do_chores().await;
        };
        let says_nothing = result.worker == recheck.worker
            || result.result.is_err()
            || self.seen.is_ignored(&result.worker);
        let group = recheck.group.clone();
        if says_nothing {
            self.rechecks.remove(result.job);
        } else if self.rechecks.note_result(result.job) {
            self.examiner.examine(group, result);
        }
        Ok(())
    }

    /// The second result of a group was examined.
    async fn compare(&mut self, examined: Examined) {
        let Examined { result, records } = examined;
        let Some(recheck) = self.rechecks.remove(result.job) else {
            return;
        };
        match records {
            Ok(records) => {
                if let Some(what) = recheck.difference(&result.worker, &records) {
                    self.tell(what).await;
                }
            }
            Err(why) => self.disbelieve(&result, &why).await,
        }
    }

    /// Tells that a result is wrong; gives what follows.
    async fn disbelieve(&mut self, result: &JobResult, why: &str) {
        let follows = self.seen.was_wrong(&result.worker);
        self.tell(format!(
            "a result of the worker `{}` cannot be believed: {}; {follows}",
            result.worker,
            excerpt(why.as_bytes(), SHOWN)
        ))
        .await;
    }

    /// Has a group that was just played be played again, if it is its turn and there is somebody else.
    async fn recheck(
        &mut self,
        group: ScheduledGroup,
        worker: String,
        records: Vec<Record>,
    ) -> Result<(), End> {
        let job = self.rechecks.add(group, worker, records);
        self.chores.push_back(Chore::Publish(job));
        self.do_chores().await
    }

    /// A result of a group that was not asked for yet may be of use later, unless the group is in the log.
    fn keep_early(&mut self, result: JobResult) {
        if self.queue.schedule().awaits_group(number_of(result.job)) {
            self.early.insert(result.job, result);
        }
    }

    /// A worker says that a group cannot be played. One worker alone may be wrong.
    async fn unplayable(&mut self, result: JobResult, why: &Unplayable) -> Result<(), End> {
        let shown = excerpt(why.why.as_bytes(), SHOWN);
        if self.open.bury(result.job, &result.worker) {
            return Err(End::Report(if why.broken_rules {
                FromSlot::Broken(BrokenRules::new(shown))
            } else {
                let id = self.first_match(result.job);
                let what = format!("the match `{id}` cannot be played: {shown}");
                FromSlot::Remote(RemoteError::Stuck(what))
            }));
        }
        let id = self.first_match(result.job);
        self.tell(format!(
            "the worker `{}` cannot play the match `{id}`, which is tried again: {shown}",
            result.worker
        ))
        .await;
        self.play_again(result);
        self.do_chores().await
    }

    fn first_match(&self, job: u64) -> String {
        let group = self.open.group(job);
        group.map_or(String::new(), |group| group.matches[0].id())
    }

    /// A result was examined.
    async fn take(&mut self, examined: Examined) -> Result<(), End> {
        if Rechecks::is_second(examined.result.job) {
            self.compare(examined).await;
            return Ok(());
        }
        let Examined { result, records } = examined;
        let records = match records {
            Ok(records) => records,
            Err(why) => {
                self.disbelieve(&result, &why).await;
                self.play_again(result);
                return self.do_chores().await;
            }
        };
        let Some(group) = self.open.group(result.job).cloned() else {
            return Ok(());
        };
        let again = self.rechecks.wants(&group)
            && self.seen.is_another(self.coordinator.id(), &result.worker);
        let copies = again.then(|| records.clone());
        for (scheduled, record) in group.matches.iter().zip(records) {
            self.begins(result.job, scheduled.number, false).await?;
            self.report(FromSlot::Finished(scheduled.number, Box::new(record)))
                .await?;
        }
        self.open.remove(result.job);
        match copies {
            Some(records) => self.recheck(group, result.worker, records).await,
            None => Ok(()),
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

    async fn report(&self, report: FromSlot) -> Result<(), End> {
        self.reports.send(report).await.map_err(|_| End::Quiet)
    }

    /// A match begins, as far as is known.
    async fn begins(&mut self, job: u64, number: usize, first: bool) -> Result<(), End> {
        let begun = self.open.begins(job, number, first);
        match begun.map(|scheduled| describe(&self.config, scheduled)) {
            Some(what) => self.report(FromSlot::Started(what)).await,
            None => Ok(()),
        }
    }

    async fn hear(&mut self, heard: Heard) -> Result<(), End> {
        let (worker, about) = match heard {
            Heard::Heartbeat(presence) => {
                self.seen.heard(presence);
                return Ok(());
            }
            Heard::News { worker, about } => (worker, about),
        };
        if about.is_empty() {
            return self.take_results().await;
        }
        let Ok(news) = serde_json::from_slice::<WorkerNews>(&about) else {
            return Ok(());
        };
        match news {
            WorkerNews::Begins { job, number, first } => {
                self.rechecks.begins(job);
                self.begins(job, number, first).await?;
                self.unless_hopeless(job)
            }
            WorkerNews::CannotPlay { bot, why } => {
                let why = excerpt(why.as_bytes(), SHOWN);
                let is_known = self.config.bots.iter().any(|spec| spec.name == bot);
                if is_known && self.seen.refuses(&worker, &bot, &why) {
                    self.tell(format!(
                        "the worker `{worker}` cannot play with `{bot}`: {why}"
                    ))
                    .await;
                }
                Ok(())
            }
            WorkerNews::CannotServe { why } => {
                let why = excerpt(why.as_bytes(), SHOWN);
                self.tell(format!("the worker `{worker}` plays no matches: {why}"))
                    .await;
                Ok(())
            }
            WorkerNews::Trouble { what } => {
                let what = excerpt(what.as_bytes(), SHOWN);
                self.tell(format!("the worker `{worker}`: {what}")).await;
                Ok(())
            }
        }
    }

    /// A group that workers take again and again may be what ends them.
    fn unless_hopeless(&self, job: u64) -> Result<(), End> {
        if !self.open.is_hopeless(job) {
            return Ok(());
        }
        let id = self.first_match(job);
        let what = format!(
            "workers have begun the match `{id}` again and again, and never finished it: does it end \
             them, or is the lease too short for them?"
        );
        Err(End::Report(FromSlot::Remote(RemoteError::Stuck(what))))
    }

    /// Makes up for news that were lost.
    async fn look_after(&mut self) -> Result<(), End> {
        self.show_workers().await?;
        self.do_chores().await?;
        self.unless_refused_by_all()?;
        if self.checked.elapsed() < self.lease / 2 {
            return self.take_results().await;
        }
        self.checked = Instant::now();
        // First the queue, then the results: a result is stored before its job leaves the queue.
        let queued = match self.coordinator.queued().await {
            Ok(queued) => queued,
            Err(error) => return self.not_now(error).await,
        };
        if let Err(error) = self.check_server().await {
            return self.not_now(error).await;
        }
        self.take_results().await?;
        if self.silent.is_none() {
            let open = self.open.without_result().map(|(job, _)| job);
            let open = open.chain(self.rechecks.without_result());
            let lost: Vec<u64> = open.filter(|job| !queued.contains(job)).collect();
            self.recover(&lost).await?;
        }
        self.do_chores().await
    }

    /// Jobs that are not in the queue any more, and whose results have not come.
    async fn recover(&mut self, lost: &[u64]) -> Result<(), End> {
        for &job in lost {
            // A server that was killed can lose what it stored last, and give its place in the stream,
            // which was read, to what comes next.
            match self.coordinator.result_of(job).await {
                Ok(Some(result)) => self.receive(result).await?,
                Ok(None) => self.chores.push_back(Chore::Publish(job)),
                Err(error) => return self.not_now(error).await,
            }
        }
        Ok(())
    }

    /// Has the server make up for what it has lost.
    async fn check_server(&mut self) -> Result<(), ClusterError> {
        self.coordinator.check_results().await?;
        let all_idle = self.seen.all_idle(self.coordinator.id());
        if self.coordinator.mend_queue(all_idle).await? {
            tracing::info!("the queue was begun anew: it had jobs that nobody got");
        }
        Ok(())
    }

    /// Reports how many workers there are, when that changes.
    async fn show_workers(&mut self) -> Result<(), End> {
        let (workers, slots) = self.seen.count();
        let lost = self.open.lost;
        let now = WorkersSeen {
            workers,
            slots,
            lost,
        };
        if now == self.shown {
            return Ok(());
        }
        self.shown = now;
        self.report(FromSlot::Workers(now)).await
    }

    /// Ends the tournament if there are workers, but none of them can play with a bot for long.
    fn unless_refused_by_all(&mut self) -> Result<(), End> {
        let mut refused = HashMap::new();
        for (_, matches) in self.open.without_result() {
            for &bot in matches.iter().flat_map(|scheduled| &scheduled.seats) {
                let name = &self.config.bots[bot].name;
                if refused.contains_key(name) {
                    continue;
                }
                if let Some(why) = self.seen.nobody_plays(name) {
                    let before = self.refused.get(name).copied();
                    let since = before.unwrap_or_else(Instant::now);
                    if since.elapsed() >= LONGEST_REFUSAL {
                        let what = format!("no worker can play with `{name}`: {why}");
                        return Err(End::Report(FromSlot::Remote(RemoteError::Stuck(what))));
                    }
                    refused.insert(name.clone(), since);
                }
            }
        }
        self.refused = refused;
        Ok(())
    }
}
