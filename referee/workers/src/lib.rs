//! A tournament whose matches are played by workers on other machines, over a NATS server. Only the
//! coordinator writes the log: here is what it publishes, how it judges results, and what both sides say
//! to each other.

#![allow(missing_docs, reason = "strangers read the front door, `referee`")]

mod bundles;
pub mod dispatch;
mod error;
pub mod examine;
mod identity;
mod venue;
pub mod wire;
pub mod worker;

use std::path::Path;
use std::time::Duration;

use cluster::{ClusterError, Connection, Coordinator, Patience, Role, Server, TournamentId};
use tournament::{Backend, Playing, Run};

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

/// The workers of a server, as a tournament sees them. When it is asked to stop, no more matches begin;
/// workers finish theirs, and the results wait on the server until the tournament is resumed.
pub struct Workers<'c> {
    cluster: &'c Cluster,
    /// Once a tournament is open: what it is called on the server.
    open: Option<(Connection, TournamentId)>,
}

impl<'c> Workers<'c> {
    /// The workers of this server.
    pub fn of(cluster: &'c Cluster) -> Self {
        Workers {
            cluster,
            open: None,
        }
    }
}

impl Backend for Workers<'_> {
    type Error = RemoteError;

    async fn open(&mut self, run: Run) -> Result<Playing<RemoteError>, RemoteError> {
        let (config, lease) = (&run.config, self.cluster.lease);
        let id = identity::of(&run.folder, &config.name)?;
        let connection = Connection::open(&self.cluster.server, Role::Coordinator).await?;
        let announced = Announced::new(config, lease)?;
        let coordinator = open(&connection, &id, lease).await?;
        bundles::put(&connection, &id, config, &announced).await?;
        let venue = Venue::new(config, &run.queue, coordinator, run.reports, &announced);
        self.open = Some((connection, id));
        Ok(Box::pin(venue.play(run.stop)))
    }

    async fn close(&mut self) -> Option<String> {
        let (connection, id) = self.open.as_ref()?;
        let error = close(connection, id).await.err()?;
        Some(format!(
            "the tournament is over, but not removed from the NATS server ({error}); --resume does it"
        ))
    }
}

/// Removes what the server may still have of the tournament in this folder, which is over.
///
/// # Errors
/// If the server does not do it.
pub async fn remove(folder: &Path, cluster: &Cluster) -> Result<(), RemoteError> {
    let Some(id) = identity::noted(folder)? else {
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
