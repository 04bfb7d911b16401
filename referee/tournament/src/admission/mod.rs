//! Admission: bots are built, or set up if they came in bundles, and those that must pass checks
//! are checked, exactly as the tournament would run them.

mod answers;
mod builds;
mod census;
mod error;
mod notes;
mod quota;

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bundle::{BundleError, Unpacked};
use check::{self, CheckOutcome, CheckReport, Extent, Lab, Selection};
use config::bots::command_check;
use config::{BuildPlan, Config, OnBroken};
use files::output;
use files::{self, MOST_TEXT};
use log::WriteError;
use protocol::faults;
use serde::{Deserialize, Serialize};
use supervisor::{BotFactory, BotSpec, FactoryError};
use tokio::time::sleep;

use builds::{Failure, LOCK_PATROL, SETUP};
pub use config::LeftOut;

pub use answers::{are_wanted as are_answers_wanted, ask, note as note_answers, noted as answers};
pub use builds::{BUILD_LOG, built_for};
pub use error::AdmissionError;
use notes::{read_note, write_note};

/// The bots that were left out, in the folder of the tournament.
const LEFT_OUT: &str = "left-out.toml";
/// Checks of `must_pass_check`: the bot starts and plays its games.
const MUST_PASS: [&str; 2] = ["handshake", "match/"];
/// Longest wait for any answer in these checks.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

#[derive(Serialize, Deserialize)]
struct LeftOutFile {
    left_out: Vec<LeftOut>,
}

/// True if any bots, of all or of those of these names, have to be built or checked first.
pub fn is_wanted(config: &Config, among: Option<&[String]>) -> bool {
    candidates(config, among).next().is_some()
}

fn candidates<'a>(
    config: &'a Config,
    among: Option<&'a [String]>,
) -> impl Iterator<Item = (&'a Arc<BotSpec>, &'a BuildPlan)> {
    let all = config.bots.iter().zip(&config.admission.builds);
    all.filter(move |(spec, build)| {
        let is_meant = among.is_none_or(|names| names.contains(&spec.name));
        is_meant && (build.command.is_some() || build.must_pass)
    })
}

/// The bots that can be started without a build.
pub fn startable(config: &Config) -> Vec<Arc<BotSpec>> {
    let all = config.bots.iter().zip(&config.admission.builds);
    all.filter(|(spec, build)| build.command.is_none() || spec.program().is_ok())
        .map(|(spec, _)| spec.clone())
        .collect()
}

/// Builds and checks bots, all or those of these names, and returns the broken ones. `report`
/// receives a line for each step.
///
/// # Errors
/// If nothing can be started on this machine.
pub async fn broken(
    config: &Config,
    among: Option<&[String]>,
    mut report: impl FnMut(&str),
) -> Result<Vec<LeftOut>, AdmissionError> {
    let mut broken = Vec::new();
    for (spec, build) in candidates(config, among) {
        let wrong = match builds::built(config, spec, build, &mut report).await? {
            Err(not) => Some(not),
            Ok(()) if build.must_pass => failed_check(config, spec).await?,
            Ok(()) => None,
        };
        if let Some(Failure { why, advice, log }) = wrong {
            broken.push(LeftOut {
                advice,
                log,
                ..LeftOut::new(&spec.name, why)
            });
        }
    }
    Ok(broken)
}

/// Leaves out the bots that are known to be broken before they are built or started. `report`
/// receives a line for each.
///
/// # Errors
/// If broken bots are to stop the tournament, or too few are left, or nothing can be started here.
pub fn foreseen(config: Config, mut report: impl FnMut(&str)) -> Result<Config, AdmissionError> {
    for note in &config.admission.notes {
        report(&format!("note: {note}"));
    }
    let mut broken = Vec::new();
    for (spec, build) in candidates(&config, None).filter(|(_, build)| build.must_pass) {
        // A build may create the missing program.
        if build.command.is_none()
            && let Some(why) = cannot_start(&config, spec)?
        {
            broken.push(LeftOut::new(&spec.name, why));
        }
    }
    if config.admission.on_broken == OnBroken::Stop && !broken.is_empty() {
        return Err(AdmissionError::Broken(broken));
    }
    let left_out: Vec<LeftOut> = config
        .admission
        .left_out
        .iter()
        .chain(&broken)
        .cloned()
        .collect();
    for left_out in &left_out {
        report(&format!("left out: {}", left_out.in_words()));
    }
    if broken.is_empty() {
        return Ok(config);
    }
    let mut fewer = without(&config, &broken)?;
    fewer.admission.left_out = left_out;
    Ok(fewer)
}

