//! The bots of one match slot: processes are kept between matches and started when needed.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::JoinSet;

use super::guard::Guard;
use super::spec::BotSpec;
use super::{BotProcess, Failure, Stderr};

/// At most this many processes of a slot wait for their next match.
const IDLE: usize = 8;

/// What all slots share.
#[derive(Debug)]
pub struct Nursery {
    guard: Arc<Guard>,
    /// Where stderr is kept; `None` to pass it on.
    stderr: Option<PathBuf>,
    started: AtomicUsize,
}

impl Nursery {
    /// Bots are watched by this guard; their stderr is kept in this folder.
    pub fn new(guard: Guard, stderr: Option<PathBuf>) -> Self {
        Nursery {
            guard: Arc::new(guard),
            stderr,
            started: AtomicUsize::new(0),
        }
    }

    /// Files of stderr get numbers after this one.
    pub fn after(mut self, number: usize) -> Self {
        self.started = AtomicUsize::new(number);
        self
    }

    async fn start(&self, spec: &BotSpec) -> Result<BotProcess, Failure> {
        let number = self.started.fetch_add(1, Ordering::Relaxed) + 1;
        let stderr = match &self.stderr {
            Some(folder) => {
                Stderr::Keep(folder.join(format!("{}.{number}.log", file_name(&spec.name))))
            }
            None => Stderr::Inherit,
        };
        BotProcess::start(spec, &stderr, &self.guard).await
    }
}

/// A bot's name, fit for a file's.
fn file_name(name: &str) -> String {
    let fit = |c: char| {
        if c.is_alphanumeric() || "-_".contains(c) {
            c
        } else {
            '_'
        }
    };
    name.chars().map(fit).take(60).collect()
}

/// The processes of one slot.
#[derive(Debug)]
pub struct Pool {
    nursery: Arc<Nursery>,
    /// The one used last comes last.
    idle: Vec<(String, BotProcess)>,
}

impl Pool {
    /// No processes yet.
    pub fn new(nursery: Arc<Nursery>) -> Self {
        Pool {
            nursery,
            idle: Vec::new(),
        }
    }

    /// A process for each of these bots, in their order; those that are not there yet are
    /// started side by side.
    pub async fn take(&mut self, specs: &[Arc<BotSpec>]) -> Vec<Result<BotProcess, Failure>> {
        let mut taken: Vec<Option<Result<BotProcess, Failure>>> = Vec::new();
        let mut starting = JoinSet::new();
        for (seat, spec) in specs.iter().enumerate() {
            let waiting = self.take_idle(&spec.name);
            if waiting.is_none() {
                let (nursery, spec) = (self.nursery.clone(), spec.clone());
                starting.spawn(async move { (seat, nursery.start(&spec).await) });
            }
            taken.push(waiting.map(Ok));
        }
        while let Some(joined) = starting.join_next().await {
            match joined {
                Ok((seat, started)) => taken[seat] = Some(started),
                Err(error) => tracing::error!("starting a bot failed: {error}"),
            }
        }
        let lost = || {
            (
                protocol::FaultCode::Startup,
                "it could not be started".to_owned(),
            )
        };
        taken
            .into_iter()
            .map(|bot| bot.unwrap_or_else(|| Err(lost())))
            .collect()
    }

    fn take_idle(&mut self, name: &str) -> Option<BotProcess> {
        loop {
            let index = self.idle.iter().position(|(idle, _)| idle == name)?;
            let (_, mut process) = self.idle.remove(index);
            if process.is_running() {
                return Some(process);
            }
        }
    }

    /// Keeps a process for its next match.
    pub async fn give_back(&mut self, name: &str, process: BotProcess) {
        self.idle.push((name.to_owned(), process));
        if self.idle.len() > IDLE {
            let (_, oldest) = self.idle.remove(0);
            oldest.end().await;
        }
    }

    /// Ends all processes, side by side.
    pub async fn end(self) {
        let mut ending = JoinSet::new();
        for (_, process) in self.idle {
            ending.spawn(process.end());
        }
        ending.join_all().await;
    }
}
