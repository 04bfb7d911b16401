//! `referee play`: one match, drawn in the terminal as it goes.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;

use arbiter::Arbiter;
use bots::command_line::as_command;
use config::bots::command_check;
use config::tables::LimitsTable;
use config::{Limit, MOST_RANDOM_PLIES, Time, TimeFlags};
use games::Rules;
use games::kit::to_move::CHANCE;
use log::{LogFile, LogWriter};
use protocol::{LoggedMove, Millis, Record, TimeControl, shown};
use report::{self, print_notice};
use rules::RulesSet;
use supervisor::spec::command;
use supervisor::{BotSpec, CommandError, Tracer};
use tournament::playing::match_run::MatchRun;
use tournament::playing::one_match::{self, SingleMatch, match_id};

use crate::cli::common::args::{GameArgs, SandboxArgs, StartArgs};
use crate::cli::common::format::OutputFormat;
use crate::cli::common::listen::ListenArgs;
use crate::cli::play::browser;
use crate::cli::play::person::{self, Ask, Scene, Terminal};
use crate::cli::text::board;
use crate::cli::{CliError, block_on, check_resources, on_interrupt, print};

/// Plays one match and draws the board as it goes
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee play siam --bot mcts --bot greedy
  referee play siam --human rhinos --bot mcts
  referee play siam --human rhinos --bot mcts --web      in the browser
  referee play siam --human 0 --human 1 --web            two people, a link for each
  referee play amazons --options '{\"size\":6}' --bot mcts --bot \"python3 mybot.py\" --log match.jsonl")]
