//! Requests and answers as text, in both directions.

use gdl::{Kif, Script};
use protocol::excerpt;

/// Quoted answers are cut after this many characters.
const MAX_QUOTED: usize = 80;

/// A request of a game manager to a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Asks for a description.
    Info,
    Start(Box<Start>),
    /// A step begins.
    Play {
        id: String,
        last: LastStep,
    },
    /// The match is over.
    Stop {
        id: String,
        last: LastStep,
    },
    /// The match is aborted.
    Abort {
        id: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    pub id: String,
    pub role: String,
    /// All rules of the sheet, as one list.
    pub sheet: String,
    /// Time to get ready, in seconds.
    pub start_clock: u64,
    /// Time per move, in seconds.
    pub play_clock: u64,
}

/// The step before, as a player sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastStep {
    /// The moves of all roles; `None` at the first step.
    Moves(Option<Vec<String>>),
    /// With hidden information, the player's own percepts.
    Percepts {
        /// The number of the step that begins, from 0.
        turn: u32,
        /// The player's move and percepts; `None` at the first step.
        perceived: Option<(String, Vec<String>)>,
    },
}

impl LastStep {
    /// With the names that the player received.
    pub fn sent(&self, script: &Script) -> Self {
        let sent = |term: &String| script.sent(term).unwrap_or_else(|| term.clone());
        let all = |terms: &[String]| terms.iter().map(sent).collect();
        match self {
            LastStep::Moves(moves) => LastStep::Moves(moves.as_deref().map(all)),
            LastStep::Percepts { turn, perceived } => {
                let perceived = perceived.as_ref();
                let perceived = perceived.map(|(own, seen)| (sent(own), all(seen)));
                LastStep::Percepts {
                    turn: *turn,
                    perceived,
                }
            }
        }
    }

    fn text(&self) -> String {
        let list = |terms: &[String]| format!("({})", terms.join(" "));
        match self {
            LastStep::Moves(None) => "NIL".to_owned(),
            LastStep::Moves(Some(moves)) => list(moves),
            LastStep::Percepts { turn, perceived } => match perceived {
                None => format!("{turn} NIL NIL"),
                Some((own, seen)) => format!("{turn} {own} {}", list(seen)),
            },
        }
    }

    /// Reads what follows the match's id in a request.
    fn read(rest: &[Kif]) -> Option<Self> {
        let is_nil = |item: &Kif| {
            item.list().is_some_and(<[Kif]>::is_empty)
                || item
                    .word()
                    .is_some_and(|word| word.eq_ignore_ascii_case("nil"))
        };
        let terms = |item: &Kif| Some(item.list()?.iter().map(Kif::to_string).collect());
        match rest {
            [moves] if is_nil(moves) => Some(LastStep::Moves(None)),
            [moves] => Some(LastStep::Moves(Some(terms(moves)?))),
            [turn, own, seen] => {
                let turn = turn.word()?.parse().ok()?;
                let seen = if is_nil(seen) {
                    Vec::new()
                } else {
                    terms(seen)?
                };
                let perceived = (!is_nil(own) || turn > 0).then(|| (own.to_string(), seen));
                Some(LastStep::Percepts { turn, perceived })
            }
            _ => None,
        }
    }
}

impl Request {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Request::Info => "INFO",
            Request::Start(_) => "START",
            Request::Play { .. } => "PLAY",
            Request::Stop { .. } => "STOP",
            Request::Abort { .. } => "ABORT",
        }
    }

    pub(crate) fn text(&self) -> String {
        let name = self.name();
        match self {
            Request::Info => format!("({name})"),
            Request::Start(start) => {
                let Start {
                    id,
                    role,
                    sheet,
                    start_clock,
                    play_clock,
                } = &**start;
                format!("({name} {id} {role} {sheet} {start_clock} {play_clock})")
            }
            Request::Play { id, last } | Request::Stop { id, last } => {
                format!("({name} {id} {})", last.text())
            }
            Request::Abort { id } => format!("({name} {id})"),
        }
    }

    /// Reads a request. Keywords are case-insensitive.
    ///
    /// # Errors
    /// Explains the first error.
    pub fn read(text: &str) -> Result<Self, String> {
        let message = Kif::read(text).map_err(|error| error.to_string())?;
        let unknown = || {
            let quoted = excerpt(text.as_bytes(), MAX_QUOTED);
            format!("`{quoted}` is no request of a game manager")
        };
        let list = message.list().ok_or_else(unknown)?;
        let name = message.head().ok_or_else(unknown)?.to_ascii_uppercase();
        let id = list.get(1).map(Kif::to_string);
        let wrong = || format!("a `{name}` has other parts than expected");
        match (&*name, list) {
            ("INFO", [_]) => Ok(Request::Info),
            ("ABORT", [_, id]) => Ok(Request::Abort { id: id.to_string() }),
            ("PLAY" | "STOP", [_, _, rest @ ..]) => {
                let (Some(id), Some(last)) = (id, LastStep::read(rest)) else {
                    return Err(wrong());
                };
                Ok(match &*name {
                    "PLAY" => Request::Play { id, last },
                    _ => Request::Stop { id, last },
                })
            }
            ("START", [_, id, role, sheet, start, play, ..]) => {
                let seconds = |clock: &Kif| clock.word()?.parse().ok();
                let (Some(start_clock), Some(play_clock), Some(_)) =
                    (seconds(start), seconds(play), sheet.list())
                else {
                    return Err(wrong());
                };
                Ok(Request::Start(Box::new(Start {
                    id: id.to_string(),
                    role: role.to_string(),
                    sheet: sheet.to_string(),
                    start_clock,
                    play_clock,
                })))
            }
            ("INFO" | "ABORT" | "PLAY" | "STOP" | "START", _) => Err(wrong()),
            _ => Err(unknown()),
        }
    }
}

