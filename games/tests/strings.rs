//! Every string that is well formed for a game, in some positions: exactly those that are listed
//! are accepted.

#![expect(
    clippy::unwrap_used,
    reason = "in tests, also in what several tests share"
)]

use std::collections::HashSet;

use games::session::random_step;
use games::{Rng, Session};
use serde_json::{Value, json};

/// Positions of each set of options in which all strings are tried.
const POSITIONS: usize = 6;

/// Replacements for a letter of a form: `C` is a cell, `D` a direction, `N` a number of fish; other
/// characters stand for themselves.
fn choices(letter: char, cells: &[String]) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    match letter {
        'C' => cells.to_vec(),
        'D' => words(&["n", "e", "s", "w"]),
        'N' => words(&["1", "2", "3"]),
        other => vec![other.to_string()],
    }
}

/// All strings of a form.
fn strings(form: &str, cells: &[String]) -> Vec<String> {
    form.chars().fold(vec![String::new()], |begun, letter| {
        let choices = choices(letter, cells);
        let longer = |begin: String| {
            let next = choices.iter();
            next.map(|choice| format!("{begin}{choice}"))
                .collect::<Vec<_>>()
        };
        begun.into_iter().flat_map(longer).collect()
    })
}

/// Random positions, spread over a game, the start included.
fn positions(game: &str, options: &Value) -> Vec<Box<dyn Session>> {
    let entry = games::find(game).expect("a game");
    let rules = entry.configure(options).expect("options");
    let mut session = rules.start(4).unwrap();
    let mut rng = Rng::new(4);
    let mut all = vec![session.fork()];
    while let Some(step) = random_step(&mut *session, &mut rng)
        .unwrap()
        .filter(|_| all.len() < 200)
    {
        session.play(&step[0]).expect("a legal move");
        all.push(session.fork());
    }
    let every = all.len().div_ceil(POSITIONS);
    all.into_iter().step_by(every).collect()
}

/// Tries all strings of the forms. Moves of other forms are longer than these: chains.
fn check(game: &str, options: Value, forms: &[&str]) {
    let positions = positions(game, &options);
    let view = positions[0].view().unwrap().expect("a drawing");
    let cells: Vec<String> = view.cells.into_iter().map(|cell| cell.name).collect();
    let strings: HashSet<String> = forms
        .iter()
        .flat_map(|form| strings(form, &cells))
        .collect();
    for mut session in positions {
        let legal: HashSet<String> = session.legal().unwrap().into_iter().collect();
        let accepted = strings.iter().filter(|text| {
            let accepted = session.play(text).is_ok();
            session.undo(usize::from(accepted)).expect("it was played");
            accepted
        });
        let accepted: HashSet<String> = accepted.cloned().collect();
        let listed: HashSet<String> = legal.intersection(&strings).cloned().collect();
        assert_eq!(accepted, listed, "{}", session.state().unwrap());
        let chains = legal.difference(&strings);
        let mut others = chains.filter(|text| text.matches('x').count() < 3);
        assert_eq!(others.next(), None, "a form is missing");
    }
}

#[test]
fn amazons() {
    check("amazons", json!({"size": 5}), &["C-C/C"]);
    check("amazons", json!({"size": 6}), &["C-C/C"]);
}

#[test]
fn amazon_penguins() {
    let forms = &["C", "C-C/C", "C=N"];
    check("amazon-penguins", json!({}), forms);
    check(
        "amazon-penguins",
        json!({"board": "hex", "setup": "laid"}),
        forms,
    );
}

#[test]
fn elephant_run() {
    let forms = &["C", "C-C", "CxC"];
    check("elephant-run", json!({}), forms);
    check("elephant-run", json!({"ranged_jumps": true}), forms);
}

#[test]
fn giantslayer() {
    check("giantslayer", json!({}), &["C-C", "CxC", "CxCxC"]);
}

#[test]
fn paper_penguins() {
    check("paper-penguins", json!({}), &["C", "C-C"]);
    check("paper-penguins", json!({"size": 11}), &["C", "C-C"]);
}

#[test]
fn penguins() {
    let forms = &["C", "C=N", "C-C"];
    check("penguins", json!({}), forms);
    check("penguins", json!({"players": 3, "setup": "laid"}), forms);
}

#[test]
fn run() {
    check(
        "run",
        json!({}),
        &["cow@C", "cowboy@C", "C-C", "CxC", "C-out", "C-lost"],
    );
}

#[test]
fn siam() {
    let forms = &["+CD", "+>CD", "C-CD", "C=D", "C-out", "C>C"];
    for options in [
        json!({}),
        json!({"opening_ban": true}),
        json!({"max_exits": 1}),
    ] {
        check("siam", options, forms);
    }
}
