//! `referee analyse`: bots think about a position, or about each position of a match.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use config::Time;
use files::output;
use games::Rules;
use log::{self, LogFile, LogWriter, Versions, WriteError};
use machine::identity;
use play::analysis::{
    AnalysedMatch, AnalysedPosition, Analysts, Job, NoAnalysis, PlyAnalysis, Thought, by_bot,
    each_ply, with_analysis,
};
use protocol::{Millis, Record, TimeControl, shown};
use report::analysis::{LiveBlock, MatchView, thought, thought_json, thoughts};
use report::print_notice;
use rules::RulesSet;
use supervisor::BotSpec;

use crate::cli::common::args::{RulesArgs, SandboxArgs, StartArgs, configured};
use crate::cli::common::filter::{MatchFilter, Scanned};
use crate::cli::common::format::FormatArgs;
use crate::cli::play::play::spec;
use crate::cli::text::board;
use crate::cli::{CliError, block_on, check_resources, on_interrupt, print};

/// Startup limit of a bot, as in `play`.
const STARTUP: Duration = Duration::from_secs(10);
/// Tolerance on top of the time: a slightly late answer is still of interest.
const MARGIN: Duration = Duration::from_secs(2);
/// The strongest reference bots: for compiled-in games, and for all others.
const STRONGEST: [&str; 2] = ["alphabeta", "mcts"];

/// Bots think about a position, and report their best lines
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Values are the outcome that a bot expects for the seat that is to move: 0 is lost, 1 is won. Each bot
thinks in a process of its own; as many as there are cores (--concurrency) think at the same time.

Examples:
  referee analyse amazons --options '{\"size\":6}'
  referee analyse siam --state @position.json --bot mcts --bot \"python3 mybot.py\" --lines 5
  referee analyse runs/quickstart-1 --match m-000007 --ply 12 --time 10s
  referee analyse runs/quickstart-1 --match m-000007 --each-ply --time 1s
  referee analyse runs/quickstart-1 --match m-000007 --each-ply --out analysed.jsonl")]
pub(crate) struct Args {
    /// The game's id (`referee games` lists them) or, with --match, a log or a tournament's folder
    #[arg(value_name = "GAME|LOG")]
    subject: String,
    /// With --match: the log or the tournament's folder, if the game's id comes first
    #[arg(value_name = "LOG", requires = "match_id", conflicts_with_all = ["options", "state"])]
    log: Option<PathBuf>,
    /// The game's options, as JSON: '{"size":6}'
    #[arg(long, value_name = "JSON", conflicts_with = "match_id")]
    options: Option<String>,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    start: StartArgs,
    /// Take the position from this match
    #[arg(long = "match", value_name = "ID", conflicts_with = "state")]
    match_id: Option<String>,
    /// The position after this many plies of the match
    #[arg(long, value_name = "N", requires = "match_id", conflicts_with_all = ["options", "state"])]
    ply: Option<usize>,
    /// Think about each position of the match after its opening, and find the blunders
    #[arg(long, requires = "match_id", conflicts_with_all = ["ply", "options", "state"])]
    each_ply: bool,
    /// A bot: a reference bot's name (`referee bot` lists them) or a command line; may be given several
    /// times [default: alphabeta, or mcts in games that are not compiled in]
    #[arg(long = "bot", value_name = "BOT")]
    bots: Vec<String>,
    /// Number of best lines to ask for
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=100))]
    lines: u8,
    /// Time for each bot to think about a position
    #[arg(
        long,
        value_name = "TIME",
        default_value = "5s",
        allow_hyphen_values = true
    )]
    time: Time,
    /// A seat, by number or role: the one that thinks, where several act at once; with --each-ply, the
    /// one whose chances the graph shows [default: the first]
    #[arg(long, value_name = "SEAT")]
    seat: Option<String>,
    /// From which loss on a ply is a blunder
    #[arg(long, value_name = "LOSS", default_value_t = 0.2, requires = "each_ply", value_parser = share,
          conflicts_with_all = ["ply", "updates"])]
    blunder: f64,
    /// Write a copy of the match's log line, in which each ply has what the bots thought of it; the
    /// file must not be there yet
    #[arg(long, value_name = "FILE", requires = "each_ply", conflicts_with_all = ["ply", "updates"])]
    out: Option<PathBuf>,
    /// Number of bots that think at the same time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: Option<u16>,
    /// With --format json: also a line for each report of a bot that still thinks, with `"done":false`
    #[arg(long, conflicts_with = "each_ply")]
    updates: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// What is analysed.
