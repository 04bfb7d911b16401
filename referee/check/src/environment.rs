//! The environment of a check, and its extent.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use protocol::{Millis, TimeControl};
use supervisor::{BotFactory, BotSpec, FactoryError, Tracer};
use tempfile::TempDir;

#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The limit per move.
    pub time: Duration,
    /// The limit of an answer where no clock is checked.
    pub answer_limit: Duration,
    /// The tolerance on top of limits where a clock is checked.
    pub margin: Duration,
    /// Determines all positions.
    pub seed: u64,
    /// Moves of the bot in a match.
    pub turns: u32,
    /// Positions of each game that the bot is asked about.
    pub positions: u32,
}

/// The environment in which a bot is checked.
pub struct Lab {
    pub(super) spec: BotSpec,
    pub(super) factory: BotFactory,
    pub(super) extent: Extent,
    /// The limit of an answer where no clock is checked.
    pub(super) answer_limit: Duration,
    /// Holds the bot's stderr.
    _stderr: TempDir,
}

impl Lab {
    /// # Errors
    ///
    /// If this process may not supervise others.
    pub fn new(
        spec: BotSpec,
        extent: Extent,
        tracer: Option<Tracer>,
    ) -> Result<Self, FactoryError> {
        Self::hiding(spec, extent, tracer, Vec::new())
    }

    /// Like [`Lab::new`], with files that the bot must not see.
    ///
    /// # Errors
    /// As those of [`Lab::new`].
    pub fn hiding(
        mut spec: BotSpec,
        extent: Extent,
        tracer: Option<Tracer>,
        hidden: Vec<PathBuf>,
    ) -> Result<Self, FactoryError> {
        let stderr = tempfile::tempdir()?;
        spec.time = TimeControl {
            startup: Millis(extent.answer_limit),
            ..TimeControl::default()
        };
        let shared = Arc::new(spec.clone());
        let bots = std::slice::from_ref(&shared);
        let factory = BotFactory::new(bots, &hidden, Some(stderr.path().to_owned()))?;
        Ok(Lab {
            factory: factory.traced(tracer),
            answer_limit: extent.answer_limit,
            spec,
            extent,
            _stderr: stderr,
        })
    }

    /// Messages name the usual limit per move, but far more time is allowed.
    pub(super) fn lenient(&self) -> TimeControl {
        TimeControl {
            per_move: Some(Millis(self.extent.time)),
            startup: Millis(self.answer_limit),
            margin: Millis(self.answer_limit),
            ..TimeControl::default()
        }
    }
}
