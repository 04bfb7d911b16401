//! Failures of services.

use std::time::Duration;

use protocol::{faults, in_words};
use thiserror::Error;

use crate::process::stall::Stall;

/// The reason why a service does not answer. Displays as part of a sentence whose subject is the
/// program: "exited with code 1". A service that has failed once always fails in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ServiceFailure {
    #[error("{why}")]
    NotStarted { why: String },
    /// The process has ended, or has closed its input or output.
    #[error("{}{hint}", faults::with_stderr(exit.clone(), stderr.as_deref()))]
    Gone {
        /// In words: an exit code, a signal, or an exceeded limit.
        exit: String,
        /// An excerpt of the last line of its stderr.
        stderr: Option<String>,
        /// A likely reason; may be empty.
        hint: String,
    },
    #[error("did not answer within {}{}", in_words(*after), and(stall.as_ref()))]
    Late {
        after: Duration,
        stall: Option<Stall>,
    },
    #[error("did not read its input for {}{}", in_words(*after), and(stall.as_ref()))]
    NotRead {
        after: Duration,
        stall: Option<Stall>,
    },
    #[error("printed a line of more than {max} bytes")]
    TooLong { max: usize },
    /// Unrequested output after the previous answer.
    #[error("printed more than one line for one request: `{excerpt}` came after the answer")]
    Unasked { excerpt: String },
    /// The referee itself cannot use the connection.
    #[error("cannot be reached: {why}")]
    Unreachable { why: String },
}

fn and(stall: Option<&Stall>) -> String {
    stall.map_or_else(String::new, |stall| format!("; {stall}"))
}
