//! Running a tournament: slots play matches side by side, one writer keeps the log.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use protocol::Record;
use thiserror::Error;
use tokio::sync::{mpsc, watch};

use super::Config;
use super::config::Affinity;
use super::cores;
use super::folder::Folder;
use super::opening;
use super::plan::Plan;
use super::schedule::Scheduled;
use crate::bot::Nursery;
use crate::bot::pool::Pool;
use crate::bot::spec::BotSpec;
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

/// What slots share.
struct Shared {
    config: Arc<Config>,
    schedule: Vec<Scheduled>,
    /// The index of the next match that nobody plays yet.
    next: AtomicUsize,
    nursery: Arc<Nursery>,
    folder: PathBuf,
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
    folder: &mut Folder,
    stop: watch::Receiver<bool>,
    mut show: impl FnMut(Progress<'_>),
) -> Result<Ran, RunError> {
    let slots = config.concurrency.min(schedule.len());
    let shared = Arc::new(Shared {
        config,
        schedule,
        next: AtomicUsize::new(0),
        nursery: Arc::new(nursery),
        folder: folder.path.clone(),
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
            Report::Finished(record) => match folder.log.append(&record) {
                Ok(()) => {
                    warn_if_mended(&mut folder.log, &mut show);
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
    folder.log.finish()?;
    warn_if_mended(&mut folder.log, &mut show);
    Ok(match finished == shared.schedule.len() {
        true => Ran::Complete,
        false => Ran::Interrupted,
    })
}

/// Tells the user that somebody else wrote to the log.
fn warn_if_mended(log: &mut LogWriter, show: &mut impl FnMut(Progress<'_>)) {
    if log.take_mended() {
        show(Progress::Trouble(
            "another program wrote to the log, perhaps a bot; it was put back as it was \
             (`sandbox = \"strict\"` would keep bots from it)",
        ));
    }
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
        // A slot has a handful of pipes; the default is meant for thousands.
        .max_io_events_per_tick(64)
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
            record = play(&shared, scheduled, &mut pool) => record,
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

async fn play(shared: &Shared, scheduled: &Scheduled, pool: &mut Pool) -> Record {
    let config = &shared.config;
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
        folder: Some(shared.folder.clone()),
    };
    plan.play(pool, |_| ()).await
}
