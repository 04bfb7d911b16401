//! `referee tournament`: plays a tournament from a configuration file, or goes on with one.

use std::path::{Path, PathBuf};

use protocol::Record;
use ratings::Standings;
use serde_json::json;
use supervisor::Tracer;

use super::dry_run;
use super::format::{OutputFormat, print_json};
use super::watch::{ListenArgs, Watcher};
use super::{CliError, block_on, on_interrupt, print};
use crate::config::Config;
use crate::log::LOG_NAME;
use crate::report::progress::{Detail, Display};
use crate::report::{formats, tables, tell, terminal};
use crate::tournament::forecast::TestForecast;
use crate::tournament::results;
use crate::tournament::schedule::{Shard, Standing};
use crate::tournament::slots::Progress;
use crate::tournament::{Extension, Remains, Surroundings, Tournament, TournamentError};

/// Plays a tournament: every pairing in every seat order
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee tournament tournaments/quickstart.toml
  referee tournament tournaments/quickstart.toml --dry-run   prints what would be played
  referee tournament tournaments/quickstart.toml --resume    continues after a crash or Ctrl-C
  referee tournament tournaments/quickstart.toml --extend    plays what was added to it
  referee tournament tournaments/quickstart.toml --shard 3/8 --out part-3    a part of it
  referee tournament tournaments/quickstart.toml --quiet --format json    for programs
  referee tournament tournaments/quickstart.toml --watch     in the browser, too

