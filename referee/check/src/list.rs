//! The list of all checks, with their stable names, what they require, and what usually fixes a bot
//! that fails.

use machine::load::LoadWatch;
use protocol::{BotHello, Load};

use super::encodings::Encoding;
use super::environment::Lab;
use super::finding::{Diagnostic, Finding, Note};
use super::selection::Variant;
use super::session::with_session;
use super::{lifecycle, matches};
use ratings::store::is_busy;

#[derive(Debug)]
pub struct Check {
    /// A stable name, with `/` between its parts.
    pub name: String,
    /// Completes the sentence "The bot …" for a bot that passes.
    pub about: &'static str,
    /// The usual fix.
    pub(super) fix: Option<&'static str>,
    kind: CheckKind,
}

#[derive(Clone, Copy, Debug)]
enum CheckKind {
    /// A process starts, answers `hello` and gets ready.
    Handshake,
    /// The same with a referee that pauses between its messages.
    SlowStart,
    /// A match of this variant from its start, in this seat.
    Match(usize, usize),
    /// A match that continues after an opening.
    Opening(usize),
    /// Turns in positions from the middle of games.
    Positions(usize),
    /// A match with exactly what the bot's `wants` requests.
    Wants,
    /// A match that is over before the bot's first turn.
    NoTurn,
    /// Several matches in one process.
    SeveralMatches,
    /// A match in another encoding.
    Encoded(Encoding),
    /// Names with letters beyond ASCII.
    Unicode,
    /// The bot keeps a limit on each move.
    PerMove,
    /// The bot keeps a game clock.
    GameClock,
    /// The bot receives `error`, as if it were at fault.
    FaultTold,
    /// The process ends at `quit`.
    Quit {
        /// After a match instead of right after the handshake.
        played: bool,
    },
    /// The process ends when its input is closed.
    ClosedInput {
        /// In its turn instead of while it waits.
        in_turn: bool,
    },
}

impl Check {
    /// The first check. A bot that fails it is not checked any further.
    pub fn handshake() -> Self {
        check(
            "handshake",
            "starts, answers `hello` and `start`, and plays a known game",
            None,
            CheckKind::Handshake,
        )
    }

    pub(super) async fn run(
        &self,
        lab: &Lab,
        variants: &[Variant],
        hello: &BotHello,
    ) -> Result<Note, (Box<Finding>, Diagnostic)> {
        let home = &variants[0];
        let with = async |kind: CheckKind| {
            with_session(lab, async |bot| match kind {
                CheckKind::Handshake => Ok(None),
                CheckKind::SlowStart => lifecycle::slow_start(bot, home).await,
                CheckKind::Match(variant, seat) => {
                    matches::from_the_start(bot, hello, &variants[variant], seat).await
                }
                CheckKind::Opening(variant) => {
                    matches::opening(bot, hello, &variants[variant]).await
                }
                CheckKind::Positions(variant) => {
                    matches::positions(bot, hello, &variants[variant]).await
                }
                CheckKind::Wants => matches::as_wanted(bot, hello, home).await,
                CheckKind::NoTurn => matches::no_turn(bot, hello, home).await,
                CheckKind::SeveralMatches => matches::several(bot, hello, variants).await,
                CheckKind::Encoded(encoding) => matches::encoded(bot, hello, home, encoding).await,
                CheckKind::Unicode => matches::unicode(bot, hello, home).await,
                CheckKind::PerMove => matches::per_move(bot, hello, home).await,
                CheckKind::GameClock => matches::game_clock(bot, hello, home).await,
                CheckKind::FaultTold => lifecycle::after_error(bot, hello, home).await,
                CheckKind::Quit { played } => lifecycle::quit(bot, hello, home, played).await,
                CheckKind::ClosedInput { in_turn } => {
                    lifecycle::closed_input(bot, hello, home, in_turn).await
                }
            })
            .await
        };
        let first = with(self.kind).await;
        match self.kind {
            CheckKind::Wants if first.is_err() => self.wants_more(lab, hello, home, first).await,
            // The machine may have been busy for a moment.
            CheckKind::PerMove | CheckKind::GameClock => {
                let (mut last, mut load) = (first, None);
                for _ in 0..2 {
                    match &last {
                        Err((_, diagnostic)) if diagnostic.slow => {
                            let watch = LoadWatch::begin();
                            last = with(self.kind).await;
                            load = watch.end();
                        }
                        _ => break,
                    }
                }
                last.map_err(|(mut finding, diagnostic)| {
                    finding.fixes.extend(load.as_ref().and_then(when_quiet));
                    (finding, diagnostic)
                })
            }
            _ => first,
        }
    }

    /// True if a bot that failed with the fields it wants passes with all of them.
    async fn wants_more(
        &self,
        lab: &Lab,
        hello: &BotHello,
        home: &Variant,
        first: Result<Note, (Box<Finding>, Diagnostic)>,
    ) -> Result<Note, (Box<Finding>, Diagnostic)> {
        let full = BotHello {
            wants: protocol::Wants::default(),
            ..hello.clone()
        };
        let with_all = with_session(lab, async |bot| matches::as_wanted(bot, &full, home).await);
        if with_all.await.is_err() {
            return first;
        }
        first.map_err(|(mut finding, mut diagnostic)| {
            let refused = match (hello.wants.state, hello.wants.legal) {
                (false, false) => "`state` and `legal`",
                (false, true) => "`state`",
                _ => "`legal`",
            };
            finding.what = format!(
                "its `wants` refuses {refused}, but it plays only when that is there: {}",
                finding.what
            );
            finding.fixes.clear();
            diagnostic.known = false;
            (finding, diagnostic)
        })
    }
}

