//! Why logs cannot be put together.

use std::path::PathBuf;

use config::ConfigError;
use log::{ChainBreak, LogError, Mismatch, WriteError};
use thiserror::Error;

use crate::admission::AdmissionError;
use crate::folder::FolderError;
use crate::resume::ResumeError;

/// Logs that cannot be put together. Nothing was written.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A file of a folder cannot be read.
    #[error("`{}` cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Two folders are not of one tournament.
    #[error(
        "`{}` and `{}` are not parts of one tournament: {differences}",
        one.display(),
        other.display()
    )]
    OtherTournament {
        /// A folder.
        one: PathBuf,
        /// Another one.
        other: PathBuf,
        /// What differs.
        differences: String,
    },
    /// The configuration cannot be used here.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The bots that were left out are not known, or too few are left.
    #[error(transparent)]
    Admission(#[from] AdmissionError),
    /// The folders are not those of a tournament that can be resumed.
    #[error(transparent)]
    Folder(#[from] ResumeError),
    /// A log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A line of a log does not follow the one before.
    #[error("`{}` {broken}", path.display())]
    Chain {
        /// The log.
        path: PathBuf,
        /// Where.
        broken: ChainBreak,
    },
    /// A match is not as the schedule has it.
    #[error("`{}`: {reason}", path.display())]
    NotScheduled {
        /// The log.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A match is not as the rules have it.
    #[error("`{}`: the match `{id}` does not verify: {mismatch}", path.display())]
    Mismatch {
        /// The log.
        path: PathBuf,
        /// The match.
        id: String,
        /// What is wrong.
        mismatch: Mismatch,
    },
    /// Two logs tell a match differently.
    #[error(
        "the match `{id}` was played twice, with different courses: in `{}` and in `{}`; leave out one of \
         the two",
        one.display(),
        other.display()
    )]
    Twice {
        /// The match.
        id: String,
        /// A log.
        one: PathBuf,
        /// The other one.
        other: PathBuf,
    },
    /// There is a tournament in the new folder already.
    #[error(
        "`{}` already holds a tournament (`{found}` is there); nothing was changed, choose another folder with --out",
        path.display()
    )]
    Taken {
        /// The folder.
        path: PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// Two logs were dealt from different secrets.
    #[error(
        "`{}` and `{}` are not dealt from one secret: one log has the `deal` {}, the other {}; parts need the \
         same `secret` in their configurations",
        one.display(),
        other.display(),
        deals[0],
        deals[1]
    )]
    OtherDeal {
        /// A log.
        one: PathBuf,
        /// The other one.
        other: PathBuf,
        /// What they say of their secrets.
        deals: [String; 2],
    },
    /// The new folder cannot be made.
    #[error(transparent)]
    Out(#[from] FolderError),
    /// The new log cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
