//! Requests to JetStream and its answers, as plain messages. All servers since 2.9 understand the few that
//! are used here.

use async_nats::{HeaderMap, Message, RequestErrorKind, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::connection::Client;
use crate::error::ClusterError;

/// Error codes: no such stream or consumer.
const NOT_FOUND: [u64; 2] = [10059, 10014];
/// Error codes: JetStream is off, for all or for this account.
const NOT_ENABLED: [u64; 2] = [10076, 10039];
/// Error codes: no such message.
const NO_MESSAGE: [u64; 2] = [10037, 10057];
/// Error code: the stream refuses a message; the description has the reason.
const STORE_FAILED: u64 = 10077;
/// The reason if the subject already has its only message.
const SECOND: &str = "maximum messages per subject";
/// The reason if the server's disk or quota is full.
const FULL: &str = "insufficient resources";
/// The lowest HTTP status of passing errors.
const NOT_NOW: u64 = 503;

/// An error of JetStream.
#[derive(Debug, Deserialize)]
struct Refusal {
    code: u64,
    #[serde(default)]
    err_code: u64,
    #[serde(default)]
    description: String,
}

/// A stored message.
pub(crate) struct Stored {
    pub(crate) subject: String,
    pub(crate) sequence: u64,
    pub(crate) payload: Vec<u8>,
    headers: HeaderMap,
}

impl Stored {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.as_str())
    }
}

/// Sends a request to JetStream; `what` is the end of its subject.
///
/// # Errors
/// [`ClusterError::Unknown`] if there is no such stream, consumer or message, or any other error of the
/// server.
pub(crate) async fn ask(
    client: &impl Client,
    what: &str,
    body: &Value,
) -> Result<Value, ClusterError> {
    let subject = format!("$JS.API.{what}");
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let answer = client.request(subject, None, body.into()).await;
    answered(&unless_silent(answer, ClusterError::NoJetStream)?)
}

/// Stores a message in the stream of its subject; false if the stream already has the only message of
/// this subject.
///
/// # Errors
/// [`ClusterError::Unknown`] if no stream has the subject, or any other error of the server.
pub(crate) async fn store(
    client: &impl Client,
    subject: String,
    headers: HeaderMap,
    payload: Vec<u8>,
) -> Result<bool, ClusterError> {
    let (bytes, most) = (payload.len(), client.largest_message());
    let answer = client.request(subject, Some(headers), payload).await;
    let answer = match answer {
        Err(error) if error.kind() == RequestErrorKind::MaxPayloadExceeded => {
            return Err(ClusterError::TooLarge { bytes, most });
        }
        answer => unless_silent(answer, ClusterError::Unknown)?,
    };
    match answered(&answer) {
        Ok(_) => Ok(true),
        Err(ClusterError::Occupied) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The first message of these subjects in a stream, from a sequence number on.
///
/// # Errors
/// [`ClusterError::Unknown`] if there is no such stream, or any other error of the server.
pub(crate) async fn first_from(
    client: &impl Client,
    stream: &str,
    sequence: u64,
    subjects: &str,
) -> Result<Option<Stored>, ClusterError> {
    let subject = format!("$JS.API.DIRECT.GET.{stream}");
    let body = json!({"seq": sequence.max(1), "next_by_subj": subjects});
    let answer = client.request(subject, None, body.to_string().into()).await;
    let answer = unless_silent(answer, ClusterError::Unknown)?;
    if !found(&answer)? {
        return Ok(None);
    }
    let headers = answer.headers.unwrap_or_default();
    let header = |name: &str| headers.get(name).map(|value| value.as_str().to_owned());
    let (subject, sequence) = (header("Nats-Subject"), header("Nats-Sequence"));
    let sequence = sequence.and_then(|sequence| sequence.parse().ok());
    let (Some(subject), Some(sequence)) = (subject, sequence) else {
        let why = "a stored message comes without its place";
        return Err(ClusterError::Refused(why.to_owned()));
    };
    Ok(Some(Stored {
        subject,
        sequence,
        payload: answer.payload.to_vec(),
        headers,
    }))
}

/// The payload of the last message of a subject. Unlike [`first_from`], it needs no permission to read the
/// rest of the stream.
///
/// # Errors
/// [`ClusterError::Unknown`] if there is no such stream, or any other error of the server.
pub(crate) async fn last_of(
    client: &impl Client,
    stream: &str,
    subject: &str,
) -> Result<Option<Vec<u8>>, ClusterError> {
    let request = format!("$JS.API.DIRECT.GET.{stream}.{subject}");
    let answer = client.request(request, None, Vec::new()).await;
    let answer = unless_silent(answer, ClusterError::Unknown)?;
    Ok(found(&answer)?.then(|| answer.payload.to_vec()))
}

/// True if a message was found.
fn found(answer: &Message) -> Result<bool, ClusterError> {
    match answer.status {
        None => Ok(true),
        Some(StatusCode::NOT_FOUND) => Ok(false),
        Some(status) => {
            let why = answer.description.as_deref().unwrap_or_default();
            Err(ClusterError::Refused(format!("{status} {why}")))
        }
    }
}

/// The answer; `nobody` is the error if no one serves such requests.
fn unless_silent(
    answer: Result<Message, async_nats::RequestError>,
    nobody: ClusterError,
) -> Result<Message, ClusterError> {
    answer.map_err(|error| match error.kind() {
        RequestErrorKind::NoResponders => nobody,
        _ => ClusterError::Unanswered(error.to_string()),
    })
}

/// The content of an answer.
fn answered(answer: &Message) -> Result<Value, ClusterError> {
    let unreadable = |error| ClusterError::Refused(format!("an answer that is no JSON: {error}"));
    let mut value: Value = serde_json::from_slice(&answer.payload).map_err(unreadable)?;
    let Some(refusal) = value.get_mut("error").map(Value::take) else {
        return Ok(value);
    };
    let refusal: Refusal = serde_json::from_value(refusal).map_err(unreadable)?;
    Err(match refusal.err_code {
        code if NOT_FOUND.contains(&code) || NO_MESSAGE.contains(&code) => ClusterError::Unknown,
        code if NOT_ENABLED.contains(&code) => ClusterError::NoJetStream,
        code if code != STORE_FAILED && refusal.code >= NOT_NOW => {
            if refusal.description.contains(FULL) {
                ClusterError::Full(refusal.description)
            } else {
                ClusterError::Unanswered(refusal.description)
            }
        }
        _ if refusal.description.contains(SECOND) => ClusterError::Occupied,
        _ => ClusterError::Refused(refusal.description),
    })
}
