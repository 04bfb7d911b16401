//! Running a tournament: slots play matches side by side, one writer keeps the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Instant, SystemTime};

use games::Session;
use protocol::{Conditions, FaultCode, LOG_FORMAT, MatchResult, Millis, Player, Record};
use thiserror::Error;
use tokio::sync::{mpsc, watch};

use super::config::Affinity;
use super::cores;
use super::opening;
use super::schedule::Scheduled;
use super::{Config, GameSetup};
use crate::arbiter::{Played, Seated, Setup, table::wire_limits};
use crate::bot::pool::Pool;
use crate::bot::spec::BotSpec;
use crate::bot::{BotProcess, Failure, Nursery, REFEREE_NAME};
use crate::driver;
use crate::log::{LogWriter, WriteError};

/// What happens in a tournament, for those who show it.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A match has begun.
    Started,
    /// A match was finished and is in the log.
    Finished(&'a Record),
    /// Something that the user should hear about.
    Trouble(&'a str),
}

/// Why a tournament could not go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// The log.
    #[error(transparent)]
    Log(#[from] WriteError),
    /// Threads.
    #[error("no thread can be started for a match: {0}")]
    Slot(std::io::Error),
}

/// How running went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    /// All matches were played.
    Complete,
    /// It was interrupted; what was finished is in the log.
    Interrupted,
}

/// What slots report.
enum Report {
    Started,
    Finished(Box<Record>),
    Trouble(String),
}

/// A bot's version is logged up to so many characters.
const LONGEST_VERSION: usize = 100;

/// What slots share.
struct Shared {
    config: Arc<Config>,
    schedule: Vec<Scheduled>,
    /// The index of the next match that nobody plays yet.
    next: AtomicUsize,
    nursery: Arc<Nursery>,
    stop: watch::Receiver<bool>,
}

