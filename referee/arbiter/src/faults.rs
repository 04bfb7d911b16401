//! What faults are called and what is said about them.

use std::time::Duration;

use protocol::{BadMessage, ClockKind, FaultCode, in_words};

use crate::clock::{Clock, Overrun};

/// The most common reason for silence.
const UNSEEN: &str = " (is its output flushed?)";

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

pub(super) fn unasked(message: &str) -> Cause {
    let text = format!("said `{message}` without being asked");
    (FaultCode::Protocol, text)
}

/// `seen` is what a look at the bot has told.
pub(super) fn not_ready(startup: Duration, seen: Option<String>) -> String {
    let startup = in_words(startup);
    let why = seen.map_or_else(|| UNSEEN.to_owned(), |seen| format!("; {seen}"));
    format!("did not say `ready` within {startup}{why}")
}

pub(super) fn too_slow(clock: &Clock, overrun: Overrun) -> Cause {
    let Overrun { by, used, allowed } = overrun;
    let what = match (by, clock.control().clock) {
        (ClockKind::Cpu, _) => " of CPU time",
        (ClockKind::Wall, ClockKind::Cpu) => " by the clock on the wall",
        (ClockKind::Wall, ClockKind::Wall) => "",
    };
    let margin = clock.control().margin.0;
    let text = format!(
        "no move after {}{what} (allowed: {} and a margin of {})",
        in_words(used),
        in_words(allowed),
        in_words(margin)
    );
    (FaultCode::Timeout, text)
}

/// The same where the referee did not run for a while in the turn.
pub(super) fn despite((code, mut text): Cause, suspended: Duration) -> Cause {
    if !suspended.is_zero() {
        let time = in_words(suspended);
        text.push_str(&format!(
            "; the referee did not run for {time} besides, which does not count"
        ));
    }
    (code, text)
}

pub(super) fn out_of_cpu_time(used: Duration, allowed: Duration) -> Cause {
    let text = format!(
        "used {} of CPU time in this match (allowed: {})",
        in_words(used),
        in_words(allowed)
    );
    (FaultCode::Timeout, text)
}
