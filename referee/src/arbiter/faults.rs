//! What faults are called and what is said about them.

use std::time::Duration;

use protocol::{BadMessage, FaultCode};

use crate::clock::{Clock, in_words};

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
    let startup = in_words(startup);
    format!("did not say `ready` within {startup} (is its output flushed?)")
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
