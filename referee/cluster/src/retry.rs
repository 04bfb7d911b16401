//! Retries while a server does not answer: it may be restarting.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::error::ClusterError;

/// Retries stop after this time.
const LIMIT: Duration = Duration::from_secs(30);
/// Before each retry.
const PAUSE: Duration = Duration::from_millis(300);

/// Allows retries for half a minute.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    end: Instant,
}

impl Default for Retry {
    fn default() -> Self {
        Retry::new()
    }
}

impl Retry {
    pub fn new() -> Self {
        Retry {
            end: Instant::now() + LIMIT,
        }
    }

    /// True if the request should be retried after this error; pauses first.
    pub async fn after(&self, error: &ClusterError) -> bool {
        let retries = error.is_passing() && Instant::now() < self.end;
        if retries {
            sleep(PAUSE).await;
        }
        retries
    }
}