/// The reason why a bot cannot start, as far as it is known without starting it.
fn cannot_start(config: &Config, spec: &BotSpec) -> Result<Option<String>, FactoryError> {
    let wrong = match spec.program() {
        Err(error) => Some(error.to_string()),
        Ok(_) => command_check::check(spec).err(),
    };
    let hidden = builds::others(config, spec);
    let wrong = match wrong {
        Some(wrong) => Some(wrong),
        None => match BotFactory::new(&[Arc::new(spec.clone())], &hidden, None) {
            Ok(_) => None,
            Err(error) => Some(builds::fault_of_bot(error)?),
        },
    };
    Ok(wrong.map(|wrong| builds::hide_paths(&wrong, config, spec)))
}

/// Leaves out the broken bots, which [`broken`] finds.
///
/// # Errors
/// If broken bots are to stop the tournament, or too few are left.
pub async fn admit(
    config: Config,
    among: Option<&[String]>,
    mut report: impl FnMut(&str),
) -> Result<(Config, Vec<LeftOut>), AdmissionError> {
    for note in &config.admission.notes {
        report(&format!("note: {note}"));
    }
    let broken = broken(&config, among, &mut report).await?;
    if config.admission.on_broken == OnBroken::Stop && !broken.is_empty() {
        return Err(AdmissionError::Broken(broken));
    }
    let mut left_out = config.admission.left_out.clone();
    left_out.extend(broken.iter().cloned());
    for broken in &left_out {
        report(&format!("left out: {}", broken.in_words()));
    }
    if broken.is_empty() {
        return Ok((config, left_out));
    }
    Ok((without(&config, &broken)?, left_out))
}

fn without(config: &Config, left_out: &[LeftOut]) -> Result<Config, AdmissionError> {
    let names: Vec<&str> = left_out.iter().map(|left_out| &*left_out.bot).collect();
    let rest = config.without(&names);
    rest.map_err(|error| AdmissionError::TooFew {
        bots: names.join(", "),
        error,
    })
}

/// Saves the list of bots that were left out in the folder of the tournament, in place of an
/// earlier one.
///
/// # Errors
/// If that cannot be written.
pub fn note(folder: &Path, left_out: &[LeftOut]) -> Result<(), WriteError> {
    let file = LeftOutFile {
        left_out: left_out.to_vec(),
    };
    write_note(folder, LEFT_OUT, left_out.is_empty(), "", &file)
}

/// The notes about bots in a folder: names and texts of files.
pub fn notes(folder: &Path) -> Vec<(&'static str, String)> {
    let read = |name| Some((name, files::read(&folder.join(name), MOST_TEXT).ok()?));
    [LEFT_OUT, answers::ANSWERS]
        .into_iter()
        .filter_map(read)
        .collect()
}

/// Copies the notes about bots to another folder.
///
/// # Errors
/// If one cannot be written.
pub(crate) fn copy_notes(from: &Path, to: &Path) -> Result<(), WriteError> {
    for (name, text) in notes(from) {
        let path = to.join(name);
        output::keep(&path, &text).map_err(|error| WriteError::io(&path, error))?;
    }
    Ok(())
}

/// Reads the bots that were left out of the tournament in this folder, with reasons.
///
/// # Errors
/// If the file that says it cannot be used.
pub fn left_out(folder: &Path) -> Result<Vec<LeftOut>, AdmissionError> {
    let file: Option<LeftOutFile> = read_note(folder, LEFT_OUT)?;
    Ok(file.map(|file| file.left_out).unwrap_or_default())
}

