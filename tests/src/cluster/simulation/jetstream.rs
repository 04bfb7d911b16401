//! The server's answers to a coordinator, as JetStream words them.

use async_nats::{HeaderMap, Message, StatusCode, Subject};
use serde_json::{Value, json};

use super::client::bare;
use super::parts::{Reply, Simulation};
use super::server::{Content, StoredResult};
use super::traffic::{Kind, message};

/// The subject of an answer, as the client makes them.
pub(super) const INBOX: &str = "_INBOX.coordinator.8CjBWuzDHPuB0RmCtqOHnI.8CjBWuzDHPuB0RmCtqOIxA";
/// What the server says of a stream or a consumer besides, in bytes: a round figure.
const REST: u64 = 1000;
/// The error codes of JetStream.
const NO_CONSUMER: u64 = 10014;
const STORE_FAILED: u64 = 10077;

impl Simulation {
    /// Serves a request of the coordinator.
    pub(super) fn serve(&mut self, subject: &str, payload: &[u8]) -> Message {
        let (kind, answer) = if let Some(job) = subject.strip_prefix(&self.samples.id.job("")) {
            let job = job.parse().expect("the number of a job");
            (Kind::Publish, self.publish(job, payload))
        } else if let Some(request) = subject.strip_prefix("$JS.API.") {
            let body = match payload {
                [] => Value::Null,
                _ => serde_json::from_slice(payload).expect("a request in JSON"),
            };
            match request.strip_prefix("DIRECT.GET.") {
                Some(stream) => (Kind::Fetch, self.stored(stream, &body)),
                None => (Kind::Housekeeping, text(self.manage(request, &body))),
            }
        } else {
            self.announce(payload);
            (Kind::Housekeeping, text(json!({"seq": 1})))
        };
        let rest = if kind == Kind::Housekeeping { REST } else { 0 };
        let request = message(subject.len(), INBOX.len(), 0, payload.len());
        let headers = answer.headers.as_ref().map_or(0, length);
        let bytes = message(INBOX.len(), 0, headers, answer.payload.len()) + rest;
        self.traffic.add(kind, request);
        self.traffic.add(kind, bytes);
        answer
    }

    fn announce(&mut self, payload: &[u8]) {
        self.server.announced = Some(payload.to_vec());
        self.coordinator.is_announced(self.agenda.now);
    }

    fn publish(&mut self, job: u64, payload: &[u8]) -> Message {
        if !self.server.publish(job, payload) {
            let why = "maximum messages per subject exceeded";
            let error = json!({"code": 503, "err_code": STORE_FAILED, "description": why});
            return text(json!({ "error": error }));
        }
        self.deliver();
        text(json!({"stream": self.samples.id.jobs(), "seq": 100_000}))
    }

    /// A message of a stream.
    fn stored(&mut self, stream: &str, body: &Value) -> Message {
        let from = body["seq"].as_u64().expect("a sequence number");
        let subject = body["next_by_subj"].as_str().expect("a subject");
        let found = if stream != self.samples.id.results() {
            let announced = self.server.announced.clone();
            announced.map(|payload| (1, subject.to_owned(), HeaderMap::new(), payload))
        } else {
            let found = match subject.rsplit('.').next().and_then(|job| job.parse().ok()) {
                Some(job) => self.server.result_of(job),
                None => self.server.result_from(from),
            };
            self.coordinator.read += u64::from(found.is_some());
            found.map(|(sequence, result)| self.result(sequence, &result))
        };
        let Some((sequence, subject, mut headers, payload)) = found else {
            return Message {
                status: Some(StatusCode::NOT_FOUND),
                ..text(Value::Null)
            };
        };
        headers.insert("Nats-Stream", stream);
        headers.insert("Nats-Subject", subject);
        headers.insert("Nats-Sequence", sequence.to_string());
        headers.insert("Nats-Time-Stamp", "2026-01-01T00:00:00.000000000Z");
        Message {
            headers: Some(headers),
            payload: payload.into(),
            ..text(Value::Null)
        }
    }

