//! A tournament whose matches are played by workers on other machines, over a NATS server. Only the
//! coordinator writes the log: here is what it publishes, how it judges results, and what both sides say
//! to each other.

mod bundles;
pub(crate) mod dispatch;
mod error;
pub(crate) mod examine;
mod identity;
mod venue;
pub(crate) mod wire;

use std::sync::Arc;
use std::time::Duration;

use cluster::{ClusterError, Connection, Coordinator, Patience, Role, Server, TournamentId};
use config::Config;
use schedule::Schedule;
use tokio::sync::{mpsc, watch};

use super::folder::Folder;
use super::queue::Queue;
use super::slots::{self, MOST_REPORTS, Progress, RunError, TournamentOutcome};
use super::stop::Stop;
pub use dispatch::WorkersSeen;
pub use error::RemoteError;
use venue::Venue;
use wire::Announced;

/// For how long a group is a worker's, unless it says again and again that it is at it.
const LEASE: Duration = Duration::from_secs(30);

/// Where workers are found, and what they are told.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The server.
    pub server: Server,
    /// For how long a group is a worker's, unless it says again and again that it is at it.
    pub lease: Duration,
}

impl Cluster {
    /// The workers of this server, as usual.
    pub fn of(server: Server) -> Self {
        Cluster {
            server,
            lease: LEASE,
        }
    }
}

/// Has the rest of a schedule played by workers. When it is asked to stop, no more matches begin; workers
/// finish theirs, and the results wait on the server until the tournament is resumed.
///
/// # Errors
/// If the log cannot be written, the server cannot be used, or no worker can play a match.
pub(super) async fn run(
    config: Arc<Config>,
    schedule: Schedule,
    folder: &mut Folder,
    cluster: &Cluster,
    stop: watch::Receiver<Stop>,
    mut show: impl FnMut(Progress<'_>),
) -> Result<TournamentOutcome, RunError> {
    let id = identity::of(&folder.path, &config.name)?;
    let connection = Connection::open(&cluster.server, Role::Coordinator).await?;
    let queue = Arc::new(Queue::new(schedule));
    // Small, so that what comes from workers waits for the log instead of running ahead of it.
    let (reports, inbox) = mpsc::channel(MOST_REPORTS);
    let announced = Announced::new(&config, cluster.lease)?;
    let coordinator = open(&connection, &id, cluster.lease).await?;
    bundles::put(&connection, &id, &config, &announced).await?;
    let venue = Venue::new(&config, &queue, coordinator, reports, &announced);
    let playing = tokio::spawn(venue.play(stop.clone()));
    let written = slots::write((&config, &queue), inbox, &mut folder.log, stop, &mut show).await;
    // It ends when nobody takes its reports, too.
    if let Err(panicked) = playing.await {
        std::panic::resume_unwind(panicked.into_panic());
    }
    let outcome = slots::conclude(written, &queue, &mut folder.log, &mut show)?;
    if outcome.complete
        && let Err(error) = close(&connection, &id).await
    {
        let what = format!(
            "the tournament is over, but not removed from the NATS server ({error}); --resume does it"
        );
        show(Progress::Trouble(&what.into()));
    }
    Ok(outcome)
}

/// Removes what the server may still have of a tournament that is over.
pub(super) async fn remove(folder: &Folder, cluster: &Cluster) -> Result<(), RunError> {
    let Some(id) = identity::noted(&folder.path)? else {
        return Ok(());
    };
    let connection = Connection::open(&cluster.server, Role::Coordinator).await?;
    Ok(close(&connection, &id).await?)
}

async fn open(
    connection: &Connection,
    id: &TournamentId,
    lease: Duration,
) -> Result<Coordinator, ClusterError> {
    let patience = Patience::new();
    loop {
        match Coordinator::open(connection, id, lease).await {
            Err(error) if patience.bears(&error).await => {}
            done => return done,
        }
    }
}

async fn close(connection: &Connection, id: &TournamentId) -> Result<(), ClusterError> {
    let patience = Patience::new();
    loop {
        match Coordinator::close(connection, id).await {
            Err(error) if patience.bears(&error).await => {}
            done => return done,
        }
    }
}
