//! Running a tournament: slots play matches side by side, one writer keeps the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime};

use games::Session;
use protocol::{LOG_FORMAT, Millis, Player, Record};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::opening;
use super::schedule::Scheduled;
use super::{Config, GameSetup};
use crate::arbiter::{Played, Seated, Setup, table::wire_limits};
use crate::bot::pool::{Nursery, Pool};
use crate::bot::spec::{BotSpec, Restart};
use crate::bot::{Failure, REFEREE_NAME};
use crate::driver;
use crate::log::{LogWriter, WriteError};

/// What happens in a tournament, for those who show it.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A match has begun.
    Started,
    /// A match was finished and is in the log.
    Finished(&'a Record),
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
}

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
/// # Errors
/// If the log cannot be written; matches in flight are given up then, too.
pub async fn run(
    config: Arc<Config>,
    schedule: Vec<Scheduled>,
    nursery: Nursery,
    log: &mut LogWriter,
    stop: watch::Receiver<bool>,
    mut show: impl FnMut(Progress<'_>),
) -> Result<Ran, WriteError> {
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
    let mut running = JoinSet::new();
    for _ in 0..slots {
        running.spawn(slot(shared.clone(), reports.clone()));
    }
    drop(reports);
    let mut finished = 0;
    while let Some(report) = inbox.recv().await {
        match report {
            Report::Started => show(Progress::Started),
            Report::Finished(record) => {
                if let Err(error) = log.append(&record) {
                    // Awaited, or slots that are ending their bots would see the runtime vanish.
                    running.shutdown().await;
                    return Err(error);
                }
                finished += 1;
                show(Progress::Finished(&record));
            }
        }
    }
    running.join_all().await;
    log.sync()?;
    Ok(match finished == shared.schedule.len() {
        true => Ran::Complete,
        false => Ran::Interrupted,
    })
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
        };
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
            players: self.specs.iter().map(|spec| seated(spec)).collect(),
        };
        let (played, bots) = driver::play(setup, bots, watch).await;
        for (spec, bot) in self.specs.iter().zip(bots) {
            match bot {
                Some(bot) if spec.restart == Restart::EachMatch => bot.end().await,
                Some(bot) => pool.give_back(&spec.name, bot).await,
                None => {}
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
            players: self.players(versions),
            time: self.time.clone(),
            limits: wire_limits(self.game.limits),
            opening: opened as u32,
            moves,
            result,
            started: humantime::format_rfc3339_millis(started).to_string(),
            duration_ms: Millis(clock.elapsed()),
            referee: REFEREE_NAME.to_owned(),
        }
    }

    fn players(&self, versions: Vec<Option<String>>) -> Vec<Player> {
        let seats = self.specs.iter().zip(self.game.rules.roles()).zip(versions);
        seats
            .map(|((spec, role), version)| Player {
                name: spec.name.clone(),
                role: (*role).to_owned(),
                version,
                command: spec.command.clone(),
                time: spec.own_time.then(|| spec.time.clone()),
            })
            .collect()
    }
}

fn seated(spec: &BotSpec) -> Seated {
    Seated {
        name: spec.name.clone(),
        time: spec.time.clone(),
    }
}

fn version(bot: &Result<crate::bot::BotProcess, Failure>) -> Option<String> {
    bot.as_ref().ok()?.hello().version.clone()
}
