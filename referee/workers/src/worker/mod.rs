//! A worker: plays groups of matches for all tournaments on a NATS server. It takes configurations as data
//! and, without `--trust`, runs all programs that they name in the strict sandbox.

pub mod allowed;
mod bundles;
mod options;
mod programs;
pub mod serving;
mod session;
mod slot;

use std::io;
use std::sync::Arc;
use std::thread;

use cluster::{ClusterError, Connection, Role, WorkerName};
use machine::yardstick;
use supervisor::resource_exhausted;
use thiserror::Error;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tournament::Yardstick;

pub use options::{Leave, WorkerOptions};
use serving::Room;
use session::WorkerSession;
use slot::Slot;

/// The reason why a worker ends by itself.
#[derive(Debug, Error)]
pub enum WorkerError {
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A folder or a thread cannot be created.
    #[error("the worker cannot begin: {0}")]
    System(#[from] io::Error),
    /// Processes, memory, disk or file descriptors.
    #[error("{0}; what was begun goes back to the queue")]
    ResourceExhausted(String),
}

/// Works until `leave` says otherwise. `report` gets lines for the user.
///
/// # Errors
/// If the server cannot be reached at the start, or the machine cannot play.
pub async fn work(
    options: WorkerOptions,
    leave: watch::Receiver<Leave>,
    mut report: impl FnMut(&str),
) -> Result<(), WorkerError> {
    let slots = match options.slots {
        Some(slots) => slots,
        None => thread::available_parallelism().map_or(1, |n| n.get()),
    };
    let name = options.name.clone().unwrap_or_else(own_name);
    let connection = Connection::open(&options.server, Role::Worker).await?;
    let speed = match options.yardstick {
        Yardstick::Off => None,
        Yardstick::Measured => {
            let measure = move || yardstick::measure(slots, false, yardstick::LOOK);
            tokio::task::spawn_blocking(measure).await.ok().flatten()
        }
    };
    let room = Room {
        slots,
        // Rounded as in the log, so that the coordinator computes the same time limits.
        speed: speed.map(yardstick::rounded),
    };
    let (reports, mut to_report) = mpsc::unbounded_channel();
    let session = Arc::new(WorkerSession::open(
        &connection,
        &name,
        options,
        room,
        reports,
    )?);
    report(&format!(
        "the worker `{name}` waits for matches, slots: {slots}"
    ));
    let mut tasks = JoinSet::new();
    for number in 0..slots {
        let slot = Slot::start(number, &leave)?;
        tasks.spawn(session.clone().run_slot(slot, leave.clone()));
    }
    let background = [
        tokio::spawn(session.clone().send_heartbeats()),
        tokio::spawn(session.clone().read_announcements()),
    ];
    let mut is_idle = false;
    while !is_idle {
        tokio::select! {
            done = tasks.join_next() => match done {
                Some(Err(panicked)) if panicked.is_panic() => {
                    std::panic::resume_unwind(panicked.into_panic());
                }
                Some(_) => {}
                None => is_idle = true,
            },
            Some(what) = to_report.recv() => report(&what),
        }
    }
    background.iter().for_each(tokio::task::JoinHandle::abort);
    session.close().await;
    connection.flush().await;
    while let Ok(what) = to_report.try_recv() {
        report(&what);
    }
    match resource_exhausted::noted() {
        Some(what) => Err(WorkerError::ResourceExhausted(what.to_owned())),
        None => Ok(()),
    }
}

/// The machine's name and the process id.
fn own_name() -> WorkerName {
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy().into_owned();
    WorkerName::of(&format!("{host}-{}", std::process::id()))
}
