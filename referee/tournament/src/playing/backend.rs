//! Where the matches of a tournament are played, if not in slots of this process.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use config::Config;
use tokio::sync::{mpsc, watch};

use crate::playing::queue::Queue;
use crate::reports::FromSlot;
use crate::stop::Stop;

/// Plays the matches of a tournament somewhere: on other machines, for example. It takes groups of
/// matches from the queue and reports what becomes of them; the tournament writes the log, decides
/// what comes next, and shows what happens.
pub trait Backend {
    /// Why it cannot go on.
    type Error: Send + 'static;

    /// Gets ready, and returns what plays.
    ///
    /// # Errors
    /// If it cannot. Nothing has begun then.
    fn open(&mut self, run: Run)
    -> impl Future<Output = Result<Playing<Self::Error>, Self::Error>>;

    /// Lets go of a tournament that is over, when all of it is in the log. Returns what the user should
    /// know, as a sentence.
    fn close(&mut self) -> impl Future<Output = Option<String>>;
}

/// Plays until no more matches begin, nobody takes the reports, or it is asked to stop.
pub type Playing<E> = Pin<Box<dyn Future<Output = Result<(), E>> + Send>>;

/// What a backend plays.
pub struct Run {
    /// The configuration.
    pub config: Arc<Config>,
    /// The folder of the tournament, for notes of the backend's own.
    pub folder: PathBuf,
    /// The matches.
    pub queue: Arc<Queue>,
    /// What becomes of them.
    pub reports: mpsc::Sender<FromSlot>,
    /// Whether to end early.
    pub stop: watch::Receiver<Stop>,
}
