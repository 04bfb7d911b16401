//! `referee tournament`: plays a tournament from a configuration file, or goes on with one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::dry_run;
use super::format::{Format, print_json};
use super::standings::ratings;
use super::{CliError, block_on, on_interrupt, print};
use crate::bot::Nursery;
use crate::bot::trace::Tracer;
use crate::config::Config;
use crate::log::{LOG_NAME, WriteError};
use crate::report::progress::{Detail, Display};
use crate::report::standings::Standings;
use crate::report::{formats, tables, tell};
use crate::tournament::capacity;
use crate::tournament::folder::{self, Folder, STDERR_NAME};
use crate::tournament::forecast::TestForecast;
use crate::tournament::resume::{self, Allowed, ResumeError};
use crate::tournament::run::{self, RunError};
use crate::tournament::schedule::{Schedule, Standing};

/// Plays a tournament: every pairing in every seat order
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee tournament tournaments/quickstart.toml
  referee tournament tournaments/quickstart.toml --dry-run   tells what would be played
  referee tournament tournaments/quickstart.toml --resume    goes on after a crash or Ctrl-C
  referee tournament tournaments/quickstart.toml --extend    plays what was added to it
  referee tournament tournaments/quickstart.toml --quiet --format json    for programs

Ctrl-C once: no new matches; those in flight are given up, what was finished is in the log.
Twice: at once.")]
pub(super) struct Args {
    /// The configuration
    config: PathBuf,
    /// The folder of the log, which must not hold a tournament yet (unless --resume is given);
    /// by default a new one below `runs`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the tournament in DIR, by default in its newest folder below `runs`: matches
    /// that are in the log are not played again
    #[arg(long)]
    resume: bool,
    /// Go on as --resume does, with bots, games or rounds added to the configuration: what was
    /// played stays as it is, only what is missing is played
    #[arg(long, conflicts_with = "resume")]
    extend: bool,
    /// Print what would be played, and play nothing: how many matches, how long they take, the
    /// first of them
    #[arg(long, conflicts_with_all = ["resume", "extend"])]
    dry_run: bool,
    /// How the results are printed at the end, or what --dry-run tells; "json" has all matches there
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Set a key over the configuration, as in `--set time.per_move=1s` or
    /// `--set bots.NAME.command="./mybot --fast"`; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Write every line that is said, both ways, with times: a file for each process in this
    /// folder, or one file if the path has an extension
    #[arg(long, value_name = "PATH")]
    trace: Option<PathBuf>,
    /// Show no progress, only the standings at the end
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Print a line when a match begins and when it ends, also on a terminal
    #[arg(long, short)]
    verbose: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        let mut config = Config::load_with(&self.config, &self.set)?;
        if self.dry_run {
            return print(&dry_run::schedule(&config, self.format)?);
        }
        if let Some(said) = capacity::fit(&mut config)? {
            tell(format_args!("warning: {said}, so that is what is done\n",));
        }
        block_on(self.play(Arc::new(config)))?
    }

    /// What bots have no business to see: results of today and before, and configurations with
    /// everybody's environment.
    fn hidden(&self, folder: &Path) -> Vec<PathBuf> {
        let mut hidden = vec![folder.to_owned(), self.config.clone()];
        let all_runs = folder.parent().filter(|runs| runs.ends_with(folder::RUNS));
        hidden.extend(all_runs.map(Path::to_owned));
        hidden.extend(self.trace.clone());
        hidden
    }

    async fn play(self, config: Arc<Config>) -> Result<(), CliError> {
        let stop = on_interrupt()?;
        // Before anything is written: what this machine cannot do.
        Nursery::new(&config.bots, &[], None)?;
        let tracer = self.trace.as_deref().map(Tracer::new).transpose()?;
        let mut standings = Standings::new(config.bots.iter().map(|bot| &*bot.name));
        let (mut folder, schedule) = match self.resume || self.extend {
            true => self.resumed(&config, &mut standings)?,
            false => (self.created(&config)?, Schedule::new(&config.shape())),
        };
        let (done, total) = (schedule.finished(), schedule.total());
        if schedule.is_over() {
            let path = folder.path.display();
            tell(format_args!(
                "all {total} matches of `{path}` were played already\n"
            ));
            return self.results(
                &config,
                (true, schedule.standing()),
                &standings,
                &folder.path,
            );
        }
        let left = usize::try_from(total).map_or(usize::MAX, |total| total - done);
        let at_a_time = config.concurrency.min(left);
        if !self.quiet {
            tell(format_args!(
                "{}: {} of {} bots, {} at a time; the log is {}\n",
                config.name,
                config.shape().count(),
                config.bots.len(),
                at_a_time,
                folder.path.join(LOG_NAME).display()
            ));
            if let Some(test) = TestForecast::of(&config.format) {
                tell(test.in_words());
            }
        }
        let mut display = Display::new(standings, done, total, self.how());
        let nursery = Nursery::new(
            &config.bots,
            &self.hidden(&folder.path),
            Some(folder.path.join(STDERR_NAME)),
        )?
        .after(folder::last_stderr(&folder.path))
        .keeping(config.keep.stderr)
        .traced(tracer);
        if !config.all_strict() {
            folder.log.guard()?;
        }
        let show = |progress: run::Progress<'_>| display.show(progress);
        let ran = run::run(config.clone(), schedule, nursery, &mut folder, stop, show).await;
        let standings = display.finish();
        let ran = ran.map_err(|error| match error {
            RunError::Log(error) => self.stopped(error, &folder, &config),
            RunError::Short(why) => CliError::Short {
                why,
                advice: format!(
                    "; no bot is at fault: what was finished is in the log, go on with `{}`",
                    self.command(&folder.path)
                ),
            },
        })?;
        let came = (ran.complete, ran.standing);
        self.results(&config, came, &standings, &folder.path)?;
        match ran.complete {
            true => Ok(()),
            false => {
                tell(format_args!(
                    "what was finished is in {}; go on with `{}`\n",
                    folder.path.join(LOG_NAME).display(),
                    self.command(&folder.path)
                ));
                Err(CliError::Interrupted)
            }
        }
    }

    fn how(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Quiet,
            (false, true) => Detail::Verbose,
            (false, false) => Detail::Normal,
        }
    }

    fn created(&self, config: &Config) -> Result<Folder, CliError> {
        Ok(match &self.out {
            Some(path) => Folder::create(path, &config.text)?,
            None => Folder::create_numbered(&config.name, &config.text)?,
        })
    }

    /// The folder to go on in, and what is left to be played; what was played is entered in the
    /// standings.
    fn resumed(
        &self,
        config: &Config,
        standings: &mut Standings,
    ) -> Result<(Folder, Schedule), CliError> {
        let newest = || folder::newest(&config.name);
        let path = self.out.clone().or_else(newest);
        let path = path.ok_or_else(|| ResumeError::NoneYet {
            pattern: folder::pattern(&config.name),
        })?;
        let take = |record: &_| standings.add(record);
        let allowed = match self.extend {
            true => Allowed::Additions,
            false => Allowed::Nothing,
        };
        let resumed = resume::open(&path, config, allowed, take)?;
        if let Some(cut) = &resumed.cut {
            let log = path.join(LOG_NAME);
            tell(format_args!("warning: {}: {cut}\n", log.display()));
        }
        let schedule = resumed.schedule;
        let silent = self.quiet && self.out.is_some();
        if !schedule.is_over() && !silent {
            let (path, done, total) = (path.display(), schedule.finished(), schedule.total());
            tell(format_args!(
                "resuming `{path}`: {done} of {total} matches were played\n"
            ));
        }
        Ok((resumed.folder, schedule))
    }

    /// A log that could not be written any more: where all that was finished is, and how to go
    /// on.
    fn stopped(&self, error: WriteError, folder: &Folder, config: &Config) -> CliError {
        let again = |path: &Path| format!("go on with `{}`", self.command(path));
        let advice = match &error {
            WriteError::Gone { .. } => match folder.log.moved_to() {
                Some(log) => {
                    let place = log.parent().unwrap_or(Path::new("/"));
                    let log = log.display();
                    format!("what was finished is in `{log}`, {}", again(place))
                }
                None => match folder.rescue(&config.text) {
                    Ok(path) => {
                        let place = path.display();
                        format!("what was finished is saved in `{place}`, {}", again(&path))
                    }
                    Err(error) => format!("what was finished could not be saved: {error}"),
                },
            },
            WriteError::Lost { .. } => again(&folder.path),
            _ => {
                let path = &folder.path;
                format!(
                    "what was finished is in the log; when that is mended, {}",
                    again(path)
                )
            }
        };
        CliError::Stopped { error, advice }
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
        let ratings = ratings(folder, standings.matches());
        if self.format == Format::Json {
            return print_json(&json!({
                "name": config.name,
                "complete": complete,
                "log": folder.join(LOG_NAME),
                "standing": standing.map(|standing| formats::json(&standing, &names)),
                "bots": tables::json(standings, &ratings),
            }));
        }
        let format = standing.map(|standing| formats::report(&standing, &names));
        print(&(format.unwrap_or_default() + &tables::report(standings, &ratings)))
    }
}
