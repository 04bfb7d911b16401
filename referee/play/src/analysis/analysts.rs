//! Several bots analyse several positions at the same time.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _};
use games::BrokenRules;
use supervisor::{BotFactory, BotSpec, FactoryError};

use super::{AnalysedPosition, Thought, think};

/// A bot, by its index, and a position for it to analyse.
pub type Job<'a> = (usize, &'a AnalysedPosition<'a>);

/// Bots that analyse positions.
pub struct Analysts {
    pub specs: Vec<Arc<BotSpec>>,
    /// Files that sandboxes hide from them, such as the log of the match.
    hidden: Vec<PathBuf>,
    /// Processes at a time.
    pub concurrency: usize,
    done: Cell<usize>,
}

impl Analysts {
    pub fn new(specs: Vec<Arc<BotSpec>>, hidden: Vec<PathBuf>, concurrency: usize) -> Self {
        Analysts {
            specs,
            hidden,
            concurrency,
            done: Cell::new(0),
        }
    }

    /// The number of finished jobs.
    pub fn done(&self) -> usize {
        self.done.get()
    }

    /// # Errors
    /// If this process may not supervise others, or cannot confine a bot.
    pub fn factory(&self) -> Result<Arc<BotFactory>, FactoryError> {
        BotFactory::new(&self.specs, &self.hidden, None).map(Arc::new)
    }

    /// Does the jobs, each in a process of its own, and returns the results in their order. `update`
    /// receives intermediate results.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub async fn think<'a>(
        &'a self,
        factory: &'a Arc<BotFactory>,
        jobs: &'a [Job<'a>],
        lines: usize,
        update: impl Fn(usize, &Thought),
    ) -> Result<Vec<Thought>, BrokenRules> {
        let update = &update;
        let job = async |&(bot, position): &'a Job<'a>| {
            let update = |known: &Thought| update(bot, known);
            let thought = think(position, &self.specs[bot], factory.clone(), lines, update).await;
            self.done.set(self.done.get() + 1);
            thought
        };
        let jobs = stream::iter(jobs.iter().map(job)).buffered(self.concurrency);
        jobs.collect::<Vec<_>>().await.into_iter().collect()
    }
}
