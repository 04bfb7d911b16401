//! Why a tournament does not begin because of who would play.

use std::path::PathBuf;

use bundle::{BundleError, Digest};
use config::{ConfigError, LeftOut};
use supervisor::FactoryError;
use thiserror::Error;

/// Why a tournament does not begin.
#[derive(Debug, Error)]
pub enum AdmissionError {
    /// Bots are broken, and `on_broken = "stop"`.
    #[error("{}", .0.iter().map(LeftOut::in_words).collect::<Vec<_>>().join("; "))]
    Broken(Vec<LeftOut>),
    /// The bots that are left cannot play.
    #[error("without the bots that are left out ({bots}): {error}")]
    TooFew {
        /// Those that are left out.
        bots: String,
        /// What is wrong then.
        error: ConfigError,
    },
    /// What says who was left out cannot be used.
    #[error("`{}`: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The bots cannot meet in the games that they play.
    #[error("{0}")]
    Games(String),
    /// Bots cannot be started on this machine.
    #[error(transparent)]
    Factory(#[from] FactoryError),
    /// A bot from a bundle cannot be set up. That is this machine's fault: elsewhere it may work.
    #[error("bot `{bot}`: the bundle {bundle:.12} cannot be used on this machine: {why}")]
    SetUp {
        /// The bot.
        bot: String,
        /// The bundle's hash.
        bundle: Digest,
        /// Why not.
        why: String,
    },
    /// What says that a bundle was set up cannot be used.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}
