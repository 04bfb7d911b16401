//! The items of `cluster` in programs without the feature `cluster`: commands and options exist, and say
//! what they need.

use std::path::Path;

use tokio::sync::watch;
use tournament::reports::{Progress, TournamentOutcome};
use tournament::{Stop, Tournament, TournamentError};

use super::nats::NatsArgs;
use crate::cli::CliError;

pub(crate) mod worker {
    pub(crate) use super::Args;
}
pub(crate) mod workers {
    pub(crate) use super::Args;
}

/// No program without the feature has one.
pub(super) enum Cluster {}

fn missing() -> CliError {
    CliError::without("NATS", "cluster")
}

pub(super) fn of(nats: &NatsArgs) -> Result<Option<Cluster>, CliError> {
    match nats.nats {
        None => Ok(None),
        Some(_) => Err(missing()),
    }
}

#[expect(clippy::unused_async, reason = "as with the feature")]
pub(super) async fn play(
    cluster: &Cluster,
    _: Tournament,
    _: watch::Receiver<Stop>,
    _: impl FnMut(Progress<'_>),
    _: impl Fn(TournamentError) -> CliError,
) -> Result<TournamentOutcome, CliError> {
    match *cluster {}
}

#[expect(clippy::unused_async, reason = "as with the feature")]
pub(super) async fn remove(cluster: &Cluster, _: &Path) {
    match *cluster {}
}

/// Plays by workers on other machines, over a NATS server: not in this build
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What the command would take
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<String>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        Err(missing())
    }
}