/// Advice for a bot that was late on a busy machine.
fn when_quiet(load: &Load) -> Option<String> {
    is_busy(load).then(|| {
        let percent = |share: Option<f64>| 100.0 * share.unwrap_or(0.0);
        format!(
            "check again when the machine is quiet, or with a larger --margin: some process had to \
             wait for a core in {:.0} % of the time, and {:.0} % of the cores' time was stolen",
            percent(load.waiting),
            percent(load.stolen)
        )
    })
}

fn check(
    name: impl Into<String>,
    about: &'static str,
    fix: impl Into<Option<&'static str>>,
    kind: CheckKind,
) -> Check {
    Check {
        name: name.into(),
        about,
        fix: fix.into(),
        kind,
    }
}

/// All checks for these variants after the handshake, in order.
pub fn checks(variants: &[Variant]) -> Vec<Check> {
    let mut all = vec![
        check(
            "wants",
            "plays with just what its `wants` asks for",
            "leave `wants` out, or say `true` for what the bot reads",
            CheckKind::Wants,
        ),
        check(
            "slow-start",
            "waits for a referee that takes its time, and says nothing unasked",
            "read stdin and answer what is asked; a banner or a log belongs on stderr",
            CheckKind::SlowStart,
        ),
    ];
    for (index, variant) in variants.iter().enumerate() {
        all.extend(of_variant(index, variant));
    }
    all.extend(of_matches());
    all.extend(of_forms());
    all.extend(of_ends());
    all
}

fn of_variant(index: usize, variant: &Variant) -> Vec<Check> {
    let label = &variant.label;
    let seats = 0..variant.rules.seats();
    let matches = seats.map(|seat| {
        check(
            format!("match/{label}/{seat}"),
            "plays from the start, in this seat",
            "take the seat from `start`, and the position from `state` or from all of `moves`",
            CheckKind::Match(index, seat),
        )
    });
    let mut all: Vec<Check> = matches.collect();
    all.push(check(
        format!("opening/{label}"),
        "plays on after an opening, moves of its own seat included",
        "play all plies of `moves`, also those of the own seat that the bot did not choose",
        CheckKind::Opening(index),
    ));
    all.push(check(
        format!("positions/{label}"),
        "plays from positions out of the middle and the end of games",
        "begin with the `state` of `start`, not with the game's usual beginning",
        CheckKind::Positions(index),
    ));
    all
}

fn of_matches() -> [Check; 4] {
    [
        check(
            "no-turn",
            "stands a match in which it is never asked",
            "expect `end` at any time after `ready`",
            CheckKind::NoTurn,
        ),
        check(
            "several-matches",
            "plays several matches in one process, also after one that was broken off",
            "forget everything at `start`: position, seat, clock, tree",
            CheckKind::SeveralMatches,
        ),
        check(
            "time/per-move",
            "keeps a limit on each move",
            "read `move_ms` of `clock`, which may have decimals",
            CheckKind::PerMove,
        ),
        check(
            "time/game-clock",
            "keeps a game clock with an increment",
            "read its own entry of `remaining_ms`, which may have decimals; those of others may be null",
            CheckKind::GameClock,
        ),
    ]
}

fn of_forms() -> [Check; 5] {
    let encoded =
        |name: &str, about, fix, encoding| check(name, about, fix, CheckKind::Encoded(encoding));
    [
        encoded(
            "unknown-fields",
            "passes over fields that it does not know, in all objects",
            "read the fields by their names, and leave the others alone",
            Encoding::MoreFields,
        ),
        encoded(
            "unknown-messages",
            "passes over messages that it does not know, without an answer",
            "do nothing where `type` is unknown",
            Encoding::MoreMessages,
        ),
        encoded(
            "json-forms",
            "reads any JSON: fields in any order, spaces, letters as \\u and numbers",
            "read lines with a JSON library, not by patterns",
            Encoding::OtherForm,
        ),
        encoded(
            "long-lines",
            "reads lines of 200,000 bytes",
            "read up to the line end, however far it is",
            Encoding::Long,
        ),
        check(
            "unicode",
            "reads names in any letters",
            "read stdin as UTF-8",
            CheckKind::Unicode,
        ),
    ]
}

fn of_ends() -> [Check; 5] {
    [
        check(
            "fault-told",
            "does not answer the `error` after a fault",
            "`error` and `end` want no answer",
            CheckKind::FaultTold,
        ),
        check(
            "quit/at-once",
            "ends at `quit`, also before any match",
            "end the process with code 0 when `quit` comes",
            CheckKind::Quit { played: false },
        ),
        check(
            "quit/after-match",
            "ends at `quit` after a match",
            "end the process with code 0 when `quit` comes",
            CheckKind::Quit { played: true },
        ),
        check(
            "closed-input/waiting",
            "ends when its input is closed",
            "end the process with code 0 at the end of stdin: the referee is gone",
            CheckKind::ClosedInput { in_turn: false },
        ),
        check(
            "closed-input/in-turn",
            "ends when its input is closed in its turn",
            "end the process with code 0 at the end of stdin: the referee is gone",
            CheckKind::ClosedInput { in_turn: true },
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_is_reported() {
        let load = |waiting| Load {
            waiting: Some(waiting),
            stolen: None,
        };
        assert_eq!(when_quiet(&load(0.2)), None);
        let advice = when_quiet(&load(0.83)).expect("it is busy");
        assert!(
            advice.contains("--margin: some process had to wait for a core in 83 %"),
            "{advice}"
        );
    }
}
