//! Small sheets that would take hours or all memory: each ends when its time is over, or somebody gives
//! it up, and none is grounded or interpreted beyond the limits.

#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::time::{Duration, Instant};

use games::budget::{Budget, Cancel};
use games::playout::{PlayoutBudget, PlayoutRequest};
use games::session::as_strs;
use gdl::{GroundLimits, Names, Sheet, SheetGame, Ungroundable};

/// Nothing but time limits these.
const TIME_ALONE: GroundLimits = GroundLimits {
    atoms: usize::MAX,
    literals: usize::MAX,
    candidates: u64::MAX,
    depth: u32::MAX,
    change: 50_000,
    steps: u64::MAX,
    time: Some(Duration::from_millis(100)),
    question_time: Some(Duration::from_millis(100)),
};
/// Longer than anything takes on the slowest machine, and far shorter than without a limit.
const MUCH: Duration = Duration::from_secs(100);

/// A game of one seat that ends at once, with more rules.
fn sheet(more: &str) -> String {
    format!(
        "(role me) (init go) (legal me a) (legal me b) (<= (next done) (does me ?m)) \
         (<= terminal (true done)) (goal me 50) {more}"
    )
}

/// The constants of a relation `c`.
fn constants(count: u32) -> String {
    (0..count).map(|number| format!("(c {number})")).collect()
}

/// Six free variables over 30 constants, whose heads are this.
fn product(head: &str) -> String {
    let body = "(c ?a) (c ?b) (c ?d) (c ?e) (c ?f) (c ?g) (c ?h) (c ?i)";
    constants(30) + &format!("(<= {head} {body})")
}

fn game(text: &str, limits: &GroundLimits) -> SheetGame {
    let names = Names {
        id: "large",
        own_id: "large",
    };
    SheetGame::with_limits(&names, text, limits).unwrap()
}

/// Sheets with what they ask of the interpreter at the start.
fn explosions() -> Vec<(&'static str, String)> {
    let all = "?a ?b ?d ?e ?f ?g ?h ?i";
    vec![
        (
            "many atoms",
            sheet(&(product(&format!("(h {all})")) + &format!("(<= (legal me d) (h {all}))"))),
        ),
        (
            "many candidates for one atom",
            sheet(&(product("h") + "(<= (legal me d) h)")),
        ),
        (
            "many moves",
            sheet(&product(&format!("(legal me (m {all}))"))),
        ),
        (
            "many facts at the start",
            sheet(&product(&format!("(init (f {all}))"))),
        ),
        (
            "many atoms that depend on the position",
            sheet(
                &(product(&format!("(h {all})")).replace("(c ?a)", "(c ?a) (true go)")
                    + &format!("(<= (legal me d) (h {all}))")),
            ),
        ),
        (
            "recursion that goes on for ever",
            sheet("(p 0) (<= (p (s ?x)) (p ?x)) (<= (legal me (m ?x)) (p ?x))"),
        ),
    ]
}

#[test]
fn whatever_a_sheet_needs_it_has_its_time_and_no_more() {
    for (what, text) in explosions() {
        assert!(text.len() < 1000, "{what}");
        let began = Instant::now();
        let game = game(&text, &TIME_ALONE);
        assert!(game.report.network.is_err(), "{what}");
        let started = game.rules.start(0);
        assert!(began.elapsed() < MUCH, "{what}: {:?}", began.elapsed());
        // Recursion without end is found out sooner.
        let error = started.err().unwrap_or_else(|| panic!("{what}: started"));
        let sentence = error.to_string();
        assert!(
            error.is_given_up() || sentence.contains("deeper than"),
            "{what}: {sentence}"
        );
    }
}

#[test]
fn by_default_grounding_ends_at_a_number() {
    for (what, text) in explosions() {
        let sheet = Sheet::read(&text).unwrap();
        drop(sheet);
        let limits = GroundLimits {
            steps: 10_000,
            ..GroundLimits::DEFAULT
        };
        let game = game(&text, &limits);
        let why = game.report.network.unwrap_err();
        assert!(!matches!(why, Ungroundable::Spent(_)), "{what}: {why}");
        let error = game.rules.start(0).err().unwrap();
        assert!(!error.is_given_up(), "{what}: {error}");
    }
}

