//! Builds and setups of bots: run in a sandbox, within a quota, and diagnosed by the most
//! informative line of their output.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use config::reading::submissions::BOT_FILE;
use config::{BuildPlan, Config};
use files::private_paths;
use supervisor::sandbox::build::SandboxError;
use supervisor::spec::Tier;
use supervisor::{BotFactory, BotProcess, BotSpec, FactoryError};
use tokio::time::{Instant, sleep};

use crate::admission::census::Census;
use crate::admission::quota::Watch;

/// The output of a build, in the bot's folder.
pub const BUILD_LOG: &str = "build.log";
/// The output of a setup. Hidden, so that it is not part of the bot's build hash: it may differ
/// from machine to machine.
const SETUP_LOG: &str = ".setup.log";
/// Bytes at the end of a log that are searched for the line that names the error.
const LOG_END: u64 = 64 << 10;
/// Bytes of the log that the author gets to see.
const LOG_SHOWN: usize = 4 << 10;
/// At most this many files of a bot are examined.
const MOST_LOOKED_AT: usize = 2000;
/// Longest `bot.toml`, in bytes.
const LONGEST_FILE: u64 = 1 << 20;

/// Interval between attempts to take a lock that another process holds.
pub(super) const LOCK_PATROL: Duration = Duration::from_millis(100);

/// A step before a bot can play, build or setup, in words.
pub(super) struct BuildStep {
    noun: &'static str,
    participle: &'static str,
    log: &'static str,
}

pub(super) const BUILD: BuildStep = BuildStep {
    noun: "build",
    participle: "built",
    log: BUILD_LOG,
};
pub(super) const SETUP: BuildStep = BuildStep {
    noun: "setup",
    participle: "set up",
    log: SETUP_LOG,
};

/// The reason why a bot does not play.
#[derive(Debug)]
pub(super) struct Failure {
    /// Part of a sentence whose subject is the bot.
    pub(super) why: String,
    /// For the bot's author.
    pub(super) advice: Option<String>,
    /// The end of the output, if there was any.
    pub(super) log: Option<String>,
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Failure {
            why,
            advice: None,
            log: None,
        }
    }
}

/// Builds a bot, if there is anything to build. The inner error is the bot's.
///
/// # Errors
/// If builds cannot be started on this machine.
pub async fn built_for(
    config: &Config,
    spec: &BotSpec,
    build: &BuildPlan,
    report: impl FnMut(&str),
) -> Result<Result<(), String>, FactoryError> {
    let done = built(config, spec, build, report).await?;
    Ok(done.map_err(|not| not.why))
}

pub(super) async fn built(
    config: &Config,
    spec: &BotSpec,
    build: &BuildPlan,
    mut report: impl FnMut(&str),
) -> Result<Result<(), Failure>, FactoryError> {
    let Some(command) = &build.command else {
        return Ok(Ok(()));
    };
    let _alone = in_turn(spec, build.timeout, &mut report).await;
    report(&format!("building `{}`", spec.name));
    made(config, spec, build, command, &BUILD).await
}

/// Waits until no other tournament on this machine builds in the bot's folder: two builds in one
/// folder spoil each other. Does not wait where folders cannot be locked, nor longer than a build
/// may take, since a bot could hold the lock.
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