struct Subject {
    set: RulesSet,
    of: AnalysedMatch,
    /// The match, if it was recorded.
    record: Option<Record>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        if self.updates && !self.format.json() {
            let message = "--updates goes with --format json; a terminal shows them by itself";
            return Err(CliError::Usage(message.to_owned()));
        }
        let subject = self.subject()?;
        let bots = bots(&self, &subject)?;
        match &subject.record {
            Some(record) if self.each_ply => self.whole_match(&subject, record, &bots),
            _ => self.position(&subject, &bots),
        }
    }

    /// Opens what is to be analysed.
    fn subject(&self) -> Result<Subject, CliError> {
        let Some(id) = &self.match_id else {
            let set = self.rules.open()?;
            let rules = configured(&set.catalog, &self.subject, self.options.as_deref())?;
            let start = self.start.open(&*rules)?;
            let of = AnalysedMatch::from(rules, start, self.start.seed);
            return Ok(Subject {
                set,
                of,
                record: None,
            });
        };
        if self.ply.is_none() && !self.each_ply {
            let message = "--match needs --ply N, for one position of it, or --each-ply";
            return Err(CliError::Usage(message.to_owned()));
        }
        let path = self.log.as_deref().unwrap_or(Path::new(&self.subject));
        let record = find(path, id)?;
        if self.log.is_some() && record.game != self.subject {
            return Err(CliError::Usage(format!(
                "`{id}` is a match of {}, not of {}",
                shown(&record.game),
                self.subject
            )));
        }
        let set = self.rules.open_for(path)?;
        let wrong = |why: String| CliError::Verify(format!("{}: {why}", shown(id)));
        log::verify(&record, &set.catalog, Versions::Any).map_err(|why| wrong(why.to_string()))?;
        let game = set.catalog.find(&record.game);
        let rules = game.map_err(|error| wrong(error.to_string()))?;
        let rules = rules.configure(&record.options);
        let rules = rules.map_err(|error| wrong(error.to_string()))?;
        let of = AnalysedMatch::recorded(&record, rules);
        let of = of.map_err(|error| wrong(error.to_string()))?;
        let record = Some(record);
        Ok(Subject { set, of, record })
    }

    /// The requested seat.
    fn seat(&self, rules: &dyn Rules) -> Result<Option<usize>, CliError> {
        let Some(word) = &self.seat else {
            return Ok(None);
        };
        let roles = rules.roles();
        let number = word.parse().ok().filter(|seat| *seat < roles.len());
        let seat = number.or_else(|| roles.iter().position(|role| role == word));
        if seat.is_some() {
            return Ok(seat);
        }
        let known: Vec<String> = roles.iter().map(|role| shown(role)).collect();
        let (id, known) = (&rules.info().id, known.join(", "));
        let message = format!("--seat: `{word}` is no seat of {id}, which has {known}");
        Err(CliError::Usage(message))
    }

    /// Lets all bots think about one position.
    fn position(&self, subject: &Subject, bots: &Analysts) -> Result<(), CliError> {
        let plies = self.ply.unwrap_or(subject.of.plies.len());
        let seat = self.seat(&*subject.of.rules)?;
        let position = subject.of.position(plies, seat).map_err(unusable)?;
        if !self.format.json() {
            print(&heading(&position))?;
        }
        let live = RefCell::new(LiveBlock::begin().filter(|_| !self.format.json()));
        let thinking = RefCell::new(vec![Thought::default(); bots.specs.len()]);
        let update = |bot: usize, known: &Thought| {
            thinking.borrow_mut()[bot].clone_from(known);
            if self.updates {
                // A closed output is noticed at the end.
                let _ = print(&self.line(&position, &bots.specs[bot].name, known, false));
            }
            if let Some(live) = &mut *live.borrow_mut() {
                live.draw(|| in_words(bots, &thinking.borrow()));
            }
        };
        let jobs: Vec<Job<'_>> = (0..bots.specs.len()).map(|bot| (bot, &position)).collect();
        let thoughts = block_on(think(bots, &jobs, self.lines, update))?;
        if let Some(live) = &mut *live.borrow_mut() {
            live.clear();
        }
        let thoughts = thoughts?;
        if self.format.json() {
            let lines = bots.specs.iter().zip(&thoughts);
            let lines = lines.map(|(spec, known)| self.line(&position, &spec.name, known, true));
            return print(&lines.collect::<String>());
        }
        print(&(in_words(bots, &thoughts).join("\n") + "\n"))
    }

    fn line(
        &self,
        position: &AnalysedPosition<'_>,
        bot: &str,
        known: &Thought,
        done: bool,
    ) -> String {
        let done = self.updates.then_some(done);
        thought_json(position, bot, known, self.match_id.as_deref(), done)
    }

    /// Lets all bots think about each position of a match.
    fn whole_match(
        &self,
        subject: &Subject,
        record: &Record,
        bots: &Analysts,
    ) -> Result<(), CliError> {
        let seat = self.seat(&*subject.of.rules)?;
        let copy = self.out.as_deref().map(Copy::begin).transpose()?;
        let first = record.opening as usize;
        let positions = subject.of.positions(first)?;
        let usable = positions.iter().flatten();
        let jobs: Vec<Job<'_>> = usable
            .flat_map(|position| (0..bots.specs.len()).map(move |bot| (bot, position)))
            .collect();
        let live = RefCell::new(LiveBlock::begin());
        let update = |bot: usize, known: &Thought| {
            if let Some(live) = &mut *live.borrow_mut() {
                let (done, name) = (bots.done(), &bots.specs[bot].name);
                let begin = format!("{done} of {} done", jobs.len());
                live.draw(|| [vec![begin], thought(name, known)].concat());
            }
        };
        let thoughts = block_on(think(bots, &jobs, self.lines, update))?;
        if let Some(live) = &mut *live.borrow_mut() {
            live.clear();
        }
        let by_bot = by_bot(&positions, thoughts?, bots.specs.len());
        let judged = by_bot
            .into_iter()
            .map(|plies| each_ply(record, first, plies));
        let judged: Vec<Vec<PlyAnalysis>> = judged.collect();
        self.report(record, bots, &judged, seat.unwrap_or(0))?;
        let names = bots.specs.iter().map(|spec| &*spec.name);
        let judged: Vec<(&str, &[PlyAnalysis])> =
            names.zip(judged.iter().map(Vec::as_slice)).collect();
        copy.map_or(Ok(()), |copy| copy.end(&with_analysis(record, &judged)))
    }

    /// Prints each bot's thoughts on a match.
    fn report(
        &self,
        record: &Record,
        bots: &Analysts,
        judged: &[Vec<PlyAnalysis>],
        seat: usize,
    ) -> Result<(), CliError> {
        for (index, (spec, plies)) in bots.specs.iter().zip(judged).enumerate() {
            let view = MatchView {
                record,
                bot: &spec.name,
                plies,
                seat,
                blunder: self.blunder,
            };
            let between = if index > 0 { "\n" } else { "" };
            print(&if self.format.json() {
                format!("{}\n", view.to_json())
            } else {
                format!("{between}{}", view.text())
            })?;
        }
        Ok(())
    }
}

