//! A worker's session with a NATS server: reads announcements, takes jobs for its slots, stores their
//! results and sends heartbeats.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use cluster::{
    Announcement, Announcements, ClusterError, Connection, Delivered, HEARTBEAT, Job, Presence,
    TournamentId, Worker, WorkerName,
};
use supervisor::resource_exhausted;
use tempfile::TempDir;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::{interval, sleep, timeout};

use super::bundles::{FetchError, Source};
use super::options::{Leave, WorkerOptions};
use super::serving::{self, Room, Serving};
use super::slot::{Played, Slot};
use crate::wire::{Announced, FOR_OTHERS, PAUSE, PlayedJob, Unplayable, WAIT, WorkerNews, pack};

/// With several tournaments, a worker waits this long for a job of one before it tries the next.
const SHORT_WAIT: Duration = Duration::from_millis(200);
/// A worker that ends waits this long for a job that may be on its way, or for one to be returned.
const EXIT_DELAY: Duration = Duration::from_millis(500);
/// A match that ends within this time is not announced when it begins.
const SHORT_MATCH: Duration = Duration::from_millis(20);
/// The interval of checks for announcements.
const CHECK: Duration = Duration::from_secs(1);
/// All announcements are read again at every 30th check, as a server may have lost its store.
const FULL_CHECK: u32 = 30;

/// Shared by the slots of a worker.
pub(super) struct WorkerSession {
    worker: Worker,
    name: WorkerName,
    options: WorkerOptions,
    room: Room,
    tournaments: Mutex<BTreeMap<TournamentId, Known>>,
    /// Wakes idle slots when a tournament was announced.
    news: Notify,
    /// The parent of the tournaments' folders.
    folder: PathBuf,
    _temporary: Option<TempDir>,
    reports: mpsc::UnboundedSender<String>,
    busy: AtomicU32,
    matches: AtomicU64,
    since: String,
    /// Counts requests, so that tournaments take turns.
    turn: AtomicU64,
}

/// Waits for the next announcement; forever without a subscription.
async fn next_of(announcements: &mut Option<Announcements>) {
    match announcements {
        Some(announcements) => announcements.next().await,
        None => std::future::pending().await,
    }
}

/// The sequence number of no announcement, for tournaments to retry.
const TRY_AGAIN: u64 = 0;

struct Known {
    /// The sequence number of its announcement.
    sequence: u64,
    /// The reason if it is not played here.
    serving: Result<Arc<Serving>, String>,
}

/// The reason why a tournament is not played here.
enum Unserved {
    /// A retry may help.
    ForNow(String),
    /// A retry cannot help.
    ForGood(String),
}

impl From<FetchError> for Unserved {
    fn from(error: FetchError) -> Self {
        let why = error.to_string();
        if error.is_passing() {
            Unserved::ForNow(why)
        } else {
            Unserved::ForGood(why)
        }
    }
}

impl WorkerSession {
    pub(super) fn open(
        connection: &Connection,
        name: &WorkerName,
        options: WorkerOptions,
        room: Room,
        reports: mpsc::UnboundedSender<String>,
    ) -> io::Result<Self> {
        let (folder, temporary) = match &options.keep {
            Some(folder) => (folder.clone(), None),
            None => {
                let folder = tempfile::Builder::new()
                    .prefix("referee-worker-")
                    .tempdir()?;
                (folder.path().to_owned(), Some(folder))
            }
        };
        std::fs::create_dir_all(&folder)?;
        Ok(WorkerSession {
            worker: Worker::new(connection, name),
            name: name.clone(),
            options,
            room,
            tournaments: Mutex::default(),
            news: Notify::new(),
            folder: std::fs::canonicalize(folder)?,
            _temporary: temporary,
            reports,
            busy: AtomicU32::new(0),
            matches: AtomicU64::new(0),
            since: protocol::timestamp(SystemTime::now(), 0),
            turn: AtomicU64::new(0),
        })
    }

