//! The line to a rules program: one process a thread, which all sessions of the thread share.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use games::BrokenRules;
use games::budget::{self, Budget};
use protocol::{ModelError, excerpt};
use serde::Deserialize;
use serde_json::value::RawValue;
use supervisor::Service;

/// A request that is nearly answered when the time of who asks is over is still waited for, since
/// another process would have to be started.
const GRACE: Duration = Duration::from_millis(30);
/// Messages quote this many bytes of requests and answers.
const MOST_QUOTED: usize = 300;

/// A process of a rules program, and what it holds.
pub(crate) struct Connection {
    service: Service,
    /// The program's name in messages.
    name: Arc<str>,
    /// The time limit of a request.
    timeout: Duration,
    /// The position that it has set up.
    pub(crate) set_up: Option<SetUp>,
    next_id: u64,
    request: Vec<u8>,
}

/// The position in a process: where it began, and the steps since then.
pub(crate) struct SetUp {
    /// The number of the `new` request, which sessions of the same start share.
    pub(crate) start: u64,
    /// Limit of its playouts.
    pub(crate) max_plies: Option<u32>,
    /// The steps since then, as JSON.
    pub(crate) steps: Vec<Arc<str>>,
}

thread_local! {
    /// By the number of the program. A slot is a thread, so this is one process a match slot, kept
    /// between matches, and ended with the slot.
    static CONNECTIONS: RefCell<Vec<(u64, Box<Connection>)>> = const { RefCell::new(Vec::new()) };
}

/// Takes this thread's line to the program of this number, if there is one.
pub(crate) fn take(number: u64) -> Option<Box<Connection>> {
    CONNECTIONS.with_borrow_mut(|connections| {
        let at = connections.iter().position(|(of, _)| *of == number);
        at.map(|at| connections.swap_remove(at).1)
    })
}

/// Returns a line's buffer for the thread's next request.
pub(crate) fn keep(number: u64, connection: Box<Connection>) {
    CONNECTIONS.with_borrow_mut(|connections| connections.push((number, connection)));
}

/// An answer, still as text.
#[derive(Deserialize)]
struct Answer<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    ok: Option<&'a RawValue>,
    error: Option<ModelError>,
}

/// The content of `ok` if an answer has the usual form and nothing else; it may be no JSON.
fn plain_ok(answer: &[u8], id: u64) -> Option<&str> {
    let answer = std::str::from_utf8(answer).ok()?;
    let rest = answer.strip_prefix("{\"id\":")?;
    let (number, rest) = rest.split_at_checked(rest.find(',')?)?;
    let is_asked = number.parse() == Ok(id);
    let ok = rest.strip_prefix(",\"ok\":")?.strip_suffix('}')?;
    is_asked.then_some(ok)
}

impl Connection {
    pub(crate) fn new(service: Service, name: Arc<str>, timeout: Duration) -> Self {
        Connection {
            service,
            name,
            timeout,
            set_up: None,
            next_id: 0,
            request: Vec::new(),
        }
    }

    /// Asks something: `body` is the request as a JSON object without its braces and `id`. `read` makes
    /// something of what stands in `ok`, or says in words what is wrong with the answer ("says …").
    /// Returns that, or the program's own error.
    ///
    /// # Errors
    /// If there is no answer in time, or something is wrong with it.
    pub(crate) fn ask<T>(
        &mut self,
        body: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Result<T, ModelError>, BrokenRules> {
        let id = self.next_id;
        self.next_id += 1;
        self.request.clear();
        self.request.extend_from_slice(b"{\"id\":");
        let mut digits = itoa::Buffer::new();
        self.request.extend_from_slice(digits.format(id).as_bytes());
        self.request.push(b',');
        self.request.extend_from_slice(body.as_bytes());
        self.request.extend_from_slice(b"}\n");
        let Connection {
            service,
            request,
            name,
            timeout,
            ..
        } = self;
        let asked = || excerpt(request.trim_ascii_end(), MOST_QUOTED);
        // Who asks may have less time than the program. A process that is in the middle of an answer
        // then is given up as well: the next request goes to another one.
        let rest = Budget::current().deadline().map(|deadline| {
            let rest = deadline.saturating_duration_since(Instant::now());
            rest.saturating_add(GRACE)
        });
        let limit = rest.map_or(*timeout, |rest| rest.min(*timeout));
        let answer = service.ask(request, limit).map_err(|failure| {
            let asked = asked();
            let sentence = format!("the rules program `{name}` {failure}; the request was {asked}");
            match budget::check() {
                Err(spent) if limit < *timeout => BrokenRules::given_up(sentence, spent),
                _ => BrokenRules::new(sentence),
            }
        })?;
        // What most programs write is not read twice, first to find the end of `ok`.
        if let Some(ok) = plain_ok(answer, id)
            && let Ok(read) = read(ok)
        {
            return Ok(Ok(read));
        }
        let failure = |what: String| {
            let (asked, said) = (asked(), excerpt(answer, MOST_QUOTED));
            BrokenRules::new(format!(
                "the rules program `{name}` {what}; the request was {asked}, the answer {said}"
            ))
        };
        let answer: Answer<'_> = serde_json::from_slice(answer)
            .map_err(|error| failure(format!("gave an answer that cannot be read ({error})")))?;
        if answer.id != Some(id) {
            return Err(failure("answered another request".to_owned()));
        }
        match (answer.ok, answer.error) {
            (Some(ok), None) => read(ok.get()).map(Ok).map_err(failure),
            (None, Some(error)) => Ok(Err(error)),
            _ => Err(failure("gave neither `ok` nor `error`, or both".to_owned())),
        }
    }

    /// The same for what a program must not refuse.
    ///
    /// # Errors
    /// As [`Line::ask`], or if it refuses.
    pub(crate) fn demand<T>(
        &mut self,
        body: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, BrokenRules> {
        let answer = self.ask(body, read)?;
        answer.map_err(|error| self.refused("refuses what it has to answer", &error))
    }

    /// The failure of a program that answers the last request with an error.
    pub(crate) fn refused(&self, what: &str, error: &ModelError) -> BrokenRules {
        let asked = excerpt(self.request.trim_ascii_end(), MOST_QUOTED);
        let said = excerpt(error.message.as_bytes(), MOST_QUOTED);
        BrokenRules::new(format!(
            "the rules program `{}` {what}; the request was {asked}, the answer {said}",
            self.name
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_answers_are_taken_apart_without_reading_them() {
        for (answer, expected) in [
            (r#"{"id":7,"ok":{"ply":0}}"#, Some(r#"{"ply":0}"#)),
            (r#"{"id":7,"ok":1,"error":2}"#, Some(r#"1,"error":2"#)),
            (r#"{"id":8,"ok":{}}"#, None),
            (r#"{"id": 7,"ok":{}}"#, None),
            (r#"{"ok":{},"id":7}"#, None),
            (r#"{"id":7,"error":{}}"#, None),
            (r#"{"id":7,"ok":"#, None),
            ("", None),
        ] {
            assert_eq!(plain_ok(answer.as_bytes(), 7), expected, "{answer}");
        }
    }
}
