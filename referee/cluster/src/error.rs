//! What can go wrong between a program and the server.

use thiserror::Error;

/// A server that cannot be used, or does not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClusterError {
    /// The address is not one.
    #[error("`{0}` is not the address of a NATS server, as in `nats://host:4222` or `tls://host`")]
    Address(String),
    /// The file of credentials cannot be used.
    #[error("the credentials `{path}` cannot be used: {reason}")]
    Credentials {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// There is no connection.
    #[error("the NATS server `{server}` cannot be reached: {reason}")]
    Connect {
        /// The address, without a password.
        server: String,
        /// Why not.
        reason: String,
    },
    /// The server takes nobody without a password, or not this one.
    #[error(
        "the NATS server `{0}` does not let this user in: give --creds, or `nats://user:password@host`"
    )]
    Denied(String),
    /// The server has no JetStream, or none for this user.
    #[error("the NATS server has no JetStream for this user: start it with `--jetstream`")]
    NoJetStream,
    /// The tournament has ended, or was never announced.
    #[error("the NATS server knows no such tournament")]
    Unknown,
    /// The message is too large for the server.
    #[error(
        "a message of {bytes} bytes is more than the {most} bytes that the NATS server takes; raise \
         `max_payload` in its configuration"
    )]
    TooLarge {
        /// How large it is.
        bytes: usize,
        /// What the server takes.
        most: usize,
    },
    /// The server refuses, with its reason.
    #[error("the NATS server refuses it: {0}")]
    Refused(String),
    /// No answer came. The request may have been served all the same.
    #[error("the NATS server does not answer ({0})")]
    Unanswered(String),
}

impl ClusterError {
    /// Whether the same request may well succeed later.
    pub fn is_passing(&self) -> bool {
        matches!(self, ClusterError::Unanswered(_))
    }
}
