//! How a tournament is asked to end early.

use tokio::sync::watch;

/// How soon a tournament has to end. Whatever it is, finished matches are in the log, and the
/// tournament can be resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// When everything was played.
    #[default]
    No,
    /// When the matches in flight are finished: no new ones begin.
    Finish,
    /// Now: matches in flight are given up, neither finished nor forfeited.
    GiveUp,
}

/// Waits until a tournament has to end as soon as this, or sooner. If nobody can ask for that any
/// more, it waits for ever.
pub async fn asked(stop: &mut watch::Receiver<Stop>, least: Stop) -> Stop {
    // A borrowed value must not be held while waiting.
    let asked = stop.wait_for(|stop| *stop >= least).await.map(|stop| *stop);
    match asked {
        Ok(stop) => stop,
        Err(_) => std::future::pending().await,
    }
}

/// Waits until it changes how soon a tournament has to end.
pub(super) async fn changed(stop: &mut watch::Receiver<Stop>) -> Stop {
    match stop.changed().await {
        Ok(()) => *stop.borrow_and_update(),
        Err(_) => std::future::pending().await,
    }
}
