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
    rewritten: false,
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

/// Conditions on each two of those variables, so that none can be left out of account.
fn unlike() -> String {
    let names = ["a", "b", "d", "e", "f", "g", "h", "i"];
    let pairs = (0..8).flat_map(|one| (0..one).map(move |other| (one, other)));
    let pairs = pairs.map(|(one, other)| format!("(distinct ?{} ?{})", names[one], names[other]));
    pairs.fold("(c ?i)".to_owned(), |all, pair| all + &pair)
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
            sheet(&(product("h").replace("(c ?i)", &unlike()) + "(<= (legal me d) h)")),
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
        assert!(text.len() < 1200, "{what}");
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

/// A fact with one fitting successor is looked up before a relation that has hundreds of answers.
#[test]
fn counting_down_takes_few_steps_of_the_interpreter() {
    let numbers = (0..400).map(|number| format!("(succ {number} {})", number + 1));
    let text = numbers.collect::<String>()
        + "(role me) (init (at 400)) (legal me x) (legal me y) (<= (next done) (does me ?m)) \
           (<= terminal (true (at ?n)) (lte 3 ?n)) (goal me 50) (lte 3 3) \
           (<= (lte ?x ?y) (succ ?z ?y) (lte ?x ?z))";
    let limits = GroundLimits {
        candidates: 100,
        steps: 10_000,
        ..GroundLimits::DEFAULT
    };
    let game = game(&text, &limits);
    assert!(game.report.network.is_err());
    let session = game.rules.start(0).unwrap();
    assert!(session.to_move().is_over());
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

/// A sheet with a board of 70 cells. `count` counts the stones on three cells, of which it is asked about one
/// triple alone; with `of` in its place each use has a relation of its own.
fn counting(of: &str, rules: &str) -> String {
    let cells: String = (0..70).map(|cell| format!("(cell {cell})")).collect();
    let start: String = (0..70)
        .map(|cell| format!("(init (empty {cell}))"))
        .collect();
    format!(
        "(role red) (role blue) {cells} {start} (init (control red)) (init (step 0))
         (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
         (<= (legal ?p (put ?c)) (true (control ?p)) (true (empty ?c)))
         (<= (legal ?p wait) (role ?p) (not (true (control ?p))))
         (<= (next (stone ?p ?c)) (does ?p (put ?c)))
         (<= (next (stone ?p ?c)) (true (stone ?p ?c)))
         (<= (next (empty ?c)) (true (empty ?c)) (not (taken ?c)))
         (<= (taken ?c) (does ?p (put ?c)))
         (<= (next (control red)) (true (control blue)))
         (<= (next (control blue)) (true (control red)))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= terminal (true (step 8)))
         (<= (goal red ?g) ({of} red ?g)) (<= (goal blue 50) (role blue)) {rules}"
    )
}

/// The number of stones of a player on three cells, as a goal.
fn count(head: &str, before: &str, [a, b, c]: [&str; 3]) -> String {
    let mut rules = String::new();
    for stones in 0..8u32 {
        let has = |bit: u32, cell: &str| match stones >> bit & 1 {
            1 => format!("(true (stone ?p {cell}))"),
            _ => format!("(not (true (stone ?p {cell})))"),
        };
        let goal = [0, 25, 50, 100][stones.count_ones() as usize];
        let cells = [has(0, a), has(1, b), has(2, c)].join(" ");
        rules += &format!("(<= ({head} {goal}) {before} {cells})\n");
    }
    rules
}

#[test]
fn what_is_asked_of_few_arguments_is_grounded_for_those() {
    let any = "(role ?p) (cell ?a) (cell ?b) (cell ?c)";
    let by_call = counting(
        "stones",
        &(count("count ?p ?a ?b ?c", any, ["?a", "?b", "?c"])
            + "(<= (stones ?p ?g) (count ?p 1 2 3 ?g))"),
    );
    let by_hand = counting("stones", &count("stones ?p", "(role ?p)", ["1", "2", "3"]));
    let games = [&by_call, &by_hand].map(|text| game(text, &GroundLimits::DEFAULT));
    let sizes = games.each_ref().map(|game| game.report.network);
    let [by_call, by_hand] = sizes.map(|sizes| sizes.expect("a network"));
    assert!(
        by_call.gates <= 2 * by_hand.gates,
        "{by_call:?}, {by_hand:?}"
    );
    let request = PlayoutRequest::new(50, 3);
    let means = games.map(|game| {
        let session = game.rules.start(0).unwrap();
        let all = session
            .playouts(&request, PlayoutBudget::Plies(u64::MAX))
            .unwrap();
        format!("{:?}", all.unwrap().means)
    });
    assert_eq!(means[0], means[1]);
}

/// A piece moves, and everything that it does not touch stays: as many ways as there are cells, contents and moves.
#[test]
fn what_moves_do_not_touch_is_grounded_apart() {
    let board: String = (0..60)
        .map(|cell| format!("(cell {cell}) (init (at {cell} x))"))
        .collect();
    let text = format!(
        "(role me) {board} (init (step 0)) (piece x) (piece y) (piece z)
         (succ 0 1) (succ 1 2) (succ 2 3)
         (<= (legal me (move ?a ?b ?p)) (cell ?a) (cell ?b) (piece ?p) (true (at ?a ?q)) (distinct ?a ?b))
         (<= (next (at ?c ?p)) (true (at ?c ?p)) (does me (move ?a ?b ?q)) (distinct ?c ?a) (distinct ?c ?b))
         (<= (next (at ?b ?p)) (does me (move ?a ?b ?p)))
         (<= (next (at ?a x)) (does me (move ?a ?b ?p)))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= terminal (true (step 3))) (<= (goal me 100) (true (at 0 x))) (<= (goal me 0) (not (true (at 0 x))))"
    );
    let few = GroundLimits {
        literals: 2_500_000,
        ..GroundLimits::DEFAULT
    };
    let rewritten = game(&text, &few).report.network.expect("a network");
    assert!(rewritten.gates < 100_000, "{rewritten:?}");
}
