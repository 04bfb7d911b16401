//! Every sheet, and many generated ones, play as the plain interpreter of the oracle says.

#![allow(clippy::unwrap_used, reason = "these are tests")]

mod generator;

use std::collections::BTreeSet;
use std::path::PathBuf;

use games::session::as_strs;
use games::{Actor, Rng, Rules, Session};
use gdl::{GroundLimits, Names, SheetGame};
use oracle::gdl::{Sheet, Term, text};

/// A game on the oracle's side: plays by itself where nobody has a choice, as the referee does.
struct Slow<'s> {
    sheet: &'s Sheet,
    facts: BTreeSet<Term>,
    /// Percepts of each role since the last choice.
    sees: Vec<Vec<String>>,
}

impl Slow<'_> {
    /// The legal moves of all roles, sorted; empty when the game is over.
    fn legal(&self) -> Vec<Vec<Term>> {
        let look = self.sheet.look(&self.facts);
        if look.over {
            return Vec::new();
        }
        look.legal
            .into_iter()
            .map(|moves| moves.into_iter().collect())
            .collect()
    }

    fn step(&mut self, joint: &[Term]) {
        let (facts, sees) = self.sheet.step(&self.facts, joint);
        self.facts = facts;
        self.sees.resize(sees.len(), Vec::new());
        for (all, new) in self.sees.iter_mut().zip(sees) {
            let mut new: Vec<String> = new.iter().map(text).collect();
            new.sort();
            all.extend(new);
        }
    }

    /// Steps without a choice. `None` if the sheet does not work.
    fn settle(&mut self) -> Option<Vec<Vec<Term>>> {
        for _ in 0..50 {
            let legal = self.legal();
            if legal.iter().any(Vec::is_empty) {
                return None;
            }
            if legal.is_empty() || legal.iter().any(|moves| moves.len() > 1) {
                return Some(legal);
            }
            let joint: Vec<Term> = legal.iter().map(|moves| moves[0].clone()).collect();
            self.step(&joint);
        }
        None
    }
}

fn texts(terms: &[Term]) -> Vec<String> {
    let mut texts: Vec<String> = terms.iter().map(text).collect();
    texts.sort();
    texts
}

/// The moves that the fast implementation lists for a role.
fn listed(session: &mut dyn Session, actor: Actor) -> Vec<String> {
    let mut moves = Vec::new();
    match actor {
        Actor::Seat(seat) => session
            .each_legal(seat, &mut |mv| moves.push(mv.to_lowercase()))
            .unwrap(),
        Actor::Chance => moves.extend(
            session
                .chances()
                .into_iter()
                .map(|(text, _)| text.to_lowercase()),
        ),
    }
    moves.sort();
    moves
}

fn facts(session: &dyn Session) -> Vec<String> {
    let state = session.state().unwrap();
    let facts = state["facts"].as_array().unwrap().iter();
    let mut facts: Vec<String> = facts
        .map(|fact| fact.as_str().unwrap().to_lowercase())
        .collect();
    facts.sort();
    facts
}

/// The actors of the roles of a sheet.
fn actors(sheet: &Sheet) -> Vec<Actor> {
    let mut seat = 0;
    let actor = |role: &Term| {
        if text(role) == "random" {
            return Actor::Chance;
        }
        seat += 1;
        Actor::Seat(seat - 1)
    };
    sheet.roles().iter().map(actor).collect()
}