    fn tournaments(&self) -> MutexGuard<'_, BTreeMap<TournamentId, Known>> {
        self.tournaments
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn served(&self) -> Vec<Arc<Serving>> {
        let tournaments = self.tournaments();
        let served = tournaments
            .values()
            .filter_map(|known| known.serving.clone().ok());
        served.collect()
    }

    fn report(&self, what: String) {
        let _ = self.reports.send(what);
    }

    /// Sends heartbeats until dropped.
    pub(super) async fn send_heartbeats(self: Arc<Self>) {
        let mut beats = interval(HEARTBEAT);
        loop {
            beats.tick().await;
            self.worker.send_heartbeat(&self.presence()).await;
        }
    }

    fn presence(&self) -> Presence {
        Presence {
            name: self.name.to_string(),
            slots: u32::try_from(self.room.slots).unwrap_or(u32::MAX),
            busy: self.busy.load(Relaxed),
            matches: self.matches.load(Relaxed),
            since: self.since.clone(),
            tournaments: self.served().iter().map(|it| it.id.to_string()).collect(),
        }
    }

    /// Reads announcements until dropped.
    pub(super) async fn read_announcements(self: Arc<Self>) {
        let mut checks = interval(CHECK);
        let mut announcements = self.worker.subscribe().await.ok();
        let (mut after, mut number) = (0, 0);
        let mut all_known = true;
        loop {
            tokio::select! {
                _ = checks.tick() => {}
                () = next_of(&mut announcements) => {}
            }
            number += 1;
            if number % FULL_CHECK == 0 || !all_known {
                after = 0;
            }
            all_known = true;
            // The slots log a server that does not answer.
            while let Some(announcement) = self.next_announced(after, &mut announcements).await {
                after = announcement.sequence;
                all_known &= self.clone().join(announcement).await;
            }
        }
    }

    /// The next announcement. A server without any announcement does not answer, so the request is repeated
    /// when the first one comes.
    async fn next_announced(
        &self,
        after: u64,
        announcements: &mut Option<Announcements>,
    ) -> Option<Announcement> {
        loop {
            tokio::select! {
                found = self.worker.announcement_after(after) => return found.ok().flatten(),
                () = next_of(announcements) => {}
            }
        }
    }

    /// Opens a tournament, unless it is known; false if a retry may help.
    async fn join(self: Arc<Self>, announcement: Announcement) -> bool {
        let (id, sequence) = (announcement.id.clone(), announcement.sequence);
        let known = {
            let tournaments = self.tournaments();
            let known = tournaments
                .get(&id)
                .filter(|known| known.sequence == sequence);
            known.map(|known| known.serving.as_ref().err().cloned())
        };
        if let Some(why) = known {
            if let Some(why) = why {
                // News may be lost, so they are repeated whenever all announcements are read.
                self.send_news(&id, &WorkerNews::CannotServe { why }).await;
            }
            return true;
        }
        let serving = match self.clone().open_tournament(announcement).await {
            Ok(serving) => {
                self.report(format!("plays matches of `{id}`"));
                Ok(Arc::new(serving))
            }
            Err(Unserved::ForNow(why)) => {
                let known = Known {
                    sequence: TRY_AGAIN,
                    serving: Err(why.clone()),
                };
                let before = self.put(id.clone(), known);
                if before.is_none_or(|before| before.sequence != TRY_AGAIN) {
                    self.cannot_serve(&id, why).await;
                }
                return false;
            }
            Err(Unserved::ForGood(why)) => {
                self.cannot_serve(&id, why.clone()).await;
                Err(why)
            }
        };
        self.put(id, Known { sequence, serving });
        self.news.notify_waiters();
        // So that the coordinator need not wait for the next one.
        self.worker.send_heartbeat(&self.presence()).await;
        true
    }

    /// Replaces what is known of a tournament, and returns it. Nobody needs the bots of before any more.
    fn put(&self, id: TournamentId, known: Known) -> Option<Known> {
        let before = self.tournaments().insert(id, known);
        if let Some(Ok(serving)) = before.as_ref().map(|before| &before.serving) {
            serving.end();
        }
        before
    }

