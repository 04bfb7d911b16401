//! Match summaries of a log.

use std::path::Path;

use ratings::store::Account;
use ratings::{MatchStore, MatchSummary, ScanMemo};

use super::read::{LogError, LogFile, LogLine, locate};
use super::remarks::{MatchRemarks, Remarks};

/// A match as statistics count it.
#[derive(Debug)]
pub struct Counted {
    /// Without its plies.
    pub played: MatchSummary,
    account: Account,
    remarks: Option<Box<MatchRemarks>>,
}

impl Counted {
    /// Adds it to these matches.
    pub fn add_to(&self, matches: &mut MatchStore) {
        matches.add_summary(&self.played, &self.account);
    }

    /// Adds what its bots remarked.
    pub fn add_remarks_to(&self, remarks: &mut Remarks) {
        if let Some(mine) = &self.remarks {
            remarks.add(&self.played, mine);
        }
    }
}

/// The part that statistics need, which is quicker to read; it has no chain.
impl LogLine for MatchSummary {
    type Memo = ScanMemo;

    fn read(text: &[u8], memo: &mut ScanMemo) -> serde_json::Result<Self> {
        match MatchSummary::scan(text, memo) {
            Some(read) => Ok(read),
            None => serde_json::from_slice(text),
        }
    }

    fn format(&self) -> u32 {
        self.format
    }
}

/// A line of a log with what statistics need of it.
struct Line {
    played: MatchSummary,
    remarks: Option<Box<MatchRemarks>>,
}

impl LogLine for Line {
    type Memo = ScanMemo;

    fn read(text: &[u8], memo: &mut ScanMemo) -> serde_json::Result<Self> {
        let played = MatchSummary::read(text, memo)?;
        Ok(Line {
            remarks: MatchRemarks::read(text, &played),
            played,
        })
    }

    fn format(&self) -> u32 {
        self.played.format
    }
}

/// Calls `take` with each complete match. Returns a sentence about a dropped last line.
///
/// # Errors
/// If the log cannot be read.
pub fn each_summary(
    log: &Path,
    prepare: impl Fn(&mut MatchSummary) + Sync,
    mut take: impl FnMut(&Counted),
) -> Result<Option<String>, LogError> {
    let count = |line: Line, memo: &mut ScanMemo| {
        let Line {
            mut played,
            remarks,
        } = line;
        prepare(&mut played);
        let account = Account::of(&played);
        memo.reuse(std::mem::take(&mut played.moves));
        Counted {
            played,
            account,
            remarks,
        }
    };
    let mut file = LogFile::open(log)?;
    file.each(count, |counted| {
        take(counted);
        Ok::<_, LogError>(())
    })?;
    let path = locate(log);
    Ok(file.cut().map(|cut| format!("{}: {cut}", path.display())))
}
