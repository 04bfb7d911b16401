//! The sentences of faults, for the log, the bot and the user: the fault itself, what its code means, and
//! what to do about it. All are here, wherever a fault is noticed.
//!
//! A message is part of a sentence whose subject is the bot: "exited with code 1".

use std::fmt::Display;
use std::time::Duration;

use crate::shown::excerpt;
use crate::{BadMessage, ClockKind, Fault, FaultCode, MAX_LINE, PROTOCOL, TimeControl, in_words};

/// How many characters of a reason are kept that a bot names.
const MAX_REASON: usize = 500;
/// The most common reason for silence.
const UNKNOWN_STALL: &str = " (is its output flushed?)";

/// The fault for which a bot loses its match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind of fault.
    pub code: FaultCode,
    /// The event in words, without the bot's name.
    pub message: String,
}

impl Failure {
    /// A failure with this code and message.
    pub fn new(code: FaultCode, message: impl Into<String>) -> Self {
        Failure {
            code,
            message: message.into(),
        }
    }
}

impl FaultCode {
    /// The meaning of a fault code, for readers of results.
    pub fn meaning(self) -> &'static str {
        match self {
            FaultCode::Startup => "the bot did not start, or did not answer `hello` or `start`",
            FaultCode::Protocol => "the bot printed something that is not a message, or no answer",
            FaultCode::IllegalMove => "the bot played a move that is not legal",
            FaultCode::Timeout => "the bot did not move in time",
            FaultCode::NoMove => "the bot said that it has no move to give",
            FaultCode::Crash => "the bot's process ended, or closed its output",
            FaultCode::Resign => "the bot gave up; this is no fault",
        }
    }

    /// The remedy for a fault of this code when nothing more is known; `None` if it is no fault.
    pub fn advice(self) -> Option<&'static str> {
        match self {
            FaultCode::Startup => Some(
                "run the bot's command by hand in its folder, and answer `hello` and `start` at \
                 once",
            ),
            FaultCode::Protocol => {
                Some("answer each `hello`, `start` and `turn` once, and nothing else")
            }
            FaultCode::IllegalMove => Some(
                "play a move exactly as it is written in `legal`, in the position of this `turn`",
            ),
            FaultCode::Timeout => Some("look at the clock more often, and leave a reserve"),
            FaultCode::NoMove => Some("its message says why; play any move of `legal` instead"),
            FaultCode::Crash => Some("what the bot printed on stderr should say why"),
            FaultCode::Resign => None,
        }
    }
}

/// Of a bot that waits for input while its answer is waited for.
const UNFLUSHED: &str = "waiting for input: is its output flushed?";
/// Of a bot that has to play a game that it does not play.
const OTHER_GAMES: &str = "its `hello` says that it plays";

impl Fault {
    /// The remedy, as far as is known; `None` if it is no fault.
    pub fn advice(&self) -> Option<&'static str> {
        /// Who gets less than this part of the time from the machine is not slow.
        const MOST_COMPUTING: f64 = 0.7;
        let is_late = self.code == FaultCode::Timeout && !self.message.contains("HTTP");
        if self.message.contains(UNFLUSHED) {
            return Some("print each message with a line end, and flush the output after it");
        }
        if self.message.starts_with(OTHER_GAMES) {
            return Some(
                "name the games that it plays in the configuration, as `games` of the bot, or correct `games` in \
                 its `hello`",
            );
        }
        let had_core = match (self.ms, self.cpu_ms) {
            (Some(ms), Some(cpu)) => cpu.0.as_secs_f64() >= MOST_COMPUTING * ms.0.as_secs_f64(),
            _ => true,
        };
        match (is_late, had_core, self.answered) {
            (true, false, _) => Some(
                "the bot computed for only a part of that time: play fewer matches at a time, allow a larger \
                 `margin`, or have CPU time count (`clock = \"cpu\"`)",
            ),
            (true, true, true) => Some(
                "the answer came, but too late: keep a larger reserve, or allow a larger `margin`",
            ),
            _ => self.code.advice(),
        }
    }
}

/// True if no bot of a match got ready, by the seats of its faults and their codes. The outcome in
/// the log says then that they share the point, though nobody has played for it.
pub fn nobody_started(seats: usize, faults: impl Iterator<Item = (usize, FaultCode)>) -> bool {
    let mut absent = vec![false; seats];
    for (seat, code) in faults {
        if let Some(absent) = absent.get_mut(seat) {
            *absent |= code == FaultCode::Startup;
        }
    }
    seats > 0 && absent.into_iter().all(|absent| absent)
}

// Before and while a bot starts.

