//! `referee standings`: ratings and other statistics of a log, in several formats.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{NonEmptyStringValueParser, PossibleValue};
use log::{self, MIN_CHOICES, Remarks, each_summary};
use report::sheet::{self, By, Sheet, SheetFormat};
use report::{print_notice, terminal};

use crate::cli::common::format::replace;
use crate::cli::{CliError, print};
use ratings::report::{Resampling, SprtRequest};
use ratings::sprt::{EloModel, Hypotheses};
use ratings::{MatchStore, MatchSummary, Request, game_label};

/// Largest distance of an anchor from 0.
const MOST_ELO: f64 = 1e6;
/// A game with more weight leaves nothing of the others.
const MOST_WEIGHT: f64 = 1000.0;
/// More resamples change nothing.
const MOST_RESAMPLES: i64 = 100_000;

/// Prints ratings with intervals, results by game and seat, faults
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee standings runs/quickstart-1                  also while the tournament runs
  referee standings runs/quickstart-1 --by game        ratings in each game alone
  referee standings runs/quickstart-1 --by pair        each two bots: the difference, how sure it is
  referee standings runs/quickstart-1 --by goal        mean goals: for puzzles and cooperation
  referee standings runs/monday runs/tuesday           one table of several logs
  referee standings runs/quickstart-1 --by version     each version of a bot by itself
  referee standings merged --by machine                do machines agree?
  referee standings merged --without machine=rack7     leaves its matches out
  referee standings runs/quickstart-1 --anchor random=0
  referee standings runs/quickstart-1 --weight siam=2 --without-forfeits
  referee standings runs/quickstart-1 --format html --out standings.html
  referee standings runs/quickstart-1 --format csv --by seat
  referee standings runs/quickstart-1 --svg ratings.svg
  referee standings runs/quickstart-1 --sprt mine base --elo0 0 --elo1 10")]
pub(crate) struct Args {
    /// Logs, or tournaments' folders; bots of one name are the same in all of them
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Show the ranking, and results grouped by this
    #[arg(long, value_enum)]
    by: Option<ByWord>,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatWord(SheetFormat::Text))]
    format: FormatWord,
    /// Measure ratings from this bot, at 0 Elo unless another number is given; with several of them,
    /// their ratings are right on average
    #[arg(long, value_name = "NAME[=ELO]", value_parser = NonEmptyStringValueParser::new())]
    anchor: Vec<String>,
    /// The weight of a game's matches in the ratings, from 0 for none; 1 by default
    #[arg(long, value_name = "GAME=WEIGHT", value_parser = weight)]
    weight: Vec<(String, f64)>,
    /// Leave matches that were lost by a fault out of the ratings
    #[arg(long)]
    without_forfeits: bool,
    /// Count a match that no bot was ready for as a draw, as the log has it; otherwise nobody gets a
    /// point for it, and ratings leave it out
    #[arg(long)]
    share_unstarted: bool,
    /// Only matches of this game, by its id or by its name in the tables
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Leave out all matches of a machine; may be given several times
    #[arg(long, value_name = "machine=NAME", value_parser = machine)]
    without: Vec<String>,
    /// A test (SPRT) between two bots, as in the format `sprt`
    #[arg(long, num_args = 2, value_names = ["BOT", "OTHER"], allow_hyphen_values = true)]
    sprt: Option<Vec<String>>,
    /// The scale of --elo0 and --elo1: Elo by the expected score, or normalized Elo, the score in
    /// standard deviations of a match
    #[arg(long, value_enum, default_value_t = TestScale::Logistic, requires = "sprt")]
    model: TestScale,
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
    /// The probability of accepting H1 although H0 holds
    #[arg(long, value_name = "CHANCE", default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// The probability of accepting H0 although H1 holds
    #[arg(long, value_name = "CHANCE", default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    /// Without effect: intervals are no longer made by resampling
    #[arg(long, value_name = "N", default_value_t = 1, hide = true)]
    seed: u64,
    /// Without effect, too
    #[arg(long, value_name = "N", hide = true, value_parser = clap::value_parser!(u32).range(2..=MOST_RESAMPLES))]
    resamples: Option<u32>,
    /// Write it to this file instead
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write a plot of the ratings to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
struct ByWord(By);

