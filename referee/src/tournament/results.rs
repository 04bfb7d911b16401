//! Ratings from the log of a tournament that is over.

use std::collections::BTreeMap;
use std::path::Path;

use ratings::report::Estimate;
use ratings::{MatchStore, Request};

use crate::log::each_summary;

/// How many matches a bot needs before its rating means anything.
const ENOUGH: u64 = 16;

/// The ratings of the bots that have enough matches in the log of this folder, which has `played`
/// matches. Empty if the log cannot be read: that is no reason to hide the standings.
pub(crate) fn ratings(folder: &Path, played: usize) -> BTreeMap<String, Estimate> {
    let mut matches = MatchStore::with_capacity(played);
    let read = each_summary(
        folder,
        |_| {},
        |played, summary| matches.add_summary(played, summary),
    );
    let report = read
        .ok()
        .and_then(|_| matches.report(&Request::default()).ok());
    let Some(report) = report else {
        return BTreeMap::new();
    };
    let bots = report.bots.iter().zip(&report.ratings.bots);
    let enough = bots.filter(|(bot, _)| bot.results.matches >= ENOUGH);
    let rated = enough.filter_map(|(bot, rating)| Some((bot.name.clone(), (*rating)?)));
    rated.collect()
}