/// Runs a command in a bot's folder, in the sandbox of builds. The inner error is the bot's.
pub(super) async fn made(
    config: &Config,
    spec: &BotSpec,
    build: &BuildPlan,
    command: &[String],
    step: &BuildStep,
) -> Result<Result<(), Failure>, FactoryError> {
    let log = spec.dir.join(step.log);
    let file = match BotFile::of(spec, build) {
        Ok(file) => file,
        Err(why) => return Ok(Err(why.into())),
    };
    if log.symlink_metadata().is_ok_and(|about| !about.is_file()) {
        // A symlink would redirect the output.
        let _ = fs::remove_file(&log);
    }
    let before = Census::before(&spec.dir);
    // All output goes to the log; nothing of it is protocol.
    let script = "exec \"$@\" >\"$0\" 2>&1 </dev/null";
    let mut words = ["sh", "-c", script].map(str::to_owned).to_vec();
    words.push(log.to_string_lossy().into_owned());
    words.extend(command.iter().cloned());
    let mut env = spec.env.clone();
    if lacks_network(build) {
        for (variable, value) in OFFLINE {
            env.entry(variable.to_owned())
                .or_insert_with(|| value.to_owned());
        }
    }
    let started = BotSpec {
        env,
        name: format!("{} of {}", step.noun, spec.name),
        command: words,
        wanted: build.wanted.clone(),
        ..spec.clone()
    };
    let factory = BotFactory::new(&[Arc::new(started.clone())], &others(config, spec), None);
    let cannot = |why: String| {
        let why = format!("cannot be {}: {why}", step.participle);
        Failure::from(hide_paths(&why, config, spec))
    };
    let factory = match factory {
        Ok(factory) => factory,
        Err(error) => return fault_of_bot(error).map(|why| Err(cannot(why))),
    };
    let process = match factory.launch(&started).await {
        Ok(process) => process,
        Err(not) => return Ok(Err(cannot(not.failure.message))),
    };
    let watch = Watch::new(&spec.dir, process.tmp(), build.quota, before);
    let ended = ended(process, build, &watch).await;
    factory.all_gone().await;
    let mut done = match ended {
        Ok(()) => Ok(()),
        Err(Ended::OverQuota(over)) => {
            let removed = watch.clean_up(&log);
            let noun = step.noun;
            Err(Failure {
                why: format!("its {noun} {over} and was ended; {removed}"),
                advice: Some("have the build make less, or hand in what it would make".to_owned()),
                log: shown_end_of(&log, config, spec),
            })
        }
        Err(Ended::Failed(how)) => Err(Failure {
            why: hide_paths(&failed(step, &how, &log, build), config, spec),
            advice: Some(advice(&log, build)),
            log: shown_end_of(&log, config, spec),
        }),
    };
    if let Some(file) = file
        && let Err(why) = file.restore()
    {
        done = Err(format!("its {} {why}", step.noun).into());
    }
    Ok(done)
}

enum Ended {
    /// It failed by itself, or exceeded its time.
    Failed(String),
    /// It exceeded its quota.
    OverQuota(String),
}

/// Waits until a build ends, exceeds its quota or its time.
async fn ended(
    mut process: Box<BotProcess>,
    build: &BuildPlan,
    watch: &Watch,
) -> Result<(), Ended> {
    // While the referee is suspended, the build's time does not run.
    let ended = tokio::select! {
        ended = process.ended(build.timeout) => ended,
        over = watch.exceeded() => {
            process.kill().await;
            return Err(Ended::OverQuota(over));
        }
    };
    let well = process.ended_well();
    process.end().await;
    let over = watch.exceeded_by_now().await;
    match (over, ended) {
        (Some(over), _) => Err(Ended::OverQuota(over)),
        (None, Some(_)) if well => Ok(()),
        (None, Some(how)) => Err(Ended::Failed(how)),
        (None, None) => {
            let limit = humantime::format_duration(build.timeout);
            Err(Ended::Failed(format!("took longer than {limit}")))
        }
    }
}

/// Separates faults of the bot, as a part of a sentence, from those of the machine.
///
/// # Errors
/// Faults of the machine.
pub(super) fn fault_of_bot(error: FactoryError) -> Result<String, FactoryError> {
    match error {
        FactoryError::Sandbox(SandboxError::Mounts { error, .. }) => Ok(error.to_string()),
        FactoryError::Sandbox(SandboxError::Command { error, .. }) => Ok(error.to_string()),
        other => Err(other),
    }
}

/// Paths that only the owner of a bot may see: the folders of other bots, and the configuration.
pub(super) fn others(config: &Config, spec: &BotSpec) -> Vec<PathBuf> {
    let dirs = config.bots.iter().map(|bot| &bot.dir);
    let dirs = dirs.filter(|dir| **dir != spec.dir).cloned();
    dirs.chain(config.source.file.clone()).collect()
}