/// The process did not start; `why` is part of a sentence.
pub fn not_started(program: &str, why: &str) -> Failure {
    Failure::new(FaultCode::Startup, format!("`{program}` {why}"))
}

/// The process could not be put into its sandbox.
pub fn not_confined(why: &dyn Display) -> Failure {
    Failure::new(FaultCode::Startup, format!("cannot be confined: {why}"))
}

/// There is no process, and no reason is known.
pub fn not_there() -> Failure {
    Failure::new(FaultCode::Startup, "it could not be started")
}

/// No `hello` came within this time. `stall` is what the bot seems to be doing, if that is known.
pub fn no_hello(within: Duration, stall: Option<&str>) -> Failure {
    late_start("hello", within, stall)
}

/// No `ready` came within this time. `stall` is what the bot seems to be doing, if that is known.
pub fn not_ready(within: Duration, stall: Option<&str>) -> Failure {
    late_start("ready", within, stall)
}

fn late_start(message: &str, within: Duration, stall: Option<&str>) -> Failure {
    let why = stall.map_or_else(|| UNKNOWN_STALL.to_owned(), |stall| format!("; {stall}"));
    let text = format!("did not say `{message}` within {}{why}", in_words(within));
    Failure::new(FaultCode::Startup, text)
}

/// The process ended instead of saying `hello`. `exit` is how, as part of a sentence; `last_line` is
/// the last thing that it printed on stderr.
pub fn gone_before_hello(exit: &str, last_line: Option<&str>) -> Failure {
    let message = format!("{exit} before it said `hello`");
    Failure::new(FaultCode::Startup, with_stderr(message, last_line))
}

/// Adds the last thing that a bot printed on stderr to the message about its end.
pub fn with_stderr(mut message: String, last_line: Option<&str>) -> String {
    if let Some(line) = last_line {
        message.push_str(&format!("; the last it printed on stderr: {line}"));
    }
    message
}

/// Adds how many attempts to start there were, if more than one.
pub fn after_attempts(mut failure: Failure, attempts: u32) -> Failure {
    if attempts > 1 {
        let tried = format!(" (the last of {attempts} attempts)");
        failure.message.push_str(&tried);
    }
    failure
}

/// The bot's `hello` names another protocol.
pub fn other_protocol(spoken: u32) -> Failure {
    let text = format!("speaks protocol {spoken}; this referee speaks {PROTOCOL}");
    Failure::new(FaultCode::Protocol, text)
}

/// The bot's first message is not `hello`.
pub fn no_introduction(line: &[u8]) -> Failure {
    let text = format!(
        "answered `hello` with another message: `{}`",
        excerpt(line, 120)
    );
    Failure::new(FaultCode::Protocol, text)
}

/// The bot does not play this game; `games` are those that its `hello` names.
pub fn other_games(games: &str, game: &str) -> Failure {
    let text = format!("{OTHER_GAMES} {games}, but not {game}");
    Failure::new(FaultCode::Startup, text)
}

// What a bot says.

/// The bot gave up.
pub fn resigned() -> Failure {
    Failure::new(FaultCode::Resign, "the bot resigned")
}

/// The bot has no move to give, for this reason if it named one.
pub fn no_move(reason: Option<&str>) -> Failure {
    let text = match reason {
        Some(reason) => format!("has no move: {}", excerpt(reason.as_bytes(), MAX_REASON)),
        None => "has no move".to_owned(),
    };
    Failure::new(FaultCode::NoMove, text)
}

/// A line is no message.
pub fn bad_line(bad: &BadMessage) -> Failure {
    Failure::new(FaultCode::Protocol, bad.to_string())
}

/// The answer is a message of another type than the question asks for; both are named by their
/// types.
pub fn unexpected(answer: &str, asked: &str) -> Failure {
    let text = format!("answered `{asked}` with `{answer}`");
    Failure::new(FaultCode::Protocol, text)
}

/// A message of this type came, and nothing had asked for it.
pub fn unasked(message: &str) -> Failure {
    let text = format!("said `{message}` without being asked");
    Failure::new(FaultCode::Protocol, text)
}

/// The rules do not allow the move; they say why.
pub fn illegal_move(why: &dyn Display) -> Failure {
    Failure::new(FaultCode::IllegalMove, why.to_string())
}

/// A bot offers what no match can end with; `why` is a clause.
pub fn wrong_offer(why: &str) -> Failure {
    Failure::new(FaultCode::Protocol, why.to_owned())
}

/// A line is too long.
pub fn long_line() -> Failure {
    let text = format!("printed a line of more than {MAX_LINE} bytes");
    Failure::new(FaultCode::Protocol, text)
}

/// Too much output since the bot was last asked for something; `limit` is what is allowed.
pub fn too_much_output(limit: &dyn Display) -> Failure {
    let text = format!("printed more than {limit} since it was asked for something");
    Failure::new(FaultCode::Protocol, text)
}

