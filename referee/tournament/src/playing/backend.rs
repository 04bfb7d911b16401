//! Backends: matches can be played elsewhere than in slots of this process.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use config::Config;
use tokio::sync::{mpsc, watch};

use crate::playing::queue::Queue;
use crate::reports::FromSlot;
use crate::stop::Stop;

/// Plays the matches of a tournament, for example on other machines. It takes groups of matches
/// from the queue and reports results; the tournament writes the log, decides what comes next, and
/// shows progress.
pub trait Backend {
    type Error: Send + 'static;

    /// Prepares a run, and returns the future that plays.
    ///
    /// # Errors
    /// If it cannot. Nothing has begun then.
    fn open(&mut self, run: Run)
    -> impl Future<Output = Result<Playing<Self::Error>, Self::Error>>;

    /// Releases a finished tournament, once all of it is in the log. Returns a sentence for the
    /// user, if there is one.
    fn close(&mut self) -> impl Future<Output = Option<String>>;
}

/// Runs until no more matches start, the receiver of reports is gone, or a stop is requested.
pub type Playing<E> = Pin<Box<dyn Future<Output = Result<(), E>> + Send>>;

pub struct Run {
    pub config: Arc<Config>,
    /// The folder of the tournament; the backend may keep notes there.
    pub folder: PathBuf,
    pub queue: Arc<Queue>,
    pub reports: mpsc::Sender<FromSlot>,
    pub stop: watch::Receiver<Stop>,
}