#[test]
fn reading_is_given_up_when_somebody_says_so() {
    let text = &explosions()[1].1;
    let limits = GroundLimits {
        time: None,
        question_time: None,
        ..TIME_ALONE
    };
    let cancel = Cancel::default();
    let names = Names {
        id: "large",
        own_id: "large",
    };
    let read = std::thread::scope(|scope| {
        let budget = Budget::default().unless(&cancel);
        let reader = scope.spawn(|| budget.run(|| SheetGame::with_limits(&names, text, &limits)));
        std::thread::sleep(Duration::from_millis(50));
        cancel.cancel();
        reader.join().unwrap()
    });
    let error = read.err().expect("it takes years").to_string();
    assert!(error.contains("it was given up"), "{error}");
}

#[test]
fn terms_that_double_with_every_step_end_at_a_length() {
    let text = "(role me) (init (t a)) (legal me x) (legal me y) \
                (<= (next (t (f ?x ?x))) (true (t ?x))) \
                (<= terminal (true never)) (goal me 0)";
    let game = game(text, &GroundLimits::DEFAULT);
    assert!(game.report.network.is_err());
    let mut session = game.rules.start(0).unwrap();
    let played = (0..1000).find_map(|_| session.play_step(&as_strs(&["x".to_owned()])).err());
    let error = played.expect("no memory holds it").to_string();
    assert!(error.contains("words"), "{error}");
    assert!(session.state().unwrap().to_string().len() < 1 << 20);
}

#[test]
fn one_step_that_takes_long_does_not_hold_up_a_random_game() {
    // The first step is as quick as any, the second one takes years.
    let text = "(role me) (init (at 0)) (legal me x) (legal me y) (up 0 1) (up 1 2) (up 2 3) \
                (<= (next (at ?m)) (true (at ?n)) (up ?n ?m)) \
                (<= (next slow) (true (at 1)) h) (<= terminal (true (at 3))) (goal me 70)";
    let text =
        text.to_owned() + &product("h").replace("(c ?a) (c ?b)", "(true (at ?z)) (c ?a) (c ?b)");
    let limits = GroundLimits {
        time: None,
        question_time: None,
        ..TIME_ALONE
    };
    let limits = GroundLimits {
        candidates: 1_000,
        ..limits
    };
    let game = game(&text, &limits);
    let session = game.rules.start(0).unwrap();
    let began = Instant::now();
    let soon = Budget::default().lasting(Duration::from_millis(100));
    let request = PlayoutRequest::new(5, 1);
    let played = soon.run(|| session.playouts(&request, PlayoutBudget::While(&mut |_| true)));
    let played = played.unwrap().unwrap();
    assert!(began.elapsed() < MUCH);
    // There is not even time to ask for the goal.
    assert_eq!((played.count, played.means.outcome.len()), (0, 1));
    assert_eq!(session.ply(), 0);
}

#[test]
fn a_sheet_that_is_large_and_slow_to_split_is_refused() {
    let or = "(or (c 1) (c 2) (c 3) (c 4))".repeat(6);
    let rule = format!("(<= (p ?x) (c ?x) {or} {})", "(c ?x)".repeat(390));
    let text = sheet(&(constants(5) + &rule.repeat(10)));
    let error = Sheet::read(&text).expect_err("16 million literals");
    assert!(
        error.to_string().contains("more than 2000000 conditions"),
        "{error}"
    );
}

/// Each step takes some milliseconds, and nobody ever has a choice.
#[test]
fn forced_steps_without_end_are_not_followed_for_long() {
    let forced =
        "(role me) (legal me a) (goal me 50) (<= terminal (true done)) (<= (next done) (does me b))
        (<= (next (f ?a)) (c ?a) (c ?b) (c ?d) (c ?e) (distinct ?a ?b))";
    let all = "?a ?b ?d ?e ?f ?g ?h ?i";
    let text = format!(
        "{forced} {}",
        constants(12) + &format!("(<= (h {all}) {})", body(all))
    );
    let began = Instant::now();
    // Each single step is allowed much more than it needs.
    let limits = GroundLimits {
        question_time: Some(MUCH),
        ..TIME_ALONE
    };
    let game = game(&text, &limits);
    assert!(game.report.network.is_err(), "it is interpreted");
    assert!(began.elapsed() < MUCH, "{:?}", began.elapsed());
}

fn body(variables: &str) -> String {
    let all = variables.split(' ').map(|name| format!("(c {name})"));
    all.collect::<Vec<_>>().join(" ")
}
