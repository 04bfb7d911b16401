//! `referee tournament`: plays a tournament from a configuration file, or continues one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bundle::{Bundles, default_cache};
use clap::builder::NonEmptyStringValueParser;
use config::{BotPlaces, Config};
use log::LOG_NAME;
use protocol::Record;
use ratings::Standings;
use report::forecast::TestForecast;
use report::progress::{Detail, Display};
use report::{format_results, print_notice, sheet, standings_tables, terminal};
use schedule::{Shard, Standing};
use serde_json::json;
use supervisor::Tracer;
use tournament::folder::results;
use tournament::reports::Progress;
use tournament::resume::earlier_names::earlier_names;
use tournament::runner::NO_SHARED_SECRET;
use tournament::stop;
use tournament::{
    AppliedScale, Extension, Remains, Stop, Surroundings, Tournament, TournamentError,
};

use crate::cli::common::format::{OutputFormat, print_json};
use crate::cli::common::listen::ListenArgs;
use crate::cli::tools::examples::configuration;
use crate::cli::tournament::cluster::{self, Cluster};
use crate::cli::tournament::dry_run;
use crate::cli::tournament::environment::yardstick;
use crate::cli::tournament::nats::NatsArgs;
use crate::cli::tournament::watcher::Watcher;
use crate::cli::{CliError, block_on, on_stop, print};

/// Plays a tournament: every pairing in every seat order
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee tournament quickstart             an example that is part of the program
  referee tournament evening.toml           your own
  referee tournament evening.toml --dry-run              prints what would be played
  referee tournament evening.toml --resume               continues after a crash or Ctrl-C
  referee tournament evening.toml --extend               plays what was added to it
  referee tournament evening.toml --shard 3/8 --out part-3    a part of it
  referee tournament evening.toml --bundles shared       bots from archives
  referee tournament evening.toml --quiet --format json  for programs
  referee tournament evening.toml --watch                in the browser, too
  referee tournament evening.toml --nats nats://host     by workers on other machines

