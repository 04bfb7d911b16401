//! Access to players, which play one match at a time: other matches that need one wait for it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

/// The state of a player; locked by the match that it plays.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The player's answer to `INFO` once it was asked; `Some(None)` if it has no description.
    pub(super) introduction: Option<Option<String>>,
    /// The player was unreachable even after waiting.
    pub(super) is_missing: bool,
    /// The last match, if the player may still be in it.
    pub(super) unfinished: Option<String>,
}

pub(super) type Seat = OwnedMutexGuard<Known>;

type Places = BTreeMap<String, Arc<tokio::sync::Mutex<Known>>>;

/// All players known to this process, by address. Tournaments in the same process share them.
static PLACES: Mutex<Places> = Mutex::new(BTreeMap::new());

/// Waits until no other match of this process needs the player at this address.
pub(super) async fn take(address: &str) -> Seat {
    let place = {
        let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
        places.entry(address.to_owned()).or_default().clone()
    };
    place.lock_owned().await
}
