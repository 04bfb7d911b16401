//! A whole tournament: makes its folder or opens it again, plays what is left, and saves the
//! finished matches if the log is lost.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::{Affinity, Config, TimeScale};
use games::BrokenRules;
use log::{LOG_NAME, WriteError};
use machine::{identity, yardstick};
use schedule::{Schedule, Shard, Standing};
use thiserror::Error;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::admission::{self, AdmissionError, LeftOut};
use crate::folder::builds::{Builds, PlayedBuilds};
use crate::folder::secret_file;
use crate::folder::{self, Folder, FolderError, STDERR_NAME};
use crate::playing::backend::Backend;
use crate::playing::capacity::{self, TooMuch};
use crate::playing::slots::{self, BackendError};
use crate::reports::{Progress, RunError, TournamentOutcome};
use crate::resume::set_aside::set_aside;
use crate::resume::{self, Allowed, ResumeError};
use crate::stop::Stop;
use games::kit::text::count;
use protocol::{Machine, Record};
use supervisor::{BotFactory, FactoryError, Tracer};

/// A tournament that is ready to be played: bots can be started, and its log is open.
pub struct Tournament {
    config: Arc<Config>,
    folder: Folder,
    schedule: Schedule,
    warnings: Vec<String>,
    time_scale: Option<AppliedScale>,
    pub(super) left_out: Vec<LeftOut>,
}

/// A shard needs a shared secret.
pub const NO_SHARED_SECRET: &str = "its games have chance or hidden information, and all parts have \
    to deal from one secret: set `secret` in the configuration, the same for all, to 64 hexadecimal digits \
    that no bot knows (`openssl rand -hex 32` prints some)";

/// The scale of time limits by the speed of this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AppliedScale {
    /// Yardstick speed of a slot, in million steps a second.
    pub speed: f64,
    /// The factor that limits were multiplied by.
    pub factor: f64,
}

