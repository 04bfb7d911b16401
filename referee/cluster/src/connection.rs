//! A connection to a NATS server, which reconnects by itself.

use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{
    ConnectErrorKind, ConnectOptions, Event, HeaderMap, Message, RequestError, ServerAddr,
};
use futures_util::Stream;
use percent_encoding::percent_decode_str;
use tokio::time::{Instant, sleep};

use crate::error::ClusterError;

/// The timeout of a request.
pub const ANSWER: Duration = Duration::from_secs(3);
/// Coordinators and workers wait this long for a server that is starting.
const STARTUP_LIMIT: Duration = Duration::from_secs(5);
/// The pause between attempts at the start.
const RETRY_PAUSE: Duration = Duration::from_millis(200);
/// The interval between pings over an idle connection; it is closed after some that are not answered.
const PING: Duration = Duration::from_secs(10);
/// The first pause before reconnecting; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest of those pauses.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The address of a server, and the credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// `nats://host:port`, or `tls://` for an encrypted connection, perhaps with
    /// `user:password@`. Several addresses of one cluster are separated by commas.
    pub address: String,
    /// The file of credentials, as `nsc` makes it.
    pub credentials: Option<PathBuf>,
}

/// The use of a connection: each role needs other permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Publishes jobs and takes results.
    Coordinator,
    /// Takes jobs and stores results.
    Worker,
    /// Reads only.
    Viewer,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Role::Coordinator => "coordinator",
            Role::Worker => "worker",
            Role::Viewer => "viewer",
        }
    }
}

/// A connection to a server.
#[derive(Clone, Debug)]
pub struct Connection {
    pub(crate) client: async_nats::Client,
}

/// Messages of a subscription.
pub type Messages = Pin<Box<dyn Stream<Item = Message> + Send + Sync>>;

/// The few things that a coordinator does with a connection, so that a simulation can take its place.
pub trait Client: Clone + Send + Sync {
    /// Sends a request, and waits for its answer, at most [`ANSWER`].
    fn request(
        &self,
        subject: String,
        headers: Option<HeaderMap>,
        payload: Vec<u8>,
    ) -> impl Future<Output = Result<Message, RequestError>> + Send;

    fn subscribe(
        &self,
        subject: String,
    ) -> impl Future<Output = Result<Messages, ClusterError>> + Send;

    /// The largest message, in bytes.
    fn largest_message(&self) -> usize;
}

impl Client for Connection {
    async fn request(
        &self,
        subject: String,
        headers: Option<HeaderMap>,
        payload: Vec<u8>,
    ) -> Result<Message, RequestError> {
        let payload = payload.into();
        match headers {
            Some(headers) => {
                let sent = self.client.request_with_headers(subject, headers, payload);
                sent.await
            }
            None => self.client.request(subject, payload).await,
        }
    }

    async fn subscribe(&self, subject: String) -> Result<Messages, ClusterError> {
        match self.client.subscribe(subject).await {
            Ok(messages) => Ok(Box::pin(messages)),
            Err(error) => Err(ClusterError::Unanswered(error.to_string())),
        }
    }

    fn largest_message(&self) -> usize {
        self.client.max_payload()
    }
}

impl Connection {
    /// Connects to a server. A connection that is lost later reconnects by itself. Coordinators and workers
    /// wait a while for a server that is not up: it may be starting, too.
    ///
    /// # Errors
    /// If there is no server, or it rejects this user.
    pub async fn open(server: &Server, role: Role) -> Result<Self, ClusterError> {
        let end = Instant::now()
            + match role {
                Role::Coordinator | Role::Worker => STARTUP_LIMIT,
                Role::Viewer => Duration::ZERO,
            };
        loop {
            match Self::open_now(server, role).await {
                Err(ClusterError::Connect { .. }) if Instant::now() < end => {
                    sleep(RETRY_PAUSE).await
                }
                done => return done,
            }
        }
    }

