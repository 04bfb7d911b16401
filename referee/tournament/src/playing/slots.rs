//! Slots play matches side by side, and one writer keeps the log.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use arbiter::Arbiter;
use config::{Affinity, Config};
use deals::Deal;
use games::BrokenRules;
use log::{self, LogWriter, WriteError};
use machine::{cores, memory};
use protocol::{Machine, Record};
use schedule::{Schedule, Scheduled};
use supervisor::resource_exhausted;
use supervisor::{BotFactory, Pool};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use crate::folder::Folder;
use crate::playing::backend::{Backend, Run};
use crate::playing::broadcast::{Broadcast, SnapshotBudget};
use crate::playing::budget::Budgets;
use crate::playing::failures::Failures;
use crate::playing::match_run::{MatchRun, People};
use crate::playing::openings::{self, Opening};
use crate::playing::queue::Queue;
use crate::playing::warnings::{BotsWarn, UndeclaredChance};
use crate::reports::{FromSlot, Progress, RunError, TournamentOutcome};
use crate::stop::{self, Stop};

/// Reports of slots that wait to be written.
const MOST_REPORTS: usize = 32;
/// Openings listed in a warning.
const MOST_NAMED: usize = 10;
/// The writer rests this long when it has written everything: waking it costs a slot as much as
/// several moves of instant bots.
const REST: Duration = Duration::from_millis(1);

/// The reason why a run with a backend stops.
pub enum BackendError<E> {
    Run(RunError),
    Backend(E),
}

/// Shared by the slots.
struct Shared {
    config: Arc<Config>,
    queue: Queue,
    /// Indices of games with a warning about their openings.
    warned: Mutex<HashSet<usize>>,
    /// Indices of games whose dropped openings were named.
    named: Mutex<HashSet<usize>>,
    factory: Arc<BotFactory>,
    failures: Arc<Failures>,
    /// `None` if nobody can subscribe.
    broadcast: Option<Arc<Broadcast>>,
    machine: Arc<Machine>,
    stop: watch::Receiver<Stop>,
}

/// Plays the rest of the schedule on this machine. Each finished match is in the log before it is
/// shown. `stop` ends it early, and the bots with it.
///
/// Each slot is a thread with a runtime of its own: what belongs to one match never waits for
/// another.
///
/// # Errors
/// If the log cannot be written; matches in flight are given up then, too.
pub(crate) async fn run(
    config: Arc<Config>,
    schedule: Schedule,
    machine: Machine,
    factory: BotFactory,
    folder: &mut Folder,
    stop: watch::Receiver<Stop>,
    mut show: impl FnMut(Progress<'_>),
) -> Result<TournamentOutcome, RunError> {
    let left = schedule.total().saturating_sub(schedule.finished() as u64);
    let slots = config
        .machine
        .concurrency
        .min(usize::try_from(left).unwrap_or(usize::MAX));
    let shared = Arc::new(Shared {
        failures: Arc::new(Failures::of(&folder.path, config.keep.failures)),
        broadcast: Broadcast::begin(&folder.path),
        config,
        queue: Queue::new(schedule),
        warned: Mutex::default(),
        named: Mutex::default(),
        factory: Arc::new(factory),
        machine: Arc::new(machine),
        stop,
    });
    memory::save_for_threads();
    // News first: they may explain the record, and slots do not wait for each other.
    let mut show = |progress: Progress<'_>| {
        if matches!(progress, Progress::Finished { .. }) {
            for what in shared.factory.take_news() {
                show(Progress::Warning(&what));
            }
        }
        show(progress);
    };
    // Small, so that slots wait for the log instead of running ahead of it.
    let (reports, inbox) = mpsc::channel(MOST_REPORTS);
    // Nothing is sent: it closes when the last slot has ended its bots.
    let (at_work, mut all_done) = mpsc::channel::<Infallible>(1);
    let mut budgets = Budgets::new(&shared.config, &folder.path);
    leave_out_without_budget(&mut budgets, &shared.queue, &mut show);
    let written = match start(slots, &shared, reports, at_work) {
        Ok(()) => {
            let stop = shared.stop.clone();
            let what = (&*shared.config, &shared.queue, budgets);
            write(what, inbox, &mut folder.log, stop, &mut show).await
        }
        Err(error) => {
            drop(inbox);
            Err(error)
        }
    };
    // After an error, too: while bots are running, they can write to a log that is already closed.
    all_done.recv().await;
    shared.factory.all_gone().await;
    for what in shared.factory.take_news() {
        show(Progress::Warning(&what));
    }
    conclude(written, &shared.queue, &mut folder.log, &mut show)
}

