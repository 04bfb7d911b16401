//! A cache for the report of a growing log, which takes a while to compute.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::http::answer::Refusal;
use crate::pages::PlayedTournament;

/// Computing reports takes at most one part in this many of the time.
const SHARE: u32 = 10;

#[derive(Default)]
pub(crate) struct Reports {
    last: Mutex<Option<Made>>,
}

struct Made {
    /// The number of matches in the report.
    matches: usize,
    at: Instant,
    took: Duration,
    played: Arc<PlayedTournament>,
}

impl Reports {
    /// The report of all matches, which may be somewhat out of date.
    pub(crate) fn played(
        &self,
        log: &Path,
        matches: usize,
    ) -> Result<Arc<PlayedTournament>, Refusal> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*last
            && (made.matches == matches || made.at.elapsed() < made.took * SHARE)
        {
            return Ok(made.played.clone());
        }
        let begin = Instant::now();
        let played = PlayedTournament::read(log, None);
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
