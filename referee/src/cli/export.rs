//! `referee export`: recorded matches as readable text, or as pages in one file.

use std::io::{self, BufWriter};
use std::path::PathBuf;

use clap::ValueEnum;
use protocol::{Record, shown};

use super::filter::{MatchFilter, Seen};
use super::input::RulesArgs;
use super::{CliError, print};
use crate::log::{self, LogFile};
use crate::report::{tell, transcript};
use crate::web::OneFile;

/// Writes recorded matches as text (headers, and a numbered line a ply with its time), or as pages for
/// the browser in one file
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee export runs/quickstart-1 --match m-000007
  referee export runs/quickstart-1 --player mcts --player greedy
  referee export runs/quickstart-1 > matches.txt
  referee export runs/quickstart-1 --format html > report.html    standings and all matches
  referee export runs/quickstart-1 --match m-000007 --format html > match.html

The HTML loads nothing from anywhere: it works from disk and from any web server.")]
pub(super) struct Args {
    /// A log, or a tournament's folder
    log: PathBuf,
    #[command(flatten)]
    filter: MatchFilter,
    #[command(flatten)]
    rules: RulesArgs,
    /// How to write them
    #[arg(long, value_enum, default_value_t)]
    format: ExportFormat,
}

/// What matches are written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// For people
    #[default]
    Text,
    /// For programs: the lines of the log, without `prev`
    Json,
    /// For the browser: pages in one file
    Html,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        match self.format {
            ExportFormat::Html => self.pages(),
            ExportFormat::Json => self.each(|record, _| print(&record.to_line())),
            ExportFormat::Text => self.each(|record, is_first| {
                let gap = if is_first { "" } else { "\n" };
                print(&format!("{gap}{}", transcript::text(&record)))
            }),
        }
    }

    /// Writes pages in one file.
    fn pages(&self) -> Result<(), CliError> {
        let rules = self.rules.are_given().then(|| self.rules.open());
        // Standings of some matches would say something else than those of all.
        let is_report = self.filter.is_empty();
        let mut file = None;
        let mut rules = rules.transpose()?;
        self.each(|record, _| {
            let file = match &mut file {
                Some(file) => file,
                file => {
                    let out = BufWriter::new(io::stdout());
                    let begun = OneFile::begin(out, &self.log, rules.take(), is_report);
                    file.insert(begun?)
                }
            };
            let is_one = self.filter.match_id.is_some();
            if let Some(why) = file.add(record, is_one)? {
                tell(format_args!("warning: {}\n", shown(&why)));
            }
            Ok(())
        })?;
        match file {
            Some(file) => Ok(file.end()?),
            None => Err(CliError::Usage(format!(
                "`{}` has no finished match yet",
                log::locate(&self.log).display()
            ))),
        }
    }

    /// Takes the matches that are wanted, one after another.
    fn each(
        &self,
        mut take: impl FnMut(Record, bool) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let mut seen = Seen::default();
        let mut is_first = true;
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
            take(record, is_first)?;
            is_first = false;
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
