//! A failed start, and the evidence that may explain it.

use std::io;

use protocol::Failure;

use crate::streams::transcript::Transcript;

#[derive(Debug)]
pub struct NotStarted {
    /// The fault by which the bot loses its match.
    pub failure: Failure,
    /// `None` if no process was started for this match.
    pub evidence: Option<Box<Evidence>>,
    /// The next attempt may succeed: the bot was late, or ended by itself.
    pub(super) is_transient: bool,
}

impl From<Failure> for NotStarted {
    fn from(failure: Failure) -> Self {
        NotStarted {
            failure,
            evidence: None,
            is_transient: false,
        }
    }
}

/// A message for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    pub text: String,
    /// If the message says that a bot does not start: its name, and the fault of all its matches
    /// from now on.
    pub not_starting: Option<(String, Failure)>,
}

impl From<String> for News {
    fn from(text: String) -> Self {
        News {
            text,
            not_starting: None,
        }
    }
}

/// Left behind by a process; may explain its failure.
#[derive(Debug)]
pub struct Evidence {
    /// The end of the process, in words; `None` if the referee ended it.
    pub exit: Option<String>,
    /// The end of its stderr; `None` if that was not read.
    pub stderr: Option<String>,
    pub(crate) transcript: Transcript,
}

impl Evidence {
    /// Writes the transcript of the last match as JSON, one entry per line.
    ///
    /// # Errors
    /// If the output cannot be written, or a part of the transcript was lost.
    pub fn write_lines(self, out: impl io::Write) -> io::Result<()> {
        self.transcript.write(out)
    }
}
