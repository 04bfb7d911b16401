//! The coordinator's side: publishes jobs and reads their results.

mod cursor;

use std::collections::{BTreeSet, VecDeque};
use std::future::ready;
use std::pin::Pin;
use std::time::Duration;

use async_nats::{HeaderMap, Message};
use futures_util::future::try_join_all;
use futures_util::stream;
use futures_util::{Stream, StreamExt as _};
use serde_json::{Value, json};

use crate::api::{self, Stored};
use crate::connection::{Client, Connection};
use crate::error::ClusterError;
use crate::names::{self, ALL_TOURNAMENTS, TOURNAMENTS, TournamentId, WORKERS, WorkerName};
use crate::presence::Presence;
use crate::worker::{DEAD, WORKER};

use cursor::{QueueWatch, ResultCursor};

pub use cursor::Remedy;

/// The most jobs leased at a time. The server's default is 1000.
pub const MOST_LEASED: u32 = 100_000;
/// The most workers that wait for a job at a time. The server's default is 512.
pub const MOST_WAITING: u32 = 10_000;
/// The most subjects of a stream that a server lists in one answer.
const PAGE: usize = 100_000;

/// Publishes the jobs of one tournament and reads their results.
pub struct Coordinator<C = Connection> {
    client: C,
    id: TournamentId,
    messages: Pin<Box<dyn Stream<Item = WorkerMessage> + Send + Sync>>,
    cursor: ResultCursor,
    /// Results that were read but not returned yet.
    unread: VecDeque<JobResult>,
    lease: Duration,
    watch: QueueWatch,
}

/// The outcome of publishing a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// Now.
    Queued,
    /// It waits already, or a worker holds it.
    AlreadyQueued,
}

/// The result of a job, as a worker stored it.
#[derive(Clone, Debug)]
pub struct JobResult {
    pub job: u64,
    /// The worker's name; empty if it sent none.
    pub worker: String,
    /// The result, or the reason why the job cannot be done.
    pub result: Result<Vec<u8>, Vec<u8>>,
    /// Its sequence number in the stream.
    pub sequence: u64,
}

/// A message of a worker. No stream stores it, so it may be lost.
#[derive(Clone, Debug)]
pub enum WorkerMessage {
    /// About its job; empty if the worker has stored a result.
    News {
        /// The worker's name.
        worker: String,
        about: Vec<u8>,
    },
    /// A heartbeat.
    Heartbeat(Presence),
}

impl<C: Client> Coordinator<C> {
    /// Opens a tournament's streams, which may exist already. A worker holds a job for `lease`, unless it
    /// renews it.
    ///
    /// # Errors
    /// If the server has no JetStream, refuses, or does not answer.
    pub async fn open(
        client: &C,
        id: &TournamentId,
        lease: Duration,
    ) -> Result<Self, ClusterError> {
        let jobs = id.jobs();
        open_stream(client, TOURNAMENTS, &tournaments()).await?;
        open_stream(client, &jobs, &one_for_each(&id.job("*"), "workqueue")).await?;
        open_stream(
            client,
            &id.results(),
            &one_for_each(&id.result("*"), "limits"),
        )
        .await?;
        open_queue(client, id, lease).await?;
        let heartbeat =
            |message: Message| Presence::read(&message.payload).map(WorkerMessage::Heartbeat);
        let about_jobs = client.subscribe(id.news("*")).await?.map(news);
        let heartbeats = client.subscribe(WorkerName::ALL_HEARTBEATS.to_owned());
        let heartbeats = heartbeats.await?.filter_map(move |it| ready(heartbeat(it)));
        Ok(Coordinator {
            messages: Box::pin(stream::select(about_jobs, heartbeats)),
            client: client.clone(),
            id: id.clone(),
            cursor: ResultCursor::default(),
            unread: VecDeque::new(),
            lease,
            watch: QueueWatch::default(),
        })
    }

    pub fn id(&self) -> &TournamentId {
        &self.id
    }

