//! The report of a log that grows, which takes a while to make: pages get the one that was made last.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::http::answer::Refusal;
use crate::pages::Played;

/// Making a report takes at most one part in this many of the time.
const SHARE: u32 = 10;

/// The report that was made last.
#[derive(Default)]
pub(crate) struct Reports {
    last: Mutex<Option<Made>>,
}

struct Made {
    /// Of how many matches.
    matches: usize,
    at: Instant,
    took: Duration,
    played: Arc<Played>,
}

impl Reports {
    /// The report of all that was played.
    pub(crate) fn played(&self, log: &Path, matches: usize) -> Result<Arc<Played>, Refusal> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*last
            && (made.matches == matches || made.at.elapsed() < made.took * SHARE)
        {
            return Ok(made.played.clone());
        }
        let begin = Instant::now();
        let played = Played::read(log, None);
        let played = Arc::new(played.map_err(|error| Refusal::missing(error.to_string()))?);
        *last = Some(Made {
            matches,
            at: Instant::now(),
            took: begin.elapsed(),
            played: played.clone(),
        });
        Ok(played)
    }
}
