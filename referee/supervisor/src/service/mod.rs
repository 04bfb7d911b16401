//! Services: processes that answer requests, one line each, in order. They are supervised and
//! sandboxed like bots, but the calling thread blocks without a runtime: synchronous code queries
//! the rules of a game.

mod connection;
mod factory;
mod failure;
mod host;
mod process;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use nix::sys::stat::fstat;
use protocol::excerpt;

pub use factory::{MAX_ANSWER, ServiceFactory};
pub use failure::ServiceFailure;

use crate::bot::launch::hint_at_early_end;
use crate::process::stall::Stall;
use crate::streams::trace::{Trace, Traced};
use connection::{AskError, Connection};
use host::{Link, Template};

/// Failures quote at most this many characters of output.
const MAX_QUOTED: usize = 60;

/// A process that answers requests. When this is dropped, its input is closed, and the process is
/// ended in the background after a grace period: [`ServiceFactory::all_gone`] waits for that.
#[derive(Debug)]
pub struct Service {
    // Dropped before the link, so that the process finds its input closed.
    connection: Connection,
    link: Link,
    trace: Option<Trace>,
    template: Arc<Template>,
    has_answered: bool,
    /// Repeated for all further requests.
    failure: Option<ServiceFailure>,
}

impl Service {
    fn new(
        connection: Connection,
        link: Link,
        mut trace: Option<Trace>,
        template: Arc<Template>,
    ) -> Self {
        let started = format!("started: {}", shell_words::join(&template.spec.command));
        note(&mut trace, Traced::Event(&started));
        Service {
            connection,
            link,
            trace,
            template,
            has_answered: false,
            failure: None,
        }
    }

    /// Sends a request, a line with its `\n`, and waits for the answer at most this long. Returns
    /// the answer without its `\n`. Suspensions of the referee do not count.
    ///
    /// Blocks only the current thread, which may belong to a runtime.
    ///
    /// # Errors
    /// If there is no answer. The process is ended then, and all further requests fail in the same way.
    pub fn ask(&mut self, request: &[u8], timeout: Duration) -> Result<&[u8], ServiceFailure> {
        debug_assert!(request.ends_with(b"\n"), "a request is a line");
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        note(&mut self.trace, Traced::ToBot(request));
        match self.connection.ask(request, timeout, self.link.ended()) {
            Ok(()) => {
                self.has_answered = true;
                note(&mut self.trace, Traced::FromBot(self.connection.answer()));
                Ok(self.connection.answer())
            }
            Err(error) => {
                let failure = self.end_after(error, timeout);
                note(&mut self.trace, Traced::Unread(self.connection.rest()));
                note(&mut self.trace, Traced::Event(&failure.to_string()));
                Err(self.failure.insert(failure).clone())
            }
        }
    }

    /// True if the process is not known to have ended.
    pub fn is_running(&self) -> bool {
        let ended = self.link.ended().load(Ordering::Acquire);
        self.failure.is_none() && !ended && self.connection.is_quiet()
    }

    /// Ends the process; returns the failure with all that explains it.
    fn end_after(&self, error: AskError, after: Duration) -> ServiceFailure {
        if let AskError::Closed = error {
            let explanation = self.link.explain();
            let hint = if self.has_answered {
                String::new()
            } else {
                hint_at_early_end(&self.template.spec)
            };
            return ServiceFailure::Gone {
                exit: explanation.exit,
                stderr: explanation.stderr,
                hint,
            };
        }
        let stall = self.end_and_diagnose();
        match error {
            AskError::Late => ServiceFailure::Late { after, stall },
            AskError::NotRead => ServiceFailure::NotRead { after, stall },
            AskError::TooLong => ServiceFailure::TooLong {
                max: self.template.max_line,
            },
            AskError::Unasked => ServiceFailure::Unasked {
                excerpt: excerpt(self.connection.rest(), MAX_QUOTED),
            },
            AskError::Broken(error) => ServiceFailure::Unreachable {
                why: error.to_string(),
            },
            AskError::Closed => unreachable!("see above"),
        }
    }

    /// Diagnoses a process, and ends it.
    fn end_and_diagnose(&self) -> Option<Stall> {
        let stdin = fstat(self.connection.stdin()).map_or(0, |pipe| pipe.st_ino);
        let seen = self.link.diagnose(stdin);
        let rest = self.connection.rest();
        if rest.is_empty() {
            seen
        } else {
            Some(Stall::NoLineEnd(excerpt(rest, MAX_QUOTED)))
        }
    }
}

fn note(trace: &mut Option<Trace>, said: Traced<'_>) {
    if let Some(trace) = trace {
        trace.write(said);
    }
}
