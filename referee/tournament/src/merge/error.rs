//! Errors of [`merge`](super::merge).

use std::path::PathBuf;

use config::ConfigError;
use log::{ChainBreak, LogError, Mismatch, WriteError};
use thiserror::Error;

use crate::admission::AdmissionError;
use crate::folder::FolderError;
use crate::resume::ResumeError;

/// Logs that cannot be merged. Nothing was written.
#[derive(Debug, Error)]
pub enum MergeError {
    #[error("`{}` cannot be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error(
        "`{}` and `{}` are not parts of one tournament: {differences}",
        one.display(),
        other.display()
    )]
    OtherTournament {
        one: PathBuf,
        other: PathBuf,
        differences: String,
    },
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Too few bots are left, or the note about them is unreadable.
    #[error(transparent)]
    Admission(#[from] AdmissionError),
    /// The folders do not hold a tournament that can be resumed.
    #[error(transparent)]
    Folder(#[from] ResumeError),
    #[error(transparent)]
    Log(#[from] LogError),
    /// A line of a log does not follow the one before.
    #[error("`{}` {broken}", path.display())]
    Chain { path: PathBuf, broken: ChainBreak },
    /// A match differs from the schedule.
    #[error("`{}`: {reason}", path.display())]
    NotScheduled { path: PathBuf, reason: String },
    /// A match breaks the rules.
    #[error("`{}`: the match `{id}` does not verify: {mismatch}", path.display())]
    Mismatch {
        path: PathBuf,
        id: String,
        mismatch: Mismatch,
    },
    #[error(
        "the match `{id}` was played twice, with different courses: in `{}` and in `{}`; leave out one of \
         the two",
        one.display(),
        other.display()
    )]
    Twice {
        id: String,
        one: PathBuf,
        other: PathBuf,
    },
    #[error(
        "`{}` already holds a tournament (`{found}` is there); nothing was changed, choose another folder with --out",
        path.display()
    )]
    Taken {
        path: PathBuf,
        /// The file that shows it.
        found: &'static str,
    },
    #[error(
        "`{}` and `{}` are not dealt from one secret: one log has the `deal` {}, the other {}; parts need the \
         same `secret` in their configurations",
        one.display(),
        other.display(),
        deals[0],
        deals[1]
    )]
    OtherDeal {
        one: PathBuf,
        other: PathBuf,
        /// Their commitments.
        deals: [String; 2],
    },
    #[error(transparent)]
    Out(#[from] FolderError),
    #[error(transparent)]
    Write(#[from] WriteError),
}
