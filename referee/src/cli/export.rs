//! `referee export`: recorded matches as readable text.

use std::path::PathBuf;

use protocol::Record;

use super::filter::{MatchFilter, Seen};
use super::format::FormatArgs;
use super::{CliError, print};
use crate::log::{self, LogFile};
use crate::report::{tell, transcript};

/// Writes recorded matches as text: headers, and a numbered line a ply with its time
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee export runs/quickstart-1 --match m-000007
  referee export runs/quickstart-1 --player mcts --player greedy
  referee export runs/quickstart-1 > matches.txt")]
pub(super) struct Args {
    /// A log, or a tournament's folder
    log: PathBuf,
    #[command(flatten)]
    filter: MatchFilter,
    #[command(flatten)]
    format: FormatArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        let mut seen = Seen::default();
        let mut found = false;
        let mut file = LogFile::open(&self.log)?;
        for record in file.by_ref() {
            // Alone, it follows no line.
            let record = Record {
                prev: None,
                ..record?
            };
            if !self.filter.wants(&record, &mut seen) {
                continue;
            }
            match (self.format.json(), found) {
                (true, _) => print(&record.to_line())?,
                (false, true) => print(&format!("\n{}", transcript::text(&record)))?,
                (false, false) => print(&transcript::text(&record))?,
            }
            found = true;
            if self.filter.match_id.is_some() {
                return Ok(());
            }
        }
        let path = log::locate(&self.log);
        if let Some(cut) = file.cut() {
            tell(format_args!("warning: {}: {cut}\n", path.display()));
        }
        self.filter.check(&seen, &self.log)
    }
}
