//! Who may play: bots are built, or set up where they were unpacked from bundles, and those that must
//! pass checks are checked, exactly as the tournament would run them.

use std::fs::{File, TryLockError};
use std::io::{
    self,
    ErrorKind::{NotADirectory, NotFound},
    Read as _, Seek as _,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::faults;
use serde::{Deserialize, Serialize};
use supervisor::{BotFactory, BotSpec, FactoryError};
use thiserror::Error;
use tokio::time::sleep;

use crate::bundle::{BundleError, Digest, Unpacked};
use crate::check::{self, CheckOutcome, CheckReport, Extent, Lab, Selection};
use crate::config::{BuildPlan, Config, ConfigError, OnBroken};
use crate::files::{self, MOST_TEXT};
use crate::log::WriteError;
use crate::output;

/// Where the output of a build goes, in the bot's folder.
pub(crate) const BUILD_LOG: &str = "build.log";
/// Where that of a setup goes. It is hidden, so that it does not count as one of the bot's files: it may
/// be another one on each machine.
const SETUP_LOG: &str = ".setup.log";
/// How often another process that sets the same bot up is waited for.
const LOCK_PATROL: Duration = Duration::from_millis(100);
/// How much of a log is searched for its last line, in bytes.
const LOG_END: u64 = 64 << 10;
/// What the folder of a tournament says about bots that were left out.
const LEFT_OUT: &str = "left-out.toml";
/// What a bot that must pass has to do: start, and play its games.
const MUST_PASS: [&str; 2] = ["handshake", "match/"];
/// How long any answer may take in these checks.
const PATIENCE: Duration = Duration::from_secs(10);

/// A bot that does not play.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its name.
    pub bot: String,
    /// Why.
    pub why: String,
}

/// The file [`LEFT_OUT`].
#[derive(Serialize, Deserialize)]
struct LeftOutFile {
    left_out: Vec<LeftOut>,
}