    /// The last announcement of this tournament.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn announced(&self) -> Result<Option<Vec<u8>>, ClusterError> {
        let found = api::first_from(&self.client, TOURNAMENTS, 1, &self.id.subject()).await?;
        Ok(found.map(|found| found.payload))
    }

    /// Announces the tournament to workers; replaces an earlier announcement.
    ///
    /// # Errors
    /// If the server does not take it.
    pub async fn announce(&self, announcement: Vec<u8>) -> Result<(), ClusterError> {
        self.store(self.id.subject(), announcement)
            .await
            .map(|_| ())
    }

    /// Puts a job into the queue, unless it is there. An existing result is not looked for.
    ///
    /// # Errors
    /// If the server does not take it.
    pub async fn publish(&self, job: u64, payload: Vec<u8>) -> Result<Published, ClusterError> {
        self.store(self.id.job(job), payload).await
    }

    async fn store(&self, subject: String, payload: Vec<u8>) -> Result<Published, ClusterError> {
        let stored = api::store(&self.client, subject, HeaderMap::new(), payload).await?;
        Ok(if stored {
            Published::Queued
        } else {
            Published::AlreadyQueued
        })
    }

    /// The jobs in the queue, waiting or leased.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn queued(&self) -> Result<BTreeSet<u64>, ClusterError> {
        let mut queued = BTreeSet::new();
        let mut offset = 0;
        loop {
            let body = json!({"subjects_filter": self.id.job("*"), "offset": offset});
            let what = format!("STREAM.INFO.{}", self.id.jobs());
            let info = api::ask(&self.client, &what, &body).await?;
            let subjects = info["state"]["subjects"].as_object();
            let subjects = subjects.into_iter().flat_map(|subjects| subjects.keys());
            let before = offset;
            for subject in subjects {
                queued.extend(names::number(subject));
                offset += 1;
            }
            if offset - before < PAGE {
                return Ok(queued);
            }
        }
    }

    /// Detects jobs that the server will never deliver, and repairs the queue. A server that was killed can
    /// forget that it removed jobs and remember that they were acknowledged (seen with 2.9). Most of those
    /// are `done` and only have to be removed. If that does not help, the consumer is recreated, and leased
    /// jobs may be delivered again.
    ///
    /// `all_idle` means that there are workers and none of them has a job. `done` are jobs in the queue that
    /// are not needed any more.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn repair_queue(
        &mut self,
        all_idle: bool,
        done: &[u64],
    ) -> Result<Remedy, ClusterError> {
        let jobs = self.id.jobs();
        let client = &self.client;
        let what = format!("CONSUMER.INFO.{jobs}.{WORKERS}");
        let owed = match api::ask(client, &what, &Value::Null).await {
            Ok(consumer) => ["num_pending", "num_ack_pending"]
                .map(|name| consumer[name].as_u64().unwrap_or(0))
                .iter()
                .sum::<u64>(),
            // Removed below, but the answer was lost.
            Err(ClusterError::Unknown) => {
                open_queue(client, &self.id, self.lease).await?;
                return Ok(Remedy::Recreate);
            }
            Err(error) => return Err(error),
        };
        let stream = api::ask(client, &format!("STREAM.INFO.{jobs}"), &Value::Null).await?;
        let there = stream["state"]["messages"].as_u64().unwrap_or(0);
        let remedy = self.watch.look(owed, there, all_idle, !done.is_empty());
        match remedy {
            Remedy::Nothing => {}
            Remedy::RemoveDone => {
                let what = format!("STREAM.PURGE.{jobs}");
                for job in done {
                    let body = json!({"filter": self.id.job(*job)});
                    unless_gone(api::ask(client, &what, &body).await)?;
                }
            }
            Remedy::Recreate => {
                let what = format!("CONSUMER.DELETE.{jobs}.{WORKERS}");
                unless_gone(api::ask(client, &what, &Value::Null).await)?;
                open_queue(client, &self.id, self.lease).await?;
            }
        }
        Ok(remedy)
    }

    /// The next stored result that was not returned yet; `None` if there is none at the moment. Results stay
    /// on the server until the tournament is closed.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn next_result(&mut self) -> Result<Option<JobResult>, ClusterError> {
        let (stream, all) = (self.id.results(), self.id.result("*"));
        while self.unread.is_empty() {
            if self.cursor.take_end() {
                return Ok(None);
            }
            let batch = self.cursor.batch();
            let asked = batch.map(|from| api::first_from(&self.client, &stream, from, &all));
            let found = try_join_all(asked).await?;
            let found = found
                .into_iter()
                .map(|found| found.map(|found| (found.sequence, found)));
            let read = self.cursor.read(found);
            self.unread.extend(read.into_iter().filter_map(result));
        }
        Ok(self.unread.pop_front())
    }

    /// The result of a job, whether it was returned before or not.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn result_of(&self, job: u64) -> Result<Option<JobResult>, ClusterError> {
        let (stream, subject) = (self.id.results(), self.id.result(job));
        let found = api::first_from(&self.client, &stream, 1, &subject).await?;
        Ok(found.and_then(result))
    }

    /// Detects that the server has lost results, as after a power failure. Then the remaining ones are
    /// returned again.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn check_results(&mut self) -> Result<(), ClusterError> {
        let what = format!("STREAM.INFO.{}", self.id.results());
        let info = api::ask(&self.client, &what, &Value::Null).await?;
        let last = info["state"]["last_seq"].as_u64().unwrap_or(0);
        self.cursor.check(last);
        Ok(())
    }

    /// Removes a useless result, so that another one can be stored for its job.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn refuse(&self, result: &JobResult) -> Result<(), ClusterError> {
        let what = format!("STREAM.MSG.DELETE.{}", self.id.results());
        let body = json!({"seq": result.sequence, "no_erase": true});
        unless_gone(api::ask(&self.client, &what, &body).await)
    }

    /// The next message of a worker. Cancel safe.
    pub async fn next_message(&mut self) -> WorkerMessage {
        match self.messages.next().await {
            Some(message) => message,
            // Subscriptions end with the client, which `self` keeps alive.
            None => std::future::pending().await,
        }
    }

    /// Removes all jobs from the queue. Workers that hold one may still store its result.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn withdraw(&self) -> Result<(), ClusterError> {
        let what = format!("STREAM.PURGE.{}", self.id.jobs());
        unless_gone(api::ask(&self.client, &what, &Value::Null).await)
    }

    /// Removes everything that the server has of a tournament.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn close(client: &C, id: &TournamentId) -> Result<(), ClusterError> {
        // The announcement first, so that workers leave.
        let what = format!("STREAM.PURGE.{TOURNAMENTS}");
        let body = json!({"filter": id.subject()});
        unless_gone(api::ask(client, &what, &body).await)?;
        for stream in [id.jobs(), id.results(), id.files()] {
            let what = format!("STREAM.DELETE.{stream}");
            unless_gone(api::ask(client, &what, &Value::Null).await)?;
        }
        Ok(())
    }
}

