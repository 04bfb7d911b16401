//! A bot that did not start, and what may explain that.

use std::io;

use protocol::Failure;

use crate::streams::transcript::Transcript;

/// A bot that did not start.
#[derive(Debug)]
pub struct NotStarted {
    /// The fault by which its match is lost.
    pub failure: Failure,
    /// What may explain it; `None` if no process was started for this match.
    pub evidence: Option<Box<Evidence>>,
    /// Whether the next attempt may succeed: the bot was late, or ended by itself.
    pub(super) may_pass: bool,
}

impl From<Failure> for NotStarted {
    fn from(failure: Failure) -> Self {
        NotStarted {
            failure,
            evidence: None,
            may_pass: false,
        }
    }
}

/// Something that the user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// In words.
    pub text: String,
    /// The bot that it is about and why it fails from here on, if it does not start.
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

/// What a process has left behind that may explain its failure.
#[derive(Debug)]
pub struct Evidence {
    /// How the process had ended by itself, in words; `None` if the referee ended it.
    pub exit: Option<String>,
    /// The end of what it printed on stderr; `None` if that was not read.
    pub stderr: Option<String>,
    pub(crate) transcript: Transcript,
}

impl Evidence {
    /// Writes what was said in the last match, as JSON, one entry per line.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn write_lines(self, out: impl io::Write) -> io::Result<()> {
        self.transcript.write(out)
    }
}