// What a bot uses.

/// No move came in time: `used` was measured by this clock, `allowed` is without the margin.
pub fn too_slow(time: &TimeControl, by: ClockKind, used: Duration, allowed: Duration) -> Failure {
    let what = match (by, time.clock) {
        (ClockKind::Cpu, _) => " of CPU time",
        (ClockKind::Wall, ClockKind::Cpu) => " of wall-clock time",
        (ClockKind::Wall, ClockKind::Wall) => "",
    };
    let text = format!(
        "no move after {}{what} (allowed: {} and a margin of {})",
        in_words(used),
        in_words(allowed),
        in_words(time.margin.0)
    );
    Failure::new(FaultCode::Timeout, text)
}

/// The match has used more CPU time than it may.
pub fn out_of_cpu_time(used: Duration, allowed: Duration) -> Failure {
    let text = format!(
        "used {} of CPU time in this match (allowed: {})",
        in_words(used),
        in_words(allowed)
    );
    Failure::new(FaultCode::Timeout, text)
}

/// Adds what a bot that was late by wall-clock time has computed, and how busy the machine was: `load` is how
/// many processes wanted one of its `cores`.
pub fn with_cpu_time(mut failure: Failure, cpu: Duration, load: f64, cores: u32) -> Failure {
    let (used, s) = (in_words(cpu), if cores == 1 { "" } else { "s" });
    failure.message.push_str(&format!(
        "; it used {used} of CPU time, at a load of {load:.1} on {cores} core{s}"
    ));
    failure
}

/// Adds that the referee did not run for a while during the turn, if that is so.
pub fn despite_suspension(mut failure: Failure, suspended: Duration) -> Failure {
    if !suspended.is_zero() {
        let time = in_words(suspended);
        failure.message.push_str(&format!(
            "; in addition the referee did not run for {time}, which does not count"
        ));
    }
    failure
}

/// The bot did not read what was sent to it for this long.
pub fn does_not_read(waited: Duration) -> Failure {
    let text = format!("did not read its input for {} ms", waited.as_millis());
    Failure::new(FaultCode::Timeout, text)
}

// How a bot ends.

/// The process is gone; `exit` is how it ended, as part of a sentence.
pub fn crashed(exit: impl Into<String>) -> Failure {
    Failure::new(FaultCode::Crash, exit)
}

/// The bot closed its stdout, and nothing more is known.
pub fn closed_output() -> Failure {
    crashed("closed its output")
}

/// The bot closed its stdin, and nothing more is known.
pub fn closed_input() -> Failure {
    crashed("closed its input")
}

/// The referee cannot read what the bot prints.
pub fn unreadable_output(why: &dyn Display) -> Failure {
    crashed(format!("its output cannot be read: {why}"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The advice about a loss on time.
    fn advice(message: &str, ms: Value, cpu_ms: Value, answered: bool) -> String {
        let fault = json!({
            "seat": 0, "code": "timeout", "ply": 1, "message": message, "ms": ms, "cpu_ms": cpu_ms,
            "answered": answered,
        });
        let fault: Fault = serde_json::from_value(fault).unwrap();
        fault.advice().unwrap().to_owned()
    }

    #[test]
    fn advice_on_losses_on_time_is_about_what_was_wrong() {
        let late = "no move after 151 ms";
        let slow = advice(late, json!(151), json!(150), false);
        assert!(slow.contains("look at the clock more often"), "{slow}");
        for (ms, cpu, answered, part) in [
            (json!(151), json!(31), false, "only a part of that time"),
            (json!(151), json!(31), true, "only a part of that time"),
            (
                json!(135),
                json!(133),
                true,
                "the answer came, but too late",
            ),
            (
                json!(135),
                json!(null),
                true,
                "the answer came, but too late",
            ),
        ] {
            let advice = advice(late, ms, cpu, answered);
            assert!(
                advice.contains(part) && !advice.contains("clock more often"),
                "{advice}"
            );
        }
        let kept = format!("{late}; it sleeps, {UNFLUSHED}");
        let kept = advice(&kept, json!(151), json!(3), false);
        assert!(kept.contains("flush the output"), "{kept}");
    }

    #[test]
    fn advice_about_a_game_that_a_bot_does_not_play_is_about_games() {
        let failure = other_games("run", "siam");
        let fault =
            json!({ "seat": 0, "code": failure.code, "ply": 0, "message": failure.message });
        let fault: Fault = serde_json::from_value(fault).unwrap();
        let advice = fault.advice().unwrap();
        assert!(advice.contains("`games` of the bot"), "{advice}");
    }
}
