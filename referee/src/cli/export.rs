//! `referee export`: recorded matches as readable text.

use std::path::PathBuf;

use protocol::Record;

use super::format::FormatArgs;
use super::{CliError, print};
use crate::log::{self, LogFile};
use crate::report::{tell, transcript};

/// Writes recorded matches as text: headers, and a numbered line a ply with its time
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee export runs/quickstart-1 --match m-000007
  referee export runs/quickstart-1 > matches.txt")]
pub(super) struct Args {
    /// A log, or a tournament's folder
    log: PathBuf,
    /// Only this match
    #[arg(long = "match", value_name = "ID")]
    match_id: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        let mut found = false;
        let mut file = LogFile::open(&self.log)?;
        for record in file.by_ref() {
            // Alone, it follows no line.
            let record = Record {
                prev: None,
                ..record?
            };
            let wanted = |id: &String| *id == record.match_id;
            if !self.match_id.as_ref().is_none_or(wanted) {
                continue;
            }
            match (self.format.json(), found) {
                (true, _) => print(&record.to_line())?,
                (false, true) => print(&format!("\n{}", transcript::text(&record)))?,
                (false, false) => print(&transcript::text(&record))?,
            }
            found = true;
            if self.match_id.is_some() {
                return Ok(());
            }
        }
        let path = log::locate(&self.log);
        if let Some(cut) = file.cut() {
            tell(format_args!("warning: {}: {cut}\n", path.display()));
        }
        match self.match_id {
            Some(id) => {
                let hint = log::whole_id(&id);
                let hint = hint.map_or(String::new(), |id| format!("; did you mean `{id}`?"));
                Err(CliError::Usage(format!(
                    "there is no match `{id}` in `{}`{hint}",
                    path.display()
                )))
            }
            None => Ok(()),
        }
    }
}
