//! Match summaries of a log.

use std::path::Path;

use ratings::MatchSummary;
use ratings::matches::Plies;
use ratings::store::Account;

use super::read::{LogError, LogFile, locate};

/// Calls `take` with the summary of each complete match, without its plies, and with its account. Returns a
/// sentence about a dropped last line.
///
/// # Errors
/// If the log cannot be read.
pub fn each_summary(
    log: &Path,
    prepare: impl Fn(&mut MatchSummary) + Sync,
    mut take: impl FnMut(&MatchSummary, &Account),
) -> Result<Option<String>, LogError> {
    let sum_up = |mut played: MatchSummary| {
        prepare(&mut played);
        let summary = Account::of(&played);
        played.moves = Plies::default();
        (played, summary)
    };
    let mut file = LogFile::open(log)?;
    file.each(sum_up, |(played, summary)| {
        take(&played, &summary);
        Ok::<_, LogError>(())
    })?;
    let path = locate(log);
    Ok(file.cut().map(|cut| format!("{}: {cut}", path.display())))
}
