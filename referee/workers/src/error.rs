//! Why a tournament cannot be played by workers.

use std::path::PathBuf;

use bundle::BundleError;
use cluster::{ClusterError, FileError};
use thiserror::Error;

/// Why a tournament cannot be played by workers.
#[derive(Debug, Error)]
pub enum RemoteError {
    /// The server.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// What the tournament is called on the server cannot be noted, or read again.
    #[error("`{}`: {reason}", path.display())]
    Identity {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Something that workers need cannot be read.
    #[error("`{}` cannot be sent to workers: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A bundle cannot be used.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A bundle cannot be sent to workers.
    #[error("the bundle of the bot `{bot}` cannot be sent to workers: {error}")]
    Unsent {
        /// The bot.
        bot: String,
        /// Why not.
        error: FileError,
    },
    /// Workers do not get on.
    #[error("{0}")]
    Stuck(String),
}
