//! Why a service does not answer.

use std::time::Duration;

use protocol::{faults, in_words};
use thiserror::Error;

use crate::process::stall::Stall;

/// Why a service does not answer. Displays as part of a sentence whose subject is the program:
/// "exited with code 1". A service that failed once fails in the same way ever after.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ServiceFailure {
    /// There is no process.
    #[error("{why}")]
    NotStarted {
        /// Why not.
        why: String,
    },
    /// The process has ended, or has closed its input or output.
    #[error("{}{hint}", faults::with_stderr(exit.clone(), stderr.as_deref()))]
    Gone {
        /// How it ended: with which exit code, by which signal, beyond which limit.
        exit: String,
        /// An excerpt of the last line that it printed on stderr.
        stderr: Option<String>,
        /// What else may explain it; empty if nothing does.
        hint: String,
    },
    /// No answer came in time.
    #[error("did not answer within {}{}", in_words(*after), and(stall.as_ref()))]
    Late {
        /// The time limit.
        after: Duration,
        /// What it seems to be doing; `None` if nothing is certain.
        stall: Option<Stall>,
    },
    /// It did not read the request in time.
    #[error("did not read its input for {}{}", in_words(*after), and(stall.as_ref()))]
    NotRead {
        /// The time limit.
        after: Duration,
        /// What it seems to be doing; `None` if nothing is certain.
        stall: Option<Stall>,
    },
    /// The answer is too long.
    #[error("printed a line of more than {max} bytes")]
    TooLong {
        /// The bytes that an answer may have.
        max: usize,
    },
    /// It has printed more than the answer to the request before.
    #[error("printed more than one line for one request: `{excerpt}` came after the answer")]
    Unasked {
        /// An excerpt of what came after the answer.
        excerpt: String,
    },
    /// The referee itself cannot use the connection.
    #[error("cannot be reached: {why}")]
    Unreachable {
        /// Why not.
        why: String,
    },
}

fn and(stall: Option<&Stall>) -> String {
    stall.map_or_else(String::new, |stall| format!("; {stall}"))
}
