//! The side that does the work: it takes one job at a time and brings its result.

use std::time::Duration;

use async_nats::client::Request;
use async_nats::{HeaderMap, Message, RequestErrorKind, StatusCode, Subject, Subscriber};
use futures_util::StreamExt as _;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};

use crate::api::{self, Stored};
use crate::connection::{ANSWER, Connection};
use crate::error::ClusterError;
use crate::handover::{Finished, Handover, Step};
use crate::names::{self, ALL_TOURNAMENTS, TOURNAMENTS, TournamentId, WORKERS, WorkerName};
use crate::presence::Presence;

/// The header that names the worker.
pub(crate) const WORKER: &str = "Referee-Worker";
/// The header of a result that says why there is none.
pub(crate) const DEAD: &str = "Referee-Dead";
/// How often a job is given back to a server that does not answer; later its lease ends.
const RETURNS: u32 = 3;

/// Takes jobs, of any tournament.
#[derive(Clone, Debug)]
pub struct Worker {
    connection: Connection,
    name: WorkerName,
}

/// A tournament that wants workers.
#[derive(Clone, Debug)]
pub struct Announcement {
    /// Its id.
    pub id: TournamentId,
    /// What the coordinator says about it.
    pub payload: Vec<u8>,
    /// Its place among all announcements; a newer one of the same tournament has a higher one.
    pub sequence: u64,
}

/// Hears when a tournament is announced, without what is announced: it is for whoever reads
/// announcements to come at once. Some may be missed while the server does not answer.
#[derive(Debug)]
pub struct Announcing(Subscriber);

impl Announcing {
    /// Waits for the next one.
    pub async fn next(&mut self) {
        if self.0.next().await.is_none() {
            // The connection is closed.
            std::future::pending().await
        }
    }
}

/// What came of asking for a job.
#[derive(Debug)]
pub enum Delivered {
    /// A job.
    Job(Box<Job>),
    /// There is none at the moment.
    None,
    /// The tournament has ended.
    Over,
}

/// A job that is this worker's until its lease ends.
#[derive(Debug)]
pub struct Job {
    /// Its number.
    pub number: u64,
    /// What is to be done.
    pub payload: Vec<u8>,
    /// How often it was given to workers, this time included.
    pub deliveries: u64,
    tournament: TournamentId,
    worker: Worker,
    /// Where acknowledgements go.
    acknowledge: Subject,
}

/// Renews a lease until it is dropped.
#[derive(Debug)]
pub struct KeptLease(JoinHandle<()>);

impl Drop for KeptLease {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// How often a worker says that it is still at it, the first time at once.
pub fn renewal(lease: Duration) -> Duration {
    lease / 3
}

impl Worker {
    /// A worker of this name.
    pub fn new(connection: &Connection, name: &WorkerName) -> Self {
        Worker {
            connection: connection.clone(),
            name: name.clone(),
        }
    }

    /// The connection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Listens for announcements.
    ///
    /// # Errors
    /// If the connection is closed.
    pub async fn announcing(&self) -> Result<Announcing, ClusterError> {
        let subscribed = self.connection.client.subscribe(ALL_TOURNAMENTS).await;
        subscribed
            .map(Announcing)
            .map_err(|error| ClusterError::Unanswered(error.to_string()))
    }

    /// The first announcement after the one with this sequence; 0 for the first of all.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn announcement_after(
        &self,
        sequence: u64,
    ) -> Result<Option<Announcement>, ClusterError> {
        self.announced(sequence + 1, ALL_TOURNAMENTS).await
    }

    /// What is announced of one tournament; `None` if it has ended.
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
                    // What is announced under no name must not hide what comes after it.
                    if let Some(announcement) = announcement(found) {
                        return Ok(Some(announcement));
                    }
                }
            }
        }
    }

    /// Asks for a job of a tournament, and waits so long for one. Do not drop the future before it is
    /// done: a job that is on its way then waits until its lease ends.
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
        // Jobs come under their own subject, so the inbox that all requests share would not know whose
        // answer they are.
        let client = &self.connection.client;
        let request = Request::new()
            .payload(body.to_string().into())
            .inbox(client.new_inbox())
            .timeout(Some(wait + ANSWER));
        let message = match client.send_request(subject, request).await {
            Ok(message) => message,
            // Nobody answers where there is no such queue: there is none any more, or it is just being
            // begun anew.
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

    /// What it means that there is no answer, or none of a queue: that the tournament has ended, if it is
    /// not announced any more.
    async fn over_or(
        &self,
        tournament: &TournamentId,
        why: String,
    ) -> Result<Delivered, ClusterError> {
        match self.announcement(tournament).await? {
            None => Ok(Delivered::Over),
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

    /// Tells a tournament's coordinator something, which may get lost.
    pub async fn tell(&self, tournament: &TournamentId, about: Vec<u8>) {
        let subject = tournament.news(&self.name);
        if let Err(error) = self.connection.client.publish(subject, about.into()).await {
            tracing::info!("the coordinator was not told: {error}");
        }
    }

    /// Tells who wants to know that this worker is there.
    pub async fn beat(&self, presence: &Presence) {
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
    /// Keeps the job this worker's, by a sign of life every third of the lease, until what it returns is
    /// dropped.
    #[must_use = "the lease is kept only as long as this lives"]
    pub fn keep(&self, lease: Duration) -> KeptLease {
        let client = self.worker.connection.client.clone();
        let acknowledge = self.acknowledge.clone();
        // The server counts from when it gave the job.
        let mut ticks = interval_at(Instant::now() + renewal(lease), renewal(lease));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        KeptLease(tokio::spawn(async move {
            loop {
                ticks.tick().await;
                if let Err(error) = client.publish(acknowledge.clone(), "+WPI".into()).await {
                    tracing::info!("a lease was not renewed: {error}");
                }
            }
        }))
    }

    /// Stores the result, as often as it takes, and then acknowledges the job.
    ///
    /// # Errors
    /// If the server will never take the result.
    pub async fn finish(&self, result: Vec<u8>) -> Result<Finished, ClusterError> {
        self.hand_over(result, false, "+ACK").await
    }

    /// Says that nobody can do this job: the reason becomes its result, and no worker gets it any more.
    ///
    /// # Errors
    /// If the server will never take the reason.
    pub async fn bury(&self, why: Vec<u8>) -> Result<Finished, ClusterError> {
        self.hand_over(why, true, "+TERM").await
    }

    /// Gives the job back, for others, who get it after a pause.
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
                Step::Tell => {
                    self.worker.tell(&self.tournament, Vec::new()).await;
                    handover.told()
                }
                Step::Acknowledge => handover.acknowledged(self.acknowledge(how).await),
                Step::Done(finished) => return Ok(finished),
            };
        }
    }

    /// Offers the result once; false if the server has one already.
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

    /// Acknowledges the job, and waits until the server has noted that; true if it has, or if the queue is
    /// gone.
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

/// How often a job was delivered, by where its acknowledgements go:
/// `$JS.ACK.STREAM.CONSUMER.DELIVERED.…`, or with two more words before the stream.
fn deliveries(acknowledge: &str) -> u64 {
    let words: Vec<&str> = acknowledge.split('.').collect();
    let place = if words.len() > 9 { 6 } else { 4 };
    let delivered = words.get(place).and_then(|word| word.parse().ok());
    delivered.unwrap_or(1)
}
