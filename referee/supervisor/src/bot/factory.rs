//! Starts the processes of bots for all match slots of a tournament, and remembers the bots that do
//! not start.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use protocol::{BotHello, ClockKind, CpuTimeBy, Failure, faults};
use thiserror::Error;
use tokio::time::sleep;

use super::failure::{News, NotStarted};
use super::files::{self, BotFiles, Build};
use super::process::{BotProcess, Surroundings};
use crate::process::cores::Cores;
use crate::sandbox::build::{OtherProgram, Sandbox, SandboxError};
use crate::sandbox::machine::Machine;
use crate::spec::BotSpec;
use crate::spec::Tier;
use crate::streams::records::Records;
use crate::streams::trace::Tracer;
use crate::system::{children, resource_exhausted, suspension};

/// A bot that has started before is given up after this many consecutive failed starts.
const MAX_FAILED_STARTS: u32 = 3;
/// The pause before a start is retried. Each further pause is twice as long …
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The reason why a factory cannot be made.
#[derive(Debug, Error)]
pub enum FactoryError {
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("this process cannot supervise others: {0}")]
    Supervise(#[from] io::Error),
}

/// Starts processes, but not those of bots that are known not to start.
#[derive(Debug)]
pub struct BotFactory {
    /// By the bots' names.
    sandboxes: BTreeMap<String, Sandbox>,
    pub(crate) records: Records,
    /// By the bots' names.
    histories: Mutex<BTreeMap<String, Arc<History>>>,
    /// Not yet taken for the user.
    news: Mutex<Vec<News>>,
}

#[derive(Debug)]
struct History {
    /// Locked during a first start, so that only one slot waits for a bot that never starts.
    trust: tokio::sync::Mutex<Trust>,
    /// The bytes of stderr that the bot may still write.
    stderr_left: Arc<AtomicU64>,
    files: Mutex<BotFiles>,
    /// The user was warned that the bot has started only after failed attempts.
    warned_of_late_start: AtomicBool,
    warned_of_threads: AtomicBool,
}

#[derive(Debug)]
enum Trust {
    Unknown,
    /// It has started before. `failures` counts the consecutive failed starts since the last good
    /// one.
    Started {
        failures: u32,
    },
    /// The reason for giving up.
    GivenUp(Failure),
}

impl BotFactory {
    /// A factory for these bots. Sandboxes that hide files hide `hidden` from all of them. Stderr
    /// goes to files in the folder `stderr`, or is passed on.
    ///
    /// # Errors
    /// If the machine does not allow this process to adopt orphans, or cannot confine a bot.
    pub fn new(
        specs: &[Arc<BotSpec>],
        hidden: &[PathBuf],
        stderr: Option<PathBuf>,
    ) -> Result<Self, FactoryError> {
        suspension::watch();
        children::adopt_orphans()?;
        let machine = Machine::for_bots(specs.iter().map(AsRef::as_ref));
        let dirs = specs.iter().map(|spec| spec.dir.clone());
        let hidden: Vec<PathBuf> = dirs.chain(hidden.iter().cloned()).collect();
        let mut sandboxes = BTreeMap::new();
        for spec in specs {
            let sandbox = Sandbox::build(spec, &machine, &hidden)?;
            sandboxes.insert(spec.name.clone(), sandbox);
        }
        let warnings = [
            several_owners(specs, &sandboxes),
            estimated_cpu_time(specs, &sandboxes),
        ];
        let warnings = warnings.into_iter().flatten();
        let warnings = warnings.chain(other_programs(&sandboxes));
        Ok(BotFactory {
            sandboxes,
            records: Records::new(stderr),
            histories: Mutex::default(),
            news: Mutex::new(warnings.map(News::from).collect()),
        })
    }

    /// Starts the numbers of files for stderr and traces after `number`.
    pub fn after(self, number: usize) -> Self {
        self.records.set_last(number);
        self
    }

    /// Limits the size of the folder for the stderr of all bots, including the files that it
    /// already has.
    pub fn keeping(self, max_bytes: u64) -> Self {
        self.records.limit_stderr(max_bytes);
        self
    }

    /// Traces all lines of all processes.
    pub fn traced(mut self, tracer: Option<Tracer>) -> Self {
        self.records.tracer = tracer;
        self
    }

    /// Starts a bot, unless it is given up.
    pub(super) async fn start(&self, spec: &BotSpec) -> Result<Box<BotProcess>, NotStarted> {
        let history = self.history(spec);
        let mut trust = history.trust.lock().await;
        match &*trust {
            Trust::GivenUp(failure) => Err(failure.clone().into()),
            Trust::Started { .. } => {
                drop(trust);
                let started = self.try_to_start(spec, &history).await;
                // A `hello` does not reset the count of failures: see `began`.
                if let Err(not_started) = &started {
                    let mut trust = history.trust.lock().await;
                    self.learn(spec, &mut trust, Some(&not_started.failure));
                }
                started
            }
            Trust::Unknown => {
                let started = self.try_to_start(spec, &history).await;
                let failure = started
                    .as_ref()
                    .err()
                    .map(|not_started| &not_started.failure);
                self.learn(spec, &mut trust, failure);
                started
            }
        }
    }

