//! Where bots' processes are born: what all slots of a tournament share about its bots.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::{ClockKind, CpuTimeBy};
use thiserror::Error;

use super::cage::limits::Sandbox;
use super::cage::{Cage, CageError, Machine};
use super::own_files::{self, Digests, OwnFiles};
use super::spec::BotSpec;
use super::trace::{Trace, Tracer};
use super::{BotProcess, Failure, Keepers, NotStarted, Stderr, file_name};
use crate::suspension;

/// So many failed starts in a row make a bot hopeless that has started before.
const PATIENCE: u32 = 3;

/// Why bots cannot be looked after.
#[derive(Debug, Error)]
pub enum NurseryError {
    /// A bot cannot be kept within its bounds.
    #[error(transparent)]
    Cage(#[from] CageError),
    /// The machine refuses.
    #[error("this process cannot look after others: {0}")]
    Keepers(#[from] io::Error),
}

/// Starts processes, and knows which bots are not worth waiting for.
#[derive(Debug)]
pub struct Nursery {
    keepers: Arc<Keepers>,
    /// By the bots' names.
    cages: BTreeMap<String, Cage>,
    /// Where stderr is kept; `None` to pass it on.
    stderr: Option<PathBuf>,
    /// How many bytes of it may still be kept, of all bots together.
    stderr_left: Arc<AtomicU64>,
    /// Where everything goes that is said, if that is wanted.
    tracer: Option<Tracer>,
    started: AtomicUsize,
    bots: Mutex<BTreeMap<String, Arc<History>>>,
    news: Mutex<Vec<String>>,
}

/// What is known about a bot.
#[derive(Debug)]
struct History {
    /// Locked during the first start, so that a bot that never starts is waited for once.
    trust: tokio::sync::Mutex<Trust>,
    /// How many bytes of its stderr may still be kept.
    stderr_left: Arc<AtomicU64>,
    files: Mutex<OwnFiles>,
}

#[derive(Debug)]
enum Trust {
    /// It was not started yet.
    Unknown,
    /// It has started, and failed to so many times since then.
    Started { failures: u32 },
    /// It does not start, for this reason.
    Hopeless(Failure),
}

impl Nursery {
    /// For these bots, who are to see nothing of these files and folders where a sandbox hides
    /// any. Their stderr is kept in the folder, or passed on.
    ///
    /// # Errors
    /// If the machine does not let this process look after others, or cannot keep a bot within
    /// its bounds.
    pub fn new<'a>(
        specs: impl IntoIterator<Item = &'a Arc<BotSpec>> + Clone,
        hidden: &[PathBuf],
        stderr: Option<PathBuf>,
    ) -> Result<Self, NurseryError> {
        suspension::watch();
        let mut all = specs.clone().into_iter();
        let machine = match all.any(|spec| spec.wanted.sandbox != Sandbox::None) {
            true => Machine::look(),
            false => Machine::unasked(),
        };
        let dirs = specs.clone().into_iter().map(|spec| spec.dir.clone());
        let hidden: Vec<PathBuf> = dirs.chain(hidden.iter().cloned()).collect();
        let mut cages = BTreeMap::new();
        let (specs_of, specs_again) = (specs.clone().into_iter(), specs.clone().into_iter());
        for spec in specs {
            cages.insert(spec.name.clone(), Cage::build(spec, &machine, &hidden)?);
        }
        let estimated = specs_of.filter(|spec| {
            let cage: &Cage = &cages[&spec.name];
            measured(spec, cage) == Some(CpuTimeBy::Estimated)
        });
        let estimated: Vec<String> = estimated.map(|spec| format!("`{}`", spec.name)).collect();
        let mut news = Vec::from_iter(strangers(specs_again, &cages));
        match &estimated[..] {
            [] => {}
            names => news.push(format!(
                "the CPU time of {} is an estimate, of which a bot can hide some: only control \
                 groups count all of it, in a sandbox (`referee doctor`)",
                names.join(", ")
            )),
        }
        Ok(Nursery {
            cages,
            keepers: Arc::new(Keepers::new()?),
            stderr,
            stderr_left: Arc::new(AtomicU64::new(u64::MAX)),
            tracer: None,
            started: AtomicUsize::new(0),
            bots: Mutex::default(),
            news: Mutex::new(news),
        })
    }

    /// Files of stderr get numbers after this one.
    pub fn after(mut self, number: usize) -> Self {
        self.started = AtomicUsize::new(number);
        self
    }

    /// Of what all bots print on stderr, so many bytes are kept, with those that are there already.
    pub fn keeping(self, most: u64) -> Self {
        let folder = self.stderr.as_ref();
        let entries = folder.and_then(|folder| folder.read_dir().ok());
        let sizes = entries.into_iter().flatten().flatten();
        let there: u64 = sizes
            .filter_map(|entry| Some(entry.metadata().ok()?.len()))
            .sum();
        self.stderr_left
            .store(most.saturating_sub(there), Ordering::Relaxed);
        self
    }

    /// Everything that is said goes there, too.
    pub fn traced(mut self, tracer: Option<Tracer>) -> Self {
        self.tracer = tracer;
        self
    }

    /// Starts a bot, unless it is known that it will not start.
    pub(super) async fn start(&self, spec: &BotSpec) -> Result<Box<BotProcess>, NotStarted> {
        let history = self.history(spec);
        let mut trust = history.trust.lock().await;
        match &*trust {
            Trust::Hopeless(failure) => Err(failure.clone().into()),
            Trust::Started { .. } => {
                drop(trust);
                let started = self.spawn(spec, &history).await;
                // That it says `hello` is not enough to be trusted again: see `began`.
                if let Some(failure) = failure_of(&started) {
                    self.learn(spec, &mut *history.trust.lock().await, Some(failure));
                }
                started
            }
            Trust::Unknown => {
                let started = self.spawn(spec, &history).await;
                self.learn(spec, &mut trust, failure_of(&started));
                started
            }
        }
    }

    /// Takes note of how the beginning of a match went for a bot that was started: it became
    /// ready, or why it did not.
    pub async fn began(&self, spec: &BotSpec, failure: Option<&Failure>) {
        let history = self.history(spec);
        self.learn(spec, &mut *history.trust.lock().await, failure);
    }

    fn learn(&self, spec: &BotSpec, trust: &mut Trust, failure: Option<&Failure>) {
        let failures = match trust {
            Trust::Hopeless(_) => return,
            Trust::Unknown => PATIENCE,
            Trust::Started { failures } => *failures + 1,
        };
        let Some(failure) = failure else {
            *trust = Trust::Started { failures: 0 };
            return;
        };
        if failures < PATIENCE {
            *trust = Trust::Started { failures };
            return;
        }
        *trust = Trust::Hopeless(failure.clone());
        let (name, (_, why)) = (&spec.name, failure);
        self.news().push(format!(
            "the bot `{name}` does not start: {why}; all its matches are forfeited from here on"
        ));
    }

    /// The cage of one of the bots.
    ///
    /// # Panics
    /// If the bot is none of those that this was made for.
    pub fn cage(&self, spec: &BotSpec) -> &Cage {
        &self.cages[&spec.name]
    }

    /// How a bot's CPU time is measured, if that is limited.
    pub fn limits_cpu_time(&self, spec: &BotSpec) -> Option<CpuTimeBy> {
        measured(spec, self.cage(spec))
    }

    async fn spawn(
        &self,
        spec: &BotSpec,
        history: &History,
    ) -> Result<Box<BotProcess>, NotStarted> {
        let (stderr, trace) = self.outlets(spec, history);
        let files = self.files(spec, history);
        let process = BotProcess::start(spec, self.cage(spec), &stderr, &self.keepers, trace).await;
        process.map(|process| process.of(files))
    }

    /// What the bot's files are now. The user hears if they were something else before.
    fn files(&self, spec: &BotSpec, history: &History) -> Arc<Digests> {
        let mut files = history.files.lock().unwrap_or_else(PoisonError::into_inner);
        let look = files.look(spec);
        if !look.changed.is_empty() {
            self.news().push(format!(
                "the bot `{}` is not what it was: {} changed while the tournament runs; the log has \
                 the hashes of its files with each match",
                spec.name,
                look.changed.join(", ")
            ));
        }
        look.digests
    }

    /// Starts a bot without a word to it, whatever is known of it.
    ///
    /// # Errors
    /// The fault by which its matches would be lost.
    pub async fn launch(&self, spec: &BotSpec) -> Result<Box<BotProcess>, NotStarted> {
        let (stderr, trace) = self.outlets(spec, &self.history(spec));
        BotProcess::launch(spec, self.cage(spec), &stderr, &self.keepers, trace).await
    }

    /// Where the next process's stderr goes, and its trace.
    fn outlets(&self, spec: &BotSpec, history: &History) -> (Stderr, Option<Trace>) {
        let number = self.started.fetch_add(1, Ordering::Relaxed) + 1;
        let stderr = match &self.stderr {
            Some(folder) => Stderr::Keep {
                path: folder.join(format!("{}.{number}.log", file_name(&spec.name))),
                left: history.stderr_left.clone(),
                all_left: self.stderr_left.clone(),
            },
            None => Stderr::PassOn,
        };
        let tracer = self.tracer.as_ref();
        (stderr, tracer.and_then(|t| t.process(&spec.name, number)))
    }

    /// Something that the user should hear about, if anything.
    pub fn add_news(&self, news: Option<String>) {
        self.news().extend(news);
    }

    /// What the user should hear about, each thing once.
    pub fn take_news(&self) -> Vec<String> {
        std::mem::take(&mut *self.news())
    }

    fn news(&self) -> MutexGuard<'_, Vec<String>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn history(&self, spec: &BotSpec) -> Arc<History> {
        let mut bots = self.bots.lock().unwrap_or_else(PoisonError::into_inner);
        let history = bots.entry(spec.name.clone()).or_insert_with(|| {
            Arc::new(History {
                trust: tokio::sync::Mutex::new(Trust::Unknown),
                stderr_left: Arc::new(AtomicU64::new(self.cage(spec).resources().stderr_bytes)),
                files: Mutex::default(),
            })
        });
        history.clone()
    }

    /// Waits until every process that was started here is gone.
    pub async fn all_gone(&self) {
        self.keepers.all_gone().await;
    }
}

fn measured(spec: &BotSpec, cage: &Cage) -> Option<CpuTimeBy> {
    let limited = spec.time.clock == ClockKind::Cpu || cage.resources().cpu_time.is_some();
    limited.then(|| cage.cpu_time())
}

/// A word of advice where bots of more than one user meet and could harm each other.
fn strangers<'a>(
    specs: impl Iterator<Item = &'a Arc<BotSpec>>,
    cages: &BTreeMap<String, Cage>,
) -> Option<String> {
    let mut owners = BTreeSet::new();
    let mut open = false;
    for spec in specs {
        owners.extend(own_files::owners(spec));
        open |= cages[&spec.name].sandbox() < Sandbox::Restricted;
    }
    (open && owners.len() > 1).then(|| {
        format!(
            "the bots belong to {} different users, and can harm each other and the results: \
             `sandbox = \"strict\"` keeps them apart",
            owners.len()
        )
    })
}

fn failure_of(started: &Result<Box<BotProcess>, NotStarted>) -> Option<&Failure> {
    started.as_ref().err().map(|not| &not.failure)
}