Ctrl-C once: no new matches start and those in flight are abandoned; finished ones are in the log.
Twice: the referee ends at once.")]
pub(super) struct Args {
    /// The configuration
    config: PathBuf,
    /// The folder of the log, which must not hold a tournament yet (unless --resume is given);
    /// by default a new one below `runs`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the tournament in DIR, by default in its newest folder below `runs`: matches that
    /// are in the log are not played again
    #[arg(long)]
    resume: bool,
    /// Continue as --resume does, after bots, games or rounds were added to the configuration: only
    /// what is missing is played
    #[arg(long, conflicts_with = "resume")]
    extend: bool,
    /// With --resume: play all matches of this bot again, for example because it has changed. The log
    /// as it was stays in the folder as `games.before-1.jsonl`. May be given several times
    #[arg(long, value_name = "NAME", requires = "resume")]
    replay_bot: Vec<String>,
    /// Play one part of the schedule, as in `3/8`, in a folder of its own; other machines play the
    /// others, and `referee merge` puts the logs together. A part has all seat orders of a start
    #[arg(long, value_name = "PART/PARTS")]
    shard: Option<Shard>,
    /// Print what would be played, and play nothing: how many matches, how long they take, the
    /// first ones
    #[arg(long, conflicts_with_all = ["resume", "extend"])]
    dry_run: bool,
    /// How the results, or what --dry-run finds, are printed; with --dry-run, "json" has all matches
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// Set a key over the configuration, as in `--set time.per_move=1s` or
    /// `--set bots.NAME.command="./mybot --fast"`; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Write every line in both directions, with times: one file per process in this folder, or one
    /// file if the path has an extension
    #[arg(long, value_name = "PATH")]
    trace: Option<PathBuf>,
    /// Show no progress, only the standings at the end
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Print a line when a match begins and when it ends, also on a terminal
    #[arg(long, short)]
    verbose: bool,
    /// Show the tournament in the browser while it runs, as `referee watch` does: prints the address
    #[arg(long, conflicts_with = "dry_run")]
    watch: bool,
    #[command(flatten)]
    listen: ListenArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        let mut config = Config::load_with(&self.config, &self.set)?;
        if let Some(shard) = self.shard {
            let sharded = config.of_shard(shard);
            config = sharded.map_err(|error| CliError::Usage(format!("--shard: {error}")))?;
        }
        if self.dry_run {
            return print(&dry_run::schedule(&config, self.format)?);
        }
        block_on(self.play(config))?
    }

    async fn play(self, config: Config) -> Result<(), CliError> {
        let mut stop = on_interrupt()?;
        let mut surroundings = Surroundings {
            hidden: vec![self.config.clone()],
            tracer: self.trace.as_deref().map(Tracer::new).transpose()?,
        };
        surroundings.hidden.extend(self.trace.clone());
        let (tournament, standings) = tokio::select! {
            begun = self.begin(config) => begun?,
            _ = stop.wait_for(|stop| *stop) => return Err(CliError::Interrupted),
        };
        for warning in tournament.warnings() {
            tell(format_args!("warning: {warning}\n"));
        }
        self.announce_resumption(&tournament);
        let (config, folder) = (tournament.config().clone(), tournament.folder().to_owned());
        let schedule = tournament.schedule();
        let (done, total) = (schedule.finished(), schedule.total());
        if schedule.is_over() {
            let path = folder.display();
            tell(format_args!(
                "all {total} matches of `{path}` were played already\n"
            ));
            let came = (true, tournament.standing());
            return self.results(&config, came, &standings, &folder);
        }
        if !self.quiet {
            announce(&tournament);
        }
        let _watcher = if self.watch {
            Some(Watcher::start(&folder, self.listen)?)
        } else {
            None
        };
        let mut display = Display::new(standings, done, total, self.how());
        let show = |progress: Progress<'_>| display.show(progress);
        let outcome = tournament.play(surroundings, stop, show).await;
        let standings = display.finish();
        let outcome = outcome.map_err(|error| self.with_advice(error, &folder))?;
        let came = (outcome.complete, outcome.standing);
        self.results(&config, came, &standings, &folder)?;
        if outcome.complete {
            return Ok(());
        }
        tell(format_args!(
            "what was finished is in {}; go on with `{}`\n",
            folder.join(LOG_NAME).display(),
            self.command(&folder)
        ));
        Err(CliError::Interrupted)
    }

    fn how(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Quiet,
            (false, true) => Detail::Verbose,
            (false, false) => Detail::Normal,
        }
    }

    /// The tournament, new or to go on with, and its standings so far.
    async fn begin(&self, config: Config) -> Result<(Tournament, Standings), CliError> {
        let folder = self.out.as_deref();
        let report = |line: &str| tell(format_args!("{line}\n"));
        if self.extend {
            let extension = Extension::prepare_reporting(config, folder, report).await?;
            let mut standings = empty_standings(extension.config());
            let take = |record: &Record| standings.add_record(record);
            let tournament = Tournament::extend(extension, folder, take)?;
            return Ok((tournament, standings));
        }
        if !self.resume {
            let tournament = Tournament::create_reporting(config, folder, report).await?;
            let standings = empty_standings(tournament.config());
            return Ok((tournament, standings));
        }
        let config = Tournament::as_it_began(config, folder)?;
        if !self.replay_bot.is_empty() {
            Tournament::renew(&config, &self.replay_bot, report).await?;
            if let Some(done) = Tournament::play_again(&config, folder, &self.replay_bot)? {
                tell(format_args!("{done}\n"));
            }
        }
        let mut standings = empty_standings(&config);
        let take = |record: &Record| standings.add_record(record);
        let tournament = Tournament::resume(config, folder, take)?;
        Ok((tournament, standings))
    }

    /// Says how much of a tournament that goes on was played.
    fn announce_resumption(&self, tournament: &Tournament) {
        let schedule = tournament.schedule();
        let silent = self.quiet && self.out.is_some();
        if (self.resume || self.extend) && !schedule.is_over() && !silent {
            let path = tournament.folder().display();
            let (done, total) = (schedule.finished(), schedule.total());
            tell(format_args!(
                "resuming `{path}`: {done} of {total} matches were played\n"
            ));
        }
    }

    /// Why the tournament stopped, where its results are, and how to go on.
    fn with_advice(&self, error: TournamentError, folder: &Path) -> CliError {
        let (error, remains) = match error {
            TournamentError::Stopped { error, remains } => (error, remains),
            TournamentError::Short(why) => {
                let command = self.command(folder);
                let advice = format!(
                    "; no bot is at fault: what was finished is in the log, go on with `{command}`"
                );
                return CliError::Short { why, advice };
            }
            other => return other.into(),
        };
        let advice = self.advice(&remains, folder);
        CliError::Stopped { error, advice }
    }

    fn advice(&self, remains: &Remains, folder: &Path) -> String {
        let again = |path: &Path| format!("go on with `{}`", self.command(path));
        match remains {
            Remains::Moved(log) => {
                let place = log.parent().unwrap_or(Path::new("/"));
                format!(
                    "what was finished is in `{}`, {}",
                    log.display(),
                    again(place)
                )
            }
            Remains::Rescued(path) => format!(
                "what was finished is saved in `{}`, {}",
                path.display(),
                again(path)
            ),
            Remains::Unsaved(error) => format!("what was finished could not be saved: {error}"),
            Remains::Incomplete => again(folder),
            Remains::Complete => format!(
                "what was finished is in the log; when that is fixed, {}",
                again(folder)
            ),
        }
    }

    /// The command that goes on in a folder.
    fn command(&self, folder: &Path) -> String {
        let config = self.config.to_string_lossy();
        let folder = folder.to_string_lossy();
        let mut words = vec![
            "referee",
            "tournament",
            &config,
            "--resume",
            "--out",
            &folder,
        ];
        words.extend(self.set.iter().flat_map(|set| ["--set", set]));
        shell_words::join(words)
    }

    /// Prints what came out: what the format comes to, then standings.
    fn results(
        &self,
        config: &Config,
        (complete, standing): (bool, Option<Standing>),
        standings: &Standings,
        folder: &Path,
    ) -> Result<(), CliError> {
        let names: Vec<&str> = config.bots.iter().map(|bot| &*bot.name).collect();
        let report = results::report(folder, standings.matches());
        if self.format == OutputFormat::Json {
            return print_json(&json!({
                "name": config.name,
                "complete": complete,
                "log": folder.join(LOG_NAME),
                "standing": standing.map(|standing| formats::json(&standing, &names)),
                "bots": tables::json(standings, report.as_ref()),
            }));
        }
        let width = terminal::width();
        let format = standing.map(|standing| formats::report(&standing, &names, width));
        print(&(format.unwrap_or_default() + &tables::report(standings, report.as_ref(), width)))
    }
}

fn empty_standings(config: &Config) -> Standings {
    Standings::new(config.bots.iter().map(|bot| &*bot.name))
}

/// Says what will be played, and where the log is.
fn announce(tournament: &Tournament) {
    let config = tournament.config();
    let mut count = config.shape().count().to_string();
    if let Some(shard) = tournament.shard() {
        let own = tournament.schedule().total();
        count = format!("part {shard}, {own} of {count}");
    }
    tell(format_args!(
        "{}: {count} of {} bots, {} at a time; the log is {}\n",
        config.name,
        config.bots.len(),
        tournament.at_a_time(),
        tournament.folder().join(LOG_NAME).display()
    ));
    if let Some(test) = TestForecast::of(&config.format) {
        tell(test.in_words());
    }
}