impl ValueEnum for ByWord {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            ByWord(By::Game),
            ByWord(By::Seat),
            ByWord(By::Goal),
            ByWord(By::Opening),
            ByWord(By::Pair),
            ByWord(By::Version),
            ByWord(By::Machine),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self.0 {
            By::Game => ("game", "Ratings and results in each game"),
            By::Seat => ("seat", "Results in each seat of each game"),
            By::Goal => (
                "goal",
                "The mean goal of each bot in each game, whatever the others reached",
            ),
            By::Opening => (
                "opening",
                "What each seat made of each opening, all bots together",
            ),
            By::Pair => (
                "pair",
                "The difference between each two bots, and how sure it is",
            ),
            By::Version => (
                "version",
                "All results, with each version of a bot as a bot of its own",
            ),
            By::Machine => (
                "machine",
                "What was played on each machine, and whether its results are those of the others",
            ),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

#[derive(Clone, Copy, Debug)]
struct FormatWord(SheetFormat);

impl ValueEnum for FormatWord {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            FormatWord(SheetFormat::Text),
            FormatWord(SheetFormat::Markdown),
            FormatWord(SheetFormat::Csv),
            FormatWord(SheetFormat::Json),
            FormatWord(SheetFormat::Html),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self.0 {
            SheetFormat::Text => ("text", "Tables for a terminal"),
            SheetFormat::Markdown => ("markdown", "Tables for a README"),
            SheetFormat::Csv => ("csv", "One table with a line of names, for programs"),
            SheetFormat::Json => ("json", "All figures"),
            SheetFormat::Html => ("html", "A page by itself, with the plot of ratings"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

/// Facts about matches that do not count, for messages.
#[derive(Default)]
struct Unwanted {
    /// Other games.
    labels: BTreeSet<String>,
    /// All machines, if some are left out.
    machines: BTreeSet<String>,
    /// True if matches were left out because of their machine.
    by_machine: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum TestScale {
    /// Elo by the expected score
    Logistic,
    /// The score in standard deviations of a match, whatever the share of draws
    Normalized,
}

impl Args {
    fn by(&self) -> Option<By> {
        self.by.map(|ByWord(by)| by)
    }

    pub(crate) fn run(self) -> Result<(), CliError> {
        if self.sprt.is_some() && self.format.0 == SheetFormat::Csv {
            return Err(CliError::Usage(
                "a test is no part of `--format csv`; all other formats have it".to_owned(),
            ));
        }
        let (matches, remarks) = self.read()?;
        let request = self.request(&matches)?;
        let sheet = Sheet::new(&matches, &request, self.by());
        let mut sheet = sheet.map_err(|error| CliError::Usage(error.to_string()))?;
        sheet.same_answers = log::same_answers(&self.logs, matches.alike(MIN_CHOICES))?;
        (sheet.bot_warnings, sheet.models) = remarks.into_lists();
        sheet.opening_moves = log::opening_moves(&self.logs, &sheet.first_matches())?;
        if let Some(path) = &self.svg {
            replace(path, &sheet::plot(&sheet.report))?;
        }
        let width = self.out.is_none().then(terminal::width).flatten();
        let text = sheet.write(self.format.0, width);
        match &self.out {
            Some(path) => replace(path, &text),
            None => print(&text),
        }
    }

    /// Reads the requested matches.
    fn read(&self) -> Result<(MatchStore, Remarks), CliError> {
        self.check_logs()?;
        let mut matches = MatchStore::new();
        if self.share_unstarted {
            matches = matches.sharing_unstarted();
        }
        if self.by() == Some(By::Machine) {
            matches = matches.by_machine();
        }
        let (mut remarks, mut unwanted) = (Remarks::default(), Unwanted::default());
        let by_version = self.by() == Some(By::Version);
        let prepare = |played: &mut MatchSummary| {
            if by_version {
                played.split_versions();
            }
        };
        for (number, log) in self.logs.iter().enumerate() {
            if number > 0 {
                matches.next_log();
            }
            let cut = each_summary(log, prepare, |counted| {
                if self.wants(&counted.played, &mut unwanted) {
                    counted.add_to(&mut matches);
                    counted.add_remarks_to(&mut remarks);
                }
            })?;
            if let Some(cut) = cut {
                print_notice(format_args!("warning: {cut}\n"));
            }
        }
        self.check_without(&unwanted.machines)?;
        if matches.is_empty() {
            return Err(CliError::Usage(self.why_none(&unwanted)));
        }
        Ok((matches, remarks))
    }

    /// True if a match counts.
    fn wants(&self, played: &MatchSummary, unwanted: &mut Unwanted) -> bool {
        if !self.without.is_empty()
            && let Some(machine) = &played.machine
        {
            unwanted.machines.insert(machine.name.clone());
            if self.without.contains(&machine.name) {
                unwanted.by_machine = true;
                return false;
            }
        }
        let Some(wanted) = &self.game else {
            return true;
        };
        let label = game_label(&played.game, &played.options);
        let is_wanted = label == *wanted || played.game == *wanted;
        if !is_wanted {
            unwanted.labels.insert(label);
        }
        is_wanted
    }

    /// Why no match counts.
    fn why_none(&self, unwanted: &Unwanted) -> String {
        let paths = self.logs.iter();
        let paths = paths.map(|log| format!("`{}`", log::locate(log).display()));
        let paths = paths.collect::<Vec<_>>().join(", ");
        match &self.game {
            Some(wanted) if !unwanted.labels.is_empty() => {
                let known: Vec<&str> = unwanted.labels.iter().map(String::as_str).collect();
                let known = known.join(", ");
                format!("no match of `{wanted}` is in {paths}; there are {known}")
            }
            _ if unwanted.by_machine => {
                format!("--without: no other match is in {paths}")
            }
            _ if self.logs.len() == 1 => format!("{paths} has no finished match yet"),
            _ => format!("{paths} have no finished match yet"),
        }
    }

    /// Refuses a machine that is not in the logs: it may be misspelled.
    fn check_without(&self, machines: &BTreeSet<String>) -> Result<(), CliError> {
        let unknown = self.without.iter().find(|name| !machines.contains(*name));
        let Some(unknown) = unknown else {
            return Ok(());
        };
        let known: Vec<String> = machines.iter().map(|name| format!("`{name}`")).collect();
        let known = match &known[..] {
            [] => "the log names none".to_owned(),
            known => format!("there are {}", known.join(", ")),
        };
        Err(CliError::Usage(format!(
            "--without: no match was played on a machine `{unknown}`; {known}"
        )))
    }

    /// Refuses a log that is given twice: its matches would count twice.
    fn check_logs(&self) -> Result<(), CliError> {
        let mut seen = BTreeSet::new();
        for given in &self.logs {
            let log = log::locate(given);
            // A missing log is reported when it is read.
            let path = fs::canonicalize(&log).unwrap_or(log);
            if !seen.insert(path) {
                return Err(CliError::Usage(format!(
                    "`{}` is given twice; its matches would count twice",
                    given.display()
                )));
            }
        }
        Ok(())
    }

    fn request(&self, matches: &MatchStore) -> Result<Request, CliError> {
        let anchors = self.anchor.iter().map(|text| anchor(text, matches));
        Ok(Request {
            resampling: Resampling {
                resamples: self.resamples.map(|n| n as usize),
                seed: self.seed,
            },
            anchors: anchors.collect::<Result<_, _>>()?,
            weights: self.weight.clone(),
            without_forfeits: self.without_forfeits,
            sprt: self.test()?,
            ..Request::default()
        })
    }

    /// The requested test.
    fn test(&self) -> Result<Option<SprtRequest>, CliError> {
        let Some([first, second]) = self.sprt.as_deref() else {
            return Ok(None);
        };
        let hypotheses = Hypotheses {
            model: match self.model {
                TestScale::Logistic => EloModel::Logistic,
                TestScale::Normalized => EloModel::Normalized,
            },
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

/// `NAME` or `NAME=ELO`; names may contain `=`.
fn anchor(text: &str, matches: &MatchStore) -> Result<(String, f64), CliError> {
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

/// `machine=NAME`.
fn machine(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some(("machine", name)) if !name.is_empty() => Ok(name.to_owned()),
        _ => Err("matches are left out by machine, as in `machine=rack7`".to_owned()),
    }
}

/// `GAME=WEIGHT`; names of games in tables may contain `=`.
fn weight(text: &str) -> Result<(String, f64), String> {
    let (game, weight) = text
        .rsplit_once('=')
        .ok_or_else(|| "a game and its weight are needed, such as `siam=2`".to_owned())?;
    match weight.trim().parse() {
        Ok(weight) if (0.0..=MOST_WEIGHT).contains(&weight) => Ok((game.to_owned(), weight)),
        _ => Err(format!(
            "`{weight}` is not a weight: a number from 0 to {MOST_WEIGHT} is needed"
        )),
    }
}