/// Why a tournament does not begin.
#[derive(Debug, Error)]
pub enum AdmissionError {
    /// Bots are broken, and `on_broken = "stop"`.
    #[error("{}", .0.iter().map(LeftOut::in_words).collect::<Vec<_>>().join("; "))]
    Broken(Vec<LeftOut>),
    /// The bots that are left cannot play.
    #[error("without the bots that are left out ({bots}): {error}")]
    TooFew {
        /// Those that are left out.
        bots: String,
        /// What is wrong then.
        error: ConfigError,
    },
    /// What says who was left out cannot be used.
    #[error("`{}`: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Bots cannot be started on this machine.
    #[error(transparent)]
    Factory(#[from] FactoryError),
    /// A bot from a bundle cannot be set up. That is this machine's fault: elsewhere it may work.
    #[error("bot `{bot}`: the bundle {bundle:.12} cannot be used on this machine: {why}")]
    SetUp {
        /// The bot.
        bot: String,
        /// The bundle's hash.
        bundle: Digest,
        /// Why not.
        why: String,
    },
    /// What says that a bundle was set up cannot be used.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

impl LeftOut {
    /// In a sentence.
    pub fn in_words(&self) -> String {
        format!("bot `{}`: {}", self.bot, self.why)
    }
}

/// Whether there is anything to build or to check before bots may play: all, or those of these names.
pub(crate) fn is_wanted(config: &Config, among: Option<&[String]>) -> bool {
    candidates(config, among).next().is_some()
}

fn candidates<'a>(
    config: &'a Config,
    among: Option<&'a [String]>,
) -> impl Iterator<Item = (&'a Arc<BotSpec>, &'a BuildPlan)> {
    let all = config.bots.iter().zip(&config.builds);
    all.filter(move |(spec, build)| {
        let is_meant = among.is_none_or(|names| names.contains(&spec.name));
        is_meant && (build.command.is_some() || build.must_pass)
    })
}

/// The bots but for those that have to be built before they can be started.
pub(crate) fn startable(config: &Config) -> Vec<Arc<BotSpec>> {
    let all = config.bots.iter().zip(&config.builds);
    all.filter(|(spec, build)| build.command.is_none() || spec.program().is_ok())
        .map(|(spec, _)| spec.clone())
        .collect()
}

/// Builds and checks bots, all or those of these names, and says which are broken; `report` gets what
/// happens, line by line.
///
/// # Errors
/// If nothing can be started on this machine.
pub(crate) async fn broken(
    config: &Config,
    among: Option<&[String]>,
    mut report: impl FnMut(&str),
) -> Result<Vec<LeftOut>, AdmissionError> {
    let mut broken = Vec::new();
    for (spec, build) in candidates(config, among) {
        let why = match built(spec, build, &mut report).await? {
            Err(why) => Some(why),
            Ok(()) if build.must_pass => mistake(config, spec).await?,
            Ok(()) => None,
        };
        if let Some(why) = why {
            let bot = spec.name.clone();
            broken.push(LeftOut { bot, why });
        }
    }
    Ok(broken)
}

/// The configuration without its broken bots, which are looked for as by [`broken`].
///
/// # Errors
/// If broken bots are to stop the tournament, or too few are left.
pub(crate) async fn admit(
    config: Config,
    among: Option<&[String]>,
    mut report: impl FnMut(&str),
) -> Result<(Config, Vec<LeftOut>), AdmissionError> {
    let left_out = broken(&config, among, &mut report).await?;
    if left_out.is_empty() {
        return Ok((config, left_out));
    }
    if config.on_broken == OnBroken::Stop {
        return Err(AdmissionError::Broken(left_out));
    }
    for broken in &left_out {
        report(&format!("left out: {}", broken.in_words()));
    }
    Ok((without(&config, &left_out)?, left_out))
}

fn without(config: &Config, left_out: &[LeftOut]) -> Result<Config, AdmissionError> {
    let names: Vec<&str> = left_out.iter().map(|left_out| &*left_out.bot).collect();
    let rest = config.without(&names);
    rest.map_err(|error| AdmissionError::TooFew {
        bots: names.join(", "),
        error,
    })
}

/// Notes who was left out in the folder of the tournament, in place of those before.
///
/// # Errors
/// If that cannot be written.
pub(crate) fn note(folder: &Path, left_out: &[LeftOut]) -> Result<(), WriteError> {
    let path = folder.join(LEFT_OUT);
    if left_out.is_empty() && path.symlink_metadata().is_err() {
        return Ok(());
    }
    let file = LeftOutFile {
        left_out: left_out.to_vec(),
    };
    let text = toml::to_string(&file).map_err(io::Error::other);
    let written = text.and_then(|text| output::keep(&path, &text));
    written.map_err(|error| WriteError::io(&path, error))
}

/// The note about who was left out in a folder, as text; `None` if there is none.
pub(crate) fn noted(folder: &Path) -> Option<String> {
    files::read(&folder.join(LEFT_OUT), MOST_TEXT).ok()
}

/// Copies the note about who was left out to another folder.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn copy_note(from: &Path, to: &Path) -> Result<(), WriteError> {
    let Some(text) = noted(from) else {
        return Ok(());
    };
    let path = to.join(LEFT_OUT);
    output::keep(&path, &text).map_err(|error| WriteError::io(&path, error))
}