pub(crate) struct Args {
    #[command(flatten)]
    game: GameArgs,
    /// A bot, one for each seat in seat order: a reference bot's name (`referee bot` lists them),
    /// perhaps with its options, or a command line
    #[arg(long = "bot", value_name = "BOT", required_unless_present = "humans")]
    bots: Vec<String>,
    /// You take this seat, given by number or role, and bots take the others; you have no time limit,
    /// and `help` lists what you can enter
    #[arg(long = "human", value_name = "SEAT")]
    humans: Vec<String>,
    #[command(flatten)]
    start: StartArgs,
    /// The time for each move [default: 1s, if --base is not given either]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    per_move: Option<Time>,
    /// Longest time for a bot to start, and to get ready for a match [default: 10s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    startup: Option<Time>,
    /// The time for all moves together
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    base: Option<Time>,
    /// Added to --base after each move
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    increment: Option<Time>,
    /// Start with N random plies
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(..=i64::from(MOST_RANDOM_PLIES)))]
    random_plies: u32,
    /// The match ends after N plies, or "none"; overrides the game's own limit
    #[arg(long, value_name = "N")]
    max_plies: Option<Limit>,
    /// The match ends when a position has occurred N times, or "none"; overrides the game's own limit
    #[arg(long, value_name = "N")]
    repetition: Option<Limit>,
    /// Append the match to this log
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write every line in both directions, with times: one file per process in this folder, or one
    /// file if the path has an extension
    #[arg(long, value_name = "PATH")]
    trace: Option<PathBuf>,
    /// Draw no boards, only print the result
    #[arg(long, short)]
    quiet: bool,
    /// The people play in the browser: prints a link for each of them. They have undo against bots,
    /// and rematches; Ctrl-C ends it
    #[arg(long, requires = "humans", conflicts_with = "quiet")]
    web: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
    #[command(flatten)]
    listen: ListenArgs,
    /// Output format of the result; "json" is the line that --log writes, without `prev`, and draws
    /// no boards
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        self.listen.must_be_used(self.web, "--web")?;
        let mut run = self.match_run(self.start.seed)?;
        // Opened first: a log that cannot be written should not cost a match.
        if let Some(path) = &self.log {
            files::check(path).map_err(|error| {
                CliError::Usage(format!(
                    "--log: `{}` cannot be used: {error}",
                    path.display()
                ))
            })?;
        }
        let mut log = self.log.as_deref().map(LogWriter::append_to).transpose()?;
        if let (Some(path), Some(log)) = (&self.log, &mut log) {
            run.id = id(path, log)?;
        }
        if self.web {
            return block_on(self.play_in_browser(run, log))?;
        }
        let record = block_on(self.play(&run))??;
        check_resources()?;
        if let Some(mut log) = log {
            log.append([&record])?;
        }
        if self.format == OutputFormat::Json {
            return print(&record.to_line());
        }
        print_result(&record)
    }

    /// Plays one match after another, as people in the browser ask for them.
    async fn play_in_browser(
        &self,
        run: MatchRun,
        mut log: Option<LogWriter>,
    ) -> Result<(), CliError> {
        let seats = person::seats(&self.humans, &*run.game.rules)?;
        let tracer = self.trace.as_deref().map(Tracer::new).transpose()?;
        let bound = self.listen.bind().await?;
        let another = |seed| self.match_run(seed);
        let finished = |record: &Record| {
            check_resources()?;
            if let Some(log) = &mut log {
                log.append([record])?;
            }
            print_result(record)
        };
        browser::play(run, &seats, bound, tracer, another, finished).await
    }

    /// A match whose start comes from this seed, unless it is given.
    fn match_run(&self, seed: u64) -> Result<MatchRun, CliError> {
        let set = self.game.rules.open()?;
        let rules = self.game.rules(&set.catalog)?;
        let (seats, bots) = (rules.seats(), self.bots.len());
        let humans = person::seats(&self.humans, &*rules)?;
        if self.format == OutputFormat::Json && !humans.is_empty() {
            let message = "--human and --format json do not go together; --log writes the match";
            return Err(CliError::Usage(message.to_owned()));
        }
        if bots + humans.len() != seats {
            let id = &rules.info().id;
            let people = match humans.len() {
                0 => String::new(),
                n => format!(" (and of seats for people {n})"),
            };
            let what_to_do = if bots + humans.len() < seats {
                "add another --bot or --human"
            } else {
                "leave one out"
            };
            return Err(CliError::Usage(format!(
                "{id} has {seats} seats, but the number of bots given is {bots}{people}; {what_to_do}"
            )));
        }
        let flags = TimeFlags {
            per_move: self.per_move,
            base: self.base,
            increment: self.increment,
        };
        let mut time = flags.control().map_err(CliError::Usage)?;
        if let Some(startup) = self.startup {
            if startup.0.is_zero() {
                let message = "--startup: must be longer than zero".to_owned();
                return Err(CliError::Usage(message));
            }
            time.startup = Millis(startup.0);
        }
        let specs = self.specs(&*rules, &set, &humans, &time)?;
        let limits = LimitsTable {
            max_plies: self.max_plies,
            repetition: self.repetition,
        };
        let limits = limits.over(rules.info().limits);
        let given = self.start.given(&*rules)?;
        let single = SingleMatch {
            start: match given {
                Some(start) => start,
                None => rules.start(seed)?,
            },
            rules,
            limits,
            seed,
            random_plies: self.random_plies,
            time,
            specs,
        };
        Ok(single.run()?)
    }

    /// The players in seat order: bots take the seats that no person takes.
    fn specs(
        &self,
        rules: &dyn Rules,
        set: &RulesSet,
        humans: &[usize],
        time: &TimeControl,
    ) -> Result<Vec<Arc<BotSpec>>, CliError> {
        let mut specs: Vec<Arc<BotSpec>> = Vec::new();
        let mut bots = self.bots.iter();
        for (seat, role) in rules.roles().iter().enumerate() {
            let mut spec = if humans.contains(&seat) {
                person::spec(role, humans.len(), time)?
            } else {
                let mut spec = spec(bots.next().map_or("", |bot| bot), &specs, time)?;
                spec.wanted.tier = self.sandbox.sandbox;
                command_check::check(&spec).map_err(|error| {
                    CliError::Usage(format!("--bot `{}`: {error}", spec.command.join(" ")))
                })?;
                spec
            };
            set.equip(&mut spec);
            specs.push(Arc::new(spec));
        }
        Ok(specs)
    }

    async fn play(&self, run: &MatchRun) -> Result<Record, CliError> {
        let tracer = self.trace.as_deref().map(Tracer::new).transpose()?;
        let names: Vec<&str> = run.specs.iter().map(|spec| &*spec.name).collect();
        let rules = &run.game.rules;
        let seats = person::seats(&self.humans, &**rules)?;
        let (inputs, people) = person::people(&seats);
        // In another thread: a slow terminal must not cost a bot time.
        let (scenes, shown) = mpsc::channel::<Scene>();
        let terminal = Terminal::new(BufReader::new(io::stdin()), rules.info().clone(), inputs);
        let artist = thread::spawn(move || terminal.show(shown.iter()));
        let is_hidden = rules.info().hidden;
        let mut shown_at = None;
        let watch = move |arbiter: &Arbiter| {
            let plies = arbiter.moves().len();
            let asked: Vec<usize> = arbiter
                .awaited()
                .filter(|seat| seats.contains(seat))
                .collect();
            if shown_at.as_ref() == Some(&(plies, asked.clone())) {
                return;
            }
            let before = shown_at.replace((plies, asked.clone()));
            let drawn = before.as_ref().is_some_and(|(before, _)| *before == plies);
            // If the thread is gone, nothing is shown any more. Where information is hidden, people
            // see only what they may know.
            let secret = is_hidden && !seats.is_empty();
            if !self.quiet && self.format == OutputFormat::Text && !drawn && !secret {
                let _ = scenes.send(Scene::Picture(picture(arbiter, &names)));
            }
            // Those who act at once are prompted one after the other; nobody sees another's move.
            let asked_before = before.map_or(Vec::new(), |(_, asked)| asked);
            for seat in asked
                .into_iter()
                .filter(|seat| !drawn || !asked_before.contains(seat))
            {
                let role = &rules.roles()[seat];
                let ask = Ask::of(arbiter, seat, role, is_hidden);
                if secret {
                    let _ = scenes.send(Scene::Picture(ask.board()));
                }
                let _ = scenes.send(Scene::Ask(ask));
            }
        };
        let mut stop = on_interrupt()?;
        let record = tokio::select! {
            record = one_match::play(run, tracer, people, watch) => record?,
            _ = stop.wait_for(|stop| *stop) => return Err(CliError::Interrupted),
        };
        // An error of drawing shows again when the result is printed.
        let _ = artist.join();
        Ok(record)
    }
}

