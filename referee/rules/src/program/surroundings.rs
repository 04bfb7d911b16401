//! Settings of programs besides their sources, and the errors that make them unusable.

use std::time::Duration;

use games::{BrokenRules, TakenId};
use supervisor::FactoryError;
use thiserror::Error;

use crate::program::source::{SourceError, TIMEOUT};

/// Rules that cannot be used.
#[derive(Debug, Error)]
pub enum RulesError {
    /// A source that is none.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The program cannot be started on this machine.
    #[error(transparent)]
    Factory(#[from] FactoryError),
    /// The program does not work.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
    /// Two sources have a game of the same id.
    #[error(
        "{taken}: `{source_name}` has one, too; give its source a prefix, as in `rules = [{{ command = \"…\", prefix = \"my\" }}]`"
    )]
    Taken {
        /// The second source.
        source_name: String,
        taken: TakenId,
    },
}

/// Settings of programs besides their sources.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// True if they are supervised and confined. Inside of a bot they are plain children, which the
    /// bot's own sandbox confines.
    pub supervised: bool,
    /// The time limit of a request.
    pub timeout: Duration,
    /// The time limit of grounding sheets; `None` for that of requests.
    pub grounding: Option<Duration>,
}

impl Default for Surroundings {
    fn default() -> Self {
        Surroundings {
            supervised: true,
            timeout: TIMEOUT,
            grounding: None,
        }
    }
}
