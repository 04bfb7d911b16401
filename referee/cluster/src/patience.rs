//! Servers that do not answer for a moment: they may be starting anew.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::error::ClusterError;

/// For how long a server may be silent.
const LONGEST: Duration = Duration::from_secs(30);
/// The pause before it is asked once more.
const AGAIN: Duration = Duration::from_millis(300);

/// How long one goes on asking: half a minute.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    end: Instant,
}

impl Default for Patience {
    fn default() -> Self {
        Patience::new()
    }
}

impl Patience {
    /// From now on.
    pub fn new() -> Self {
        Patience {
            end: Instant::now() + LONGEST,
        }
    }

    /// Whether to ask once more after this error; waits a moment if so.
    pub async fn bears(&self, error: &ClusterError) -> bool {
        let bears = error.is_passing() && Instant::now() < self.end;
        if bears {
            sleep(AGAIN).await;
        }
        bears
    }
}