/// Who was left out of the tournament in this folder, and why.
///
/// # Errors
/// If the file that says it cannot be used.
pub(crate) fn left_out(folder: &Path) -> Result<Vec<LeftOut>, AdmissionError> {
    let path = folder.join(LEFT_OUT);
    let unreadable = |why: String| AdmissionError::Unreadable {
        path: path.clone(),
        why,
    };
    let text = match files::read(&path, MOST_TEXT) {
        Ok(text) => text,
        Err(error) if [NotFound, NotADirectory].contains(&error.kind()) => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let file: LeftOutFile =
        toml::from_str(&text).map_err(|error| unreadable(error.message().to_owned()))?;
    Ok(file.left_out)
}

/// The configuration without the bots that were left out of the tournament in this folder; `None` if
/// there are none.
///
/// # Errors
/// If the file that names them cannot be used, or too few bots are left.
pub(crate) fn as_it_began(
    config: &Config,
    folder: &Path,
) -> Result<Option<Config>, AdmissionError> {
    let left_out = left_out(folder)?;
    if left_out.is_empty() {
        return Ok(None);
    }
    without(config, &left_out).map(Some)
}

/// Builds a bot, if there is anything to build; the inner error says why that failed.
///
/// # Errors
/// If builds cannot be started on this machine.
pub(crate) async fn built(
    spec: &BotSpec,
    build: &BuildPlan,
    mut report: impl FnMut(&str),
) -> Result<Result<(), String>, FactoryError> {
    let Some(command) = &build.command else {
        return Ok(Ok(()));
    };
    let _alone = in_turn(spec, build.timeout, &mut report).await;
    report(&format!("building `{}`", spec.name));
    made(spec, build, command, &BUILD).await
}

/// Sets up the bots that were unpacked from bundles and need it, unless that was done before; `report`
/// gets a line for each.
///
/// # Errors
/// If one of them cannot be set up, or cannot be started after it.
pub(crate) async fn set_up(
    config: &Config,
    mut report: impl FnMut(&str),
) -> Result<(), AdmissionError> {
    for (spec, plan) in config.bots.iter().zip(&config.builds) {
        let (Some(unpacked), Some(command)) = (&plan.bundle, &plan.setup) else {
            continue;
        };
        if unpacked.is_set_up() {
            continue;
        }
        let _lock = locked(unpacked).await?;
        // Another process may have done it meanwhile.
        if unpacked.is_set_up() {
            continue;
        }
        let bundle = &unpacked.bundle().sha256;
        report(&format!("setting up `{}` (bundle {bundle:.12})", spec.name));
        let done = made(spec, plan, command, &SETUP).await?;
        let done = done.and_then(|()| spec.program().map_err(|error| error.to_string()));
        done.map_err(|why| AdmissionError::SetUp {
            bot: spec.name.clone(),
            bundle: bundle.clone(),
            why,
        })?;
        unpacked.note_set_up()?;
    }
    Ok(())
}

/// The lock of a bundle, once no other process has it.
async fn locked(unpacked: &Unpacked) -> Result<File, BundleError> {
    let file = unpacked.lock_file()?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => sleep(LOCK_PATROL).await,
            Err(TryLockError::Error(error)) => {
                let path = unpacked.dir();
                return Err(BundleError::Io { path, error });
            }
        }
    }
}

/// Waits until no other tournament on this machine builds in the bot's folder: two builds in one folder spoil
/// each other. Nobody waits where folders cannot be locked, nor longer than a build may take: a bot could hold
/// the lock.
async fn in_turn(spec: &BotSpec, most: Duration, mut report: impl FnMut(&str)) -> Option<File> {
    let folder = File::open(&spec.dir).ok()?;
    let end = Instant::now() + most;
    let mut is_said = false;
    loop {
        match folder.try_lock() {
            Ok(()) => return Some(folder),
            Err(TryLockError::Error(_)) => return None,
            Err(TryLockError::WouldBlock) if Instant::now() >= end => return None,
            Err(TryLockError::WouldBlock) => {
                if !is_said {
                    report(&format!(
                        "waiting until another tournament has built `{}`",
                        spec.name
                    ));
                    is_said = true;
                }
                sleep(LOCK_PATROL).await;
            }
        }
    }
}

/// What is done to a bot before it plays, in words.
struct Making {
    noun: &'static str,
    participle: &'static str,
    /// Where the output goes.
    log: &'static str,
}

const BUILD: Making = Making {
    noun: "build",
    participle: "built",
    log: BUILD_LOG,
};
const SETUP: Making = Making {
    noun: "setup",
    participle: "set up",
    log: SETUP_LOG,
};

/// Runs a command in a bot's folder, in the sandbox of builds; the inner error says why that failed.
async fn made(
    spec: &BotSpec,
    build: &BuildPlan,
    command: &[String],
    making: &Making,
) -> Result<Result<(), String>, FactoryError> {
    let log = spec.dir.join(making.log);
    // The output is no protocol: all of it goes to the log.
    let script = "exec \"$@\" >\"$0\" 2>&1 </dev/null";
    let mut words = ["sh", "-c", script].map(str::to_owned).to_vec();
    words.push(log.to_string_lossy().into_owned());
    words.extend(command.iter().cloned());
    let spec = BotSpec {
        name: format!("{} of {}", making.noun, spec.name),
        command: words,
        wanted: build.wanted.clone(),
        ..spec.clone()
    };
    let factory = BotFactory::new(&[Arc::new(spec.clone())], &[], None)?;
    let mut process = match factory.launch(&spec).await {
        Ok(process) => process,
        Err(not) => {
            let (participle, why) = (making.participle, not.failure.message);
            return Ok(Err(format!("cannot be {participle}: {why}")));
        }
    };
    let ended = process.ended(build.timeout).await;
    let well = process.ended_well();
    process.end().await;
    factory.all_gone().await;
    Ok(match ended {
        Some(_) if well => Ok(()),
        Some(how) => Err(failed(making, &how, &log)),
        None => {
            let limit = humantime::format_duration(build.timeout);
            Err(failed(making, &format!("took longer than {limit}"), &log))
        }
    })
}

