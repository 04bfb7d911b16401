//! Errors of bots that prevent a tournament from starting.

use std::path::PathBuf;

use bundle::{BundleError, Digest};
use config::{ConfigError, LeftOut};
use supervisor::FactoryError;
use thiserror::Error;

/// An error of bots that prevents a tournament from starting.
#[derive(Debug, Error)]
pub enum AdmissionError {
    /// Only if `on_broken = "stop"`.
    #[error("{}", .0.iter().map(LeftOut::in_words).collect::<Vec<_>>().join("; "))]
    Broken(Vec<LeftOut>),
    /// Too few bots are left.
    #[error("without the bots that are left out ({bots}): {error}")]
    TooFew {
        /// The bots that are left out.
        bots: String,
        /// The configuration's error without them.
        error: ConfigError,
    },
    /// A note in the folder is unreadable.
    #[error("`{}`: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    /// No bots share a game.
    #[error("{0}")]
    Games(String),
    /// Bots cannot be started on this machine.
    #[error(transparent)]
    Factory(#[from] FactoryError),
    /// A bot from a bundle cannot be set up: this machine's fault, elsewhere it may work.
    #[error("bot `{bot}`: the bundle {bundle:.12} cannot be used on this machine: {why}")]
    SetUp {
        bot: String,
        bundle: Digest,
        why: String,
    },
    /// The note that a bundle was set up is unreadable.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}