Ctrl-C once: no new matches begin, and those in flight are finished. Twice: those in flight are given
up. Three times: the referee ends at once. SIGTERM and SIGHUP: those in flight are given up at once.
Finished matches are in the log in any case, and --resume plays the others.")]
pub(crate) struct Args {
    /// The configuration's file, or the name of an example (`referee examples` lists them)
    config: PathBuf,
    /// The folder of the log, which must not hold a tournament yet (unless --resume is given); by
    /// default a new one below `runs`
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
    /// With --resume: play all matches of this bot again, for example because it has changed. The
    /// old log stays in the folder as `games.before-1.jsonl`. May be given several times
    #[arg(long, value_name = "NAME", requires = "resume", conflicts_with_all = ["extend", "dry_run"])]
    replay_bot: Vec<String>,
    /// Play one part of the schedule, as in `3/8`, in a folder of its own; other machines play the
    /// others, and `referee merge` merges the logs. A part has all seat orders of a start
    #[arg(long, value_name = "PART/PARTS")]
    shard: Option<Shard>,
    /// Play the bots from the bundles in this folder, made by `referee bundle`, and not from the
    /// folders that the configuration names
    #[arg(long, value_name = "DIR")]
    bundles: Option<PathBuf>,
    /// Where bundles are unpacked, once: a folder of this machine, by default in the user's cache
    /// (root's: /var/cache/referee/bundles)
    #[arg(long, value_name = "DIR", requires = "bundles")]
    bundle_cache: Option<PathBuf>,
    /// This machine's name in the log; by default its host name
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    machine: Option<String>,
    /// Print the plan and play nothing: the number of matches, their time, the first ones
    #[arg(long, conflicts_with_all = ["resume", "extend"])]
    dry_run: bool,
    /// Output format of the results, or of --dry-run; with --dry-run, "json" has all matches
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
    #[command(flatten)]
    nats: NatsArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        self.listen.must_be_used(self.watch, "--watch")?;
        let goes_on = self.resume || self.extend;
        let names = |tournament: &str| match goes_on {
            true => earlier_names(self.out.as_deref(), tournament),
            false => BTreeMap::new(),
        };
        let places = self.places()?;
        let path = configuration(&self.config)?;
        let mut config = Config::load_named(&path, &self.set, places, &names)?;
        if let Some(shard) = self.shard {
            let sharded = config.of_shard(shard);
            config = sharded.map_err(|error| CliError::Usage(format!("--shard: {error}")))?;
            // An existing folder has its secret, or deals by its seed.
            if !self.resume && !self.extend && config.lacks_shared_secret() {
                return Err(CliError::Usage(format!("--shard: {NO_SHARED_SECRET}")));
            }
        }
        if self.dry_run {
            let config = block_on(dry_run::foreseen(config))??;
            return dry_run::print_schedule(&config, self.format);
        }
        let workers = cluster::of(&self.nats)?;
        if workers.is_some() {
            config = config.for_workers();
        }
        block_on(self.play(config, workers))?
    }

    async fn play(self, config: Config, workers: Option<Cluster>) -> Result<(), CliError> {
        let mut stop = on_stop()?;
        let surroundings = self.surroundings()?;
        let (tournament, standings) = tokio::select! {
            begun = self.begin(config) => begun?,
            // Nothing is in flight yet.
            _ = stop::asked(&mut stop, Stop::Finish) => return Err(CliError::Interrupted),
        };
        for warning in tournament.warnings() {
            print_notice(format_args!("warning: {warning}\n"));
        }
        self.announce_resumption(&tournament);
        let (config, folder) = (tournament.config().clone(), tournament.folder().to_owned());
        let schedule = tournament.schedule();
        let (done, total) = (schedule.finished(), schedule.total());
        if schedule.is_over() {
            let path = folder.display();
            print_notice(format_args!(
                "all {total} matches of `{path}` were played already\n"
            ));
            if let Some(workers) = &workers {
                cluster::remove(workers, &folder).await;
            }
            let ended = (true, tournament.standing());
            return self.results(&config, ended, &standings, &folder);
        }
        if !self.quiet {
            announce(&tournament, workers.is_some());
        }
        let _watcher = if self.watch {
            Some(Watcher::start(&folder, self.listen)?)
        } else {
            None
        };
        let mut display = Display::new(standings, done, total, self.how());
        let show = |progress: Progress<'_>| display.show(progress);
        let advise = |error| self.with_advice(error, &folder);
        let interruption = stop.clone();
        let outcome = match &workers {
            Some(workers) => cluster::play(workers, tournament, stop, show, advise).await,
            None => {
                let outcome = tournament.play(surroundings, stop, show).await;
                outcome.map_err(advise)
            }
        };
        let is_interrupted = *interruption.borrow() != Stop::default();
        let standings = display.finish();
        let outcome = outcome?;
        let ended = (outcome.complete, outcome.standing);
        self.results(&config, ended, &standings, &folder)?;
        if outcome.complete {
            return Ok(());
        }
        if outcome.budget_used_up && !is_interrupted {
            print_notice(format_args!(
                "some matches were not played: bots have used up their `budget`; with a larger one, go on \
                 with `{}`\n",
                self.command(&folder)
            ));
            return Ok(());
        }
        print_notice(format_args!(
            "what was finished is in {}; go on with `{}`\n",
            folder.join(LOG_NAME).display(),
            self.command(&folder)
        ));
        Err(CliError::Interrupted)
    }

    /// The places of the bots; unpacks bundles.
    fn places(&self) -> Result<BotPlaces, CliError> {
        let Some(folder) = &self.bundles else {
            return Ok(BotPlaces::Configured);
        };
        let cache = self.bundle_cache.clone().unwrap_or_else(default_cache);
        let bundles = Bundles::unpack_all(folder, &cache)?;
        Ok(BotPlaces::Bundles(Arc::new(bundles)))
    }

    fn surroundings(&self) -> Result<Surroundings, CliError> {
        let hidden = [&self.config].into_iter().chain(&self.trace);
        Ok(Surroundings {
            hidden: hidden.cloned().collect(),
            tracer: self.trace.as_deref().map(Tracer::new).transpose()?,
            machine_name: self.machine.clone(),
            yardstick: yardstick(),
        })
    }

    fn how(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Quiet,
            (false, true) => Detail::Verbose,
            (false, false) => Detail::Normal,
        }
    }

    /// Opens the tournament, new or continued, and its standings so far.
    async fn begin(&self, config: Config) -> Result<(Tournament, Standings), CliError> {
        let folder = self.out.as_deref();
        let report = |line: &str| print_notice(format_args!("{line}\n"));
        Tournament::set_up(&config, report).await?;
        if self.extend {
            let extension = Extension::prepare_reporting(config, folder, report).await?;
            let mut standings = empty_standings(extension.config());
            let take = |record: &Record| standings.add_record(record);
            let tournament = Tournament::extend(extension, folder, take)?;
            return Ok((tournament, standings));
        }
        let not_begun = if self.resume {
            Tournament::not_begun(&config, folder)
        } else {
            None
        };
        if !self.resume || not_begun.is_some() {
            let folder = not_begun.as_deref().or(folder);
            let tournament = Tournament::create_reporting(config, folder, report).await?;
            let standings = empty_standings(tournament.config());
            return Ok((tournament, standings));
        }
        let config = Tournament::as_it_began(config, folder)?;
        if !self.replay_bot.is_empty() {
            Tournament::renew(&config, folder, &self.replay_bot, report).await?;
            if let Some(done) = Tournament::play_again(&config, folder, &self.replay_bot)? {
                print_notice(format_args!("{done}\n"));
            }
        }
        let mut standings = empty_standings(&config);
        let take = |record: &Record| standings.add_record(record);
        let tournament = Tournament::resume(config, folder, take)?;
        Ok((tournament, standings))
    }

    /// Reports how much of a continued tournament was played.
    fn announce_resumption(&self, tournament: &Tournament) {
        let schedule = tournament.schedule();
        let silent = self.quiet && self.out.is_some();
        if (self.resume || self.extend) && !schedule.is_over() && !silent {
            let path = tournament.folder().display();
            let (done, total) = (schedule.finished(), schedule.total());
            print_notice(format_args!(
                "resuming `{path}`: {done} of {total} matches were played\n"
            ));
        }
    }

    /// Why the tournament stopped, where its results are, and how to continue.
    fn with_advice(&self, error: TournamentError, folder: &Path) -> CliError {
        let (error, remains) = match error {
            TournamentError::Stopped { error, remains } => (error, remains),
            TournamentError::ResourceExhausted(why) => {
                let command = self.command(folder);
                let advice = format!(
                    "; no bot is at fault: what was finished is in the log, go on with `{command}`"
                );
                return CliError::ResourceExhausted { why, advice };
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

    /// The command that continues in a folder.
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
        let server = self.nats.nats.iter();
        words.extend(server.flat_map(|server| ["--nats", server]));
        let creds = self
            .nats
            .nats_creds
            .as_ref()
            .map(|path| path.to_string_lossy());
        words.extend(creds.iter().flat_map(|creds| ["--nats-creds", &**creds]));
        let bundles = self.bundles.as_deref().map(Path::to_string_lossy);
        words.extend(bundles.iter().flat_map(|folder| ["--bundles", folder]));
        let cache = self.bundle_cache.as_deref().map(Path::to_string_lossy);
        words.extend(self.machine.iter().flat_map(|name| ["--machine", name]));
        words.extend(cache.iter().flat_map(|folder| ["--bundle-cache", folder]));
        shell_words::join(words)
    }

    /// Prints the outcome of the format, then standings.
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
                "standing": standing.map(|standing| format_results::json(&standing, &names)),
                "bots": standings_tables::json(standings, report.as_ref()),
            }));
        }
        let width = terminal::width();
        let format = standing.map(|standing| format_results::report(&standing, &names, width));
        print(
            &(format.unwrap_or_default()
                + &standings_tables::report(standings, report.as_ref(), width)),
        )
    }
}

fn empty_standings(config: &Config) -> Standings {
    Standings::new(config.bots.iter().map(|bot| &*bot.name))
}

/// Announces what will be played, and the log.
fn announce(tournament: &Tournament, is_elsewhere: bool) {
    let config = tournament.config();
    let mut count = config.shape().count().to_string();
    if let Some(shard) = tournament.shard() {
        let own = tournament.schedule().total();
        count = format!("part {shard}, {own} of {count}");
    }
    let how = if is_elsewhere {
        "by workers".to_owned()
    } else {
        format!("{} at a time", tournament.at_a_time())
    };
    print_notice(format_args!(
        "{}: {count} of {}, {how}; the log is {}\n",
        config.name,
        sheet::count(config.bots.len() as u64, "bot", "bots"),
        tournament.folder().join(LOG_NAME).display()
    ));
    if let Some(AppliedScale { speed, factor }) = tournament.time_scale() {
        print_notice(format_args!(
            "this machine does {speed:.1} million steps of the yardstick a second, so time limits are \
             multiplied by {factor:.2}\n"
        ));
    }
    if let Some(test) = TestForecast::of(&config.schedule.format) {
        print_notice(test.in_words());
    }
}
