//! Services: processes that answer requests, one line each, in order. They are supervised and
//! confined by the same code as bots, but whoever asks waits for the answer, with no runtime: the
//! rules of a game are asked in the middle of synchronous code.

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
use crate::streams::trace::{Said, Trace};
use connection::{Connection, Trouble};
use host::{Link, Template};

/// How many characters failures quote of output.
const MAX_QUOTED: usize = 60;

/// A process that answers requests. When this is dropped, its input is closed, and it is ended after
/// a grace period, in the background: [`ServiceFactory::all_gone`] waits for that.
#[derive(Debug)]
pub struct Service {
    // Dropped before the link, so that the process sees its input closed.
    connection: Connection,
    link: Link,
    trace: Option<Trace>,
    template: Arc<Template>,
    has_answered: bool,
    /// Why it is of no use any more.
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
        note(&mut trace, Said::Event(&started));
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
    /// the answer without its `\n`. Time in which the whole referee is suspended does not count.
    ///
    /// Blocks the current thread, and no other one: it may be called inside of a runtime.
    ///
    /// # Errors
    /// Why there is no answer. The process is ended then, and each further request fails in the same
    /// way.
    pub fn ask(&mut self, request: &[u8], timeout: Duration) -> Result<&[u8], ServiceFailure> {
        debug_assert!(request.ends_with(b"\n"), "a request is a line");
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        note(&mut self.trace, Said::ToBot(request));
        match self.connection.ask(request, timeout, self.link.ended()) {
            Ok(()) => {
                self.has_answered = true;
                note(&mut self.trace, Said::FromBot(self.connection.answer()));
                Ok(self.connection.answer())
            }
            Err(trouble) => {
                let failure = self.failure_of(trouble, timeout);
                note(&mut self.trace, Said::Unread(self.connection.rest()));
                note(&mut self.trace, Said::Event(&failure.to_string()));
                Err(self.failure.insert(failure).clone())
            }
        }
    }

    /// Whether the process is still there and can be asked, as far as is known.
    pub fn is_running(&self) -> bool {
        let ended = self.link.ended().load(Ordering::Acquire);
        self.failure.is_none() && !ended && self.connection.is_quiet()
    }

    /// The failure that this trouble is. The process is ended.
    fn failure_of(&self, trouble: Trouble, after: Duration) -> ServiceFailure {
        if let Trouble::Closed = trouble {
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
        match trouble {
            Trouble::Late => ServiceFailure::Late { after, stall },
            Trouble::NotRead => ServiceFailure::NotRead { after, stall },
            Trouble::TooLong => ServiceFailure::TooLong {
                max: self.template.max_line,
            },
            Trouble::Unasked => ServiceFailure::Unasked {
                excerpt: excerpt(self.connection.rest(), MAX_QUOTED),
            },
            Trouble::Broken(error) => ServiceFailure::Unreachable {
                why: error.to_string(),
            },
            Trouble::Closed => unreachable!("see above"),
        }
    }

    /// What a process seems to do that is ended by this.
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

fn note(trace: &mut Option<Trace>, said: Said<'_>) {
    if let Some(trace) = trace {
        trace.write(said);
    }
}
