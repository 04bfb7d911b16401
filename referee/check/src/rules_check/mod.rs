//! `referee check --rules`: does a rules program keep its promises?

mod described;
mod games;
mod playouts;
mod questions;
mod subjects;

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{CheckOutcome, CheckReport, Variant};
use subjects::Verdict;
pub use subjects::{RulesExtent, Subjects};

/// A check, by a prefix of its name.
struct RulesCheck {
    name: &'static str,
    about: &'static str,
    fix: &'static str,
    run: fn(&questions::Bench<'_>) -> Verdict,
}

/// All checks of a game, in order.
const CHECKS: [RulesCheck; 10] = [
    RulesCheck {
        name: "starts",
        about: "the seed alone decides the start",
        fix: "make random starts from `seed` alone, not from the time or a generator of the process",
        run: questions::starts,
    },
    RulesCheck {
        name: "games",
        about: "random games come to an end, with results only there and moves that are listed once",
        fix: "list exactly the moves that `play` accepts, and give `result` exactly at the end",
        run: questions::games,
    },
    RulesCheck {
        name: "states",
        about: "a state that is given back goes on exactly as the position it came from",
        fix: "put everything into the state that decides how play goes on, `ply` as well",
        run: questions::states,
    },
    RulesCheck {
        name: "moves",
        about: "every listed move is accepted, and other texts are refused",
        fix: "answer a move that is not listed with the error `illegal_move`, and change nothing",
        run: questions::moves,
    },
    RulesCheck {
        name: "undo",
        about: "`undo` brings back exactly what was there",
        fix: "restore everything on `undo`, or leave it out of `can`",
        run: questions::undo,
    },
    RulesCheck {
        name: "repeatable",
        about: "a second process gives the same answers to the same questions",
        fix: "let answers depend on requests alone: no time, no random numbers, no order of a hash",
        run: questions::repeatable,
    },
    RulesCheck {
        name: "perft",
        about: "`perft` counts what the legal moves lead to",
        fix: "count steps, not plies, and no games that ended before; or leave it out of `can`",
        run: questions::perft,
    },
    RulesCheck {
        name: "playouts",
        about: "`playout` plays the games that the legal moves make",
        fix: "take each legal move with the same probability, and all chance from `seed`; or leave it out of `can`",
        run: playouts::playouts,
    },
    RulesCheck {
        name: "hidden",
        about: "messages to a seat do not depend on what it cannot know",
        fix: "make `observation`, `sees` and `legal` from what the seat has seen alone",
        run: questions::hidden,
    },
    RulesCheck {
        name: "against",
        about: "the other rules give the same answers",
        fix: "compare the two answers",
        run: questions::against,
    },
];

pub fn list() -> impl Iterator<Item = (&'static str, &'static str)> {
    CHECKS.iter().map(|check| (check.name, check.about))
}

/// Runs all checks of all games from these sources, and reports each when it is done.
pub fn run(
    subjects: &Subjects,
    ids: &[String],
    extent: RulesExtent,
    mut report: impl FnMut(CheckReport),
) {
    let own = subjects.rules.own_games();
    for entry in own.filter(|entry| ids.is_empty() || ids.contains(&entry.info.id)) {
        let variants = Variant::of(entry);
        if variants.is_empty() {
            let began = Instant::now();
            let why = entry.configure(&Value::Null).err();
            let what = why.map_or_else(|| "cannot be set up".to_owned(), |why| why.to_string());
            let check = &CHECKS[0];
            let outcome = failed(what, "answer `new` with the default options");
            report(done(check, &entry.info.id, outcome, began.elapsed()));
        }
        for variant in variants {
            let bench = questions::Bench::new(subjects, &variant, extent);
            for check in &CHECKS {
                let began = Instant::now();
                let outcome = match (check.run)(&bench) {
                    Ok(note) => CheckOutcome::Passed(note),
                    Err(what) => failed(what, check.fix),
                };
                report(done(check, &variant.label, outcome, began.elapsed()));
            }
        }
    }
}

fn done(check: &RulesCheck, label: &str, outcome: CheckOutcome, took: Duration) -> CheckReport {
    CheckReport {
        name: format!("{}/{label}", check.name),
        about: check.about,
        outcome,
        took,
    }
}

fn failed(what: String, fix: &str) -> CheckOutcome {
    CheckOutcome::failed(what, Some(fix))
}