/// Prints how a match ended.
fn print_result(record: &Record) -> Result<(), CliError> {
    print(&format!("{}\n", report::summary(record)))?;
    for fault in &record.result.faults {
        let name = &record.players[fault.seat].name;
        let why = if fault.code.is_fault() {
            format!(": {}", shown(&fault.message))
        } else {
            String::new()
        };
        print(&format!(
            "{name}: {} at ply {}{why}\n",
            fault.code, fault.ply
        ))?;
    }
    Ok(())
}

/// The id of this match in its log: one after the last. Drops a last line that was cut off, so that
/// the match gets a line of its own.
fn id(path: &Path, log: &mut LogWriter) -> Result<String, CliError> {
    let mut number = 1;
    if !log.is_empty() {
        let mut file = LogFile::open(path)?;
        for record in file.by_ref() {
            record?;
            number += 1;
        }
        if let Some(cut) = file.cut() {
            log.drop_cut(cut)?;
            print_notice(format_args!("warning: {}: {cut}\n", path.display()));
        }
    }
    Ok(match_id(number))
}

/// The bot for a word of the command line; bots with the same command get numbers in their names.
pub(crate) fn spec(
    bot: &str,
    others: &[Arc<BotSpec>],
    time: &TimeControl,
) -> Result<BotSpec, CliError> {
    let words = command::split(bot);
    let words = words.map_err(|error| CliError::Usage(format!("--bot: {error}")))?;
    let command = as_command(words);
    let spec = one_match::bot_spec(bot, command, others, time)?;
    spec.program().map_err(|error| {
        let or = match error {
            CommandError::NoFile { .. } | CommandError::NotOnPath { .. } => {
                format!("; nor is it a reference bot: those are {}", names())
            }
            _ => String::new(),
        };
        CliError::Usage(format!("--bot `{bot}`: {error}{or}"))
    })?;
    Ok(spec)
}

fn names() -> String {
    let names: Vec<&str> = bots::BOTS.iter().map(|bot| bot.name).collect();
    names.join(", ")
}

/// The board after the last ply, with a line about that ply.
fn picture(arbiter: &Arbiter, names: &[&str]) -> String {
    let session = arbiter.session();
    let title = match arbiter.moves().last() {
        Some(LoggedMove { seat, mv, ms, .. }) => {
            let time = ms.0.as_secs_f64() * 1e3;
            let who = seat.map_or(CHANCE, |seat| names[seat]);
            format!("{}. {who}: {mv}  ({time:.1} ms)", session.ply())
        }
        None => "start".to_owned(),
    };
    let marked = arbiter
        .moves()
        .last()
        .map_or(Vec::new(), |last| board::cells_of(&last.mv));
    let points = session.tally().map_or(String::new(), |tally| {
        let scores: Vec<String> = tally.scores.iter().map(ToString::to_string).collect();
        format!("  points {}\n", scores.join(":"))
    });
    format!("{title}\n{}{points}\n", board::position(session, &marked))
}