    async fn cannot_serve(&self, id: &TournamentId, why: String) {
        self.report(format!("plays no matches of `{id}`: {why}"));
        self.send_news(id, &WorkerNews::CannotServe { why }).await;
    }

    /// Prepares to play matches of a tournament.
    async fn open_tournament(
        self: Arc<Self>,
        announcement: Announcement,
    ) -> Result<Serving, Unserved> {
        let Announcement { id, payload, .. } = announcement;
        let announced = Announced::read(&payload).map_err(Unserved::ForGood)?;
        if !self.options.trust {
            // Before any bundle is fetched.
            let folder = self.options.folder.as_deref();
            serving::check(&announced, folder).map_err(Unserved::ForGood)?;
        }
        let bundles = if announced.bundles.is_empty() {
            None
        } else {
            let source = Source {
                connection: self.worker.connection(),
                tournament: &id,
                cache: &self.options.bundle_cache,
                most: self.options.max_bundle,
            };
            Some(Arc::new(source.fetch_all(&announced.bundles).await?))
        };
        let session = self.clone();
        let open = move || {
            let own = session.folder.join(id.to_string());
            let report = |line: &str| session.report(line.to_owned());
            let how = (&session.options, session.room);
            Serving::open(&id, &announced, bundles, how, &own, report)
        };
        let opened = tokio::task::spawn_blocking(open).await;
        let opened = opened.unwrap_or_else(|_| Err("it cannot be read".to_owned()));
        opened.map_err(Unserved::ForGood)
    }

    async fn send_news(&self, id: &TournamentId, news: &WorkerNews) {
        if let Ok(bytes) = serde_json::to_vec(news) {
            self.worker.send_news(id, bytes).await;
        }
    }

    /// Takes one job after another for a slot, until the worker leaves.
    pub(super) async fn run_slot(self: Arc<Self>, slot: Slot, mut leave: watch::Receiver<Leave>) {
        while *leave.borrow_and_update() == Leave::Stay && resource_exhausted::noted().is_none() {
            match self.next(&mut leave).await {
                Ok(Some((serving, job))) => {
                    self.busy.fetch_add(1, Relaxed);
                    tokio::select! {
                        biased;
                        () = self.play(&slot, &serving, &job) => {}
                        () = has_left(leave.clone()) => {}
                    }
                    self.busy.fetch_sub(1, Relaxed);
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::info!("no job was taken: {error}");
                    tokio::select! {
                        () = sleep(PAUSE) => {}
                        _ = leave.changed() => {}
                    }
                }
            }
        }
    }

    /// A job of any tournament: tries all without waiting, then waits for one of them.
    async fn next(
        &self,
        leave: &mut watch::Receiver<Leave>,
    ) -> Result<Option<(Arc<Serving>, Box<Job>)>, ClusterError> {
        let served = self.served();
        if served.is_empty() {
            tokio::select! {
                () = self.news.notified() => {}
                () = sleep(CHECK) => {}
                _ = leave.changed() => {}
            }
            return Ok(None);
        }
        let turn = self.turn.fetch_add(1, Relaxed) as usize;
        let wait = if served.len() == 1 { WAIT } else { SHORT_WAIT };
        let in_turn = (0..served.len()).map(|at| &served[(turn + at) % served.len()]);
        let at_once = in_turn
            .clone()
            .filter(|_| served.len() > 1)
            .map(|it| (it, Duration::ZERO));
        for (serving, wait) in at_once.chain(in_turn.take(1).map(|it| (it, wait))) {
            let taken = tokio::select! {
                biased;
                taken = self.worker.take(&serving.id, wait) => taken?,
                () = has_left(leave.clone()) => break,
            };
            match taken {
                Delivered::Job(job) => return Ok(Some((serving.clone(), job))),
                Delivered::None => {}
                Delivered::TournamentOver => self.forget(&serving.id),
            }
            if *leave.borrow() != Leave::Stay {
                break;
            }
        }
        Ok(None)
    }

