//! Errors of tournaments that workers play.

use std::path::PathBuf;

use bundle::BundleError;
use cluster::{ClusterError, FileError};
use thiserror::Error;

/// Workers make no progress.
#[derive(Debug, Error)]
pub enum Stuck {
    #[error("the match `{id}` cannot be played: {why}")]
    Unplayable { id: String, why: String },
    #[error(
        "workers have begun the match `{id}` again and again, and never finished it: does it end \
         them, or is the lease too short for them?"
    )]
    NeverFinished { id: String },
    #[error("none of the workers that are there plays matches of this tournament: {why}")]
    Declined { why: String },
    #[error("no worker can play with `{bot}`: {why}")]
    BotRefused { bot: String, why: String },
}

/// Workers cannot play a tournament.
#[derive(Debug, Error)]
pub enum RemoteError {
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The file with the tournament's name on the server cannot be written or read.
    #[error("`{}`: {reason}", path.display())]
    Identity { path: PathBuf, reason: String },
    /// A file that workers need cannot be read.
    #[error("`{}` cannot be sent to workers: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A bundle cannot be sent to workers.
    #[error("the bundle of the bot `{bot}` cannot be sent to workers: {error}")]
    Unsent { bot: String, error: FileError },
    #[error(transparent)]
    Stuck(#[from] Stuck),
}
