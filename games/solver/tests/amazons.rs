//! The Game of the Amazons on 5×5, which the first player is known to win.

#![expect(clippy::unwrap_used, reason = "in tests")]

use games::rules::amazons::Amazons;
use games::{Game, Options, Rng};
use serde_json::json;
use solver::{Question, Solver, Winner};

/// Solves the position after these moves, which are played by the rules.
fn winner(moves: &[&str], bytes: usize) -> Winner {
    let options = Options::of::<Amazons>(&json!({"size": 5})).unwrap();
    let game = Amazons::new(&options).unwrap();
    let mut position = game.start(&mut Rng::new(0));
    for text in moves {
        let mv = game.parse_move(text).unwrap();
        game.play(&mut position, mv).unwrap();
    }
    let watch = Box::new(|_: &_| true);
    let mut solver = Solver::new(&game, position, Question::Win, None, bytes, watch).unwrap();
    let winner = solver.run().unwrap().winner.unwrap();
    let line = solver.line().unwrap();
    for &mv in &line {
        game.play(&mut position, mv).unwrap();
    }
    // Who has made the last move of the line has won.
    let last = (moves.len() + line.len() - 1) % 2;
    assert_eq!(winner, Winner::Seat(last));
    assert!((1000..1_000_000).contains(&solver.progress().positions));
    winner
}

#[test]
fn after_a_good_move_and_three_plies_light_still_wins() {
    let moves = ["b1-b3/d3", "a4-b4/e1", "e2-e3/d4", "b4-c3/a1"];
    assert_eq!(winner(&moves, 1 << 24), Winner::Seat(0));
}

/// It takes a minute: `cargo test --profile campaign -p referee-solver --test amazons -- --ignored`.
#[test]
#[ignore = "takes a minute"]
fn light_wins_from_the_start() {
    assert_eq!(winner(&[], 1 << 29), Winner::Seat(0));
}
