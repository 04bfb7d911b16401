//! Random games of every game under every option: nothing fails, and positions survive a round
//! trip.

use crate::random::Random;
use crate::{Oracle, open, scattered, sets, start};
use serde_json::{Value, json};

fn check(game: &str, options: &Value, position: &dyn Oracle) {
    let legal = position.legal();
    let state = position.state();
    assert_eq!(
        legal.is_empty(),
        position.result().is_some(),
        "{game} {state}"
    );
    assert_eq!(
        legal.is_empty(),
        state["to_move"].is_null(),
        "{game} {state}"
    );
    let again = open(game, options, &state);
    assert_eq!(again.state(), state, "{game}");
    assert_eq!(again.legal(), legal, "{game} {state}");
    assert_eq!(again.result(), position.result(), "{game} {state}");
    assert_eq!(again.key(), position.key(), "{game} {state}");
    if let Some(result) = position.result() {
        assert_eq!(json!(result.scores), state["scores"], "{game}");
        let sum: f64 = result.outcome.iter().sum();
        let seats = result.outcome.len() as f64;
        assert!((sum - seats / 2.0).abs() < 1e-9, "{game} {state}");
    }
}

fn play(game: &str, options: &Value, mut position: Box<dyn Oracle>, random: &mut Random) {
    for _ in 0..400 {
        check(game, options, position.as_ref());
        let legal = position.legal();
        if legal.is_empty() {
            break;
        }
        let mv = random.pick(&legal);
        position.play(mv);
    }
}

fn play_all(game: &str, games: u64) {
    for options in sets::of(game) {
        for seed in 0..games {
            let mut random = Random(seed);
            play(game, &options, start(game, &options, seed), &mut random);
            let state = scattered::state(game, &options, &mut random);
            play(game, &options, open(game, &options, &state), &mut random);
        }
    }
}

#[test]
fn amazons() {
    play_all("amazons", 1);
}

#[test]
fn amazon_penguins() {
    play_all("amazon-penguins", 2);
}

#[test]
fn elephant_run() {
    play_all("elephant-run", 20);
}

#[test]
fn giantslayer() {
    play_all("giantslayer", 10);
}

#[test]
fn paper_penguins() {
    play_all("paper-penguins", 4);
}

#[test]
fn penguins() {
    play_all("penguins", 2);
}

#[test]
fn run() {
    play_all("run", 20);
}

#[test]
fn siam() {
    play_all("siam", 4);
}
