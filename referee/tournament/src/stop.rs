//! Requests to end a tournament early.

use tokio::sync::watch;

/// Urgency of a stop. In any case, finished matches are in the log, and the tournament can be
/// resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// After all matches.
    #[default]
    No,
    /// After the running matches: no new ones start.
    Finish,
    /// Now: running matches are abandoned, neither finished nor forfeited.
    GiveUp,
}

/// Waits for a stop at least as urgent as this. Never returns once all senders are gone.
pub async fn asked(stop: &mut watch::Receiver<Stop>, least: Stop) -> Stop {
    // A borrowed value must not be held while waiting.
    let asked = stop.wait_for(|stop| *stop >= least).await.map(|stop| *stop);
    match asked {
        Ok(stop) => stop,
        Err(_) => std::future::pending().await,
    }
}

/// Waits for a new request.
pub(super) async fn changed(stop: &mut watch::Receiver<Stop>) -> Stop {
    match stop.changed().await {
        Ok(()) => *stop.borrow_and_update(),
        Err(_) => std::future::pending().await,
    }
}
