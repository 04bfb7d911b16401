//! Who is there: workers send heartbeats, which nothing stores.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};

use crate::connection::Connection;
use crate::error::ClusterError;
use crate::names::WorkerName;

/// How often a worker says that it is there.
pub const HEARTBEAT: Duration = Duration::from_secs(1);

/// No heartbeat is longer, in bytes: a viewer keeps the last one of each worker.
const LONGEST: usize = 64 << 10;

/// What a worker says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// Its name.
    pub name: String,
    /// How many jobs it can do at a time.
    pub slots: u32,
    /// How many it is doing.
    pub busy: u32,
    /// How many matches it has played since it began.
    pub matches: u64,
    /// When it began, in RFC 3339 and UTC.
    pub since: String,
    /// The tournaments that it is playing matches of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tournaments: Vec<String>,
}

/// Listens for a while, and says who was heard; the last words of each.
///
/// # Errors
/// If one cannot listen.
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
    let mut heard = BTreeMap::new();
    while let Ok(Some(message)) = timeout_at(end, heartbeats.next()).await {
        if let Some(presence) = Presence::read(&message.payload) {
            heard.insert(presence.name.clone(), presence);
        }
    }
    Ok(heard.into_values().collect())
}

impl Presence {
    /// What a heartbeat says; `None` if it is none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > LONGEST {
            return None;
        }
        let presence: Presence = serde_json::from_slice(bytes).ok()?;
        // It is shown to people.
        presence.name.parse::<WorkerName>().ok()?;
        Some(presence)
    }
}