/// The bots of the command line.
fn bots(args: &Args, subject: &Subject) -> Result<Analysts, CliError> {
    if args.time.0.is_zero() {
        return Err(CliError::Usage(
            "--time: must be longer than zero".to_owned(),
        ));
    }
    let time = TimeControl {
        per_move: Some(Millis(args.time.0)),
        startup: Millis(STARTUP),
        margin: Millis(MARGIN),
        ..TimeControl::default()
    };
    let is_compiled_in = subject.of.rules.description().origin.is_none();
    let default = [STRONGEST[usize::from(!is_compiled_in)].to_owned()];
    let named = if args.bots.is_empty() {
        &default[..]
    } else {
        &args.bots
    };
    let mut specs: Vec<Arc<BotSpec>> = Vec::new();
    for bot in named {
        let mut spec = spec(bot, &specs, &time)?;
        spec.wanted.tier = args.sandbox.sandbox;
        subject.set.equip(&mut spec);
        specs.push(Arc::new(spec));
    }
    let cores = identity::cores() as usize;
    let concurrency = args.concurrency.map_or(cores, usize::from);
    let log = args.match_id.as_ref().map(|_| {
        let given = args.log.clone();
        given.unwrap_or_else(|| PathBuf::from(&args.subject))
    });
    Ok(Analysts::new(specs, log.into_iter().collect(), concurrency))
}

