//! Errors of resuming.

use std::path::{Path, PathBuf};

use log::{ChainBreak, LogError, WriteError};
use schedule::Shard;
use thiserror::Error;

use crate::folder::dealing::DealingError;

#[derive(Debug, Error)]
pub enum ResumeError {
    #[error(
        "there is no folder `{}` to resume; without --resume the tournament starts there",
        path.display()
    )]
    NoFolder { path: PathBuf },
    #[error(
        "there is no folder `{}` to resume; without --resume the tournament starts in a new one",
        pattern.display()
    )]
    NoneYet { pattern: PathBuf },
    #[error(
        "nothing to resume in `{}`: there is no `{missing}` in it; without --resume a tournament \
         can start in an empty folder",
        path.display()
    )]
    Nothing {
        path: PathBuf,
        missing: &'static str,
    },
    /// The copy of the configuration, or the file of the schedule, is unreadable.
    #[error("`{}` cannot be read: {reason}", path.display())]
    Copy { path: PathBuf, reason: String },
    #[error(
        "the configuration changed since this tournament began: {differences}; nothing was \
         changed, resume with the configuration as it was (`{}`), {}start again in another folder",
        copy.display(),
        if *added {
            "use --extend to play what was added, too, or "
        } else {
            "or "
        }
    )]
    Changed {
        differences: String,
        /// True if there are only additions.
        added: bool,
        /// The copy of the old configuration.
        copy: PathBuf,
    },
    /// There are changes besides additions.
    #[error(
        "only bots, games and rounds can be added to a tournament, but {differences}; nothing was \
         changed, the configuration as it was is `{}`",
        copy.display()
    )]
    NotExtended {
        /// The other changes.
        differences: String,
        /// The copy of the old configuration.
        copy: PathBuf,
    },
    /// The format decides by results, so nothing can be added.
    #[error("only round robins and gauntlets can be extended; nothing was changed")]
    Format,
    /// The format decides by results, so no match can be rerun.
    #[error(
        "matches can be played again only in round robins and gauntlets: elsewhere later pairings \
         depend on their results; nothing was changed"
    )]
    FixedResults,
    /// The bot to rerun is not in the configuration.
    #[error("there is no bot `{name}`; the bots are {}; nothing was changed", names.join(", "))]
    NoBot {
        name: String,
        /// All names.
        names: Vec<String>,
    },
    /// The folder has another shard.
    #[error(
        "`{}` has {} of the schedule, not part {asked}; nothing was changed",
        path.display(),
        there.map_or("all".to_owned(), |there| format!("part {there}"))
    )]
    OtherShard {
        path: PathBuf,
        asked: Shard,
        /// `None` for the whole schedule.
        there: Option<Shard>,
    },
    /// The source of deals is unknown, or another one.
    #[error(transparent)]
    Dealing(#[from] DealingError),
    #[error(transparent)]
    Log(#[from] LogError),
    /// A match that is not in this tournament.
    #[error("`{}` line {line}: {reason}; nothing was changed", path.display())]
    Line {
        path: PathBuf,
        /// From 1.
        line: usize,
        reason: String,
    },
    #[error(
        "`{}` {broken}; nothing was changed: `referee replay --verify` checks each match",
        path.display()
    )]
    Chain { path: PathBuf, broken: ChainBreak },
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl ResumeError {
    pub(super) fn missing(folder: &Path, missing: &'static str) -> Self {
        ResumeError::Nothing {
            path: folder.to_owned(),
            missing,
        }
    }

    pub(super) fn unreadable(path: PathBuf, reason: impl ToString) -> Self {
        ResumeError::Copy {
            path,
            reason: reason.to_string(),
        }
    }
}
