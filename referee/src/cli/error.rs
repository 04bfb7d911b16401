//! Why a command did not go well, and the exit code for it.

use std::io;

use supervisor::{FactoryError, TraceError, shortage};
use thiserror::Error;

use crate::config::ConfigError;
use crate::log::{LogError, WriteError};
use crate::new_bot::NewBotError;
use crate::tournament::TournamentError;
use crate::tournament::capacity::TooMuch;
use crate::tournament::folder::FolderError;
use crate::tournament::resume::ResumeError;

/// Why a command did not go well.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    /// A value of the command line is wrong.
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Resume(#[from] ResumeError),
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A tournament that stopped in the middle.
    #[error("{error}; {advice}")]
    Stopped {
        error: WriteError,
        /// Where its results are, and how to go on.
        advice: String,
    },
    /// The machine has no more of something.
    #[error("{why}{advice}")]
    Short {
        /// What.
        why: String,
        /// What can be done, as the rest of the sentence.
        advice: String,
    },
    #[error(transparent)]
    Capacity(#[from] TooMuch),
    #[error(transparent)]
    BotFactory(#[from] FactoryError),
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    NewBot(#[from] NewBotError),
    /// A log was read but does not hold what it should, or a bot does not do what it should.
    #[error("{0}")]
    Verify(String),
    /// Input or output of the program itself.
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("interrupted")]
    Interrupted,
}

impl CliError {
    /// The documented exit code.
    pub(super) fn code(&self) -> u8 {
        match self {
            CliError::Usage(_) | CliError::Config(_) => 2,
            CliError::Folder(FolderError::Taken { .. }) => 2,
            CliError::NewBot(NewBotError::Write { .. }) => 4,
            CliError::NewBot(_) => 2,
            CliError::BotFactory(FactoryError::Sandbox(_)) => 2,
            CliError::Log(LogError::Io { .. }) => 2,
            CliError::Log(LogError::Line { .. }) | CliError::Verify(_) => 3,
            CliError::Resume(
                ResumeError::NoFolder { .. }
                | ResumeError::NoneYet { .. }
                | ResumeError::Nothing { .. }
                | ResumeError::Copy { .. }
                | ResumeError::Changed { .. }
                | ResumeError::NotExtended { .. }
                | ResumeError::Format
                | ResumeError::FixedResults
                | ResumeError::NoBot { .. },
            ) => 2,
            CliError::Resume(
                ResumeError::Log(_)
                | ResumeError::Line { .. }
                | ResumeError::Chain { .. }
                | ResumeError::Write(_),
            ) => 4,
            CliError::Folder(_) | CliError::Write(_) | CliError::Stopped { .. } => 4,
            CliError::Short { .. } | CliError::Capacity(_) => 4,
            CliError::Trace(_) | CliError::BotFactory(_) | CliError::Io(_) => 4,
            CliError::Interrupted => 130,
        }
    }
}

/// A tournament that does not begin. One that stops needs advice ([`CliError::Stopped`]).
impl From<TournamentError> for CliError {
    fn from(error: TournamentError) -> Self {
        let advice = String::new();
        match error {
            TournamentError::Capacity(error) => error.into(),
            TournamentError::BotFactory(error) => error.into(),
            TournamentError::Folder(error) => error.into(),
            TournamentError::Resume(error) => error.into(),
            TournamentError::Write(error) => error.into(),
            TournamentError::Stopped { error, .. } => error.into(),
            TournamentError::Short(why) => CliError::Short { why, advice },
        }
    }
}

/// Whatever came out while the machine had no more of something is worth nothing.
pub(crate) fn not_short() -> Result<(), CliError> {
    match shortage::noted() {
        None => Ok(()),
        Some(why) => Err(CliError::Short {
            why: why.to_owned(),
            advice: String::new(),
        }),
    }
}
