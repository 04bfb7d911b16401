//! Players that listen somewhere play one match at a time: other matches that need one wait for it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

/// What is known of a player; held by the match that it plays.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// What it said about itself when it was asked, if it said anything.
    pub(super) introduction: Option<Option<String>>,
    /// It was never reached, and that was waited for.
    pub(super) is_missing: bool,
    /// The last match, if the player may believe that it goes on.
    pub(super) unfinished: Option<String>,
}

/// A player for one match.
pub(super) type Seat = OwnedMutexGuard<Known>;

type Places = BTreeMap<String, Arc<tokio::sync::Mutex<Known>>>;

/// All players that this process has asked, by address. Other tournaments may run in it.
static PLACES: Mutex<Places> = Mutex::new(BTreeMap::new());

/// Waits until no other match of this process needs the player at this address.
pub(super) async fn take(address: &str) -> Seat {
    let place = {
        let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
        places.entry(address.to_owned()).or_default().clone()
    };
    place.lock_owned().await
}
