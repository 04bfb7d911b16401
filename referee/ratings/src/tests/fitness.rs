//! A report's remarks where the model does not fit, and none where it does.

use games::Rng;
use serde_json::json;

use crate::matches::MatchSummary;
use crate::report::{Report, Request};
use crate::simulate::uniform;
use crate::store::MatchStore;

/// The chances that the first of two bots wins and draws at some time.
type Law<'a> = &'a dyn Fn(usize, usize, f64) -> [f64; 2];

/// Bots by number, with a number of swapped pairs of each two, by the law.
fn play(bots: usize, pairs: usize, law: Law<'_>, seed: u64) -> MatchStore {
    let mut rng = Rng::new(seed);
    let mut matches = MatchStore::new();
    let mut number = 0;
    for round in 0..pairs {
        let time = round as f64 / pairs as f64;
        for bot in 0..bots {
            for other in bot + 1..bots {
                for swapped in [false, true] {
                    number += 1;
                    let [win, draw] = law(bot, other, time);
                    let points = match uniform(&mut rng) {
                        luck if luck < win => 1.0,
                        luck if luck < win + draw => 0.5,
                        _ => 0.0,
                    };
                    matches.add(&read(number, [bot, other], swapped, points));
                }
            }
        }
    }
    matches
}

fn read(number: u64, bots: [usize; 2], swapped: bool, points: f64) -> MatchSummary {
    let mut players = bots.map(|bot| json!({"name": format!("bot{bot}"), "role": "seat"}));
    let mut outcome = [points, 1.0 - points];
    if swapped {
        players.reverse();
        outcome.reverse();
    }
    let pair = number.div_ceil(2);
    serde_json::from_value(json!({
        "format": 1, "match": format!("m-{number:06}"), "game": "run", "options": {}, "seed": pair,
        "start": {"pair": pair}, "players": players,
        "time": {"per_move_ms": 100, "startup_ms": 1, "margin_ms": 1}, "opening": 0,
        "moves": [{"seat": 0, "move": format!("m{number}"), "ms": 1}],
        "result": {"scores": [0, 0], "outcome": outcome, "faults": []}
    }))
    .expect("a match")
}

fn report(matches: &MatchStore) -> Report {
    matches.report(&Request::default()).expect("a report")
}

fn usual(bot: usize, other: usize, _: f64) -> [f64; 2] {
    let lead = 0.5 * (other as f64 - bot as f64);
    let weights = [(0.5 * lead).exp(), 0.7, (-0.5 * lead).exp()];
    let sum: f64 = weights.iter().sum();
    [weights[0] / sum, weights[1] / sum]
}

#[test]
fn nothing_is_said_of_bots_that_are_as_the_model_has_it() {
    let mut said = 0;
    for seed in 0..10 {
        let fitness = report(&play(5, 30, &usual, seed)).fitness;
        let test = fitness.transitivity.expect("ten pairs of bots");
        assert_eq!(test.freedom, 6);
        said += usize::from(test.broken) + fitness.drifts.len() + fitness.odd_draws.len();
        assert!(fitness.few_clusters.is_empty());
    }
    assert!(said <= 2, "{said} of some thirty");
}

#[test]
fn rock_paper_and_scissors_are_named() {
    let law = |bot: usize, other: usize, _: f64| match (other + 3 - bot) % 3 {
        _ if bot > 2 || other > 2 => [0.5, 0.0],
        1 => [0.75, 0.0],
        _ => [0.25, 0.0],
    };
    let fitness = report(&play(4, 40, &law, 3)).fitness;
    let test = fitness.transitivity.expect("six pairs of bots");
    assert!(test.broken && test.p_value < 1e-6, "{test:?}");
    assert_eq!(test.cycle, Some([0, 1, 2]));
    let worst = fitness.residuals.iter().map(|it| it.errors.abs());
    assert!(worst.fold(0.0, f64::max) > 3.0);
    // Two bots cannot be a cycle.
    assert_eq!(report(&play(2, 20, &usual, 1)).fitness.transitivity, None);
}

#[test]
fn a_bot_that_changes_is_named() {
    let law = |bot: usize, _: usize, time: f64| match bot {
        0 if time > 0.5 => [0.75, 0.0],
        0 => [0.35, 0.0],
        _ => [0.5, 0.0],
    };
    let fitness = report(&play(4, 40, &law, 5)).fitness;
    let drift = fitness.drifts.iter().find(|drift| drift.bot == 0);
    let drift = drift.expect("it became better");
    assert!((0.25..0.55).contains(&drift.change), "{drift:?}");
}

/// Draws are common among equals, and vanish at once between others.
#[test]
fn another_law_of_draws_is_told() {
    let law = |bot: usize, other: usize, _: f64| match other - bot {
        1 => [0.22, 0.7],
        2 => [0.75, 0.05],
        _ => [0.95, 0.0],
    };
    let fitness = report(&play(5, 60, &law, 2)).fitness;
    assert_eq!(fitness.odd_draws, [0], "{:?}", fitness.draws);
}

#[test]
fn few_pairs_are_told() {
    let fitness = report(&play(2, 8, &usual, 1)).fitness;
    assert_eq!(fitness.few_clusters, [0, 1]);
}