/// Replaces paths of this machine in a text that other people read.
pub(super) fn hide_paths(text: &str, config: &Config, spec: &BotSpec) -> String {
    private_paths::hide(text, &[&config.source.folder, &spec.dir])
}

/// The `bot.toml` of a submission, which its build must not change.
struct BotFile {
    path: PathBuf,
    text: String,
    about: fs::Metadata,
}

impl BotFile {
    /// The `bot.toml` of a submission, equal to the one that the configuration read.
    fn of(spec: &BotSpec, build: &BuildPlan) -> Result<Option<Self>, String> {
        let (Some(digest), Some(path)) = (&spec.bot_file, build.wanted.protected.first()) else {
            return Ok(None);
        };
        let read = || -> io::Result<_> {
            let text = files::read_no_link(path, LONGEST_FILE)?;
            Ok((text, path.symlink_metadata()?))
        };
        let (text, about) = read().map_err(|error| format!("its `{BOT_FILE}`: {error}"))?;
        if supervisor::bot::files::digest_of(text.as_bytes()) != *digest {
            return Err(format!("its `{BOT_FILE}` has changed since it was read"));
        }
        let path = path.clone();
        Ok(Some(BotFile { path, text, about }))
    }

    /// Restores it if it has changed.
    ///
    /// # Errors
    /// The other command, as a part of a sentence.
    fn restore(&self) -> Result<(), String> {
        let now = files::read_no_link(&self.path, LONGEST_FILE);
        if now.is_ok_and(|now| now == self.text) {
            return Ok(());
        }
        let changed = format!("changed its `{BOT_FILE}`");
        match self.put_back() {
            Ok(()) => Err(format!("{changed}, which no build may; it was put back")),
            Err(error) => Err(format!(
                "{changed}, which no build may, and it cannot be put back: {error}"
            )),
        }
    }

    fn put_back(&self) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt as _, lchown};

        if self.path.symlink_metadata().is_ok_and(|it| it.is_dir()) {
            fs::remove_dir_all(&self.path)?;
        }
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let new = tempfile::NamedTempFile::new_in(folder)?;
        fs::write(new.path(), &self.text)?;
        fs::set_permissions(new.path(), self.about.permissions())?;
        if nix::unistd::geteuid().is_root() {
            lchown(new.path(), Some(self.about.uid()), Some(self.about.gid()))?;
        }
        new.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// These make programs give up at once instead of trying the network.
