//! A connection to a server: it comes back by itself when it is lost.

use std::path::PathBuf;
use std::time::Duration;

use async_nats::client::Client;
use async_nats::connection::State;
use async_nats::{ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use percent_encoding::percent_decode_str;
use tokio::time::{Instant, sleep};

use crate::error::ClusterError;

/// How long a request waits for its answer.
pub const ANSWER: Duration = Duration::from_secs(3);
/// How long one waits for a server to be there at the beginning.
const START: Duration = Duration::from_secs(5);
/// How long one waits before one tries again.
const AGAIN: Duration = Duration::from_millis(200);
/// How often a connection is tried that nothing came over; it is given up after some times.
const PING: Duration = Duration::from_secs(10);
/// The first pause before a lost connection is tried again; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest of those pauses.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Where a server is, and who one is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its address: `nats://host:port`, or `tls://` for an encrypted connection, perhaps with
    /// `user:password@`. Several addresses of one cluster are separated by commas.
    pub address: String,
    /// The file of credentials, as `nsc` makes it.
    pub credentials: Option<PathBuf>,
}

/// What a connection is for: each role needs other rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Publishes jobs and takes results.
    Coordinator,
    /// Takes jobs and brings results.
    Worker,
    /// Looks on.
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
    pub(crate) client: Client,
}

impl Connection {
    /// Connects to a server. Later, a connection that is lost is made anew as often as needed. Whoever
    /// does not only look on waits a while for a server that is not there: it may be starting, too.
    ///
    /// # Errors
    /// If there is no server, or it does not let this user in.
    pub async fn open(server: &Server, role: Role) -> Result<Self, ClusterError> {
        let end = Instant::now()
            + match role {
                Role::Coordinator | Role::Worker => START,
                Role::Viewer => Duration::ZERO,
            };
        loop {
            match Self::open_now(server, role).await {
                Err(ClusterError::Connect { .. }) if Instant::now() < end => sleep(AGAIN).await,
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
            // Characters such as `@` can only stand in an address as `%40`.
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

    /// Whether there is a connection at this moment.
    pub fn is_up(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// How large a message may be, in bytes.
    pub fn largest_message(&self) -> usize {
        self.client.max_payload()
    }

    /// Waits until what was sent is with the server, at most for the time of an answer.
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

    /// The address as others may see it: without user and password.
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

/// How long a lost connection waits until it is tried again. Many workers lose theirs at the same moment,
/// so each waits a little longer or shorter.
fn pause(attempts: usize) -> Duration {
    let doubled = FIRST_PAUSE * (1 << attempts.min(10));
    let spread = u32::from(std::process::id() as u8);
    doubled.min(LONGEST_PAUSE) + FIRST_PAUSE * spread / 256
}

/// What users of this crate cannot see otherwise, such as rights that are missing.
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