    /// Records the start of a match for a bot that was started: it became ready (`None`),
    /// or failed.
    pub async fn began(&self, spec: &BotSpec, failure: Option<&Failure>) {
        let history = self.history(spec);
        self.learn(spec, &mut *history.trust.lock().await, failure);
    }

    fn learn(&self, spec: &BotSpec, trust: &mut Trust, failure: Option<&Failure>) {
        let failures = match trust {
            Trust::GivenUp(_) => return,
            Trust::Unknown => MAX_FAILED_STARTS,
            Trust::Started { failures } => *failures + 1,
        };
        let Some(failure) = failure else {
            *trust = Trust::Started { failures: 0 };
            return;
        };
        if failures < MAX_FAILED_STARTS {
            *trust = Trust::Started { failures };
            return;
        }
        *trust = Trust::GivenUp(failure.clone());
        let text = format!(
            "the bot `{}` does not start: {}; all its matches are forfeited from here on",
            spec.name, failure.message
        );
        self.news().push(News {
            text,
            not_starting: Some((spec.name.clone(), failure.clone())),
        });
    }

    /// # Panics
    /// If the factory was not made for this bot.
    pub fn sandbox(&self, spec: &BotSpec) -> &Sandbox {
        &self.sandboxes[&spec.name]
    }

    /// The way in which a bot's CPU time is measured; `None` if it is not limited.
    pub fn limits_cpu_time(&self, spec: &BotSpec) -> Option<CpuTimeBy> {
        cpu_time_by(spec, self.sandbox(spec))
    }

    /// Starts a process, with retries after pauses: a cold disk or a busy machine is no reason to
    /// forfeit matches.
    async fn try_to_start(
        &self,
        spec: &BotSpec,
        history: &History,
    ) -> Result<Box<BotProcess>, NotStarted> {
        let (mut attempt, mut pause) = (1, FIRST_PAUSE);
        let mut missed = None;
        loop {
            let not_started = match self.spawn(spec, history).await {
                Ok(process) => {
                    if let Some(failure) = missed {
                        self.warn_of_late_start(spec, history, attempt, &failure);
                    }
                    return Ok(process);
                }
                Err(not_started) => not_started,
            };
            let is_last = attempt >= spec.start_attempts || resource_exhausted::noted().is_some();
            if is_last || !not_started.is_transient {
                let failure = faults::after_attempts(not_started.failure, attempt);
                return Err(NotStarted {
                    failure,
                    ..not_started
                });
            }
            missed = Some(not_started.failure);
            sleep(pause).await;
            attempt += 1;
            pause = LONGEST_PAUSE.min(2 * pause);
        }
    }

    async fn spawn(
        &self,
        spec: &BotSpec,
        history: &History,
    ) -> Result<Box<BotProcess>, NotStarted> {
        let build = self.check_files(spec, history);
        BotProcess::start(spec, self.surroundings(spec, history, build)).await
    }

    /// Warns once for each bot that a start has succeeded only after `failure`.
    fn warn_of_late_start(
        &self,
        spec: &BotSpec,
        history: &History,
        attempt: u32,
        failure: &Failure,
    ) {
        if !history.warned_of_late_start.swap(true, Ordering::Relaxed) {
            self.add_news(Some(format!(
                "the bot `{}` started only at attempt {attempt}; before, it {}",
                spec.name, failure.message
            )));
        }
    }

    /// Warns once for each bot that computes with several threads while it has one core. Its threads have the
    /// core of the thread that calls this.
    pub(crate) fn warn_of_threads(&self, spec: &BotSpec, process: &mut BotProcess) {
        if !Cores::of_this_thread().is_some_and(|cores| cores.is_one()) {
            return;
        }
        let Some(threads) = process.computing_threads().filter(|threads| *threads > 1) else {
            return;
        };
        if !self
            .history(spec)
            .warned_of_threads
            .swap(true, Ordering::Relaxed)
        {
            self.add_news(Some(format!(
                "the bot `{}` computes with {threads} threads, and `affinity = \"cores\"` holds them all to one \
                 core: with `affinity = \"off\"` and fewer matches at a time (`concurrency`) it may be many times \
                 as fast",
                spec.name
            )));
        }
    }

    /// The present build of the bot. Warns the user if it has changed.
    fn check_files(&self, spec: &BotSpec, history: &History) -> Arc<Build> {
        let mut files = history.files.lock().unwrap_or_else(PoisonError::into_inner);
        let found = files.check(spec);
        if !found.changed.is_empty() {
            self.add_news(Some(format!(
                "the bot `{}` is not what it was: {} changed while the tournament runs; the log has \
                 the hashes of its files with each match",
                spec.name,
                found.changed.join(", ")
            )));
        }
        found.build
    }

