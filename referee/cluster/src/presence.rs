//! Heartbeats of workers, which no stream stores.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};

use crate::connection::Connection;
use crate::error::ClusterError;
use crate::names::WorkerName;

/// The interval between heartbeats of a worker.
pub const HEARTBEAT: Duration = Duration::from_secs(1);

/// The longest heartbeat, in bytes: viewers store the last one of each worker.
const MAX_BYTES: usize = 64 << 10;

/// A heartbeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// The worker's name.
    pub name: String,
    /// Jobs that it can do at a time.
    pub slots: u32,
    /// Jobs that it is doing.
    pub busy: u32,
    /// Matches that it has played since it started.
    pub matches: u64,
    /// When it started, in RFC 3339 and UTC.
    pub since: String,
    /// The tournaments that it is playing matches of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tournaments: Vec<String>,
}

/// Listens for a while and returns the last heartbeat of each worker.
///
/// # Errors
/// If the subscription fails.
pub async fn workers(
    connection: &Connection,
    listen: Duration,
) -> Result<Vec<Presence>, ClusterError> {
    let end = Instant::now() + listen;
    let subscribed = connection
        .client
        .subscribe(WorkerName::ALL_HEARTBEATS)
        .await;
    let mut heartbeats = subscribed.map_err(|error| ClusterError::Unanswered(error.to_string()))?;
    let mut found = BTreeMap::new();
    while let Ok(Some(message)) = timeout_at(end, heartbeats.next()).await {
        if let Some(presence) = Presence::read(&message.payload) {
            found.insert(presence.name.clone(), presence);
        }
    }
    Ok(found.into_values().collect())
}

impl Presence {
    /// Parses a heartbeat.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > MAX_BYTES {
            return None;
        }
        let presence: Presence = serde_json::from_slice(bytes).ok()?;
        // Names are printed.
        presence.name.parse::<WorkerName>().ok()?;
        Some(presence)
    }
}
