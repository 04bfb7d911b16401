//! The worker's side: takes one job at a time and stores its result.

mod handover;
mod lease;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::client::Request;
use async_nats::{HeaderMap, Message, RequestErrorKind, StatusCode, Subject, Subscriber};
use futures_util::StreamExt as _;
use serde_json::json;
use tokio::time::sleep;

use crate::api::{self, Stored};
use crate::connection::{ANSWER, Connection};
use crate::error::ClusterError;
use crate::names::{self, ALL_TOURNAMENTS, TOURNAMENTS, TournamentId, WORKERS, WorkerName};
use crate::presence::Presence;

pub use handover::{Finished, Handover, Step};
pub use lease::{LeaseRenewal, renewal};

/// The header that names the worker.
pub(crate) const WORKER: &str = "Referee-Worker";
/// The header of a rejected job's result, which is the reason.
pub(crate) const DEAD: &str = "Referee-Dead";
/// Attempts to return a job. If all fail, its lease expires.
const RETURNS: u32 = 3;
/// The coordinator is notified once of all results that are stored within this time.
const TOGETHER: Duration = Duration::from_millis(5);

/// Takes jobs of any tournament.
#[derive(Clone, Debug)]
pub struct Worker {
    connection: Connection,
    name: WorkerName,
    /// The tournaments whose coordinator is about to be notified of results.
    to_notify: Arc<Mutex<BTreeSet<TournamentId>>>,
}

/// The announcement of a tournament that needs workers.
#[derive(Clone, Debug)]
pub struct Announcement {
    /// The tournament.
    pub id: TournamentId,
    /// The coordinator's message.
    pub payload: Vec<u8>,
    /// Its sequence number among all announcements; a newer one of the same tournament has a higher number.
    pub sequence: u64,
}

/// A subscription that wakes readers of announcements, without their content. Some wake-ups may be lost
/// while the server does not answer.
#[derive(Debug)]
pub struct Announcements(Subscriber);

impl Announcements {
    /// Waits for the next announcement.
    pub async fn next(&mut self) {
        if self.0.next().await.is_none() {
            // The connection is closed.
            std::future::pending().await
        }
    }
}

/// The answer to a request for a job.
#[derive(Debug)]
pub enum Delivered {
    Job(Box<Job>),
    /// No job at the moment.
    None,
    /// The tournament is over.
    TournamentOver,
}

/// A job that belongs to this worker until its lease expires.
#[derive(Debug)]
pub struct Job {
    pub number: u64,
    /// The coordinator's message.
    pub payload: Vec<u8>,
    /// Number of deliveries to workers, including this one.
    pub deliveries: u64,
    tournament: TournamentId,
    worker: Worker,
    /// The subject for acknowledgements.
    acknowledge: Subject,
}

impl Worker {
    pub fn new(connection: &Connection, name: &WorkerName) -> Self {
        Worker {
            connection: connection.clone(),
            name: name.clone(),
            to_notify: Arc::default(),
        }
    }

    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Subscribes to announcements.
    ///
    /// # Errors
    /// If the connection is closed.
    pub async fn subscribe(&self) -> Result<Announcements, ClusterError> {
        let subscribed = self.connection.client.subscribe(ALL_TOURNAMENTS).await;
        subscribed
            .map(Announcements)
            .map_err(|error| ClusterError::Unanswered(error.to_string()))
    }

