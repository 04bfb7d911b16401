//! A slot of a worker: a thread with its own runtime, as in a local tournament, so that no match waits for
//! another.

use std::io;
use std::sync::Arc;
use std::thread;

use arbiter::Arbiter;
use config::Affinity;
use deals::Deal;
use games::BrokenRules;
use machine::cores;
use protocol::Record;
use schedule::Scheduled;
use supervisor::{Pool, resource_exhausted};
use tokio::sync::{mpsc, oneshot, watch};
use tournament::playing::match_run::People;
use tournament::playing::openings::{self, Opening};
use tournament::playing::slots;

use super::options::Leave;
use super::serving::Serving;

#[derive(Debug)]
pub(super) enum Played {
    Records(Vec<Record>),
    /// A bot cannot play on this machine.
    Unable {
        bot: String,
        why: String,
    },
    /// A rules program failed.
    Broken(BrokenRules),
    /// Another worker has to play it.
    Abandoned,
}

struct Work {
    serving: Arc<Serving>,
    matches: Vec<Scheduled>,
    /// The deal of their pairing.
    deal: Option<Deal>,
    /// Gets the number of each match that begins.
    begun: mpsc::UnboundedSender<usize>,
    done: oneshot::Sender<Played>,
}

/// The handle of the thread, which ends when this is dropped.
pub(super) struct Slot(mpsc::Sender<Work>);

impl Slot {
    pub(super) fn start(number: usize, leave: &watch::Receiver<Leave>) -> io::Result<Self> {
        let (work, inbox) = mpsc::channel(1);
        let leave = leave.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            // A slot has a handful of pipes; the default is for thousands.
            .max_io_events_per_tick(64)
            .enable_all()
            .build()?;
        let thread = thread::Builder::new().name(format!("slot {number}"));
        thread.spawn(move || runtime.block_on(Box::pin(run(number, inbox, leave))))?;
        Ok(Slot(work))
    }

    pub(super) async fn play(
        &self,
        serving: &Arc<Serving>,
        (matches, deal): (Vec<Scheduled>, Option<Deal>),
        begun: mpsc::UnboundedSender<usize>,
    ) -> Played {
        let (done, played) = oneshot::channel();
        let work = Work {
            serving: serving.clone(),
            matches,
            deal,
            begun,
            done,
        };
        // The thread has panicked.
        if self.0.send(work).await.is_err() {
            return Played::Abandoned;
        }
        played.await.unwrap_or(Played::Abandoned)
    }
}

async fn run(number: usize, mut inbox: mpsc::Receiver<Work>, mut leave: watch::Receiver<Leave>) {
    let mut pool: Option<(Arc<Serving>, Pool)> = None;
    loop {
        let work = tokio::select! {
            biased;
            work = inbox.recv() => work,
            () = ended(pool.as_ref()) => {
                if let Some((_, old)) = pool.take() {
                    old.end().await;
                }
                continue;
            }
        };
        let Some(work) = work else { break };
        let is_other = |(serving, _): &(Arc<Serving>, Pool)| !Arc::ptr_eq(serving, &work.serving);
        if let Some((_, old)) = pool.take_if(|pool| is_other(pool)) {
            old.end().await;
        }
        let (serving, pool) = pool.get_or_insert_with(|| {
            if work.serving.config.machine.affinity == Affinity::Cores
                && let Err(error) = cores::keep_to_one(number)
            {
                tracing::warn!("`affinity`: slot {number} cannot keep to one core: {error}");
            }
            let pool = Pool::new(work.serving.factory.clone());
            (work.serving.clone(), pool)
        });
        let played = tokio::select! {
            biased;
            played = Box::pin(group(serving, &work, pool)) => played,
            _ = leave.wait_for(|leave| *leave == Leave::Now) => Played::Abandoned,
        };
        let _ = work.done.send(played);
    }
    if let Some((_, pool)) = pool {
        pool.end().await;
    }
}

/// Waits until the tournament has no more matches; forever without bots.
async fn ended(pool: Option<&(Arc<Serving>, Pool)>) {
    match pool {
        Some((serving, _)) => serving.ended().await,
        None => std::future::pending().await,
    }
}

async fn group(serving: &Serving, work: &Work, pool: &mut Pool) -> Played {
    if let Some((spec, why)) = serving.unable(&work.matches).await {
        let bot = spec.name.clone();
        return Played::Unable { bot, why };
    }
    let mut records = Vec::new();
    for scheduled in &work.matches {
        let _ = work.begun.send(scheduled.number);
        let deal = work.deal.clone();
        let deal = deal.map(|deal| openings::match_deal(&serving.config, scheduled, deal));
        let record = match one(serving, scheduled, deal, pool).await {
            Ok(record) => record,
            Err(broken) => return Played::Broken(broken),
        };
        // That may have lost the match, so it does not count.
        if resource_exhausted::noted().is_some() {
            return Played::Abandoned;
        }
        records.push(record);
    }
    Played::Records(records)
}

async fn one(
    serving: &Serving,
    scheduled: &Scheduled,
    deal: Option<Deal>,
    pool: &mut Pool,
) -> Result<Record, BrokenRules> {
    let opening = Opening::of(&serving.config, scheduled, deal.as_ref())?;
    let (config, machine) = (&serving.config, &serving.machine);
    let run = slots::plan(
        config,
        scheduled,
        (opening, deal),
        machine,
        &serving.failures,
    );
    run.play(pool, People::new(), |_: &Arbiter| ()).await
}
