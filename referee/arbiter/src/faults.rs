//! The sentences of faults.

use std::time::Duration;

use protocol::{BadMessage, ClockKind, FaultCode, in_words};

use crate::clock::{Clock, Overrun};

/// The most common reason for silence.
const UNKNOWN_STALL: &str = " (is its output flushed?)";

/// Why a seat loses.
#[derive(Clone, Debug)]
pub(crate) struct Cause {
    pub(crate) code: FaultCode,
    /// What happened, in words, without the bot's name.
    pub(crate) message: String,
}

impl Cause {
    pub(crate) fn new(code: FaultCode, message: impl Into<String>) -> Self {
        Cause {
            code,
            message: message.into(),
        }
    }
}

pub(crate) fn resigned() -> Cause {
    Cause::new(FaultCode::Resign, "the bot resigned")
}

pub(crate) fn bad_line(bad: &BadMessage) -> Cause {
    Cause::new(FaultCode::Protocol, bad.to_string())
}

pub(crate) fn unexpected(message: &str, asked: &str) -> Cause {
    let text = format!("answered `{asked}` with `{message}`");
    Cause::new(FaultCode::Protocol, text)
}

pub(crate) fn unasked(message: &str) -> Cause {
    let text = format!("said `{message}` without being asked");
    Cause::new(FaultCode::Protocol, text)
}

/// `stall` is what the bot seems to be doing, if that is known.
pub(crate) fn not_ready(startup: Duration, stall: Option<String>) -> Cause {
    let startup = in_words(startup);
    let why = stall.map_or_else(|| UNKNOWN_STALL.to_owned(), |stall| format!("; {stall}"));
    let text = format!("did not say `ready` within {startup}{why}");
    Cause::new(FaultCode::Startup, text)
}

pub(crate) fn too_slow(clock: &Clock, overrun: Overrun) -> Cause {
    let Overrun { by, used, allowed } = overrun;
    let what = match (by, clock.control().clock) {
        (ClockKind::Cpu, _) => " of CPU time",
        (ClockKind::Wall, ClockKind::Cpu) => " of wall-clock time",
        (ClockKind::Wall, ClockKind::Wall) => "",
    };
    let margin = clock.control().margin.0;
    let text = format!(
        "no move after {}{what} (allowed: {} and a margin of {})",
        in_words(used),
        in_words(allowed),
        in_words(margin)
    );
    Cause::new(FaultCode::Timeout, text)
}

/// Adds that the referee did not run for a while during the turn, if that is so.
pub(crate) fn despite_suspension(mut cause: Cause, suspended: Duration) -> Cause {
    if !suspended.is_zero() {
        let time = in_words(suspended);
        cause.message.push_str(&format!(
            "; in addition the referee did not run for {time}, which does not count"
        ));
    }
    cause
}

pub(crate) fn out_of_cpu_time(used: Duration, allowed: Duration) -> Cause {
    let text = format!(
        "used {} of CPU time in this match (allowed: {})",
        in_words(used),
        in_words(allowed)
    );
    Cause::new(FaultCode::Timeout, text)
}