    /// The first announcement after this sequence number; 0 for the first of all.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn announcement_after(
        &self,
        sequence: u64,
    ) -> Result<Option<Announcement>, ClusterError> {
        self.announced(sequence + 1, ALL_TOURNAMENTS).await
    }

    /// The announcement of a tournament; `None` if it is over.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn announcement(
        &self,
        tournament: &TournamentId,
    ) -> Result<Option<Announcement>, ClusterError> {
        self.announced(1, &tournament.subject()).await
    }

    async fn announced(
        &self,
        from: u64,
        subjects: &str,
    ) -> Result<Option<Announcement>, ClusterError> {
        let mut from = from;
        loop {
            let found = api::first_from(&self.connection, TOURNAMENTS, from, subjects).await;
            match found {
                Ok(None) | Err(ClusterError::Unknown) => return Ok(None),
                Err(error) => return Err(error),
                Ok(Some(found)) => {
                    from = found.sequence + 1;
                    // Messages without a valid name must not hide later ones.
                    if let Some(announcement) = announcement(found) {
                        return Ok(Some(announcement));
                    }
                }
            }
        }
    }

    /// Requests a job of a tournament and waits for one. Not cancel safe: a job that is on its way is then
    /// lost until its lease expires.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn take(
        &self,
        tournament: &TournamentId,
        wait: Duration,
    ) -> Result<Delivered, ClusterError> {
        let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{}.{WORKERS}", tournament.jobs());
        let body = if wait.is_zero() {
            json!({"batch": 1, "no_wait": true})
        } else {
            json!({"batch": 1, "expires": u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX)})
        };
        // Jobs arrive under their own subjects, so the shared inbox of requests could not assign them.
        let client = &self.connection.client;
        let request = Request::new()
            .payload(body.to_string().into())
            .inbox(client.new_inbox())
            .timeout(Some(wait + ANSWER));
        let message = match client.send_request(subject, request).await {
            Ok(message) => message,
            // Without a queue nobody answers: it is gone, or is just being recreated.
            Err(error) => return self.over_or(tournament, error.to_string()).await,
        };
        match message.status {
            None => self.job(tournament, message),
            Some(StatusCode::NOT_FOUND | StatusCode::TIMEOUT) => Ok(Delivered::None),
            Some(status) => {
                let why = message.description.unwrap_or_default();
                self.over_or(tournament, format!("{status} {why}")).await
            }
        }
    }

    /// Interprets a missing answer: the tournament is over if it is no longer announced.
    async fn over_or(
        &self,
        tournament: &TournamentId,
        why: String,
    ) -> Result<Delivered, ClusterError> {
        match self.announcement(tournament).await? {
            None => Ok(Delivered::TournamentOver),
            Some(_) => Err(ClusterError::Unanswered(why)),
        }
    }

    fn job(&self, tournament: &TournamentId, message: Message) -> Result<Delivered, ClusterError> {
        let number = names::number(&message.subject);
        let acknowledge = message.reply;
        let (Some(number), Some(acknowledge)) = (number, acknowledge) else {
            let why = format!("`{}` is not a job", message.subject);
            return Err(ClusterError::Refused(why));
        };
        Ok(Delivered::Job(Box::new(Job {
            number,
            payload: message.payload.to_vec(),
            deliveries: deliveries(&acknowledge),
            tournament: tournament.clone(),
            worker: self.clone(),
            acknowledge,
        })))
    }

    /// Sends news to a tournament's coordinator. They may be lost.
    pub async fn send_news(&self, tournament: &TournamentId, about: Vec<u8>) {
        let subject = tournament.news(&self.name);
        if let Err(error) = self.connection.client.publish(subject, about.into()).await {
            tracing::info!("news were not sent to the coordinator: {error}");
        }
    }

    /// Notifies a tournament's coordinator of new results, in a moment: once for all that are stored by then.
    fn notify(&self, tournament: &TournamentId) {
        if !self.to_notify().insert(tournament.clone()) {
            return;
        }
        let (worker, tournament) = (self.clone(), tournament.clone());
        tokio::spawn(async move {
            sleep(TOGETHER).await;
            worker.to_notify().remove(&tournament);
            worker.send_news(&tournament, Vec::new()).await;
        });
    }

    /// Notifies all coordinators at once that would be notified in a moment.
    pub async fn notify_all(&self) {
        let all = std::mem::take(&mut *self.to_notify());
        for tournament in all {
            self.send_news(&tournament, Vec::new()).await;
        }
    }

    fn to_notify(&self) -> MutexGuard<'_, BTreeSet<TournamentId>> {
        self.to_notify
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a heartbeat.
    pub async fn send_heartbeat(&self, presence: &Presence) {
        let Ok(bytes) = serde_json::to_vec(presence) else {
            return;
        };
        let subject = self.name.heartbeats();
        if let Err(error) = self.connection.client.publish(subject, bytes.into()).await {
            tracing::info!("no heartbeat was sent: {error}");
        }
    }
}

