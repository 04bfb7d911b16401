//! Requests to end a tournament early.

use tokio::sync::watch;

/// Urgency of a stop. In any case, finished matches are in the log, and the tournament can be
/// resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// When everything is played.
    #[default]
    No,
    /// When the running matches are finished: no new ones begin.
    Finish,
    /// Now: running matches are abandoned, neither finished nor forfeited.
    GiveUp,
}

/// Waits until a tournament has to end this soon or sooner. Waits for ever once nobody can ask any
/// more.
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
