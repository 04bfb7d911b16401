//! The bots of one match slot. Processes are started when they are needed, and wait between
//! matches.

use std::sync::{Arc, Mutex, PoisonError};

use protocol::faults;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::factory::BotFactory;
use super::failure::{Evidence, NotStarted};
use super::process::BotProcess;
use crate::spec::{BotSpec, Restart};

/// At most this many processes of a slot wait for their next match.
pub const MAX_IDLE: usize = 8;

/// A process that is being ended; resolves to the evidence for its failure.
pub type Leaving = oneshot::Receiver<Evidence>;

/// The processes of one slot.
#[derive(Debug)]
pub struct Pool {
    factory: Arc<BotFactory>,
    /// By the bots' names; the one used last comes last.
    idle: Vec<(String, Box<BotProcess>)>,
    /// The tasks that end processes. Behind a lock because all seats of a match share the pool.
    leaving: Mutex<JoinSet<()>>,
}

impl Pool {
    pub fn new(factory: Arc<BotFactory>) -> Self {
        Pool {
            factory,
            idle: Vec::new(),
            leaving: Mutex::default(),
        }
    }

    pub fn factory(&self) -> &BotFactory {
        &self.factory
    }

    pub fn factory_handle(&self) -> Arc<BotFactory> {
        self.factory.clone()
    }

    /// A process for each of these bots, in their order. Those that have none are started
    /// concurrently.
    pub async fn take(
        &mut self,
        specs: &[Arc<BotSpec>],
    ) -> Vec<Result<Box<BotProcess>, NotStarted>> {
        let mut taken: Vec<Option<Result<Box<BotProcess>, NotStarted>>> = Vec::new();
        let mut starting = JoinSet::new();
        for (seat, spec) in specs.iter().enumerate() {
            let waiting = self.take_idle(&spec.name);
            if waiting.is_none() {
                let start = self.start(spec.clone());
                starting.spawn(async move { (seat, start.await) });
            }
            taken.push(waiting.map(Ok));
        }
        while let Some(joined) = starting.join_next().await {
            match joined {
                Ok((seat, started)) => taken[seat] = Some(started),
                Err(error) => tracing::error!("starting a bot failed: {error}"),
            }
        }
        taken
            .into_iter()
            .map(|bot| bot.unwrap_or_else(|| Err(faults::not_there().into())))
            .collect()
    }

    /// Ends the idle processes of these bots, so that their next match has new ones.
    pub fn renew(&mut self, specs: &[Arc<BotSpec>]) {
        let is_of = |name: &str| specs.iter().any(|spec| spec.name == name);
        for (_, process) in self.idle.extract_if(.., |(name, _)| is_of(name)) {
            // Not by `later`: the iterator borrows the pool.
            self.leaving
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .spawn(async move {
                    process.end().await;
                });
        }
    }

    pub fn start(
        &self,
        spec: Arc<BotSpec>,
    ) -> impl Future<Output = Result<Box<BotProcess>, NotStarted>> + use<> {
        let factory = self.factory.clone();
        async move { factory.start(&spec).await }
    }

    fn take_idle(&mut self, name: &str) -> Option<Box<BotProcess>> {
        loop {
            let index = self.idle.iter().position(|(idle, _)| idle == name)?;
            let (_, mut process) = self.idle.remove(index);
            if process.is_running() {
                return Some(process);
            }
            self.dismiss(process);
        }
    }

    /// Returns a process to the pool, or ends it if the bot has a new one for each match.
    pub async fn give_back(&mut self, spec: &BotSpec, mut process: Box<BotProcess>) {
        self.factory.warn_of_threads(spec, &mut process);
        if spec.restart == Restart::EachMatch {
            self.dismiss(process);
            return;
        }
        process.after_match().await;
        self.idle.push((spec.name.clone(), process));
        if self.idle.len() > MAX_IDLE {
            let (_, oldest) = self.idle.remove(0);
            self.dismiss(oldest);
        }
    }

    /// Ends a process in the background.
    pub fn dismiss(&self, process: Box<BotProcess>) -> Leaving {
        let (sender, evidence) = oneshot::channel();
        self.later(async move {
            // The receiver may be gone.
            let _ = sender.send(process.end().await);
        });
        evidence
    }

    /// Runs a task in the background; [`Pool::end`] waits for it.
    pub fn later(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut leaving = self.leaving.lock().unwrap_or_else(PoisonError::into_inner);
        // Forget the tasks that are done.
        while leaving.try_join_next().is_some() {}
        leaving.spawn(task);
    }

    /// Ends all processes concurrently.
    pub async fn end(mut self) {
        for (_, process) in std::mem::take(&mut self.idle) {
            self.dismiss(process);
        }
        let leaving = self.leaving.into_inner();
        let leaving = leaving.unwrap_or_else(PoisonError::into_inner);
        leaving.join_all().await;
    }
}