impl Job {
    /// Stores the result, with retries, then acknowledges the job.
    ///
    /// # Errors
    /// If a retry cannot help.
    pub async fn finish(&self, result: Vec<u8>) -> Result<Finished, ClusterError> {
        self.hand_over(result, false, "+ACK").await
    }

    /// Declares that no worker can do this job: the reason becomes its result, and it is not delivered again.
    ///
    /// # Errors
    /// If a retry cannot help.
    pub async fn reject(&self, why: Vec<u8>) -> Result<Finished, ClusterError> {
        self.hand_over(why, true, "+TERM").await
    }

    /// Returns the job to the queue. It is delivered again after a pause.
    pub async fn give_back(&self, pause: Duration) {
        let pause = json!({"delay": u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX)});
        let how = format!("-NAK {pause}");
        for _ in 0..RETURNS {
            if self.acknowledge(&how).await {
                return;
            }
        }
    }

    async fn hand_over(
        &self,
        result: Vec<u8>,
        is_dead: bool,
        how: &str,
    ) -> Result<Finished, ClusterError> {
        let mut handover = Handover::new();
        let mut step = Step::Store;
        loop {
            step = match step {
                Step::Store => handover.stored(self.store(result.clone(), is_dead).await)?,
                Step::StoreAfter(pause) => {
                    sleep(pause).await;
                    Step::Store
                }
                Step::Notify => {
                    self.worker.notify(&self.tournament);
                    handover.notified()
                }
                Step::Acknowledge => handover.acknowledged(self.acknowledge(how).await),
                Step::Done(finished) => return Ok(finished),
            };
        }
    }

    /// Stores the result; false if the server already has one.
    async fn store(&self, result: Vec<u8>, is_dead: bool) -> Result<bool, ClusterError> {
        let connection = &self.worker.connection;
        let mut headers = HeaderMap::new();
        headers.insert(WORKER, self.worker.name.to_string());
        if is_dead {
            headers.insert(DEAD, "1");
        }
        let subject = self.tournament.result(self.number);
        api::store(connection, subject, headers, result).await
    }

    /// Acknowledges the job. True if the server confirmed it, or if the queue is gone.
    async fn acknowledge(&self, how: &str) -> bool {
        let client = &self.worker.connection.client;
        let sent = client.request(self.acknowledge.clone(), how.to_owned().into());
        match sent.await {
            Ok(_) => true,
            Err(error) if error.kind() == RequestErrorKind::NoResponders => true,
            Err(error) => {
                tracing::info!("a job was not acknowledged: {error}");
                false
            }
        }
    }
}

fn announcement(stored: Stored) -> Option<Announcement> {
    Some(Announcement {
        id: TournamentId::of_subject(&stored.subject)?,
        payload: stored.payload,
        sequence: stored.sequence,
    })
}

/// Delivery count of a job, from its acknowledgement subject:
/// `$JS.ACK.STREAM.CONSUMER.DELIVERED.…`, or with two more words before the stream.
fn deliveries(acknowledge: &str) -> u64 {
    let words: Vec<&str> = acknowledge.split('.').collect();
    let place = if words.len() > 9 { 6 } else { 4 };
    let delivered = words.get(place).and_then(|word| word.parse().ok());
    delivered.unwrap_or(1)
}