    fn forget(&self, id: &TournamentId) {
        let known = self.tournaments().remove(id);
        if let Some(Ok(serving)) = known.map(|known| known.serving) {
            serving.end();
            self.report(format!("`{id}` has ended"));
        }
    }

    /// Plays a job and stores its result.
    async fn play(&self, slot: &Slot, serving: &Arc<Serving>, job: &Job) {
        let _lease = job.renew_lease(serving.lease);
        let group = match serving.matches(&job.payload) {
            Ok(group) => group,
            Err(why) => return self.reject(serving, job, why, false).await,
        };
        if let Some(pause) = group.pause_for(&serving.hash, &self.name.to_string()) {
            return job.give_back(pause).await;
        }
        let (begun, mut started) = mpsc::unbounded_channel();
        let playing = slot.play(serving, (group.matches, group.deal), begun);
        let sending = async {
            let mut first = true;
            let mut begun = started.recv().await;
            while let Some(number) = begun {
                // The result of a short match says soon enough that it has begun. But a job that comes once
                // more may be what ends workers, and the coordinator counts how often it was taken.
                if job.deliveries <= 1
                    && let Ok(next) = timeout(SHORT_MATCH, started.recv()).await
                {
                    begun = next;
                    continue;
                }
                let job = job.number;
                self.send_news(&serving.id, &WorkerNews::Begins { job, number, first })
                    .await;
                first = false;
                begun = started.recv().await;
            }
        };
        let (played, ()) = tokio::join!(playing, sending);
        self.forward_warnings(serving).await;
        match played {
            Played::Records(records) => self.store(serving, job, records).await,
            Played::Broken(broken) => self.reject(serving, job, broken.to_string(), true).await,
            Played::Abandoned => job.give_back(Duration::ZERO).await,
            Played::Unable { bot, why } => {
                self.report(format!("cannot play with `{bot}`: {why}"));
                self.send_news(&serving.id, &WorkerNews::CannotPlay { bot, why })
                    .await;
                job.give_back(FOR_OTHERS).await;
            }
        }
    }

    /// Forwards warnings about bots to the user here and to the coordinator.
    async fn forward_warnings(&self, serving: &Serving) {
        for news in serving.factory.take_news() {
            self.report(news.text.clone());
            let news = WorkerNews::Warning { what: news.text };
            self.send_news(&serving.id, &news).await;
        }
    }

    async fn store(&self, serving: &Serving, job: &Job, records: Vec<protocol::Record>) {
        let count = records.len() as u64;
        match job.finish(pack(&PlayedJob { records })).await {
            Ok(_) => {
                self.matches.fetch_add(count, Relaxed);
            }
            Err(error) => {
                let why = format!("its result cannot be sent: {error}");
                self.reject(serving, job, why, false).await;
            }
        }
    }

    /// Declares that no worker can do this job.
    async fn reject(&self, serving: &Serving, job: &Job, why: String, broken_rules: bool) {
        self.report(format!("a job of `{}` cannot be done: {why}", serving.id));
        let why = pack(&Unplayable { why, broken_rules });
        if let Err(error) = job.reject(why).await {
            self.report(format!("the coordinator cannot be notified: {error}"));
        }
    }

    /// Waits until all bots have ended, and sends what is left to be said.
    pub(super) async fn close(&self) {
        let known: Vec<Arc<Serving>> = {
            let mut tournaments = self.tournaments();
            let served = std::mem::take(&mut *tournaments).into_values();
            served.filter_map(|known| known.serving.ok()).collect()
        };
        for serving in known {
            serving.factory.all_gone().await;
        }
        self.worker.notify_all().await;
    }
}

/// Waits until the worker ends now, and a moment longer: a queue that is gone does not answer.
async fn has_left(mut leave: watch::Receiver<Leave>) {
    let is_gone = leave.wait_for(|leave| *leave == Leave::Now).await.is_err();
    if is_gone {
        return std::future::pending().await;
    }
    sleep(EXIT_DELAY).await;
}
