//! The list of all checks: their stable names, what they are about, and what usually mends a bot
//! that fails them.

use protocol::{BotHello, Load};

use super::matches;
use super::style::Style;
use super::talk::Trouble;
use super::{Finding, Lab, Note, Variant, manners};
use crate::machine::load::LoadWatch;
use ratings::matches::is_busy;

/// A check.
#[derive(Debug)]
pub struct Check {
    /// Its name, which stays.
    pub name: String,
    /// What is checked.
    pub about: &'static str,
    /// What usually mends a bot that fails it.
    pub(super) mend: Option<&'static str>,
    kind: Kind,
}

/// What is done.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// The process starts, introduces itself and gets ready.
    Handshake,
    /// The referee takes its time.
    SlowStart,
    /// A match from the beginning: which variant, and in which seat.
    Match(usize, usize),
    /// A match that begins with moves that the referee made.
    Opening(usize),
    /// Turns in positions out of the middle of games.
    Positions(usize),
    /// Turns with what the bot asks for.
    Wants,
    /// A match in which it is never asked.
    NoTurn,
    /// One match after another.
    SeveralMatches,
    /// A match told in another way.
    Told(Told),
    /// Names in all kinds of letters.
    Unicode,
    /// A limit on each move is kept.
    PerMove,
    /// A game clock is kept.
    GameClock,
    /// The bot is told that it is at fault.
    FaultTold,
    /// It ends when it is asked to, right after the handshake or after a match.
    Quit {
        /// After a match.
        played: bool,
    },
    /// It ends when its input is closed, while it waits or in its turn.
    ClosedInput {
        /// In its turn.
        in_turn: bool,
    },
}

/// In which other way a match is told.
#[derive(Clone, Copy, Debug)]
pub enum Told {
    /// With unknown fields.
    Fields,
    /// With unknown messages.
    Messages,
    /// With other JSON for the same.
    Form,
    /// In long lines.
    Long,
}

impl Told {
    fn style(self) -> Style {
        match self {
            Told::Fields => Style::MoreFields,
            Told::Messages => Style::MoreMessages,
            Told::Form => Style::OtherForm,
            Told::Long => Style::Long,
        }
    }
}

impl Check {
    /// The first one, without which there is nothing else.
    pub fn handshake() -> Self {
        check(
            "handshake",
            "starts, answers `hello` and `start`, and plays a known game",
            None,
            Kind::Handshake,
        )
    }

    pub(super) async fn run(
        &self,
        lab: &Lab,
        variants: &[Variant],
        hello: &BotHello,
    ) -> Result<Note, (Box<Finding>, Trouble)> {
        let home = &variants[0];
        let with = async |kind: Kind| {
            lab.with_process(async |talk| match kind {
                Kind::Handshake => Ok(None),
                Kind::SlowStart => manners::slow_start(talk, home).await,
                Kind::Match(variant, seat) => {
                    matches::from_the_start(talk, hello, &variants[variant], seat).await
                }
                Kind::Opening(variant) => matches::opening(talk, hello, &variants[variant]).await,
                Kind::Positions(variant) => {
                    matches::positions(talk, hello, &variants[variant]).await
                }
                Kind::Wants => matches::as_wanted(talk, hello, home).await,
                Kind::NoTurn => matches::no_turn(talk, hello, home).await,
                Kind::SeveralMatches => matches::several(talk, hello, variants).await,
                Kind::Told(told) => matches::told(talk, hello, home, told.style()).await,
                Kind::Unicode => matches::unicode(talk, hello, home).await,
                Kind::PerMove => matches::per_move(talk, hello, home).await,
                Kind::GameClock => matches::game_clock(talk, hello, home).await,
                Kind::FaultTold => manners::fault_told(talk, hello, home).await,
                Kind::Quit { played } => manners::quit(talk, hello, home, played).await,
                Kind::ClosedInput { in_turn } => {
                    manners::closed_input(talk, hello, home, in_turn).await
                }
            })
            .await
        };
        let first = with(self.kind).await;
        match self.kind {
            Kind::Wants if first.is_err() => self.wants_more(lab, hello, home, first).await,
            // A machine that is busy for a moment is not the bot's fault.
            Kind::PerMove | Kind::GameClock => {
                let (mut last, mut load) = (first, None);
                for _ in 0..2 {
                    match &last {
                        Err((_, trouble)) if trouble.slow => {
                            let watch = LoadWatch::begin();
                            last = with(self.kind).await;
                            load = watch.end();
                        }
                        _ => break,
                    }
                }
                last.map_err(|(mut finding, trouble)| {
                    finding.mend.extend(load.as_ref().and_then(when_quiet));
                    (finding, trouble)
                })
            }
            _ => first,
        }
    }