/// The reason why a tournament does not start, or stops.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// The machine is too small for this many concurrent matches.
    #[error(transparent)]
    Capacity(#[from] TooMuch),
    /// Bots are broken, or the note about those that were left out is unreadable.
    #[error(transparent)]
    Admission(#[from] AdmissionError),
    /// Bots cannot be started as the configuration asks for.
    #[error(transparent)]
    BotFactory(#[from] FactoryError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// A shard needs a secret that all shards share.
    #[error("{NO_SHARED_SECRET}")]
    NoSharedSecret,
    /// The log cannot be guarded.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The log failed while matches were played.
    #[error("{error}")]
    Stopped {
        error: WriteError,
        /// The place of the finished matches.
        remains: Remains,
    },
    /// No bot is at fault.
    #[error("{0}")]
    ResourceExhausted(String),
    /// Time limits cannot be scaled by the speed of this machine.
    #[error("{0}")]
    Scale(String),
    /// Rules from outside do not work; no bot is at fault.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
}

/// The reason why a tournament with a backend stops.
#[derive(Debug)]
pub enum BackendFailure<E> {
    Tournament(TournamentError),
    /// The backend failed; no bot is at fault.
    Backend(E),
}

/// The place of the finished matches after the log failed.
#[derive(Debug)]
pub enum Remains {
    /// In the log, which was moved here.
    Moved(PathBuf),
    /// In a new folder: the old one is gone.
    Rescued(PathBuf),
    /// Nowhere: the old folder is gone, and no new one could be written.
    Unsaved(WriteError),
    /// In the log, except for the lines that the error names.
    Incomplete,
    Complete,
}

/// The environment of a tournament's bots.
#[derive(Default)]
pub struct Surroundings {
    /// Paths that sandboxes hide, besides the folders of tournaments.
    pub hidden: Vec<PathBuf>,
    /// Records the messages between bots and referee.
    pub tracer: Option<Tracer>,
    /// This machine's name in the log; by default its host name.
    pub machine_name: Option<String>,
    /// With time limits that depend on speed, it is measured in any case.
    pub yardstick: Yardstick,
}

/// Measuring the speed of the machine before the first match takes a tenth of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Yardstick {
    #[default]
    Measured,
    /// The log has no speed.
    Off,
}

impl Tournament {
    /// Bots that have a `build` are built first, and those with `must_pass_check`, as all of
    /// `bots_from`, are checked. Broken ones do not play, see [`Tournament::left_out`], unless the
    /// configuration has `on_broken = "stop"`. Bots without `games` are started once, and asked
    /// which games they play. Blocks; in asynchronous code use [`Tournament::create_reporting`].
    ///
    /// # Errors
    /// If the machine cannot run it, too few bots are left, there is a tournament in the folder
    /// already, or the folder cannot be written. Nothing was written then but what builds wrote.
    pub fn create(mut config: Config, folder: Option<&Path>) -> Result<Self, TournamentError> {
        if admission::is_wanted(&config, None) || admission::are_answers_wanted(&config, None) {
            runtime()?.block_on(Self::create_reporting(config, folder, |_| {}))
        } else {
            let left_out = config.admission.left_out.clone();
            let prepared = prepare(&mut config)?;
            Self::begin(config, left_out, prepared, folder)
        }
    }

    /// Like [`Tournament::create`], for callers that show progress or may give up: `report`
    /// receives a line for each build and for each bot that is left out. If the future is dropped,
    /// only builds have written anything.
    ///
    /// # Errors
    /// As those of [`Tournament::create`].
    pub async fn create_reporting(
        config: Config,
        folder: Option<&Path>,
        report: impl FnMut(&str),
    ) -> Result<Self, TournamentError> {
        if let Some(folder) = folder {
            // Builds could spoil the bots of the tournament in this folder.
            folder::must_be_free(folder)?;
            folder::must_be_idle(folder)?;
        }
        let (mut config, left_out) = admission::admit(config, None, report).await?;
        // Before bots are asked, which may take long and uses resources of the machine.
        let prepared = prepare(&mut config)?;
        let config = admission::ask(config, None).await?;
        Self::begin(config, left_out, prepared, folder)
    }

    fn begin(
        config: Config,
        left_out: Vec<LeftOut>,
        (mut warnings, time_scale): Prepared,
        folder: Option<&Path>,
    ) -> Result<Self, TournamentError> {
        warnings.extend(config.warnings());
        warnings.extend(Builds::read(&config.bots).identical());
        if config.lacks_shared_secret() {
            return Err(TournamentError::NoSharedSecret);
        }
        config.deal_from(secret_file::new(&config)?);
        let more = |folder: &Folder| {
            folder.note_origin(&config)?;
            folder.keep_sheets(config.rules.sheets())?;
            admission::note(&folder.path, &left_out)?;
            admission::note_answers(&folder.path, &config)
        };
        let (text, shard, deals) = (&config.source.text, config.schedule.shard, config.deals());
        let folder = match folder {
            Some(path) => Folder::create_with(path, text, shard, deals, more)?,
            None => Folder::create_numbered(&config.name, text, shard, deals, more)?,
        };
        Ok(Tournament {
            schedule: Schedule::new(&config.shape()),
            config: Arc::new(config),
            folder,
            warnings,
            time_scale,
            left_out,
        })
    }

    /// Leaves out the bots that were left out when the tournament in this folder (by default the
    /// newest of its name below `runs`) started or was extended. [`Tournament::resume`] and
    /// [`Tournament::play_again`] do this themselves; call it if you need the bots earlier.
    ///
    /// # Errors
    /// If it is not known who was left out, or too few bots are left.
    pub fn as_it_began(config: Config, folder: Option<&Path>) -> Result<Config, TournamentError> {
        match folder_of(&config, folder) {
            Ok(folder) => Ok(admission::as_it_began(config, &folder)?),
            Err(_) => Ok(config),
        }
    }

    /// The folder to resume in, if the referee was killed there before the tournament started;
    /// [`Tournament::create`] starts it then.
    pub fn not_begun(config: &Config, folder: Option<&Path>) -> Option<PathBuf> {
        let folder = folder_of(config, folder).ok()?;
        folder::is_unfinished(&folder).then_some(folder)
    }

    /// Continues the tournament in this folder (by default the newest of its name below `runs`)
    /// without the bots that were left out. `take` receives the finished matches, in the order of
    /// the log.
    ///
    /// # Errors
    /// If the machine cannot run it, or the folder is not that of this tournament. Nothing was
    /// changed then.
    pub fn resume(
        config: Config,
        folder: Option<&Path>,
        take: impl FnMut(&Record),
    ) -> Result<Self, TournamentError> {
        let config = Self::as_it_began(config, folder)?;
        Self::reopen(config, folder, Allowed::Nothing, take)
    }

    /// Opens the folder of a tournament that has begun.
    pub(super) fn reopen(
        mut config: Config,
        folder: Option<&Path>,
        allowed: Allowed,
        mut take: impl FnMut(&Record),
    ) -> Result<Self, TournamentError> {
        let (mut warnings, time_scale) = prepare(&mut config)?;
        warnings.extend(config.warnings());
        let path = folder_of(&config, folder)?;
        let mut played = PlayedBuilds::default();
        let mut by_other_rules = 0;
        let resumed = resume::open(&path, &config, allowed, |record| {
            played.add(record);
            by_other_rules += u32::from(is_by_other_rules(record, &config));
            take(record);
        })?;
        if by_other_rules > 0 {
            warnings.push(format!(
                "the number of matches that were played by other versions of their rules is \
                 {by_other_rules}; `referee replay --verify` refuses them unless `--rules` names the \
                 rules to check them by"
            ));
        }
        let builds = Builds::read(&config.bots);
        warnings.extend(builds.identical());
        warnings.extend(builds.changed(&played));
        if let Some(cut) = &resumed.cut {
            warnings.push(format!("{}: {cut}", path.join(LOG_NAME).display()));
        }
        Ok(Tournament {
            config: Arc::new(config),
            folder: resumed.folder,
            schedule: resumed.schedule,
            warnings,
            time_scale,
            left_out: Vec::new(),
        })
    }

    /// The configuration, with as many concurrent matches as the machine can run.
    pub fn config(&self) -> &Arc<Config> {
        &self.config
    }

    pub fn folder(&self) -> &Path {
        &self.folder.path
    }

    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// `None` for the whole schedule.
    pub fn shard(&self) -> Option<Shard> {
        self.folder.shard()
    }

    /// Warnings to show before the start.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The scale of time limits, if they were scaled.
    pub fn time_scale(&self) -> Option<AppliedScale> {
        self.time_scale
    }

    /// The bots of a new or extended tournament that are broken and do not play.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Sets the matches of these bots aside, in the folder of a tournament that is resumed next:
    /// then they are played again. The old log stays beside the new one. Returns a sentence about
    /// it; `None` if they have no matches.
    ///
    /// # Errors
    /// If there is no such bot, the folder is not that of this tournament, the format decides by
    /// results, or the log cannot be written.
    pub fn play_again(
        config: &Config,
        folder: Option<&Path>,
        bots: &[String],
    ) -> Result<Option<String>, TournamentError> {
        let path = folder_of(config, folder)?;
        let config = &admission::as_it_began(config.clone(), &path)?;
        let names = || config.bots.iter().map(|bot| bot.name.clone());
        if let Some(name) = bots
            .iter()
            .find(|name| !names().any(|known| known == **name))
        {
            let (name, names) = (name.clone(), names().collect());
            return Err(ResumeError::NoBot { name, names }.into());
        }
        if config.schedule.format.is_of_pairings() {
            return Err(ResumeError::FixedResults.into());
        }
        // Checks that everything in the log belongs here, and unlocks it.
        drop(resume::open(&path, config, Allowed::Nothing, |_| ())?);
        Ok(set_aside(&path, bots)?.map(|done| {
            format!(
                "{} again; `{}` is the log as it was",
                count(done.matches as u64, "match is played", "matches are played"),
                done.before.display()
            )
        }))
    }

    /// The number of concurrent matches: at most as many as are left.
    pub fn at_a_time(&self) -> usize {
        let left = self.schedule.total() - self.schedule.finished() as u64;
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        self.config.machine.concurrency.min(left)
    }

    /// `None` in formats in which it is only points.
    pub fn standing(&self) -> Option<Standing> {
        self.schedule.standing()
    }

    /// Plays what is left, and waits for it, without a display.
    ///
    /// # Errors
    /// If bots cannot be started, the log cannot be written, or the machine runs out of something.
    pub fn play_to_the_end(self) -> Result<TournamentOutcome, TournamentError> {
        let runtime = runtime()?;
        let (_never, stop) = watch::channel(Stop::No);
        runtime.block_on(self.play(Surroundings::default(), stop, |_| {}))
    }

    /// Plays what is left. `stop` ends it early, gently or at once; the finished matches are in the
    /// log.
    ///
    /// # Errors
    /// If bots cannot be started, the log cannot be written, or the machine runs out of something.
    pub async fn play(
        self,
        surroundings: Surroundings,
        stop: watch::Receiver<Stop>,
        show: impl FnMut(Progress<'_>),
    ) -> Result<TournamentOutcome, TournamentError> {
        let machine = self.machine(&surroundings).await;
        let Tournament {
            config,
            mut folder,
            schedule,
            ..
        } = self;
        folder.remember_notes();
        let factory = factory(&config, &folder.path, surroundings)?;
        if !config.all_strict() {
            folder.log.guard()?;
        }
        let run = slots::run(
            config.clone(),
            schedule,
            machine,
            factory,
            &mut folder,
            stop,
            show,
        );
        run.await.map_err(|error| stopped(error, &folder, &config))
    }

    /// Plays what is left with a backend. After a request to stop, no more matches begin; those in
    /// flight may be finished when the tournament is resumed.
    ///
    /// # Errors
    /// If the backend cannot go on, or the log cannot be written.
    pub async fn play_at<B: Backend>(
        self,
        backend: &mut B,
        stop: watch::Receiver<Stop>,
        show: impl FnMut(Progress<'_>),
    ) -> Result<TournamentOutcome, BackendFailure<B::Error>> {
        let Tournament {
            config,
            mut folder,
            schedule,
            ..
        } = self;
        folder.remember_notes();
        let run = slots::run_at(backend, config.clone(), schedule, &mut folder, stop, show);
        run.await.map_err(|error| match error {
            BackendError::Run(error) => {
                BackendFailure::Tournament(stopped(error, &folder, &config))
            }
            BackendError::Backend(error) => BackendFailure::Backend(error),
        })
    }
}

/// The error of a stopped tournament, with the place of the finished matches.
fn stopped(error: RunError, folder: &Folder, config: &Config) -> TournamentError {
    match error {
        RunError::Log(error) => TournamentError::Stopped {
            remains: remains(&error, folder, config),
            error,
        },
        RunError::ResourceExhausted(what) => TournamentError::ResourceExhausted(what),
        RunError::Broken(broken) => TournamentError::Broken(broken),
    }
}

impl Tournament {
    /// This machine, with its speed under as many threads as there will be matches. No bot runs
    /// yet.
    async fn machine(&self, surroundings: &Surroundings) -> Machine {
        let (slots, keep) = (
            self.at_a_time(),
            self.config.machine.affinity == Affinity::Cores,
        );
        let speed = match (self.time_scale, surroundings.yardstick) {
            (Some(scale), _) => Some(scale.speed),
            (None, Yardstick::Off) => None,
            (None, Yardstick::Measured) => {
                let measure = move || yardstick::measure(slots, keep, yardstick::GLANCE);
                // A log without a speed is no reason not to play.
                tokio::task::spawn_blocking(measure).await.ok().flatten()
            }
        };
        Machine {
            speed: speed.map(yardstick::rounded),
            ..identity::here(surroundings.machine_name.as_deref())
        }
    }
}

pub(super) fn runtime() -> Result<Runtime, TournamentError> {
    Runtime::new().map_err(|error| {
        TournamentError::ResourceExhausted(format!("the tournament cannot run: {error}"))
    })
}

/// True if rules from outside have changed since a match was played.
fn is_by_other_rules(record: &Record, config: &Config) -> bool {
    let mut games = config.games.iter().map(|game| &game.rules);
    let rules = games.find(|rules| rules.info().id == record.game);
    let now = rules.and_then(|rules| rules.description().origin.as_ref());
    record.rules.as_ref().map(|then| &then.sha256) != now.map(|now| &now.sha256)
}

/// The folder to continue in: the given one, or the newest of this tournament below `runs`.
pub(super) fn folder_of(config: &Config, folder: Option<&Path>) -> Result<PathBuf, ResumeError> {
    let newest = || folder::newest(&config.name);
    let path = folder.map(Path::to_owned).or_else(newest);
    path.ok_or_else(|| ResumeError::NoneYet {
        pattern: folder::pattern(&config.name),
    })
}

/// Warnings, and the scale of time limits.
type Prepared = (Vec<String>, Option<AppliedScale>);

/// Examines this machine, before anything is written.
fn prepare(config: &mut Config) -> Result<Prepared, TournamentError> {
    let lowered = capacity::fit(config)?;
    BotFactory::new(&config.bots, &[], None)?;
    let warning = |what| format!("{what}, so that is what is done");
    let mut warnings: Vec<String> = lowered.map(warning).into_iter().collect();
    warnings.extend(who_has_deals_alone(config));
    let scale = config.scale_here().map(|scale| scaled(config, scale));
    Ok((warnings, scale.transpose()?))
}

/// A note about players that live from match to match, in games where they must not remember.
fn who_has_deals_alone(config: &Config) -> Option<String> {
    let elsewhere = config.bots.iter().filter(|spec| spec.ggp.is_some());
    let names: Vec<String> = elsewhere.map(|spec| format!("`{}`", spec.name)).collect();
    (config.has_deals() && !names.is_empty()).then(|| {
        format!(
            "{}: the referee does not start players that it asks over HTTP, so they may remember earlier \
             matches: in games with chance or hidden information each of their matches has a deal of its own, \
             and swapped matches are not dealt alike",
            names.join(", ")
        )
    })
}

/// Scales time limits by the speed of this machine.
fn scaled(config: &mut Config, scale: TimeScale) -> Result<AppliedScale, TournamentError> {
    let keep = config.machine.affinity == Affinity::Cores;
    let speed = yardstick::measure(config.machine.concurrency, keep, yardstick::LOOK);
    let speed = speed.ok_or_else(|| {
        TournamentError::ResourceExhausted(
            "no threads can be started to measure the machine's speed".to_owned(),
        )
    })?;
    let factor = config
        .scale_time(scale, speed)
        .map_err(TournamentError::Scale)?;
    Ok(AppliedScale { speed, factor })
}

/// A factory whose bots cannot see results, old or new.
fn factory(
    config: &Config,
    folder: &Path,
    surroundings: Surroundings,
) -> Result<BotFactory, FactoryError> {
    let mut hidden = vec![folder.to_owned()];
    let all_runs = folder.parent().filter(|runs| runs.ends_with(folder::RUNS));
    hidden.extend(all_runs.map(Path::to_owned));
    hidden.extend(surroundings.hidden);
    let factory = BotFactory::new(&config.bots, &hidden, Some(folder.join(STDERR_NAME)))?;
    let factory = factory
        .after(folder::last_stderr(folder))
        .keeping(config.keep.stderr)
        .traced(surroundings.tracer);
    config.share_records(&factory);
    Ok(factory)
}

/// Finds the finished matches after the log failed, and saves them if the folder is gone.
fn remains(error: &WriteError, folder: &Folder, config: &Config) -> Remains {
    match error {
        WriteError::Gone { .. } => match folder.log.moved_to() {
            Some(log) => Remains::Moved(log),
            None => match folder.rescue(&config.source.text, config.deals()) {
                Ok(path) => Remains::Rescued(path),
                Err(error) => Remains::Unsaved(error),
            },
        },
        WriteError::Lost { .. } => Remains::Incomplete,
        _ => Remains::Complete,
    }
}
