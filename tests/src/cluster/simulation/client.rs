//! The coordinator's connection: requests go out to the simulation, answers and messages come in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_nats::{HeaderMap, Message, RequestError, RequestErrorKind, Subject};
use cluster::{Client, ClusterError, Messages};
use futures_util::stream;
use tokio::sync::{mpsc, oneshot};

/// The largest message of a server as it is installed.
const LARGEST: usize = 1 << 20;

/// The client's end.
#[derive(Clone, Default)]
pub(super) struct SimulatedClient(Arc<Mutex<Connection>>);

/// Shared by the client and the simulation.
#[derive(Default)]
pub(super) struct Connection {
    /// Requests that are not on their way yet.
    pub(super) requests: Vec<Request>,
    /// Subjects, which end with `*`, and who gets their messages.
    pub(super) subscriptions: Vec<(String, mpsc::UnboundedSender<Message>)>,
}

pub(super) struct Request {
    pub(super) subject: String,
    pub(super) payload: Vec<u8>,
    pub(super) answer: AnswerSender,
}

/// Takes the answer to a request.
pub(super) type AnswerSender = oneshot::Sender<Result<Message, RequestError>>;

impl SimulatedClient {
    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client for SimulatedClient {
    async fn request(
        &self,
        subject: String,
        _: Option<HeaderMap>,
        payload: Vec<u8>,
    ) -> Result<Message, RequestError> {
        let (answer, answered) = oneshot::channel();
        let request = Request {
            subject,
            payload,
            answer,
        };
        self.connection().requests.push(request);
        let answered = answered.await;
        answered.unwrap_or_else(|_| Err(RequestErrorKind::TimedOut.into()))
    }

    async fn subscribe(&self, subject: String) -> Result<Messages, ClusterError> {
        let (sender, mut messages) = mpsc::unbounded_channel();
        self.connection().subscriptions.push((subject, sender));
        let messages = stream::poll_fn(move |context| messages.poll_recv(context));
        Ok(Box::pin(messages))
    }

    fn largest_message(&self) -> usize {
        LARGEST
    }
}

/// A message without headers.
pub(super) fn bare(subject: Subject, payload: Vec<u8>) -> Message {
    Message {
        subject,
        reply: None,
        payload: payload.into(),
        headers: None,
        status: None,
        description: None,
        length: 0,
    }
}
