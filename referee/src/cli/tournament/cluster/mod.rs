//! Tournaments by workers over a NATS server. Without the feature `cluster`, `without_cluster.rs` stands
//! here, with the same items.

pub(crate) mod worker;
pub(crate) mod workers;

use std::path::Path;

pub(super) use ::workers::Cluster;
use ::workers::worker::WorkerError;
use ::workers::{RemoteError, Workers};
use cluster::{ClusterError, Server};
use report::print_notice;
use tokio::sync::watch;
use tournament::reports::{Progress, TournamentOutcome};
use tournament::{BackendFailure, Stop, Tournament, TournamentError};

use super::nats::NatsArgs;
use crate::cli::CliError;

/// The server of the workers, if the command line names one.
///
/// # Errors
/// In programs without the feature, if it does.
#[expect(
    clippy::unnecessary_wraps,
    reason = "programs without the feature refuse it"
)]
pub(super) fn of(nats: &NatsArgs) -> Result<Option<Cluster>, CliError> {
    let cluster = |address: &String| {
        let cluster = Cluster::of(Server {
            address: address.clone(),
            credentials: nats.nats_creds.clone(),
        });
        Cluster {
            lease: nats.nats_lease.unwrap_or(cluster.lease),
            ..cluster
        }
    };
    Ok(nats.nats.as_ref().map(cluster))
}

/// Has workers play the matches. `advise` makes an error of one of the tournament.
///
/// # Errors
/// As for a tournament that is played here, or if workers cannot go on.
pub(super) async fn play(
    cluster: &Cluster,
    tournament: Tournament,
    stop: watch::Receiver<Stop>,
    show: impl FnMut(Progress<'_>),
    advise: impl Fn(TournamentError) -> CliError,
) -> Result<TournamentOutcome, CliError> {
    let mut workers = Workers::of(cluster);
    let outcome = tournament.play_at(&mut workers, stop, show).await;
    outcome.map_err(|failure| match failure {
        BackendFailure::Tournament(error) => advise(error),
        BackendFailure::Backend(error) => error.into(),
    })
}

/// A finished tournament leaves nothing on the server, even if the coordinator was killed at its end.
pub(super) async fn remove(cluster: &Cluster, folder: &Path) {
    if let Err(error) = ::workers::remove(folder, cluster).await {
        print_notice(format_args!(
            "warning: it is not removed from the NATS server: {error}\n"
        ));
    }
}

impl From<ClusterError> for CliError {
    fn from(error: ClusterError) -> Self {
        CliError::Optional {
            code: match error {
                ClusterError::Address(_) | ClusterError::Credentials { .. } => 2,
                _ => 4,
            },
            message: error.to_string(),
        }
    }
}

impl From<RemoteError> for CliError {
    fn from(error: RemoteError) -> Self {
        match error {
            RemoteError::Cluster(error) => error.into(),
            other => CliError::Optional {
                code: 4,
                message: other.to_string(),
            },
        }
    }
}

impl From<WorkerError> for CliError {
    fn from(error: WorkerError) -> Self {
        match error {
            WorkerError::Cluster(error) => error.into(),
            other => CliError::Optional {
                code: 4,
                message: other.to_string(),
            },
        }
    }
}
