//! Errors of the NATS server.

use thiserror::Error;

/// The NATS server cannot be used, or refused a request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClusterError {
    /// The address is malformed.
    #[error("`{0}` is not the address of a NATS server, as in `nats://host:4222` or `tls://host`")]
    Address(String),
    /// The file of credentials cannot be used.
    #[error("the credentials `{path}` cannot be used: {reason}")]
    Credentials {
        /// The file.
        path: String,
        reason: String,
    },
    /// No connection.
    #[error("the NATS server `{server}` cannot be reached: {reason}")]
    Connect {
        /// The address, without a password.
        server: String,
        reason: String,
    },
    /// The server requires a password, or another one.
    #[error(
        "the NATS server `{0}` does not let this user in: give --creds, or `nats://user:password@host`"
    )]
    Denied(String),
    /// JetStream is off, for all or for this user.
    #[error("the NATS server has no JetStream for this user: start it with `--jetstream`")]
    NoJetStream,
    /// The tournament is over, or was never announced.
    #[error("the NATS server knows no such tournament")]
    Unknown,
    /// The message is too large for the server.
    #[error(
        "a message of {bytes} bytes is more than the {most} bytes that the NATS server takes; raise \
         `max_payload` in its configuration"
    )]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The server's limit.
        most: usize,
    },
    /// The stream already has the only message of this subject.
    #[error("the NATS server refuses it: the subject already has its only message")]
    Occupied,
    /// The server refused, with this reason.
    #[error("the NATS server refuses it: {0}")]
    Refused(String),
    /// The server's disk or quota is full. This is not permanent, but seldom passes soon.
    #[error("the NATS server does not answer ({0})")]
    Full(String),
    /// No answer. The request may have been served all the same.
    #[error("the NATS server does not answer ({0})")]
    Unanswered(String),
}

impl ClusterError {
    /// True if a retry may succeed.
    pub fn is_passing(&self) -> bool {
        matches!(self, ClusterError::Unanswered(_) | ClusterError::Full(_))
    }
}
