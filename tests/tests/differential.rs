//! The program against the oracle, position by position, over random games and scattered
//! pieces under every option. `DIFFERENTIAL_GAMES=N` makes it N times as long, and
//! `DIFFERENTIAL_SEED=S` starts from other games:
//!
//!     DIFFERENTIAL_GAMES=50 cargo test --profile campaign -p tests --test differential

mod pair;

use oracle::random::Random;
use oracle::{Oracle, scattered, sets};
use pair::{Pair, Place};
use serde_json::{Value, json};

/// No game is followed for longer.
const LONGEST: usize = 300;

/// Compares random games and positions of scattered pieces, this many for each set of options.
fn compare(game: &str, games: u64, positions: u64) {
    compare_at(Place::BuiltIn, game, games, LONGEST, positions);
}

fn compare_at(place: Place, game: &str, games: u64, longest: usize, positions: u64) {
    for options in sets::of(game) {
        let mut pair = Pair::new(place, game, &options);
        for seed in pair::seeds(games) {
            let mut oracle = open(&mut pair, json!({"seed": seed}));
            pair.play_on(oracle.as_mut(), longest, &mut Random(seed));
            end_otherwise(&mut pair, &oracle.state());
        }
        for seed in pair::seeds(positions) {
            let mut random = Random(seed);
            let mut state = scattered::state(game, &options, &mut random);
            let mut oracle = open(&mut pair, json!({"state": state}));
            pair.play_on(oracle.as_mut(), 6, &mut random);
            end_otherwise(&mut pair, &oracle.state());
            // Play goes on equally at another time, but for rules about the first plies.
            state["ply"] = json!(random.below(7));
            open(&mut pair, json!({"state": state}));
        }
    }
}

/// Opens a finished game with other plies and scores, which may or may not be refused: they are
/// no part of its key.
fn end_otherwise(pair: &mut Pair, end: &Value) {
    if !end["to_move"].is_null() {
        return;
    }
    let mut state = end.clone();
    for ply in [0, 1, 300] {
        state["ply"] = json!(ply);
        let _ = pair.open(json!({"state": state}));
    }
    if let Some(scores) = state["scores"].as_array_mut() {
        scores.reverse();
    }
    let _ = pair.open(json!({"state": state}));
}

fn open(pair: &mut Pair, from: Value) -> Box<dyn Oracle> {
    pair.open(from)
        .unwrap_or_else(|refusal| panic!("refused: {refusal}"))
}

#[test]
fn amazons() {
    compare("amazons", 3, 20);
}

#[test]
fn amazon_penguins() {
    compare("amazon-penguins", 3, 30);
}

#[test]
fn elephant_run() {
    compare("elephant-run", 15, 80);
}

#[test]
fn giantslayer() {
    compare("giantslayer", 20, 400);
}

#[test]
fn paper_penguins() {
    compare("paper-penguins", 5, 50);
}

#[test]
fn penguins() {
    compare("penguins", 3, 20);
}

#[test]
fn run() {
    compare("run", 20, 500);
}

#[test]
fn siam() {
    compare("siam", 2, 50);
}

/// Rules in another process are the same, position by position: a little of each game.
mod through_a_pipe {
    use super::*;

    macro_rules! games {
        ($($test:ident $game:literal $positions:literal)*) => {
            $(#[test]
            fn $test() {
                compare_at(Place::FarAway, $game, 1, 12, $positions);
            })*
        };
    }

    games! {
        amazons "amazons" 1
        amazon_penguins "amazon-penguins" 2
        elephant_run "elephant-run" 2
        giantslayer "giantslayer" 4
        paper_penguins "paper-penguins" 1
        penguins "penguins" 1
        run "run" 4
        siam "siam" 1
    }
}