const OFFLINE: [(&str, &str); 7] = [
    ("PIP_RETRIES", "0"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("UV_OFFLINE", "1"),
    ("CARGO_NET_OFFLINE", "true"),
    ("GOPROXY", "off"),
    ("npm_config_fetch_retries", "0"),
    ("npm_config_update_notifier", "false"),
];
/// Messages of programs that need a network.
const NO_NETWORK: [&str; 15] = [
    // Printed by `pip` for a package that it has not even searched for.
    "(from versions: none)",
    "name resolution",
    "name or service not known",
    "network is unreachable",
    "could not resolve",
    "couldn't resolve",
    "failed to resolve",
    "no such host",
    "getaddrinfo",
    "enotfound",
    "eai_again",
    "newconnectionerror",
    "failed to establish a new connection",
    "offline",
    "goproxy=off",
];

fn lacks_network(build: &BuildPlan) -> bool {
    build.wanted.tier >= Tier::Restricted && !build.wanted.network
}

/// True if the output of a build shows that it needs a network and has none.
fn misses_network(text: &str, build: &BuildPlan) -> bool {
    let text = text.to_lowercase();
    lacks_network(build) && NO_NETWORK.iter().any(|said| text.contains(said))
}

/// The reason why a build or setup failed, with the line of its output that names the error.
fn failed(step: &BuildStep, how: &str, log: &Path, build: &BuildPlan) -> String {
    let text = end_of(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = error_line(&text).map_or(String::new(), |line| {
        format!(": {}", protocol::excerpt(line.trim().as_bytes(), 200))
    });
    let network = match misses_network(&text, build) {
        true => format!(
            "; it asks other machines, and builds have no network in the sandbox `{}`",
            build.wanted.tier.name()
        ),
        false => String::new(),
    };
    format!(
        "its {} {how}{line} (all of it is in `{}`){network}",
        step.noun,
        log.display()
    )
}

/// Advice for the author of a failed build.
fn advice(log: &Path, build: &BuildPlan) -> String {
    let text = end_of(log).unwrap_or_default();
    if misses_network(&String::from_utf8_lossy(&text), build) {
        return "hand in what the build would fetch, in the folder; or ask the organiser to install it, or \
                to set `[build] network = true`, which the sandbox \"strict\" allows"
            .to_owned();
    }
    "run the build by hand in a copy of the folder, on a machine like that of the tournament"
        .to_owned()
}

/// The first line that mentions an error and is no warning (compilers draw arrows and count below
/// it); else the last line.
fn error_line(text: &str) -> Option<&str> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let speaks = |line: &&str| {
        let line = line.trim_start().to_lowercase();
        line.contains("error") && !line.starts_with("warn")
    };
    lines.clone().find(speaks).or_else(|| lines.next_back())
}

/// A part of a sentence about a file that only its owner may read, where bots run as other users;
/// `None` if all can be read.
pub(super) fn closed_file(spec: &BotSpec) -> Option<String> {
    let are_others = nix::unistd::geteuid().is_root() && spec.wanted.tier >= Tier::Restricted;
    if !are_others || !spec.shows_dir {
        return None;
    }
    let mut folders = vec![spec.dir.clone()];
    let mut left = MOST_LOOKED_AT;
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = fs::read_dir(&folder).ok()?.flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            left = left.checked_sub(1)?;
            let about = entry.metadata().ok()?;
            let path = entry.path();
            let needed = if about.is_dir() { 0o005 } else { 0o004 };
            let mode = about.permissions().mode();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if !about.is_symlink() && !is_hidden && mode & needed != needed {
                let path = path.strip_prefix(&spec.dir).unwrap_or(&path);
                return Some(format!(
                    "`{}` is for its owner only (mode {:o}), and bots run as another user here: `chmod -R \
                     o+rX .` in the folder opens all of it for reading",
                    path.display(),
                    mode & 0o777
                ));
            }
            if about.is_dir() {
                folders.push(path);
            }
        }
    }
    None
}

/// Reads the end of a build's log. The build may have replaced its log: only a regular file is
/// read, no symlink.
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

/// The end of a build's log, for its author.
fn shown_end_of(log: &Path, config: &Config, spec: &BotSpec) -> Option<String> {
    let end = end_of(log).ok().filter(|end| !end.is_empty())?;
    let from = end.len().saturating_sub(LOG_SHOWN);
    let mut text = String::from_utf8_lossy(&end[from..]).into_owned();
    if from > 0
        && let Some((_, whole_lines)) = text.split_once('\n')
    {
        text = whole_lines.to_owned();
    }
    Some(hide_paths(&protocol::shown_lines(&text), config, spec))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_says_most_is_found() {
        let pip = "Collecting numpy\n  WARNING: Retrying (...) after 'NewConnectionError'\n\
                   ERROR: Could not find a version that satisfies the requirement numpy\n\
                   ERROR: No matching distribution found for numpy\n";
        let line = error_line(pip).expect("a line");
        assert!(
            line.starts_with("ERROR: Could not find a version"),
            "{line}"
        );
        let cc = "a.c: In function 'main':\na.c:1:3: error: 'retrun' undeclared\n  ^~~\n";
        assert_eq!(error_line(cc), Some("a.c:1:3: error: 'retrun' undeclared"));
        assert_eq!(error_line("one\ntwo\n\n"), Some("two"));
        assert_eq!(error_line("\n"), None);
    }
}