fn result(stored: Stored) -> Option<JobResult> {
    Some(JobResult {
        job: names::number(&stored.subject)?,
        worker: stored.header(WORKER).unwrap_or_default().to_owned(),
        sequence: stored.sequence,
        result: match stored.header(DEAD) {
            None => Ok(stored.payload),
            Some(_) => Err(stored.payload),
        },
    })
}

fn news(message: Message) -> WorkerMessage {
    let worker = message.subject.rsplit('.').next().unwrap_or_default();
    WorkerMessage::News {
        worker: worker.to_owned(),
        about: message.payload.to_vec(),
    }
}

/// Creates the consumer of jobs, unless it exists.
async fn open_queue(
    client: &impl Client,
    id: &TournamentId,
    lease: Duration,
) -> Result<(), ClusterError> {
    let jobs = id.jobs();
    let consumer = json!({"stream_name": jobs, "config": {
        "durable_name": WORKERS,
        "ack_policy": "explicit",
        "ack_wait": nanoseconds(lease),
        "deliver_policy": "all",
        "replay_policy": "instant",
        "max_deliver": -1,
        "max_ack_pending": MOST_LEASED,
        "max_waiting": MOST_WAITING,
    }});
    let what = format!("CONSUMER.DURABLE.CREATE.{jobs}.{WORKERS}");
    api::ask(client, &what, &consumer).await.map(|_| ())
}

/// Creates a stream, unless it exists.
pub(crate) async fn open_stream(
    client: &impl Client,
    name: &str,
    config: &Value,
) -> Result<(), ClusterError> {
    match api::ask(client, &format!("STREAM.INFO.{name}"), &Value::Null).await {
        Err(ClusterError::Unknown) => {
            let what = format!("STREAM.CREATE.{name}");
            let mut config = config.clone();
            config["name"] = name.into();
            config["storage"] = "file".into();
            config["num_replicas"] = 1.into();
            api::ask(client, &what, &config).await.map(|_| ())
        }
        other => other.map(|_| ()),
    }
}

/// The stream with the newest announcement of each tournament.
fn tournaments() -> Value {
    json!({
        "subjects": [ALL_TOURNAMENTS],
        "retention": "limits",
        "max_msgs_per_subject": 1,
        "discard": "old",
        "allow_direct": true,
    })
}

/// A stream that refuses a second message of a subject while it has the first.
pub(crate) fn one_for_each(subjects: &str, retention: &str) -> Value {
    json!({
        "subjects": [subjects],
        "retention": retention,
        "max_msgs_per_subject": 1,
        "discard": "new",
        "discard_new_per_subject": true,
        "allow_direct": true,
    })
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Nothing to remove is no error.
fn unless_gone(removed: Result<Value, ClusterError>) -> Result<(), ClusterError> {
    match removed {
        Ok(_) | Err(ClusterError::Unknown) => Ok(()),
        Err(error) => Err(error),
    }
}
