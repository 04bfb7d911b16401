//! Settlements against exhaustive search by the oracle: positions of random games, and of games by the
//! evaluations that the reference bots use. `SETTLED_POSITIONS=N` looks at N positions of random games a
//! game and a quarter of that by evaluations:
//!
//!     SETTLED_POSITIONS=2000 cargo test --profile campaign -p tests --test settled -- --nocapture
#![allow(clippy::unwrap_used, reason = "these are tests")]

use bots::evaluation::{PositionValue, position_value};
use games::settlement::{Budget, Settlement};
use games::{Rng, Rules, Session};
use oracle::minimax::points_to_come;
use serde_json::{Value, json};

/// Positions that a settlement may take; the default of tournaments.
const BUDGET: u32 = 20_000;
/// Positions that the oracle searches at most; harder ones are left out.
const EXHAUSTIVE: usize = 1_500;
/// Positions that are tested by default.
const POSITIONS: usize = 12;

/// Bots of the games from which positions are taken.
enum Players {
    /// Nobody: moves are random.
    Random,
    /// The best of some moves by the evaluation of the reference bots.
    Evaluation(Box<dyn PositionValue>),
}

impl Players {
    fn choose(&mut self, session: &mut dyn Session, rng: &mut Rng) -> String {
        let mut moves = session.legal().unwrap();
        rng.shuffle(&mut moves);
        let seat = session.to_move().alone().expect("one seat at a time");
        let Players::Evaluation(evaluation) = self else {
            return moves.swap_remove(0);
        };
        moves.truncate(20);
        let mut value = |mv: &String| {
            let mut next = session.fork();
            next.play(mv).unwrap();
            evaluation.value(&*next)[seat]
        };
        let mut rated: Vec<(f64, String)> = moves.into_iter().map(|mv| (value(&mv), mv)).collect();
        rated.sort_by(|one, other| other.0.total_cmp(&one.0));
        rated.swap_remove(0).1
    }
}

#[derive(Debug, Default)]
struct Found {
    checked: usize,
    too_long: usize,
}

/// Checks positions of a game until there are enough of them.
fn check(id: &str, options: &[Value], mut players: Players, wanted: usize) {
    let mut found = Found::default();
    for seed in 0.. {
        if found.checked >= wanted {
            break;
        }
        assert!(seed < 200 + 20 * wanted as u64, "too few: {found:?}");
        let options = &options[seed as usize % options.len()];
        let rules = games::find(id).unwrap().configure(options).unwrap();
        assert!(rules.description().settles);
        let mut rng = Rng::from_text(seed, id);
        let mut session = rules.start(seed).unwrap();
        // Not too many of one game.
        let most = found.checked + 6.min(wanted - found.checked);
        while found.checked < most && session.end().is_none() {
            if let Some(settlement) = session.settlement(&mut Budget::in_all(BUDGET)) {
                compare(&*rules, &*session, &settlement, &mut found);
            }
            let mv = players.choose(&mut *session, &mut rng);
            session.play(&mv).unwrap();
        }
    }
    println!("{id}: {found:?}");
}

fn compare(rules: &dyn Rules, session: &dyn Session, settled: &Settlement, found: &mut Found) {
    let (id, state) = (&rules.info().id, session.state().unwrap());
    let position = oracle::open(id, &rules.options().to_json(), &state);
    for (seat, score) in settled.scores.iter().enumerate() {
        let Some(more) = points_to_come(&*position, seat, EXHAUSTIVE) else {
            found.too_long += 1;
            return;
        };
        let best = state["scores"][seat].as_i64().unwrap() + more;
        assert_eq!(*score, best, "{id}, seat {seat}: {state}");
    }
    found.checked += 1;
}

fn wanted() -> usize {
    let wanted = std::env::var("SETTLED_POSITIONS").ok();
    wanted.map_or(POSITIONS, |wanted| wanted.parse().expect("a number"))
}

fn check_both(id: &str, options: &[Value]) {
    check(id, options, Players::Random, wanted());
    let evaluation = position_value(id, &options[0]).unwrap();
    check(id, options, Players::Evaluation(evaluation), wanted() / 4);
}

#[test]
fn amazons() {
    check_both(
        "amazons",
        &[json!({"size": 5}), json!({"size": 6}), json!({})],
    );
}

#[test]
fn amazon_penguins() {
    check_both("amazon-penguins", &[json!({}), json!({"board": "hex"})]);
}

#[test]
fn paper_penguins() {
    check_both(
        "paper-penguins",
        &[json!({"size": 5}), json!({}), json!({"size": 11})],
    );
}

#[test]
fn penguins() {
    check_both(
        "penguins",
        &[json!({}), json!({"players": 3}), json!({"players": 4})],
    );
}
