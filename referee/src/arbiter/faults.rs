//! What faults are called and what is said about them.

use std::time::Duration;

use protocol::{BadMessage, FaultCode};

use crate::clock::Clock;

/// Why a seat loses: the kind of fault, and what happened in words.
pub(super) type Cause = (FaultCode, String);

pub(super) fn resigned() -> Cause {
    (FaultCode::Resign, "the bot resigned".to_owned())
}

pub(super) fn bad_line(bad: &BadMessage) -> Cause {
    (FaultCode::Protocol, bad.to_string())
}

pub(super) fn unexpected(message: &str, asked: &str) -> Cause {
    let text = format!("answered `{asked}` with `{message}`");
    (FaultCode::Protocol, text)
}

pub(super) fn not_ready(startup: Duration) -> String {
    format!("did not say `ready` within {}", in_words(startup))
}

pub(super) fn too_slow(clock: &Clock, used: Duration) -> Cause {
    let allowed = clock.limit().unwrap_or(Duration::MAX);
    let margin = clock.control().margin.0;
    let text = format!(
        "no move after {} (allowed: {} and a margin of {})",
        in_words(used),
        in_words(allowed),
        in_words(margin)
    );
    (FaultCode::Timeout, text)
}

/// A duration for people: milliseconds below ten seconds, then seconds.
fn in_words(duration: Duration) -> String {
    if duration < Duration::from_secs(10) {
        format!("{:.0} ms", duration.as_secs_f64() * 1e3)
    } else {
        format!("{:.1} s", duration.as_secs_f64())
    }
}