/// The constant part of a player's answer to `INFO`: its name and further pairs, but not its status.
/// `None` if it is empty.
pub fn introduction(answer: &str) -> Option<String> {
    let answer = Kif::read(answer).ok()?;
    let pairs = answer.list()?.iter().filter_map(Kif::list);
    let mut name = None;
    let mut others = Vec::new();
    for pair in pairs {
        let (Some(key), [_, values @ ..]) = (pair.first().and_then(Kif::word), pair) else {
            continue;
        };
        let value = || {
            let values: Vec<String> = values.iter().map(Kif::to_string).collect();
            values.join(" ")
        };
        match &*key.to_ascii_lowercase() {
            "name" => name = Some(value()),
            "status" => {}
            key => others.push(format!("{key} {}", value())),
        }
    }
    let others = others.join(", ");
    match (name, others.is_empty()) {
        (name, true) => name,
        (Some(name), false) => Some(format!("{name} ({others})")),
        (None, false) => Some(others),
    }
}

/// Cuts and escapes a text from outside for a sentence.
pub fn quoted(answer: &str) -> String {
    match answer.trim() {
        "" => "nothing".to_owned(),
        text => format!("`{}`", excerpt(text.as_bytes(), MAX_QUOTED)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(all: &[&str]) -> LastStep {
        LastStep::Moves(Some(all.iter().map(|mv| (*mv).to_owned()).collect()))
    }

    #[test]
    fn requests_are_written_and_read_again() {
        let id = || "m-000001".to_owned();
        let start = Start {
            id: id(),
            role: "white".to_owned(),
            sheet: "((role white) (init (p 1)))".to_owned(),
            start_clock: 10,
            play_clock: 5,
        };
        let perceived = Some(("(bet 1)".to_owned(), vec!["(card k)".to_owned()]));
        let (turn, nothing) = (0, None);
        let exchange = [
            (Request::Info, "(INFO)"),
            (
                Request::Start(Box::new(start)),
                "(START m-000001 white ((role white) (init (p 1))) 10 5)",
            ),
            (
                Request::Play {
                    id: id(),
                    last: LastStep::Moves(None),
                },
                "(PLAY m-000001 NIL)",
            ),
            (
                Request::Play {
                    id: id(),
                    last: moves(&["(mark 1 1)", "noop"]),
                },
                "(PLAY m-000001 ((mark 1 1) noop))",
            ),
            (
                Request::Play {
                    id: id(),
                    last: LastStep::Percepts {
                        turn,
                        perceived: nothing,
                    },
                },
                "(PLAY m-000001 0 NIL NIL)",
            ),
            (
                Request::Stop {
                    id: id(),
                    last: LastStep::Percepts { turn: 3, perceived },
                },
                "(STOP m-000001 3 (bet 1) ((card k)))",
            ),
            (Request::Abort { id: id() }, "(ABORT m-000001)"),
        ];
        for (request, text) in exchange {
            assert_eq!(request.text(), text);
            assert_eq!(Request::read(text).as_ref(), Ok(&request));
            let loose = text.replace(' ', "\r\n\t ").replace("PLAY", "play");
            assert_eq!(Request::read(&loose).as_ref(), Ok(&request));
        }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for text in [
            "",
            "info",
            "(",
            "()",
            "((PLAY))",
            "(INFO m)",
            "(PLAY m)",
            "(PLAY m x)",
            "(PLAY m x NIL NIL)",
            "(START m white ((role white)) 10)",
            "(START m white sheet 10 5)",
            "(START m white ((role white)) ten 5)",
            "(START m white ((role white)) -1 5)",
            "(ABORT)",
            "(PREVIEW ((role white)) 10)",
        ] {
            assert!(Request::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn players_introduce_themselves_in_many_ways() {
        for (answer, said) in [
            ("((name Random) (status available))", Some("Random")),
            (
                "( ( NAME My Bot)(Status busy)(version 1.2) )",
                Some("My Bot (version 1.2)"),
            ),
            ("((species program))", Some("species program")),
            ("available", None),
            ("()", None),
            ("((status busy))", None),
            ("<html>", None),
            ("((", None),
        ] {
            assert_eq!(introduction(answer).as_deref(), said, "{answer}");
        }
    }
}