    async fn open_now(server: &Server, role: Role) -> Result<Self, ClusterError> {
        let addresses = server.addresses()?;
        let mut options = ConnectOptions::new()
            .name(format!("referee {}", role.name()))
            .custom_inbox_prefix(format!("_INBOX.{}", role.name()))
            .request_timeout(Some(ANSWER))
            .ping_interval(PING)
            .reconnect_delay_callback(pause)
            .event_callback(async |event| log(&event));
        if let Some(address) = addresses.iter().find(|address| address.has_user_pass()) {
            // Characters such as `@` are percent-encoded in an address.
            let decoded = |text: Option<&str>| {
                let text = percent_decode_str(text.unwrap_or_default());
                text.decode_utf8_lossy().into_owned()
            };
            let (user, password) = (decoded(address.username()), decoded(address.password()));
            options = options.user_and_password(user, password);
        }
        if let Some(path) = &server.credentials {
            let read = options.credentials_file(path).await;
            options = read.map_err(|error| ClusterError::Credentials {
                path: path.display().to_string(),
                reason: error.to_string(),
            })?;
        }
        let client = options.connect(addresses).await;
        let client = client.map_err(|error| match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                ClusterError::Denied(server.shown())
            }
            _ => ClusterError::Connect {
                server: server.shown(),
                reason: in_one_line(&error.to_string()),
            },
        })?;
        Ok(Connection { client })
    }

    /// True while connected.
    pub fn is_up(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Waits until all messages have reached the server, at most [`ANSWER`].
    pub async fn flush(&self) {
        let _ = tokio::time::timeout(ANSWER, self.client.flush()).await;
    }
}

impl Server {
    fn addresses(&self) -> Result<Vec<ServerAddr>, ClusterError> {
        let wrong = || ClusterError::Address(self.shown());
        let parts = self.address.split(',').map(str::trim);
        let addresses = parts.map(|part| {
            let rest = part.strip_prefix("nats://");
            let rest = rest.or_else(|| part.strip_prefix("tls://"));
            let address: ServerAddr = part.parse().map_err(|_| wrong())?;
            // Some versions of the client take an address without a host.
            let has_host = rest.is_some_and(|rest| !rest.is_empty());
            if has_host { Ok(address) } else { Err(wrong()) }
        });
        addresses.collect()
    }

    /// The address without user and password.
    pub fn shown(&self) -> String {
        let parts = self
            .address
            .split(',')
            .map(|part| match part.rsplit_once('@') {
                Some((before, host)) => {
                    let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
                    format!("{scheme}://{host}")
                }
                None => part.to_owned(),
            });
        parts.collect::<Vec<_>>().join(",")
    }
}

/// The pause before reconnecting. Many workers lose their connections at the same moment, so the pauses
/// differ.
fn pause(attempts: usize) -> Duration {
    let doubled = FIRST_PAUSE * (1 << attempts.min(10));
    let spread = u32::from(std::process::id() as u8);
    doubled.min(LONGEST_PAUSE) + FIRST_PAUSE * spread / 256
}

/// Logs what users of this crate cannot see otherwise, such as missing permissions.
fn log(event: &Event) {
    match event {
        Event::ServerError(error) => tracing::warn!("the NATS server says: {error}"),
        other => tracing::info!("NATS: {other}"),
    }
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(address: &str) -> Server {
        Server {
            address: address.to_owned(),
            credentials: None,
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        for (address, shown) in [
            ("nats://host:4222", "nats://host:4222"),
            ("tls://me:se@cret@host", "tls://host"),
            ("nats://u:p@a,nats://u:p@b:1", "nats://a,nats://b:1"),
            ("u:p@host", "://host"),
        ] {
            assert_eq!(server(address).shown(), shown);
        }
    }

    #[test]
    fn addresses_say_how_to_connect() {
        for good in ["nats://host", "tls://u:p@host:4222", "nats://a, nats://b"] {
            assert!(server(good).addresses().is_ok(), "{good}");
        }
        for bad in [
            "",
            "host",
            "http://host",
            "ws://host",
            "nats://",
            "nats://a,b",
        ] {
            let error = server(bad).addresses().unwrap_err();
            assert!(matches!(error, ClusterError::Address(_)), "{bad}");
        }
    }

    #[test]
    fn pauses_grow_up_to_a_limit() {
        assert!(pause(0) < Duration::from_millis(101));
        assert!(pause(1000) < Duration::from_millis(2051));
    }
}
