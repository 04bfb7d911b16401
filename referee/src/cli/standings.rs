//! `referee standings`: ratings and all other statistics of a log, in several formats.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::identity;
use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;

use super::{CliError, print};
use crate::log::{self, LogError, LogFile};
use crate::rating::sprt::Hypotheses;
use crate::rating::{Estimate, Match, Matches, Request, Resampling, SprtRequest, game_label};
use crate::report::sheet::{self, By, Sheet, SheetFormat};
use crate::report::tell;

/// With fewer matches of a bot, its rating would say next to nothing.
const ENOUGH: u64 = 16;
/// Anchors are this far from 0 at most.
const MOST_ELO: f64 = 1e6;
/// More resamples tell nothing more.
const MOST_RESAMPLES: i64 = 100_000;

/// Ratings with intervals, results by game and seat, faults and time: all from the log
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee standings runs/quickstart-1                  also while the tournament runs
  referee standings runs/quickstart-1 --by game        ratings in each game alone
  referee standings runs/quickstart-1 --anchor random=0
  referee standings runs/quickstart-1 --format html --out standings.html
  referee standings runs/quickstart-1 --format csv --by seat
  referee standings runs/quickstart-1 --svg ratings.svg
  referee standings runs/quickstart-1 --sprt mine base --elo0 0 --elo1 10")]
pub(super) struct Args {
    /// A log, or a tournament's folder
    log: PathBuf,
    /// Show the ranking, and results told apart by this
    #[arg(long, value_enum)]
    by: Option<By>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = SheetFormat::Text)]
    format: SheetFormat,
    /// Measure ratings from this bot, at 0 Elo unless another number is given; with several of them,
    /// their ratings are right on average
    #[arg(long, value_name = "NAME[=ELO]", value_parser = NonEmptyStringValueParser::new())]
    anchor: Vec<String>,
    /// Only matches of this game, by its id or by its name in the tables
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// A test (SPRT) between two bots, as the format `sprt` makes it
    #[arg(long, num_args = 2, value_names = ["BOT", "OTHER"])]
    sprt: Option<Vec<String>>,
    /// H0 of the test: BOT is stronger than OTHER by this
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        requires = "sprt",
        allow_negative_numbers = true
    )]
    elo0: f64,
    /// H1 of the test: BOT is stronger than OTHER by this
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 20.0,
        requires = "sprt",
        allow_negative_numbers = true
    )]
    elo1: f64,
    /// How often H1 may be accepted although H0 holds
    #[arg(long, value_name = "CHANCE", default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// How often H0 may be accepted although H1 holds
    #[arg(long, value_name = "CHANCE", default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    /// What resampling for the intervals is made from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How often to resample; by default 200 to 1000 times, by how long it takes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=MOST_RESAMPLES))]
    resamples: Option<u32>,
    /// Write it to this file instead
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write a plot of the ratings to this file, too
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        if self.sprt.is_some() && self.format == SheetFormat::Csv {
            return Err(CliError::Usage(
                "a test is no part of `--format csv`; all other formats have it".to_owned(),
            ));
        }
        let matches = self.read()?;
        let request = self.request(&matches)?;
        let sheet = Sheet::new(&matches, &request, self.by);
        let sheet = sheet.map_err(|error| CliError::Usage(error.to_string()))?;
        if let Some(path) = &self.svg {
            write(path, &sheet::plot(&sheet.report))?;
        }
        let text = sheet.write(self.format);
        match &self.out {
            Some(path) => write(path, &text),
            None => print(&text),
        }
    }

    /// The matches that were asked for.
    fn read(&self) -> Result<Matches, CliError> {
        let mut matches = Matches::new();
        let mut labels = BTreeSet::new();
        let cut = each(&self.log, |played| {
            let Some(wanted) = &self.game else {
                matches.add(&played);
                return;
            };
            let label = game_label(&played.game, &played.options);
            if label == *wanted || played.game == *wanted {
                matches.add(&played);
            } else {
                labels.insert(label);
            }
        })?;
        if let Some(cut) = cut {
            tell(format_args!("warning: {cut}\n"));
        }
        let path = log::locate(&self.log);
        match &self.game {
            _ if !matches.is_empty() => Ok(matches),
            Some(wanted) if !labels.is_empty() => {
                let known: Vec<String> = labels.into_iter().collect();
                Err(CliError::Usage(format!(
                    "no match of `{wanted}` is in `{}`; there are {}",
                    path.display(),
                    known.join(", ")
                )))
            }
            _ => Err(CliError::Usage(format!(
                "`{}` has no finished match yet",
                path.display()
            ))),
        }
    }

    fn request(&self, matches: &Matches) -> Result<Request, CliError> {
        let anchors = self.anchor.iter().map(|text| anchor(text, matches));
        Ok(Request {
            resampling: Resampling {
                resamples: self.resamples.map(|n| n as usize),
                seed: self.seed,
            },
            anchors: anchors.collect::<Result<_, _>>()?,
            sprt: self.test()?,
            ..Request::default()
        })
    }

    /// The test that was asked for.
    fn test(&self) -> Result<Option<SprtRequest>, CliError> {
        let Some([first, second]) = self.sprt.as_deref() else {
            return Ok(None);
        };
        let hypotheses = Hypotheses {
            elo0: self.elo0,
            elo1: self.elo1,
            alpha: self.alpha,
            beta: self.beta,
        };
        let checked = hypotheses.check();
        checked.map_err(|error| CliError::Usage(format!("--sprt: {error}")))?;
        Ok(Some(SprtRequest {
            bots: [first.clone(), second.clone()],
            hypotheses,
        }))
    }
}

/// `NAME` or `NAME=ELO`; names may have `=` in them.
fn anchor(text: &str, matches: &Matches) -> Result<(String, f64), CliError> {
    let Some((name, elo)) = text.rsplit_once('=') else {
        return Ok((text.to_owned(), 0.0));
    };
    if matches.names().any(|known| known == text) {
        return Ok((text.to_owned(), 0.0));
    }
    match elo.trim().parse() {
        Ok(elo) if f64::abs(elo) <= MOST_ELO => Ok((name.to_owned(), elo)),
        _ => Err(CliError::Usage(format!(
            "--anchor {text}: `{elo}` is not a number of Elo (at most {MOST_ELO} from 0)"
        ))),
    }
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    fs::write(path, text).map_err(|error| {
        CliError::Usage(format!("`{}` cannot be written: {error}", path.display()))
    })
}

/// Takes all whole matches of a log, and says what was dropped.
fn each(log: &Path, mut take: impl FnMut(Match)) -> Result<Option<String>, LogError> {
    let mut file = LogFile::open(log)?;
    file.each(identity, |played| {
        take(played);
        Ok::<_, LogError>(())
    })?;
    let path = log::locate(log);
    Ok(file.cut().map(|cut| format!("{}: {cut}", path.display())))
}

/// The ratings of the bots of a tournament's folder, in which so many matches were played, for those
/// that have enough of them; nothing if the log cannot be read.
pub(super) fn ratings(folder: &Path, played: usize) -> BTreeMap<String, Estimate> {
    let mut matches = Matches::with_capacity(played);
    let report = each(folder, |played| matches.add(&played))
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