/// Plays a random game of limited length on both sides. Returns the number of steps.
fn compare(rules: &dyn Rules, sheet: &Sheet, seed: u64, longest: usize) -> usize {
    let mut rng = Rng::new(seed);
    let actors = actors(sheet);
    let mut slow = Slow {
        sheet,
        facts: sheet.start(),
        sees: Vec::new(),
    };
    let begun = slow.settle();
    let mut session = match (rules.start(seed), &begun) {
        (Ok(session), Some(_)) => session,
        (Err(_), None) => return 0,
        (Ok(session), None) => {
            // The referee looks at goals at the end only, the oracle at moves.
            panic!("starts with {:?}, but the oracle is stuck", session.state());
        }
        (Err(error), Some(legal)) => {
            assert!(legal.is_empty(), "{error}");
            assert!(error.to_string().contains("goal"), "{error}");
            return 0;
        }
    };
    let mut legal = begun.unwrap();
    for step in 0..longest {
        let at = texts(&slow.facts.iter().cloned().collect::<Vec<_>>());
        assert_eq!(facts(&*session), at, "step {step}");
        assert_eq!(
            session.to_move().is_over(),
            legal.is_empty(),
            "step {step}: {at:?}"
        );
        if step > 0 && !session.sees().is_empty() {
            for (role, actor) in actors.iter().enumerate() {
                if let Actor::Seat(seat) = actor {
                    let sees: Vec<String> = session.sees()[*seat]
                        .iter()
                        .map(|value| value.as_str().unwrap().to_lowercase())
                        .collect();
                    let mut ours = sees.clone();
                    ours.sort();
                    let mut theirs = slow.sees[role].clone();
                    theirs.sort();
                    assert_eq!(ours, theirs, "step {step}: {at:?}");
                }
            }
        }
        if legal.is_empty() {
            goals_agree(&*session, sheet, &slow.facts, &actors);
            return step;
        }
        let mut joint = Vec::new();
        let mut choices = Vec::new();
        for (actor, moves) in actors.iter().zip(&legal) {
            let mv = &moves[rng.index(moves.len())];
            joint.push(mv.clone());
            if moves.len() > 1 {
                assert_eq!(
                    listed(&mut *session, *actor),
                    texts(moves),
                    "step {step}: {at:?}"
                );
                choices.push((*actor, text(mv)));
            }
        }
        choices.sort_by_key(|(actor, _)| match actor {
            Actor::Seat(seat) => *seat,
            Actor::Chance => usize::MAX,
        });
        let choices: Vec<String> = choices
            .into_iter()
            .map(|(_, text)| text.to_uppercase())
            .collect();
        slow.sees.iter_mut().for_each(Vec::clear);
        slow.step(&joint);
        let settled = slow.settle();
        match (session.play_step(&as_strs(&choices)), settled) {
            (Ok(()), Some(next)) => legal = next,
            (Err(_), None) => return step,
            (Err(error), Some(next)) => {
                assert!(
                    next.is_empty() && error.to_string().contains("goal"),
                    "{error}"
                );
                return step;
            }
            (Ok(()), None) => panic!("goes on where the oracle is stuck, from {at:?}"),
        }
    }
    longest
}

fn goals_agree(session: &dyn Session, sheet: &Sheet, facts: &BTreeSet<Term>, actors: &[Actor]) {
    let look = sheet.look(facts);
    let scores = session.end().unwrap().tally.scores;
    for (actor, goals) in actors.iter().zip(look.goals) {
        if let Actor::Seat(seat) = actor {
            let best = goals
                .iter()
                .map(|goal| text(goal).parse::<i64>().unwrap())
                .max();
            assert_eq!(Some(scores[*seat]), best);
        }
    }
}

fn game(id: &str, text: &str, limits: &GroundLimits) -> SheetGame {
    let names = Names { id, own_id: id };
    SheetGame::with_limits(&names, text, limits).unwrap_or_else(|error| panic!("{id}: {error}"))
}

fn sheets() -> Vec<(String, String)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../sheets"));
    let mut sheets = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "kif") {
            let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
            sheets.push((id, std::fs::read_to_string(path).unwrap()));
        }
    }
    sheets.sort();
    sheets
}

/// Sheets whose positions take the oracle long are compared for a few steps.
fn longest(id: &str) -> usize {
    match id {
        "amazons-6x6" => 2,
        "othello" | "chinese-checkers-3" | "breakthrough-8x8" | "pig" => 12,
        _ => 60,
    }
}

#[test]
fn every_sheet_plays_as_the_oracle_says() {
    for (id, text) in sheets() {
        let game = game(&id, &text, &GroundLimits::DEFAULT);
        assert!(game.report.network.is_ok(), "{id}: {:?}", game.report);
        let sheet = Sheet::read(&text).unwrap();
        let games = if longest(&id) < 60 { 1 } else { 4 };
        for seed in 0..games {
            let steps = compare(&*game.rules, &sheet, seed, longest(&id));
            assert!(steps > 0, "{id}");
        }
    }
}

