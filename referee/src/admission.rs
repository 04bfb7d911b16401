//! Who may play: bots are built, and those that must pass checks are checked, exactly as the
//! tournament would run them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use supervisor::{BotFactory, BotSpec, FactoryError};
use thiserror::Error;

use crate::check::{self, CheckOutcome, Extent, Lab, Selection};
use crate::config::{BuildPlan, Config, ConfigError, OnBroken};

/// Where the output of a build goes, in the bot's folder.
const BUILD_LOG: &str = "build.log";
/// What the folder of a tournament says about bots that were left out.
const LEFT_OUT: &str = "left-out.toml";
/// What a bot that must pass has to do: start, and play its games.
const MUST_PASS: [&str; 2] = ["handshake", "match/"];
/// How long any answer may take in these checks.
const PATIENCE: Duration = Duration::from_secs(10);

/// A bot that does not play.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LeftOut {
    /// Its name.
    pub bot: String,
    /// Why.
    pub why: String,
}

/// The file [`LEFT_OUT`].
#[derive(Default, Serialize, Deserialize)]
struct LeftOutFile {
    #[serde(default)]
    left_out: Vec<LeftOut>,
}

/// Why a tournament does not begin.
#[derive(Debug, Error)]
pub(crate) enum AdmissionError {
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
    /// Bots cannot be started on this machine.
    #[error(transparent)]
    Factory(#[from] FactoryError),
}

impl LeftOut {
    /// In a sentence.
    pub(crate) fn in_words(&self) -> String {
        format!("bot `{}`: {}", self.bot, self.why)
    }
}

/// Builds and checks the bots of a configuration, and leaves out those that are broken; `report` gets
/// what happens, line by line.
///
/// # Errors
/// If broken bots are to stop the tournament, or too few are left.
pub(crate) async fn admit(
    config: Config,
    mut report: impl FnMut(&str),
) -> Result<(Config, Vec<LeftOut>), AdmissionError> {
    let mut left_out = Vec::new();
    for (spec, build) in config.bots.iter().zip(&config.builds) {
        if build.command.is_none() && !build.must_pass {
            continue;
        }
        let why = match built(spec, build, &mut report).await? {
            Err(why) => Some(why),
            Ok(()) if build.must_pass => mistake(&config, spec).await?,
            Ok(()) => None,
        };
        if let Some(why) = why {
            let bot = spec.name.clone();
            left_out.push(LeftOut { bot, why });
        }
    }
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

/// Notes who was left out in the folder of the tournament.
pub(crate) fn note(folder: &Path, left_out: Vec<LeftOut>) -> io::Result<()> {
    if left_out.is_empty() {
        return Ok(());
    }
    let text = toml::to_string(&LeftOutFile { left_out }).map_err(io::Error::other)?;
    fs::write(folder.join(LEFT_OUT), text)
}

/// The configuration without the bots that were left out when the tournament in this folder began.
///
/// # Errors
/// If too few bots are left.
pub(crate) fn as_it_began(config: Config, folder: &Path) -> Result<Config, AdmissionError> {
    let text = fs::read_to_string(folder.join(LEFT_OUT)).unwrap_or_default();
    let file: LeftOutFile = toml::from_str(&text).unwrap_or_default();
    if file.left_out.is_empty() {
        Ok(config)
    } else {
        without(&config, &file.left_out)
    }
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
    report(&format!("building `{}`", spec.name));
    let log = spec.dir.join(BUILD_LOG);
    // The output of a build is no protocol: all of it goes to the log.
    let script = "exec \"$@\" >\"$0\" 2>&1 </dev/null";
    let mut words = ["sh", "-c", script].map(str::to_owned).to_vec();
    words.push(log.to_string_lossy().into_owned());
    words.extend(command.iter().cloned());
    let spec = BotSpec {
        name: format!("build of {}", spec.name),
        command: words,
        wanted: build.wanted.clone(),
        ..spec.clone()
    };
    let factory = BotFactory::new(&[Arc::new(spec.clone())], &[], None)?;
    let mut process = match factory.launch(&spec).await {
        Ok(process) => process,
        Err(not) => return Ok(Err(format!("cannot be built: {}", not.failure.message))),
    };
    let ended = process.ended(build.timeout).await;
    let well = process.ended_well();
    process.end().await;
    factory.all_gone().await;
    Ok(match ended {
        Some(_) if well => Ok(()),
        Some(how) => Err(failed_build(&how, &log)),
        None => {
            let limit = humantime::format_duration(build.timeout);
            Err(failed_build(&format!("took longer than {limit}"), &log))
        }
    })
}

/// Why a build failed, with the last line of its output.
fn failed_build(how: &str, log: &PathBuf) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let last = last.map_or(String::new(), |line| {
        format!(": {}", protocol::excerpt(line.as_bytes(), 200))
    });
    format!(
        "its build {how}{last} (all of it is in `{}`)",
        log.display()
    )
}

/// The first thing that is wrong with a bot as it would play.
async fn mistake(config: &Config, spec: &BotSpec) -> Result<Option<String>, FactoryError> {
    if let Err(error) = spec.program() {
        return Ok(Some(error.to_string()));
    }
    let lab = Lab::new(spec.clone(), extent(spec), None)?;
    let mut wrong = None;
    check::run(&lab, &selection(config, &MUST_PASS), |report| {
        if let CheckOutcome::Failed(finding) = report.outcome {
            wrong.get_or_insert_with(|| {
                format!("did not pass the check `{}`: {}", report.name, finding.what)
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
