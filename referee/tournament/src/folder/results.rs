//! Statistics from the log of a finished tournament.

use std::path::Path;

use log::each_summary;
use ratings::{MatchStore, Report, Request};

/// The statistics of the log in this folder, which has `played` matches. `None` if the log is
/// unreadable: the standings are shown all the same.
pub fn report(folder: &Path, played: u64) -> Option<Report> {
    let mut matches = MatchStore::with_capacity(usize::try_from(played).unwrap_or(0));
    let read = each_summary(folder, |_| {}, |counted| counted.add_to(&mut matches));
    read.ok()?;
    matches.report(&Request::default()).ok()
}
