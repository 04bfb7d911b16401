//! What `referee report` says, for pages: bots, statistics, the rules of games.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::answer::Refusal;
use super::site::Site;
use crate::report::pages::{Page, Played};

/// Making a report takes at most one part in this many of the time.
const SHARE: u32 = 10;

/// The report that was made last.
#[derive(Default)]
pub(super) struct Reports {
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
    fn played(&self, log: &Path, matches: usize) -> Result<Arc<Played>, Refusal> {
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

/// The page with this name: `statistics`, `about`, a bot's or a game's.
///
/// # Errors
/// If there is no such page.
pub(super) fn page(site: &Site, kind: &str, name: &str) -> Result<Page, Refusal> {
    let [log] = &site.logs[..] else {
        return Err(Refusal::missing(
            "there are no such pages where several logs are shown as one",
        ));
    };
    if kind == "rules" {
        let page = games::find(name).map(crate::report::pages::rules_of);
        return page.ok_or_else(|| Refusal::missing(format!("no game `{name}` is built in")));
    }
    let matches = site.index().len();
    let played = site.reports.played(log, matches)?;
    let page = match kind {
        "bot" => crate::report::pages::bot(&played, name),
        "statistics" => Some(crate::report::pages::statistics(&played)),
        "about" => Some(crate::report::pages::about(&played)),
        _ => None,
    };
    page.ok_or_else(|| Refusal::missing(format!("there is no page about `{name}`")))
}