/// Plays the schedule. Each finished match is in the log before it is shown. When `stop` turns
/// true, matches in flight are given up and the bots ended.
///
/// Each slot is a thread with a runtime of its own: what belongs to one match never waits for
/// another.
///
/// # Errors
/// If the log cannot be written; matches in flight are given up then, too.
pub async fn run(
    config: Arc<Config>,
    schedule: Vec<Scheduled>,
    nursery: Nursery,
    log: &mut LogWriter,
    stop: watch::Receiver<bool>,
    mut show: impl FnMut(Progress<'_>),
) -> Result<Ran, RunError> {
    let slots = config.concurrency.min(schedule.len());
    let shared = Arc::new(Shared {
        config,
        schedule,
        next: AtomicUsize::new(0),
        nursery: Arc::new(nursery),
        stop,
    });
    // Small, so that slots wait for the log instead of running ahead of it.
    let (reports, mut inbox) = mpsc::channel(2 * slots.max(1));
    for number in 0..slots {
        let (shared, reports) = (shared.clone(), reports.clone());
        thread::Builder::new()
            .name(format!("slot {number}"))
            .spawn(move || own_runtime(number, shared, reports))
            .map_err(RunError::Slot)?;
    }
    drop(reports);
    let mut finished = 0;
    let mut wrong = None;
    // Ends when the last slot is gone. After an error slots end at their next report.
    while let Some(report) = inbox.recv().await {
        match report {
            Report::Started => show(Progress::Started),
            Report::Trouble(what) => show(Progress::Trouble(&what)),
            Report::Finished(record) => match log.append(&record) {
                Ok(()) => {
                    finished += 1;
                    show(Progress::Finished(&record));
                }
                Err(error) => {
                    wrong = Some(error);
                    break;
                }
            },
        }
    }
    drop(inbox);
    shared.nursery.all_gone().await;
    if let Some(error) = wrong {
        return Err(error.into());
    }
    log.sync()?;
    Ok(match finished == shared.schedule.len() {
        true => Ran::Complete,
        false => Ran::Interrupted,
    })
}

/// A slot's thread.
fn own_runtime(number: usize, shared: Arc<Shared>, reports: mpsc::Sender<Report>) {
    if shared.config.affinity == Affinity::Cores
        && let Err(error) = cores::keep_to_one(number)
    {
        let what = format!("`affinity`: slot {number} cannot keep to one core: {error}");
        let _ = reports.blocking_send(Report::Trouble(what));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(slot(shared, reports)),
        Err(error) => tracing::error!("a slot cannot begin: {error}"),
    }
}

/// Plays one match after another until there are no more.
async fn slot(shared: Arc<Shared>, reports: mpsc::Sender<Report>) {
    let mut pool = Pool::new(shared.nursery.clone());
    let mut stop = shared.stop.clone();
    while !*stop.borrow() {
        let next = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(scheduled) = shared.schedule.get(next) else {
            break;
        };
        if reports.send(Report::Started).await.is_err() {
            break;
        }
        let record = tokio::select! {
            record = play(&shared.config, scheduled, &mut pool) => record,
            _ = stop.wait_for(|stop| *stop) => break,
            () = reports.closed() => break,
        };
        for what in shared.nursery.take_news() {
            let _ = reports.send(Report::Trouble(what)).await;
        }
        let report = Report::Finished(Box::new(record));
        if reports.send(report).await.is_err() {
            break;
        }
    }
    pool.end().await;
}

async fn play(config: &Config, scheduled: &Scheduled, pool: &mut Pool) -> Record {
    let game = &config.games[scheduled.game];
    let specs: Vec<Arc<BotSpec>> = scheduled
        .seats
        .iter()
        .map(|&bot| config.bots[bot].clone())
        .collect();
    let plan = Plan {
        id: scheduled.id(),
        game: game.clone(),
        seed: opening::seed(config, scheduled),
        random_plies: config.random_plies,
        time: config.time.clone(),
        start: None,
        specs,
        conditions: config.conditions(),
    };
    plan.play(pool, |_| ()).await
}

/// One match, with all that belongs to it.
pub struct Plan {
    /// Its id.
    pub id: String,
    /// What is played.
    pub game: GameSetup,
    /// The position at the start, instead of the one that belongs to the seed.
    pub start: Option<Box<dyn Session>>,
    /// What start, opening and forced moves are made from.
    pub seed: u64,
    /// How many random plies the referee makes first.
    pub random_plies: u32,
    /// The time control of bots that have none of their own.
    pub time: protocol::TimeControl,
    /// The bots in seat order.
    pub specs: Vec<Arc<BotSpec>>,
    /// How it is run.
    pub conditions: Conditions,
}

impl Plan {
    /// Plays the match with bots of this pool; `watch` looks on.
    pub async fn play(
        &self,
        pool: &mut Pool,
        watch: impl FnMut(&crate::arbiter::Arbiter),
    ) -> Record {
        let rules = &self.game.rules;
        let start = match &self.start {
            Some(start) => start.fork(),
            None => rules.start(self.seed),
        };
        let opening = opening::moves(&*start, self.game.limits, self.seed, self.random_plies);
        let (state, opened) = (start.state(), opening.len());
        let started = SystemTime::now();
        let clock = Instant::now();
        let bots = pool.take(&self.specs).await;
        let versions: Vec<Option<String>> = bots.iter().map(version).collect();
        let setup = Setup {
            match_id: self.id.clone(),
            rules: rules.clone(),
            start,
            opening,
            seed: self.seed,
            limits: self.game.limits,
            players: self.seated(pool.nursery()),
            cores: thread::available_parallelism().map_or(1, |n| n.get() as u32),
        };
        let joined: Vec<bool> = bots.iter().map(|bot| self.plays_this(bot)).collect();
        let (played, bots) = driver::play(setup, &self.specs, bots, pool, watch).await;
        for (seat, (spec, bot)) in self.specs.iter().zip(bots).enumerate() {
            if joined[seat] {
                let failure = startup_fault(&played.result, seat);
                pool.nursery().began(spec, failure.as_ref()).await;
            }
            if let Some(bot) = bot {
                pool.give_back(spec, bot);
            }
        }
        let Played { moves, result } = played;
        Record {
            format: LOG_FORMAT,
            match_id: self.id.clone(),
            game: rules.info().id.to_owned(),
            options: rules.options().to_json(),
            seed: self.seed,
            start: state,
            players: self.players(versions, pool.nursery()),
            time: self.time.clone(),
            limits: wire_limits(self.game.limits),
            conditions: Some(self.conditions.clone()),
            opening: opened as u32,
            moves,
            result,
            started: humantime::format_rfc3339_millis(started).to_string(),
            duration_ms: Millis(clock.elapsed()),
            referee: REFEREE_NAME.to_owned(),
        }
    }

    /// Whether a bot is there that says that it plays this game.
    fn plays_this(&self, bot: &Result<BotProcess, Failure>) -> bool {
        let Ok(bot) = bot else { return false };
        let games = bot.hello().games.as_ref();
        games.is_none_or(|games| games.iter().any(|id| id == self.game.rules.info().id))
    }

    fn seated(&self, nursery: &Nursery) -> Vec<Seated> {
        let seats = self.specs.iter().map(|spec| Seated {
            name: spec.name.clone(),
            time: spec.time.clone(),
            cpu_time: nursery.cage(spec).resources().cpu_time,
            info_bytes: nursery.cage(spec).resources().info_bytes,
        });
        seats.collect()
    }

    fn players(&self, versions: Vec<Option<String>>, nursery: &Nursery) -> Vec<Player> {
        let seats = self.specs.iter().zip(self.game.rules.roles()).zip(versions);
        seats
            .map(|((spec, role), version)| Player {
                name: spec.name.clone(),
                role: (*role).to_owned(),
                version,
                command: spec.command.clone(),
                time: spec.own_time.then(|| spec.time.clone()),
                confined: nursery.cage(spec).confined().cloned(),
            })
            .collect()
    }
}

/// Why a bot that was there did not get ready.
fn startup_fault(result: &MatchResult, seat: usize) -> Option<Failure> {
    let mut faults = result.faults.iter();
    let fault = faults.find(|fault| fault.seat == seat && fault.code == FaultCode::Startup)?;
    Some((fault.code, fault.message.clone()))
}

/// As the bot tells it; a bot that tells a novel does not fill the log with it.
fn version(bot: &Result<BotProcess, Failure>) -> Option<String> {
    let told = bot.as_ref().ok()?.hello().version.as_ref()?;
    let fit = told.chars().filter(|c| !c.is_control());
    Some(fit.take(LONGEST_VERSION).collect())
}