    fn result(&self, sequence: u64, found: &StoredResult) -> (u64, String, HeaderMap, Vec<u8>) {
        let mut headers = HeaderMap::new();
        headers.insert("Referee-Worker", &*found.worker);
        let payload = self.samples.result(found.job);
        let payload = match found.content {
            Content::Right => payload.to_vec(),
            Content::Wrong => payload.iter().map(|byte| !byte).collect(),
            Content::Dead => {
                headers.insert("Referee-Dead", "1");
                self.samples.dead.clone()
            }
        };
        let subject = self.samples.id.result(found.job);
        (sequence, subject, headers, payload)
    }

    /// Everything about streams and consumers.
    fn manage(&mut self, request: &str, body: &Value) -> Value {
        let words: Vec<&str> = request.split('.').collect();
        let (jobs, server) = (self.samples.id.jobs(), &mut self.server);
        match words[..] {
            ["STREAM", "INFO", stream] if stream == jobs && !body.is_null() => {
                let offset = body["offset"].as_u64().unwrap_or(0) as usize;
                let subjects = server.queued().skip(offset);
                let subjects = subjects.map(|job| (self.samples.id.job(job), json!(1)));
                return json!({"state": {"subjects": Value::Object(subjects.collect())}});
            }
            ["STREAM", "INFO", stream] if stream == jobs => {
                return json!({"state": {"messages": server.counts().1}});
            }
            ["STREAM", "INFO", _] => return json!({"state": {"last_seq": server.last_result}}),
            ["STREAM", "PURGE", stream] if stream == jobs => match body["filter"].as_str() {
                None => server.purge(),
                Some(subject) => {
                    let job = subject.rsplit('.').next().and_then(|job| job.parse().ok());
                    server.remove(job.expect("a job"));
                    self.failed.cleared += 1;
                }
            },
            ["STREAM", "PURGE", _] => server.announced = None,
            ["STREAM", "MSG", "DELETE", _] => {
                server.refuse(body["seq"].as_u64().expect("a sequence number"));
            }
            ["STREAM", "DELETE", stream] if stream == jobs => {
                server.close();
                self.end_pulls(|| Reply::Gone);
            }
            ["STREAM", "DELETE", _] => {}
            ["CONSUMER", "INFO", ..] if !server.has_queue => {
                let error = json!({"code": 404, "err_code": NO_CONSUMER});
                return json!({ "error": error });
            }
            ["CONSUMER", "INFO", ..] => {
                return json!({"num_pending": server.counts().0, "num_ack_pending": 0});
            }
            ["CONSUMER", "DELETE", ..] => {
                self.failed.mended += 1;
                server.remove_queue();
                self.end_pulls(|| Reply::Silence);
            }
            ["CONSUMER", "DURABLE", "CREATE", ..] => {
                server.create_queue();
                self.deliver();
            }
            _ => panic!("the simulated server does not know `{request}`"),
        }
        json!({"success": true})
    }

    /// The queue is gone, and who waits for a job learns it.
    fn end_pulls(&mut self, reply: fn() -> Reply) {
        for pull in self.server.take_pulls() {
            self.answer(pull, reply());
        }
    }
}

/// An answer without headers.
fn text(content: Value) -> Message {
    let payload = match content {
        Value::Null => String::new(),
        content => content.to_string(),
    };
    bare(Subject::from_static("_INBOX"), payload.into_bytes())
}

/// The bytes of headers in a message.
fn length(headers: &HeaderMap) -> usize {
    let lines = headers.iter().flat_map(|(name, values)| {
        let name: &str = name.as_ref();
        values
            .iter()
            .map(move |value| name.len() + value.as_str().len() + ": \r\n".len())
    });
    "NATS/1.0\r\n\r\n".len() + lines.sum::<usize>()
}