/// Nothing grounds within these limits.
const NO_GROUNDING: GroundLimits = GroundLimits {
    candidates: 0,
    ..GroundLimits::DEFAULT
};

/// No joint move has a program of its own.
const PLAIN: GroundLimits = GroundLimits {
    change: 0,
    ..GroundLimits::DEFAULT
};

/// Rules are split and have demands, whether that is needed or not.
const REWRITTEN: GroundLimits = GroundLimits {
    rewritten: true,
    ..GroundLimits::DEFAULT
};

/// Plays the beginning of a game of each sheet within these limits.
fn every_sheet_begins_right(limits: &GroundLimits, is_network: bool) {
    for (id, text) in sheets() {
        let game = game(&id, &text, limits);
        assert_eq!(game.report.network.is_ok(), is_network, "{id}");
        let sheet = Sheet::read(&text).unwrap();
        let steps = compare(&*game.rules, &sheet, 7, longest(&id).min(12));
        assert!(steps > 0, "{id}");
    }
}

#[test]
fn every_sheet_is_interpreted_as_the_oracle_says() {
    every_sheet_begins_right(&NO_GROUNDING, false);
}

#[test]
fn plain_networks_play_as_the_oracle_says() {
    every_sheet_begins_right(&PLAIN, true);
}

#[test]
fn rewritten_rules_play_as_the_oracle_says() {
    every_sheet_begins_right(&REWRITTEN, true);
}

/// A move whose effect goes through 420 gates in a row.
#[test]
fn plain_networks_evaluate_deep_gates() {
    let mut text = String::from(
        "(role r) (init (p 0)) (<= (legal r (go ?x)) (end ?x)) (end 1) (end 420)
         (<= (link 1) (does r (go 1)) (true (p 0))) (<= (next (p 0)) (true (p 0)))
         (<= (next (p ?x)) (link ?x) (end ?x)) (<= terminal (true (p 420))) (<= (goal r 100) (true (p 0)))\n",
    );
    for n in 1..420 {
        // Of two ways, so that no gate is like the one below it.
        text += &format!("(<= (link {next}) (link {n}) (true (p 0)))\n", next = n + 1);
        text += &format!(
            "(<= (link {next}) (link {n}) (true (p {next})))\n",
            next = n + 1
        );
        text += &format!("(<= (next (p {n})) (link {n}) (not (true (p {n}))))\n");
    }
    let game = game("deep", &text, &PLAIN);
    assert!(game.report.network.is_ok());
    let steps = compare(&*game.rules, &Sheet::read(&text).unwrap(), 3, 2);
    assert!(steps > 0);
}

#[test]
fn generated_sheets_play_as_the_oracle_says() {
    let count = std::env::var("GDL_SHEETS")
        .ok()
        .and_then(|count| count.parse().ok());
    let mut steps = 0;
    for seed in 0..count.unwrap_or(150) {
        let text = generator::sheet(&mut Rng::from_parts(&[seed, 19]));
        let sheet = Sheet::read(&text).unwrap();
        let names = Names {
            id: "generated",
            own_id: "generated",
        };
        // Of each five, one is interpreted, one a plain network, one rewritten.
        let limits = match seed % 5 {
            0 => NO_GROUNDING,
            1 => PLAIN,
            2 => REWRITTEN,
            _ => GroundLimits::DEFAULT,
        };
        let made = SheetGame::new(&names, &text);
        let made = made.and_then(|_| SheetGame::with_limits(&names, &text, &limits));
        let game = match made {
            Ok(game) => game,
            Err(error) => {
                assert!(
                    error.message.contains("its own negation"),
                    "{error}\n{text}"
                );
                continue;
            }
        };
        for game_seed in 0..3 {
            let play = || compare(&*game.rules, &sheet, game_seed, 12);
            let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(play));
            match played {
                Ok(played) => steps += played,
                // The interpreter needs complete answers for a negation; a network has only instances that can be.
                Err(why)
                    if limits == NO_GROUNDING
                        && why
                            .downcast_ref::<String>()
                            .is_some_and(|why| why.contains("own negation")) =>
                {
                    break;
                }
                Err(_) => panic!("seed {seed}, game {game_seed}:\n{text}"),
            }
        }
    }
    assert!(steps > 1000, "{steps} steps are too few to show anything");
}
