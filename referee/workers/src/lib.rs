//! Tournaments whose matches are played by workers on other machines, over a NATS server. Only the
//! coordinator writes the log. This crate has both sides, their messages, and the examination of results.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod bundles;
pub mod dispatch;
mod error;
pub mod examine;
mod identity;
mod session;
pub mod wire;
pub mod worker;

use std::path::Path;
use std::time::Duration;

use cluster::{ClusterError, Connection, Coordinator, Retry, Role, Server, TournamentId};
use tournament::{Backend, Playing, Run};

pub use error::RemoteError;
use session::CoordinatorSession;
use wire::Announced;

/// A worker must renew its group within this time.
const LEASE: Duration = Duration::from_secs(30);

/// The server on which workers are found.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub server: Server,
    /// A worker must renew its group within this time.
    pub lease: Duration,
}

impl Cluster {
    /// With the default lease.
    pub fn of(server: Server) -> Self {
        Cluster {
            server,
            lease: LEASE,
        }
    }
}

/// A tournament backend: the workers of a server. When the tournament stops, no more matches begin. Workers
/// finish theirs, and the results wait on the server until the tournament is resumed.
pub struct Workers<'c> {
    cluster: &'c Cluster,
    /// Once a tournament is open: its name on the server.
    open: Option<(Connection, TournamentId)>,
}

impl<'c> Workers<'c> {
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
        let session =
            CoordinatorSession::new(config, &run.queue, coordinator, run.reports, &announced);
        self.open = Some((connection, id));
        Ok(Box::pin(session.play(run.stop)))
    }

    async fn close(&mut self) -> Option<String> {
        let (connection, id) = self.open.as_ref()?;
        let error = close(connection, id).await.err()?;
        Some(format!(
            "the tournament is over, but not removed from the NATS server ({error}); --resume does it"
        ))
    }
}

/// Removes everything that the server still has of the finished tournament in this folder.
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
    let retry = Retry::new();
    loop {
        match Coordinator::open(connection, id, lease).await {
            Err(error) if retry.after(&error).await => {}
            done => return done,
        }
    }
}

async fn close(connection: &Connection, id: &TournamentId) -> Result<(), ClusterError> {
    let retry = Retry::new();
    loop {
        match Coordinator::close(connection, id).await {
            Err(error) if retry.after(&error).await => {}
            done => return done,
        }
    }
}