/// Has the bots analyse positions until Ctrl-C.
async fn think<'a>(
    bots: &'a Analysts,
    jobs: &'a [Job<'a>],
    lines: u8,
    update: impl Fn(usize, &Thought),
) -> Result<Vec<Thought>, CliError> {
    let factory = bots.factory()?;
    let mut stop = on_interrupt()?;
    let thoughts = tokio::select! {
        thoughts = bots.think(&factory, jobs, usize::from(lines), update) => thoughts,
        _ = stop.wait_for(|stop| *stop) => return Err(CliError::Interrupted),
    };
    check_resources()?;
    Ok(thoughts?)
}

fn in_words(bots: &Analysts, known: &[Thought]) -> Vec<String> {
    let names = bots.specs.iter().map(|spec| &*spec.name);
    thoughts(names, known, bots.concurrency)
}

/// The position, drawn, with a line about it.
fn heading(position: &AnalysedPosition<'_>) -> String {
    let (of, session) = (position.of, &*position.session);
    let info = of.rules.info();
    let last = position.plies.checked_sub(1).map(|last| &of.plies[last]);
    let marked = last.map_or(Vec::new(), |mv| board::cells_of(mv));
    let drawn = if info.hidden {
        board::position_for(session, position.seat, true)
    } else {
        board::position(session, &marked)
    };
    let proven = position.proven();
    let proven = proven.map_or(String::new(), |proven| {
        let words = proven.in_words(of.rules.roles());
        format!("proven: {words} by best play\n")
    });
    format!(
        "{}, ply {}: {} is to move; values are what {} can expect, from 0 (lost) to 1 (won)\n{drawn}\n{proven}",
        info.id,
        session.ply(),
        shown(position.role()),
        shown(position.role()),
    )
}

/// The match with this id.
fn find(path: &Path, id: &str) -> Result<Record, CliError> {
    let filter = MatchFilter::only(id);
    let mut scanned = Scanned::default();
    for record in LogFile::open(path)? {
        let record = record?;
        if filter.wants(&record, &mut scanned) {
            return Ok(record);
        }
    }
    filter.check(&scanned, path)?;
    unreachable!("the match was not seen, which is an error")
}

fn unusable(error: NoAnalysis) -> CliError {
    match error {
        NoAnalysis::Broken(broken) => CliError::Rules(broken),
        other => CliError::Usage(other.to_string()),
    }
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a loss is a number from 0 to 1".to_owned())
}

/// A copy of a match in a file. The file is created first, under a temporary name, so that an
/// unwritable one does not cost an analysis; it is renamed when it is complete.
struct Copy<'a> {
    path: &'a Path,
    part: PathBuf,
    writer: LogWriter,
}

impl<'a> Copy<'a> {
    fn begin(path: &'a Path) -> Result<Self, CliError> {
        Self::must_be_new(path)?;
        let part = output::part_of(path);
        let unwritable = |error| CliError::Write(WriteError::io(path, error));
        // Takes over what a killed analysis left behind.
        drop(output::own(&part).map_err(unwritable)?);
        let writer = LogWriter::append_to(&part)?;
        Ok(Copy { path, part, writer })
    }

    /// Refuses to overwrite a file, unless it is empty.
    fn must_be_new(path: &Path) -> Result<(), CliError> {
        let is_empty = |about: fs::Metadata| about.is_file() && about.len() == 0;
        if path.symlink_metadata().is_ok_and(|about| !is_empty(about)) {
            let path = path.display();
            let message = format!("--out: `{path}` is there already");
            return Err(CliError::Usage(message));
        }
        Ok(())
    }

    fn end(mut self, record: &Record) -> Result<(), CliError> {
        self.writer.append([record])?;
        self.writer.finish()?;
        Self::must_be_new(self.path)?;
        fs::rename(&self.part, self.path).map_err(|error| WriteError::io(self.path, error))?;
        print_notice(format_args!("written: {}\n", self.path.display()));
        Ok(())
    }
}

impl Drop for Copy<'_> {
    fn drop(&mut self) {
        // It is gone if all went well.
        let _ = fs::remove_file(&self.part);
    }
}