/// The configuration without the bots that were left out, and with the answers about games, both
/// from the tournament's folder.
///
/// # Errors
/// If a file that says it cannot be used, or too few bots are left.
pub fn as_it_began(mut config: Config, folder: &Path) -> Result<Config, AdmissionError> {
    let left_out = left_out(folder)?;
    if !left_out.is_empty() {
        config = without(&config, &left_out)?;
    }
    config.admission.answered = answers(folder)?;
    Ok(config)
}

/// Sets up the bots that were unpacked from bundles, unless that was done before. `report` receives
/// a line for each.
///
/// # Errors
/// If one of them cannot be set up, or cannot be started after it.
pub async fn set_up(config: &Config, mut report: impl FnMut(&str)) -> Result<(), AdmissionError> {
    for (spec, plan) in config.bots.iter().zip(&config.admission.builds) {
        let (Some(unpacked), Some(command)) = (&plan.bundle, &plan.setup) else {
            continue;
        };
        if unpacked.is_set_up() {
            continue;
        }
        let _lock = locked(unpacked).await?;
        // Another process may have done it while we waited.
        if unpacked.is_set_up() {
            continue;
        }
        let bundle = &unpacked.bundle().sha256;
        report(&format!("setting up `{}` (bundle {bundle:.12})", spec.name));
        let done = builds::made(config, spec, plan, command, &SETUP).await?;
        let done = done.map_err(|not| not.why);
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

/// Takes the lock of a bundle, waiting for other processes.
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

/// The first check that a bot fails as it would play.
async fn failed_check(config: &Config, spec: &BotSpec) -> Result<Option<Failure>, FactoryError> {
    failed_check_within(config, spec, extent(spec)).await
}

/// Why a bot cannot play on this machine at all: it does not start, or does not move.
///
/// # Errors
/// If nothing can be started on this machine.
pub async fn cannot_play(config: &Config, spec: &BotSpec) -> Result<Option<String>, FactoryError> {
    let extent = Extent {
        turns: 1,
        ..extent(spec)
    };
    let wrong = failed_check_within(config, spec, extent).await?;
    Ok(wrong.map(|wrong| wrong.why))
}

async fn failed_check_within(
    config: &Config,
    spec: &BotSpec,
    extent: Extent,
) -> Result<Option<Failure>, FactoryError> {
    let hide_paths = |why: String| builds::hide_paths(&why, config, spec);
    if let Some(why) = cannot_start(config, spec)? {
        return Ok(Some(Failure {
            advice: Some("correct `command` in `bot.toml`, or the file that it names".to_owned()),
            ..Failure::from(why)
        }));
    }
    let lab = Lab::hiding(spec.clone(), extent, None, builds::others(config, spec))?;
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
                // A failed start already quotes it.
                let last = last.filter(|line| !finding.what.contains(line.trim()));
                let what = faults::with_stderr(finding.what, last.map(str::trim));
                let closed = builds::closed_file(spec);
                let what = closed.map_or(what.clone(), |closed| format!("{what}; {closed}"));
                let why = hide_paths(format!("did not pass the check `{name}`: {what}"));
                let fixes = finding.fixes.join("; ");
                Failure {
                    why,
                    advice: Some(hide_paths(fixes)).filter(|fixes| !fixes.is_empty()),
                    log: None,
                }
            });
        }
    })
    .await;
    Ok(wrong)
}

/// Selects checks by name, with the games of a configuration.
pub fn selection(config: &Config, only: &[&str]) -> Selection {
    let games = config.games.iter();
    let mut games: Vec<String> = games.map(|game| game.rules.info().id.to_owned()).collect();
    games.dedup();
    Selection {
        games,
        catalog: config.rules.catalog.clone(),
        only: only.iter().map(|name| (*name).to_owned()).collect(),
    }
}

/// Checks a bot of a configuration with its own time control.
pub fn extent(spec: &BotSpec) -> Extent {
    let time = spec
        .time
        .per_move
        .map_or(Duration::from_secs(1), |time| time.0);
    Extent {
        time,
        answer_limit: ANSWER_LIMIT.max(spec.time.startup.0),
        margin: spec.time.margin.0,
        seed: 1,
        turns: 4,
        positions: 4,
    }
}
