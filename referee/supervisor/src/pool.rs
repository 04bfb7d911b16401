//! The bots of one match slot: processes are kept between matches and started when needed.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::nursery::Nursery;
use super::spec::{BotSpec, Restart};
use super::{BotProcess, Evidence, NotStarted};

/// At most this many processes of a slot wait for their next match.
pub const IDLE: usize = 8;

/// A process that is being ended: tells in the end what may explain its failure.
pub type Leaving = oneshot::Receiver<Evidence>;

/// The processes of one slot.
#[derive(Debug)]
pub struct Pool {
    nursery: Arc<Nursery>,
    /// The one used last comes last.
    idle: Vec<(String, Box<BotProcess>)>,
    /// Those that are being ended. Whoever plays a match shares the pool with the other seats.
    leaving: Mutex<JoinSet<()>>,
}

impl Pool {
    /// No processes yet.
    pub fn new(nursery: Arc<Nursery>) -> Self {
        Pool {
            nursery,
            idle: Vec::new(),
            leaving: Mutex::default(),
        }
    }

    /// Where processes come from.
    pub fn nursery(&self) -> &Nursery {
        &self.nursery
    }

    /// The same, to be kept.
    pub fn nursery_handle(&self) -> Arc<Nursery> {
        self.nursery.clone()
    }

    /// A process for each of these bots, in their order; those that are not there yet are
    /// started side by side.
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
        let lost = || {
            let message = "it could not be started".to_owned();
            NotStarted::from((protocol::FaultCode::Startup, message))
        };
        taken
            .into_iter()
            .map(|bot| bot.unwrap_or_else(|| Err(lost())))
            .collect()
    }

    /// A new process for a bot.
    pub fn start(
        &self,
        spec: Arc<BotSpec>,
    ) -> impl Future<Output = Result<Box<BotProcess>, NotStarted>> + use<> {
        let nursery = self.nursery.clone();
        async move { nursery.start(&spec).await }
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

    /// Keeps a process for its next match, if it may play one.
    pub async fn give_back(&mut self, spec: &BotSpec, mut process: Box<BotProcess>) {
        if spec.restart == Restart::EachMatch {
            self.dismiss(process);
            return;
        }
        process.after_match().await;
        self.idle.push((spec.name.clone(), process));
        if self.idle.len() > IDLE {
            let (_, oldest) = self.idle.remove(0);
            self.dismiss(oldest);
        }
    }

    /// Ends a process, beside whatever else is done.
    pub fn dismiss(&self, process: Box<BotProcess>) -> Leaving {
        let (sender, evidence) = oneshot::channel();
        self.later(async move {
            // Not everybody wants to know.
            let _ = sender.send(process.end().await);
        });
        evidence
    }

    /// Does something beside whatever else is done, at the latest when the pool ends.
    pub fn later(&self, what: impl Future<Output = ()> + Send + 'static) {
        let mut leaving = self.leaving.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that are done by now need not be remembered.
        while leaving.try_join_next().is_some() {}
        leaving.spawn(what);
    }

    /// Ends all processes, side by side.
    pub async fn end(mut self) {
        for (_, process) in std::mem::take(&mut self.idle) {
            self.dismiss(process);
        }
        let leaving = self.leaving.into_inner();
        let leaving = leaving.unwrap_or_else(PoisonError::into_inner);
        leaving.join_all().await;
    }
}