/// Why a build or a setup failed, with the line of its output that says it.
fn failed(making: &Making, how: &str, log: &Path) -> String {
    let text = end_of(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = telling_line(&text).map_or(String::new(), |line| {
        format!(": {}", protocol::excerpt(line.trim().as_bytes(), 200))
    });
    format!(
        "its {} {how}{line} (all of it is in `{}`)",
        making.noun,
        log.display()
    )
}

/// The first line that speaks of an error, since compilers draw arrows and count below it; else the
/// last one.
fn telling_line(text: &str) -> Option<&str> {
    let speaks = |line: &&str| line.to_lowercase().contains("error");
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.clone().find(speaks).or_else(|| lines.next_back())
}

/// The end of what a build has printed. The build may have put anything in the place of its log: what
/// is no file, or a link to one, is not read.
fn end_of(log: &Path) -> io::Result<Vec<u8>> {
    if !log.symlink_metadata()?.is_file() {
        return Ok(Vec::new());
    }
    let mut file = File::open(log)?;
    let length = file.metadata()?.len();
    file.seek(io::SeekFrom::Start(length.saturating_sub(LOG_END)))?;
    let mut end = Vec::new();
    file.take(LOG_END).read_to_end(&mut end)?;
    Ok(end)
}

/// The first thing that is wrong with a bot as it would play.
async fn mistake(config: &Config, spec: &BotSpec) -> Result<Option<String>, FactoryError> {
    mistake_within(config, spec, extent(spec)).await
}

/// Why a bot cannot play on this machine at all: it does not start, or does not move in a position of its
/// games.
///
/// # Errors
/// If nothing can be started on this machine.
#[cfg(feature = "cluster")]
pub(crate) async fn cannot_play(
    config: &Config,
    spec: &BotSpec,
) -> Result<Option<String>, FactoryError> {
    let extent = Extent {
        turns: 1,
        ..extent(spec)
    };
    mistake_within(config, spec, extent).await
}

async fn mistake_within(
    config: &Config,
    spec: &BotSpec,
    extent: Extent,
) -> Result<Option<String>, FactoryError> {
    if let Err(error) = spec.program() {
        return Ok(Some(error.to_string()));
    }
    let lab = Lab::new(spec.clone(), extent, None)?;
    let mut wrong = None;
    check::run(&lab, &selection(config, &MUST_PASS), |report| {
        if let CheckReport {
            name,
            outcome: CheckOutcome::Failed(finding),
            ..
        } = report
        {
            wrong.get_or_insert_with(|| {
                let stderr = finding.stderr.as_deref();
                let last = stderr.and_then(|text| text.lines().next_back());
                // How a start failed says it already.
                let last = last.filter(|line| !finding.what.contains(line.trim()));
                let what = faults::with_stderr(finding.what, last.map(str::trim));
                format!("did not pass the check `{name}`: {what}")
            });
        }
    })
    .await;
    Ok(wrong)
}

/// The checks of these names, with the games of a configuration.
pub(crate) fn selection(config: &Config, only: &[&str]) -> Selection {
    let games = config.games.iter();
    let mut games: Vec<String> = games.map(|game| game.rules.info().id.to_owned()).collect();
    games.dedup();
    Selection {
        games,
        catalog: config.rules.catalog.clone(),
        only: only.iter().map(|name| (*name).to_owned()).collect(),
    }
}

/// How thoroughly a bot of a configuration is checked: with its own time control.
pub(crate) fn extent(spec: &BotSpec) -> Extent {
    let time = spec
        .time
        .per_move
        .map_or(Duration::from_secs(1), |time| time.0);
    Extent {
        time,
        patience: PATIENCE.max(spec.time.startup.0),
        margin: spec.time.margin.0,
        seed: 1,
        turns: 4,
        positions: 4,
    }
}