/// Plays the rest of the schedule with a backend. Each finished match is in the log before it is
/// shown.
///
/// # Errors
/// If the log cannot be written, or the backend cannot go on.
pub(crate) async fn run_at<B: Backend>(
    backend: &mut B,
    config: Arc<Config>,
    schedule: Schedule,
    folder: &mut Folder,
    stop: watch::Receiver<Stop>,
    mut show: impl FnMut(Progress<'_>),
) -> Result<TournamentOutcome, BackendError<B::Error>> {
    let queue = Arc::new(Queue::new(schedule));
    // Small, so that results wait for the log instead of running ahead of it.
    let (reports, inbox) = mpsc::channel(MOST_REPORTS);
    let run = Run {
        config: config.clone(),
        folder: folder.path.clone(),
        queue: queue.clone(),
        reports,
        stop: stop.clone(),
    };
    let mut budgets = Budgets::new(&config, &folder.path);
    leave_out_without_budget(&mut budgets, &queue, &mut show);
    let playing = backend.open(run).await.map_err(BackendError::Backend)?;
    let playing = tokio::spawn(playing);
    let what = (&*config, &*queue, budgets);
    let written = write(what, inbox, &mut folder.log, stop, &mut show).await;
    // It also ends when its reports are no longer received.
    let played = match playing.await {
        Ok(played) => played,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    };
    if let (Ok(()), Err(error)) = (&written, played) {
        // Finished matches should be on the disk; if this fails, the first error is the cause.
        let _ = folder.log.finish();
        return Err(BackendError::Backend(error));
    }
    let outcome = conclude(written, &queue, &mut folder.log, &mut show);
    let outcome = outcome.map_err(BackendError::Run)?;
    if outcome.complete
        && let Some(what) = backend.close().await
    {
        show(Progress::Warning(&what.into()));
    }
    Ok(outcome)
}

/// Closes the log after the last write, and returns how the tournament ended.
fn conclude(
    written: Result<(), RunError>,
    queue: &Queue,
    log: &mut LogWriter,
    show: &mut impl FnMut(Progress<'_>),
) -> Result<TournamentOutcome, RunError> {
    if let Err(error) = written {
        return Err(after_error(error, log, show));
    }
    log.finish()?;
    warn_if_put_back(log, show);
    let budget_used_up = queue.leaves_out();
    let schedule = queue.schedule();
    Ok(TournamentOutcome {
        complete: schedule.is_over(),
        budget_used_up,
        standing: schedule.standing(),
    })
}

/// Starts the slots. They end when their reports are no longer received, and drop `at_work` then.
fn start(
    slots: usize,
    shared: &Arc<Shared>,
    reports: mpsc::Sender<FromSlot>,
    at_work: mpsc::Sender<Infallible>,
) -> Result<(), RunError> {
    for number in 0..slots {
        let (shared, reports, at_work) = (shared.clone(), reports.clone(), at_work.clone());
        let slot = thread::Builder::new().name(format!("slot {number}"));
        let started = slot.spawn(move || {
            own_runtime(number, shared, reports);
            drop(at_work);
        });
        started.map_err(|error| {
            RunError::ResourceExhausted(format!("no thread can be started for a match: {error}"))
        })?;
    }
    Ok(())
}

/// Writes the slots' reports to the log, and shows them, until the last slot is gone. Returns early
/// after an error; slots end at their next report then.
async fn write(
    (config, queue, mut budgets): (&Config, &Queue, Budgets<'_>),
    mut inbox: mpsc::Receiver<FromSlot>,
    log: &mut LogWriter,
    mut stop: watch::Receiver<Stop>,
    show: &mut impl FnMut(Progress<'_>),
) -> Result<(), RunError> {
    let mut batch = Vec::new();
    let (mut undeclared, mut bots) = (UndeclaredChance::default(), BotsWarn::default());
    loop {
        let received = tokio::select! {
            // First, because it may be why the last slot is gone.
            biased;
            how = stop::changed(&mut stop) => {
                show(Progress::Stopping(how));
                continue;
            }
            received = inbox.recv_many(&mut batch, MOST_REPORTS) => received,
        };
        if received == 0 {
            return Ok(());
        }
        log.append(batch.iter().filter_map(FromSlot::record))?;
        warn_if_put_back(log, show);
        let mut failed = None;
        for report in batch.drain(..) {
            match report {
                FromSlot::Started(what) => show(Progress::Started(&what)),
                FromSlot::Warning(what) => show(Progress::Warning(&what)),
                // The first failure causes those that follow it.
                FromSlot::Failed(error) => {
                    failed.get_or_insert(error);
                }
                FromSlot::Workers(seen) => show(Progress::Workers(seen)),
                FromSlot::Finished(number, record) => {
                    // Only what is in the log decides what comes next.
                    let outcome = &record.result.outcome;
                    let repetition = || ratings::repetition(&record);
                    // Before slots look for another match.
                    budgets.note(&record);
                    leave_out_without_budget(&mut budgets, queue, show);
                    queue.finish(number, outcome, repetition);
                    show(finished(&record, queue));
                    let warnings = undeclared.noticed(config, &record).into_iter();
                    for warning in warnings.chain(bots.noticed(&record)) {
                        show(Progress::Warning(&warning.into()));
                    }
                }
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        if inbox.is_empty() && !inbox.is_closed() {
            sleep(REST).await;
        }
    }
}

/// Saves as much as possible after an error, and returns it.
fn after_error(
    error: RunError,
    log: &mut LogWriter,
    show: &mut impl FnMut(Progress<'_>),
) -> RunError {
    // The log may have been moved; its contents should be right.
    if matches!(error, RunError::Log(WriteError::Gone { .. }))
        && let Err(lost) = log.check()
    {
        show(Progress::Warning(&lost.to_string().into()));
    }
    // Finished matches should be on the disk; if this fails, the first error is the cause.
    let _ = log.finish();
    error
}

/// Leaves out bots without budget, and says so.
fn leave_out_without_budget(
    budgets: &mut Budgets<'_>,
    queue: &Queue,
    show: &mut impl FnMut(Progress<'_>),
) {
    for sentence in budgets.apply(queue) {
        show(Progress::Warning(&sentence.into()));
    }
}

fn finished<'a>(record: &'a Record, queue: &Queue) -> Progress<'a> {
    let schedule = queue.schedule();
    Progress::Finished {
        record,
        done: schedule.finished(),
        total: schedule.total(),
        standing: schedule.live(),
    }
}

fn warn_if_put_back(log: &mut LogWriter, show: &mut impl FnMut(Progress<'_>)) {
    if let Some(lines) = log.take_put_back() {
        let what = format!(
            "another program wrote to the log, perhaps a bot; it was put back as it was, all \
             {lines} matches of it (`sandbox = \"strict\"` would keep bots from it)"
        );
        show(Progress::Warning(&what.into()));
    }
}

/// The thread of a slot.
fn own_runtime(number: usize, shared: Arc<Shared>, reports: mpsc::Sender<FromSlot>) {
    if shared.config.machine.affinity == Affinity::Cores
        && let Err(error) = cores::keep_to_one(number)
    {
        let what = format!("`affinity`: slot {number} cannot keep to one core: {error}");
        let _ = reports.blocking_send(FromSlot::Warning(what.into()));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        // A slot has a handful of pipes; the default is meant for thousands.
        .max_io_events_per_tick(64)
        .enable_all()
        .build();
    match runtime {
        // On the heap: otherwise each of many nested futures would contain it.
        Ok(runtime) => runtime.block_on(Box::pin(slot(shared, reports))),
        Err(error) => {
            let what = format!("no match can be driven: {error}");
            let _ = reports.blocking_send(FromSlot::Failed(RunError::ResourceExhausted(what)));
        }
    }
}

/// Plays one match after another until there are no more.
async fn slot(shared: Arc<Shared>, reports: mpsc::Sender<FromSlot>) {
    let mut pool = Pool::new(shared.factory.clone());
    let mut budget = SnapshotBudget::default();
    let mut stop = shared.stop.clone();
    loop {
        let next = tokio::select! {
            // After a request to stop, no match is taken, even if there is one.
            biased;
            _ = stop::asked(&mut stop, Stop::Finish) => break,
            () = reports.closed() => break,
            next = shared.queue.next() => next,
        };
        let Some(scheduled) = next else { break };
        let begun = FromSlot::Started(describe(&shared.config, &scheduled));
        if reports.send(begun).await.is_err() {
            break;
        }
        let deal = openings::deal(&shared.config, &scheduled);
        let opening = match Opening::of(&shared.config, &scheduled, deal.as_ref()) {
            Ok(opening) => opening,
            Err(broken) => {
                let _ = reports.send(FromSlot::Failed(broken.into())).await;
                break;
            }
        };
        if let Some(warning) = shared.lopsided(&scheduled, &opening) {
            let _ = reports.send(FromSlot::Warning(warning.into())).await;
        }
        if let Some(warning) = shared.left_out(&scheduled) {
            let _ = reports.send(FromSlot::Warning(warning.into())).await;
        }
        let played = tokio::select! {
            // The others are polled only while the match waits for something.
            biased;
            played = Box::pin(shared.play(&scheduled, (opening, deal), &mut pool, &mut budget)) => played,
            _ = stop::asked(&mut stop, Stop::GiveUp) => break,
            () = reports.closed() => break,
        };
        // This match or another may have been lost by it: none of them counts.
        if let Some(what) = resource_exhausted::noted() {
            let _ = reports
                .send(FromSlot::Failed(RunError::ResourceExhausted(
                    what.to_owned(),
                )))
                .await;
            break;
        }
        let (report, is_last) = match played {
            Ok(record) => (
                FromSlot::Finished(scheduled.number, Box::new(record)),
                false,
            ),
            Err(NoResult::Broken(broken)) => (FromSlot::Failed(broken.into()), true),
            Err(NoResult::Noisy(why)) => (FromSlot::Failed(RunError::ResourceExhausted(why)), true),
        };
        if reports.send(report).await.is_err() || is_last {
            break;
        }
        // What the match has used counts before another one begins.
        if shared.config.budget.is_some() {
            tokio::select! {
                () = shared.queue.finished(scheduled.number) => {}
                () = reports.closed() => break,
            }
        }
    }
    pool.end().await;
}

/// Id, game and players of a match.
pub fn describe(config: &Config, scheduled: &Scheduled) -> String {
    let bots = scheduled.seats.iter().map(|&bot| &config.bots[bot]);
    let names: Vec<&str> = bots.map(|bot| &*bot.name).collect();
    let game = &config.games[scheduled.game].rules.info().id;
    format!("{}  {game}  {}", scheduled.id(), names.join(" – "))
}

enum NoResult {
    Broken(BrokenRules),
    Noisy(String),
}

impl From<BrokenRules> for NoResult {
    fn from(broken: BrokenRules) -> Self {
        NoResult::Broken(broken)
    }
}

impl Shared {
    /// Plays a match until it counts: again if the machine was too busy meanwhile.
    async fn play(
        &self,
        scheduled: &Scheduled,
        opening: (Opening, Option<Deal>),
        pool: &mut Pool,
        budget: &mut SnapshotBudget,
    ) -> Result<Record, NoResult> {
        let plan = plan(
            &self.config,
            scheduled,
            opening,
            &self.machine,
            &self.failures,
        );
        let limits = &self.config.machine.noise_limits;
        let mut attempt = 1;
        loop {
            let record = match &self.broadcast {
                Some(broadcast) => {
                    let observer = broadcast.observer(&plan, budget);
                    plan.play(pool, People::new(), observer).await?
                }
                None => plan.play(pool, People::new(), |_: &Arbiter| ()).await?,
            };
            let Some(why) = limits.exceeded(record.load.as_ref()) else {
                return Ok(record);
            };
            if attempt == limits.attempts {
                return Err(NoResult::Noisy(format!(
                    "this machine has too many other things to do: match {} was played {attempt} times \
                     and did not count, the last time because {why}",
                    plan.id
                )));
            }
            attempt += 1;
            let news = format!("match {} is played again: {why}", plan.id);
            self.factory.add_news(Some(news));
        }
    }

    /// A warning about an unbalanced opening, once a game.
    fn lopsided(&self, scheduled: &Scheduled, opening: &Opening) -> Option<String> {
        let (far, margin) = (opening.unbalanced?, self.config.openings.balanced?);
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        warned.insert(scheduled.game).then(|| {
            format!(
                "no opening of {} was found whose random games are within {margin} of equal \
                 chances, at least in match {}; the best one is off by {far:.2}",
                self.config.games[scheduled.game].rules.info().id,
                scheduled.id()
            )
        })
    }

    /// The openings of the book that are left out, once a game.
    fn left_out(&self, scheduled: &Scheduled) -> Option<String> {
        let openings = &self.config.openings;
        let (judged, margin) = (openings.judged[scheduled.game].get()?, openings.balanced?);
        let book = openings.book.get(scheduled.game)?;
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if judged.chosen.len() == book.len() || !named.insert(scheduled.game) {
            return None;
        }
        let dropped = book.iter().enumerate();
        let dropped = dropped.filter(|(place, _)| !judged.chosen.contains(place));
        let names: Vec<String> = dropped.map(|(_, opening)| opening.to_string()).collect();
        let mut list = names[..names.len().min(MOST_NAMED)].join(", ");
        if names.len() > MOST_NAMED {
            list += &format!(" and {} more", names.len() - MOST_NAMED);
        }
        Some(format!(
            "{} of the {} openings of {} in the book are left out, because their random games are \
             not within {margin} of equal chances: {list}",
            names.len(),
            book.len(),
            self.config.games[scheduled.game].rules.info().id,
        ))
    }
}

/// The match as it is played, by a slot or a backend.
pub fn plan(
    config: &Config,
    scheduled: &Scheduled,
    (opening, deal): (Opening, Option<Deal>),
    machine: &Arc<Machine>,
    failures: &Arc<Failures>,
) -> MatchRun {
    let bots = scheduled.seats.iter();
    MatchRun {
        id: scheduled.id(),
        game: config.games[scheduled.game].clone(),
        seed: openings::seed(config, scheduled),
        deal,
        start: opening.start,
        opening: opening.moves,
        time: config.time.clone(),
        specs: bots.map(|&bot| config.bots[bot].clone()).collect(),
        conditions: config.conditions(),
        machine: machine.clone(),
        failures: Some(failures.clone()),
    }
}
