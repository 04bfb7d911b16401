//! Sheets with clocks: any such sheet is read, and each step is made, within a time and a memory
//! that are far from what the counts alone would allow.

use std::time::{Duration, Instant};

use games::budget::Budget;
use games::playout::{PlayoutBudget, PlayoutRequest};
use games::session::{as_strs, random_step};
use games::{Rng, Rules};
use gdl::{GroundLimits, Names, SheetGame};

/// Counts that are no limit on a small sheet, but for memory.
const LIMITS: GroundLimits = GroundLimits {
    atoms: 200_000,
    literals: 2_000_000,
    candidates: u64::MAX,
    depth: 200,
    rewritten: false,
    change: 50_000,
    steps: u64::MAX,
    time: Some(Duration::from_millis(30)),
    question_time: Some(Duration::from_millis(30)),
};
/// More than anything may take, on a machine that has other things to do.
const MUCH: Duration = Duration::from_secs(5);
/// Maximum number of steps of a game.
const LONGEST: usize = 4;

const SHEETS: [&str; 5] = [
    include_str!("../../../../../games/sheets/tic-tac-toe.kif"),
    include_str!("../../../../../games/sheets/kuhn-poker.kif"),
    // Products of relations, recursion without end, terms that double.
    "(role me) (legal me a) (legal me b) (c 1) (c 2) (c 3) (c 4) (c 5) (c 6) (c 7) (c 8) (c 9)
     (<= (h ?a ?b ?d ?e) (c ?a) (c ?b) (c ?d) (c ?e) (c ?f) (c ?g) (c ?h) (c ?i) (c ?j))
     (<= (legal me d) (h ?a ?b ?d ?e)) (<= terminal (true done)) (goal me 1) (<= (next done) (does me a))",
    "(role me) (legal me a) (legal me b) (p 0) (<= (p (s ?x)) (p ?x)) (<= (next (q ?x)) (p ?x))
     (<= terminal (true done)) (goal me 1)",
    "(role me) (init (t a)) (legal me a) (legal me b) (<= (next (t (f ?x ?x))) (true (t ?x)))
     (<= terminal (true done)) (goal me 1)",
];

pub(crate) fn seeds(_: &mut Rng) -> Vec<Vec<u8>> {
    SHEETS.iter().map(|text| text.bytes().collect()).collect()
}

fn timed<T>(what: &str, act: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let made = act();
    assert!(began.elapsed() < MUCH, "{what} took {:?}", began.elapsed());
    made
}

pub(crate) fn run(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    let names = Names {
        id: "fuzz",
        own_id: "fuzz",
    };
    let game = timed("reading", || SheetGame::with_limits(&names, text, &LIMITS));
    let Ok(game) = game else {
        return false;
    };
    play(&*game.rules, input.len() as u64);
    true
}

fn play(rules: &dyn Rules, seed: u64) {
    let mut rng = Rng::new(seed);
    let Ok(mut session) = timed("the start", || rules.start(seed)) else {
        return;
    };
    for _ in 0..LONGEST {
        let soon = Budget::default().lasting(Duration::from_millis(10));
        let request = PlayoutRequest {
            max_plies: Some(100),
            ..PlayoutRequest::new(10, seed)
        };
        let games = || session.playouts(&request, PlayoutBudget::While(&mut |_| true));
        let played = timed("random games", || soon.run(games));
        if let Ok(Some(played)) = played {
            assert_eq!(played.means.outcome.len(), rules.seats());
        }
        let Ok(Some(step)) = timed("a random step", || random_step(&mut *session, &mut rng)) else {
            return;
        };
        if timed("a step", || session.play_step(&as_strs(&step))).is_err() {
            return;
        }
    }
}
