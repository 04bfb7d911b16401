//! Requests to JetStream and its answers. They are plain messages, so this needs no more of the client
//! than those; and servers of all versions since 2.9 understand the few that are here.

use async_nats::{HeaderMap, Message, RequestErrorKind, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::error::ClusterError;

/// A stream or consumer that is not there.
const NOT_FOUND: [u64; 2] = [10059, 10014];
/// JetStream is off, for all or for this account.
const NOT_ENABLED: [u64; 2] = [10076, 10039];
/// A message that is not there.
const NO_MESSAGE: [u64; 2] = [10037, 10057];
/// The store of a stream refuses a message; the text says why.
const STORE_FAILED: u64 = 10077;
/// Why, where a subject may have one message only.
const SECOND: &str = "maximum messages per subject";
/// The lowest of the codes, as in HTTP, by which servers say that they cannot do it now.
const NOT_NOW: u64 = 503;

/// What JetStream says where it does not do what it was asked.
#[derive(Debug, Deserialize)]
struct Refusal {
    code: u64,
    #[serde(default)]
    err_code: u64,
    #[serde(default)]
    description: String,
}

/// A message in a stream.
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

/// Asks JetStream for something, by the end of the subject.
///
/// # Errors
/// [`ClusterError::Unknown`] if there is no such stream, consumer or message, or what else the server
/// says.
pub(crate) async fn ask(
    connection: &Connection,
    what: &str,
    body: &Value,
) -> Result<Value, ClusterError> {
    let subject = format!("$JS.API.{what}");
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let answer = connection.client.request(subject, body.into()).await;
    answered(&unless_silent(answer, ClusterError::NoJetStream)?)
}

/// Stores a message in the stream of its subject; false if that takes one message for each subject, and
/// has one.
///
/// # Errors
/// [`ClusterError::Unknown`] if no stream takes the subject, or what else the server says.
pub(crate) async fn store(
    connection: &Connection,
    subject: String,
    headers: HeaderMap,
    payload: Vec<u8>,
) -> Result<bool, ClusterError> {
    let (bytes, most) = (payload.len(), connection.largest_message());
    let client = &connection.client;
    let answer = client
        .request_with_headers(subject, headers, payload.into())
        .await;
    let answer = match answer {
        Err(error) if error.kind() == RequestErrorKind::MaxPayloadExceeded => {
            return Err(ClusterError::TooLarge { bytes, most });
        }
        answer => unless_silent(answer, ClusterError::Unknown)?,
    };
    match answered(&answer) {
        Ok(_) => Ok(true),
        Err(ClusterError::Refused(why)) if why.contains(SECOND) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The first message of these subjects in a stream from a sequence on; `None` if there is none.
///
/// # Errors
/// [`ClusterError::Unknown`] if there is no such stream, or what else the server says.
pub(crate) async fn first_from(
    connection: &Connection,
    stream: &str,
    sequence: u64,
    subjects: &str,
) -> Result<Option<Stored>, ClusterError> {
    let subject = format!("$JS.API.DIRECT.GET.{stream}");
    let body = json!({"seq": sequence.max(1), "next_by_subj": subjects});
    let answer = connection
        .client
        .request(subject, body.to_string().into())
        .await;
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

/// What the last message of a subject has; `None` if there is none. Other than [`first_from`] it takes no
/// right to read the rest of the stream.
///
/// # Errors
/// [`ClusterError::Unknown`] if there is no such stream, or what else the server says.
pub(crate) async fn last_of(
    connection: &Connection,
    stream: &str,
    subject: &str,
) -> Result<Option<Vec<u8>>, ClusterError> {
    let request = format!("$JS.API.DIRECT.GET.{stream}.{subject}");
    let answer = connection.client.request(request, "".into()).await;
    let answer = unless_silent(answer, ClusterError::Unknown)?;
    Ok(found(&answer)?.then(|| answer.payload.to_vec()))
}

/// Whether a message was found.
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

/// The answer, if one came; what it means if nobody takes such requests.
fn unless_silent(
    answer: Result<Message, async_nats::RequestError>,
    nobody: ClusterError,
) -> Result<Message, ClusterError> {
    answer.map_err(|error| match error.kind() {
        RequestErrorKind::NoResponders => nobody,
        _ => ClusterError::Unanswered(error.to_string()),
    })
}

/// What an answer says.
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
            ClusterError::Unanswered(refusal.description)
        }
        _ => ClusterError::Refused(refusal.description),
    })
}
