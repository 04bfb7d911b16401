//! `referee export`: recorded matches as readable text, as a table, or as pages in one file.

use std::io::{self, BufWriter};
use std::path::PathBuf;

use clap::ValueEnum;
use log::{self, LogFile, each_summary};
use protocol::{Record, shown};
use report::match_rows::{self, Rows};
use report::{print_notice, transcript};
use web::OneFile;

use crate::cli::common::args::RulesArgs;
use crate::cli::common::filter::{MatchFilter, Scanned};
use crate::cli::{CliError, print};

/// Writes recorded matches as text, a table or a web page
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee export runs/quickstart-1 --match m-000007
  referee export runs/quickstart-1 --player mcts --player greedy
  referee export runs/quickstart-1 > matches.txt
  referee export runs/quickstart-1 --format csv > matches.csv       one row a match
  referee export runs/quickstart-1 --format csv --rows moves > moves.csv
  referee export runs/quickstart-1 --format html > report.html    standings and all matches
  referee export runs/quickstart-1 --match m-000007 --format html > match.html

The HTML loads nothing from anywhere: it works from disk and from any web server.")]
pub(crate) struct Args {
    /// A log, or a tournament's folder
    log: PathBuf,
    #[command(flatten)]
    filter: MatchFilter,
    #[command(flatten)]
    rules: RulesArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: ExportFormat,
    /// The rows of `--format csv`
    #[arg(long, value_enum)]
    rows: Option<CsvRows>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CsvRows {
    /// A match
    Matches,
    /// A move
    Moves,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// For people
    #[default]
    Text,
    /// For programs: the lines of the log, without `prev`
    Json,
    /// For spreadsheets: one row a match, or a move (`--rows moves`)
    Csv,
    /// For the browser: pages in one file
    Html,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        if self.rows.is_some() && self.format != ExportFormat::Csv {
            return Err(CliError::Usage(
                "`--rows` is for `--format csv`; other formats have no rows".to_owned(),
            ));
        }
        match self.format {
            ExportFormat::Csv => self.table(),
            ExportFormat::Html => self.pages(),
            ExportFormat::Json => self.each(|record, _| print(&record.to_line())),
            ExportFormat::Text => self.each(|record, is_first| {
                let gap = if is_first { "" } else { "\n" };
                print(&format!("{gap}{}", transcript::text(&record)))
            }),
        }
    }

    /// Writes a table.
    fn table(&self) -> Result<(), CliError> {
        let rows = match self.rows {
            Some(CsvRows::Moves) => Rows::Moves,
            Some(CsvRows::Matches) | None => Rows::Matches {
                seats: self.most_seats()?,
            },
        };
        print(&lines([match_rows::header(rows)]))?;
        self.each(|record, _| print(&lines(match_rows::of(&record, rows))))
    }

    /// The most seats of a match in the log, selected or not.
    fn most_seats(&self) -> Result<usize, CliError> {
        let mut most = 0;
        each_summary(
            &self.log,
            |_| {},
            |counted| most = most.max(counted.played.players.len()),
        )?;
        Ok(most)
    }

    /// Writes pages in one file.
    fn pages(&self) -> Result<(), CliError> {
        let rules = self.rules.are_given().then(|| self.rules.open());
        // Standings of a selection would differ from those of the log.
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
                print_notice(format_args!("warning: {}\n", shown(&why)));
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

    /// Calls `take` with each selected match.
    fn each(
        &self,
        mut take: impl FnMut(Record, bool) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let mut scanned = Scanned::default();
        let mut is_first = true;
        let mut file = LogFile::open(&self.log)?;
        for record in file.by_ref() {
            // Alone, it follows no line.
            let record = Record {
                prev: None,
                ..record?
            };
            if !self.filter.wants(&record, &mut scanned) {
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
            print_notice(format_args!("warning: {}: {cut}\n", path.display()));
        }
        self.filter.check(&scanned, &self.log)
    }
}

/// Rows as lines of CSV.
fn lines(rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to memory cannot fail, nor can rows of equal length.
        let _ = writer.write_record(row);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
