//! Tournaments whose matches are played by workers on other machines, over a NATS server. Only the
//! coordinator writes the log. This crate has both sides, their messages, and the examination of results.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod bundles;
mod dispatch;
mod error;
pub mod examine;
mod identity;
mod session;
pub mod wire;
pub mod worker;

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::path::Path;
use std::time::Duration;

use cluster::{Client, ClusterError, Connection, Coordinator, Retry, Role, Server, TournamentId};
use tournament::{Backend, Playing, Run};

pub use dispatch::Examined;
pub use error::RemoteError;
use examine::Examiner;
pub use session::CoordinatorSession;
use wire::Announced;

/// A worker must renew its job within this time.
const LEASE: Duration = Duration::from_secs(30);

/// The server on which workers are found.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub server: Server,
    /// A worker must renew its job within this time.
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
        let examiner = Examiner::start(config);
        // The keys of hash tables are a source of randomness.
        let random = RandomState::new();
        let secret = [random.hash_one(0), random.hash_one(1)];
        let session = CoordinatorSession::new(run, coordinator, &announced, examiner, secret);
        self.open = Some((connection, id));
        Ok(Box::pin(session.play()))
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

/// Opens a tournament's streams; retries while the server does not answer.
///
/// # Errors
/// If the server does not do it.
pub async fn open<C: Client>(
    client: &C,
    id: &TournamentId,
    lease: Duration,
) -> Result<Coordinator<C>, ClusterError> {
    let retry = Retry::new();
    loop {
        match Coordinator::open(client, id, lease).await {
            Err(error) if retry.after(&error).await => {}
            done => return done,
        }
    }
}

/// Removes everything that the server has of a tournament; retries while it does not answer.
///
/// # Errors
/// If the server does not do it.
pub async fn close(client: &impl Client, id: &TournamentId) -> Result<(), ClusterError> {
    let retry = Retry::new();
    loop {
        match Coordinator::close(client, id).await {
            Err(error) if retry.after(&error).await => {}
            done => return done,
        }
    }
}