    /// Whether a bot that failed with what it asks for would play with more.
    async fn wants_more(
        &self,
        lab: &Lab,
        hello: &BotHello,
        home: &Variant,
        first: Result<Note, (Box<Finding>, Trouble)>,
    ) -> Result<Note, (Box<Finding>, Trouble)> {
        let full = BotHello {
            wants: protocol::Wants::default(),
            ..hello.clone()
        };
        let with_all = lab.with_process(async |talk| matches::as_wanted(talk, &full, home).await);
        if with_all.await.is_err() {
            return first;
        }
        first.map_err(|(mut finding, mut trouble)| {
            let refused = match (hello.wants.state, hello.wants.legal) {
                (false, false) => "`state` and `legal`",
                (false, true) => "`state`",
                _ => "`legal`",
            };
            finding.what = format!(
                "its `wants` refuses {refused}, but it plays only when that is there: {}",
                finding.what
            );
            finding.mend.clear();
            trouble.known = false;
            (finding, trouble)
        })
    }
}

/// What to do where a bot was late on a machine that had other things to do.
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
    mend: impl Into<Option<&'static str>>,
    kind: Kind,
) -> Check {
    Check {
        name: name.into(),
        about,
        mend: mend.into(),
        kind,
    }
}

/// All checks for these variants after the handshake, in their order.
pub fn checks(variants: &[Variant]) -> Vec<Check> {
    let mut all = vec![
        check(
            "wants",
            "plays with just what its `wants` asks for",
            "leave `wants` out, or say `true` for what the bot reads",
            Kind::Wants,
        ),
        check(
            "slow-start",
            "waits for a referee that takes its time, and says nothing unasked",
            "read stdin and answer what is asked; a banner or a log belongs on stderr",
            Kind::SlowStart,
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
            Kind::Match(index, seat),
        )
    });
    let mut all: Vec<Check> = matches.collect();
    all.push(check(
        format!("opening/{label}"),
        "plays on after an opening, moves of its own seat included",
        "play all plies of `moves`, also those of the own seat that the bot did not choose",
        Kind::Opening(index),
    ));
    all.push(check(
        format!("positions/{label}"),
        "plays from positions out of the middle and the end of games",
        "begin with the `state` of `start`, not with the game's usual beginning",
        Kind::Positions(index),
    ));
    all
}

fn of_matches() -> [Check; 4] {
    [
        check(
            "no-turn",
            "stands a match in which it is never asked",
            "expect `end` at any time after `ready`",
            Kind::NoTurn,
        ),
        check(
            "several-matches",
            "plays several matches in one process, also after one that was broken off",
            "forget everything at `start`: position, seat, clock, tree",
            Kind::SeveralMatches,
        ),
        check(
            "time/per-move",
            "keeps a limit on each move",
            "read `move_ms` of `clock`, which may have decimals",
            Kind::PerMove,
        ),
        check(
            "time/game-clock",
            "keeps a game clock with an increment",
            "read its own entry of `remaining_ms`, which may have decimals; those of others may be null",
            Kind::GameClock,
        ),
    ]
}

fn of_forms() -> [Check; 5] {
    let told = |name: &str, about, mend, told| check(name, about, mend, Kind::Told(told));
    [
        told(
            "unknown-fields",
            "passes over fields that it does not know, in all objects",
            "read the fields by their names, and leave the others alone",
            Told::Fields,
        ),
        told(
            "unknown-messages",
            "passes over messages that it does not know, without an answer",
            "do nothing where `type` is unknown",
            Told::Messages,
        ),
        told(
            "json-forms",
            "reads any JSON: fields in any order, spaces, letters as \\u and numbers",
            "read lines with a JSON library, not by patterns",
            Told::Form,
        ),
        told(
            "long-lines",
            "reads lines of 200,000 bytes",
            "read up to the line end, however far it is",
            Told::Long,
        ),
        check(
            "unicode",
            "reads names in any letters",
            "read stdin as UTF-8",
            Kind::Unicode,
        ),
    ]
}

fn of_ends() -> [Check; 5] {
    [
        check(
            "fault-told",
            "is told of a fault, and says nothing to that",
            "`error` and `end` want no answer",
            Kind::FaultTold,
        ),
        check(
            "quit/at-once",
            "ends at `quit`, also before any match",
            "end the process with code 0 when `quit` comes",
            Kind::Quit { played: false },
        ),
        check(
            "quit/after-match",
            "ends at `quit` after a match",
            "end the process with code 0 when `quit` comes",
            Kind::Quit { played: true },
        ),
        check(
            "closed-input/waiting",
            "ends when its input is closed",
            "end the process with code 0 at the end of stdin: the referee is gone",
            Kind::ClosedInput { in_turn: false },
        ),
        check(
            "closed-input/in-turn",
            "ends when its input is closed in its turn",
            "end the process with code 0 at the end of stdin: the referee is gone",
            Kind::ClosedInput { in_turn: true },
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_is_told() {
        let load = |waiting| Load {
            waiting: Some(waiting),
            stolen: None,
        };
        assert_eq!(when_quiet(&load(0.2)), None);
        let told = when_quiet(&load(0.83)).expect("it is busy");
        assert!(
            told.contains("--margin: some process had to wait for a core in 83 %"),
            "{told}"
        );
    }
}