    /// Starts a bot for its `hello` alone, and ends it; `None` if it does not start. Does not count
    /// as an attempt to play.
    pub async fn hello_of(&self, spec: &BotSpec) -> Option<BotHello> {
        let process = self.spawn(spec, &self.history(spec)).await.ok()?;
        let hello = process.hello().clone();
        process.end().await;
        Some(hello)
    }

    /// Starts a bot without any message to it, even if it is given up.
    ///
    /// # Errors
    /// The fault by which its matches would be lost.
    pub async fn launch(&self, spec: &BotSpec) -> Result<Box<BotProcess>, NotStarted> {
        let surroundings = self.surroundings(spec, &self.history(spec), Arc::default());
        BotProcess::launch(spec, surroundings).await
    }

    fn surroundings(
        &self,
        spec: &BotSpec,
        history: &History,
        build: Arc<Build>,
    ) -> Surroundings<'_> {
        let (stderr, trace) = self.records.of_next(&spec.name, &history.stderr_left);
        Surroundings {
            sandbox: self.sandbox(spec),
            stderr,
            trace,
            build,
        }
    }

    pub fn add_news(&self, news: Option<String>) {
        self.news().extend(news.map(News::from));
    }

    /// The messages for the user since the last call.
    pub fn take_news(&self) -> Vec<News> {
        std::mem::take(&mut *self.news())
    }

    fn news(&self) -> MutexGuard<'_, Vec<News>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn history(&self, spec: &BotSpec) -> Arc<History> {
        let mut histories = self
            .histories
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let history = histories.entry(spec.name.clone()).or_insert_with(|| {
            let stderr_bytes = self.sandbox(spec).resources().stderr_bytes;
            Arc::new(History {
                trust: tokio::sync::Mutex::new(Trust::Unknown),
                stderr_left: Arc::new(AtomicU64::new(stderr_bytes)),
                files: Mutex::default(),
                warned_of_late_start: AtomicBool::new(false),
                warned_of_threads: AtomicBool::new(false),
            })
        });
        history.clone()
    }

    /// Waits until all processes that were ended or dropped are gone.
    pub async fn all_gone(&self) {
        children::all_gone().await;
    }
}

fn cpu_time_by(spec: &BotSpec, sandbox: &Sandbox) -> Option<CpuTimeBy> {
    let limited = spec.time.clock == ClockKind::Cpu || sandbox.resources().cpu_time.is_some();
    limited.then(|| sandbox.cpu_time())
}

/// A warning if the CPU time of bots is limited but only estimated.
fn estimated_cpu_time(
    specs: &[Arc<BotSpec>],
    sandboxes: &BTreeMap<String, Sandbox>,
) -> Option<String> {
    let estimated = specs
        .iter()
        .filter(|spec| cpu_time_by(spec, &sandboxes[&spec.name]) == Some(CpuTimeBy::Estimated));
    let names: Vec<String> = estimated.map(|spec| format!("`{}`", spec.name)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "the CPU time of {} is an estimate, of which a bot can hide some: only control groups \
             count all of it, in a sandbox (`referee doctor`)",
            names.join(", ")
        )
    })
}

/// A warning for each program that is not run because sandboxes hide it.
pub(crate) fn other_programs<'a>(
    sandboxes: impl IntoIterator<Item = (&'a String, &'a Sandbox)>,
) -> Vec<String> {
    let mut bots: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for (name, sandbox) in sandboxes {
        if let Some(other) = sandbox.other_program() {
            bots.entry(other).or_default().push(format!("`{name}`"));
        }
    }
    let warning = |(other, bots): (&OtherProgram, Vec<String>)| {
        format!(
            "in the sandbox of {}, `{}` is run, not `{}`, which is hidden there; to run that, name it \
             in `command` and its folder in `readable`",
            bots.join(", "),
            other.inside.display(),
            other.outside.display()
        )
    };
    bots.into_iter().map(warning).collect()
}

/// A warning if there are bots of more than one user that could harm each other.
fn several_owners(specs: &[Arc<BotSpec>], sandboxes: &BTreeMap<String, Sandbox>) -> Option<String> {
    let owners: BTreeSet<u32> = specs.iter().flat_map(|spec| files::owners(spec)).collect();
    let exposed = specs
        .iter()
        .any(|spec| sandboxes[&spec.name].tier() < Tier::Restricted);
    (exposed && owners.len() > 1).then(|| {
        format!(
            "the bots belong to {} different users, and can harm each other and the results: \
             `sandbox = \"strict\"` keeps them apart",
            owners.len()
        )
    })
}
