//! Where a bot is checked, and how thoroughly.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use protocol::{Millis, TimeControl};
use supervisor::{BotFactory, BotSpec, FactoryError, Tracer};
use tempfile::TempDir;

/// How much is checked.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The limit on a move.
    pub time: Duration,
    /// How long an answer may take where no clock is checked.
    pub patience: Duration,
    /// What is tolerated on top of limits where a clock is checked.
    pub margin: Duration,
    /// What all positions are made from.
    pub seed: u64,
    /// How many moves the bot makes in a match.
    pub turns: u32,
    /// How many positions of each game it is asked about.
    pub positions: u32,
}

/// Where a bot is checked.
pub struct Lab {
    pub(super) spec: BotSpec,
    pub(super) factory: BotFactory,
    pub(super) extent: Extent,
    /// How long an answer may take where no clock is checked.
    pub(super) patience: Duration,
    /// What the bot prints on stderr goes there.
    _stderr: TempDir,
}

impl Lab {
    /// A lab for this bot.
    ///
    /// # Errors
    /// If the machine does not let this process look after others.
    pub fn new(
        spec: BotSpec,
        extent: Extent,
        tracer: Option<Tracer>,
    ) -> Result<Self, FactoryError> {
        Self::hiding(spec, extent, tracer, Vec::new())
    }

    /// The same, with files that the bot must not see.
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
            startup: Millis(extent.patience),
            ..TimeControl::default()
        };
        let shared = Arc::new(spec.clone());
        let bots = std::slice::from_ref(&shared);
        let factory = BotFactory::new(bots, &hidden, Some(stderr.path().to_owned()))?;
        Ok(Lab {
            factory: factory.traced(tracer),
            patience: extent.patience,
            spec,
            extent,
            _stderr: stderr,
        })
    }

    /// A time control with the usual limit per move in messages, but with much more time in fact.
    pub(super) fn lenient(&self) -> TimeControl {
        TimeControl {
            per_move: Some(Millis(self.extent.time)),
            startup: Millis(self.patience),
            margin: Millis(self.patience),
            ..TimeControl::default()
        }
    }
}
