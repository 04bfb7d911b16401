//! A worker: plays groups of matches for the coordinators of tournaments that a NATS server knows. It
//! takes configurations as data and, unless it was told to trust them, has all programs that they name
//! run in the strict sandbox.

pub mod allowed;
mod bundles;
mod office;
mod options;
mod programs;
pub mod serving;
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

use office::Office;
pub use options::{Leave, WorkerOptions};
use serving::Room;
use slot::Slot;

/// Why a worker ends by itself.
#[derive(Debug, Error)]
pub enum WorkerError {
    /// The server.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A folder cannot be made, or a thread cannot be started.
    #[error("the worker cannot begin: {0}")]
    System(#[from] io::Error),
    /// The machine has run out of something.
    #[error("{0}; what was begun goes back to the queue")]
    Short(String),
}

/// Works until it is told to leave. `report` gets what the user should know, line by line.
///
/// # Errors
/// If the server cannot be reached at the beginning, or the machine cannot play.
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
        // As the log has it, so that the coordinator comes to the same time limits.
        speed: speed.map(yardstick::rounded),
    };
    // What nobody hears matters to nobody.
    let (told, mut to_report) = mpsc::unbounded_channel();
    let office = Arc::new(Office::open(&connection, &name, options, room, told)?);
    report(&format!(
        "the worker `{name}` waits for matches, slots: {slots}"
    ));
    let mut tasks = JoinSet::new();
    for number in 0..slots {
        let slot = Slot::start(number, &leave)?;
        tasks.spawn(office.clone().keep_busy(slot, leave.clone()));
    }
    let background = [
        tokio::spawn(office.clone().beat()),
        tokio::spawn(office.clone().read_announcements()),
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
    office.close().await;
    connection.flush().await;
    while let Ok(what) = to_report.try_recv() {
        report(&what);
    }
    match resource_exhausted::noted() {
        Some(what) => Err(WorkerError::Short(what.to_owned())),
        None => Ok(()),
    }
}

/// The name of the machine, and the number of this process.
fn own_name() -> WorkerName {
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy().into_owned();
    WorkerName::of(&format!("{host}-{}", std::process::id()))
}
