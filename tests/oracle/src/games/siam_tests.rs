//! Tests of Siam: the positions from the printed rules, one a test, and the options.

use crate::{Oracle, perft};
use serde_json::{Value, json};

fn open(to_move: i64, elephants: Value, rhinos: Value, rocks: &[&str]) -> Box<dyn Oracle> {
    let state = json!({"ply": 20, "to_move": to_move, "elephants": elephants,
        "rhinos": rhinos, "rocks": rocks, "exits": [0, 0], "scores": [0, 0]});
    crate::open("siam", &json!({}), &state)
}

fn may(game: &dyn Oracle, mv: &str) -> bool {
    game.legal().iter().any(|m| m == mv)
}

/// The scores after a push that ends the game.
fn won_by(mut game: Box<dyn Oracle>, mv: &str) -> Vec<i64> {
    game.play(mv);
    let result = game.result().expect("over");
    assert_eq!(result.reason, "rock_out");
    result.scores
}

#[test]
fn perft_of_the_start() {
    let start = crate::start("siam", &json!({}), 0);
    assert_eq!(perft(start.as_ref(), 1), 64);
    assert_eq!(perft(start.as_ref(), 2), 3894);
}

#[test]
fn one_animal_pushes_one_rock() {
    let mut game = open(0, json!({"c3": "n"}), json!({}), &["c4"]);
    game.play("c3>c4");
    assert_eq!(game.state()["rocks"], json!(["c5"]));
    assert_eq!(game.state()["elephants"], json!({"c4": "n"}));
}

#[test]
fn two_rhinos_push_two_rocks_and_win() {
    let game = open(1, json!({}), json!({"c2": "n", "c3": "n"}), &["c4", "c5"]);
    assert!(!may(game.as_ref(), "c3>c4"));
    assert_eq!(won_by(game, "c2>c3"), [0, 1]);
}

#[test]
fn three_rhinos_push_three_rocks() {
    let rocks = ["c3", "c4", "c5"];
    let mut game = open(1, json!({}), json!({"c1": "n", "c2": "n"}), &rocks);
    assert!(!may(game.as_ref(), "c1>c2"));
    game.play("+>c1n");
    assert_eq!(game.state()["rocks"], json!(["c4", "c5"]));
    assert_eq!(
        game.state()["rhinos"],
        json!({"c1": "n", "c2": "n", "c3": "n"})
    );
    assert_eq!(game.state()["scores"], json!([0, 1]));
}

#[test]
fn a_rhino_cannot_push_an_elephant_that_faces_it() {
    let game = open(1, json!({"c4": "s"}), json!({"c3": "n"}), &["a1"]);
    assert!(!may(game.as_ref(), "c3>c4"));
}

#[test]
fn two_elephants_push_one_rhino_against() {
    let rhino = || json!({"c3": "n"});
    let game = open(0, json!({"c5": "s", "c4": "s"}), rhino(), &["a1"]);
    assert!(may(game.as_ref(), "c5>c4"));
    let game = open(
        0,
        json!({"c5": "s", "c4": "s", "c2": "n"}),
        rhino(),
        &["a1"],
    );
    assert!(!may(game.as_ref(), "c5>c4"));
}

#[test]
fn an_elephant_pushes_a_rhino_that_faces_sideways() {
    for way in ["e", "w"] {
        let game = open(0, json!({"c4": "s"}), json!({"c3": way}), &["a1"]);
        assert!(may(game.as_ref(), "c4>c3"));
    }
}

#[test]
fn a_rhino_cannot_enter_against_rocks_and_a_rhino() {
    let elephants = json!({"e3": "w", "c3": "n"});
    let game = open(1, elephants, json!({"a3": "e"}), &["d3", "b3"]);
    assert!(!may(game.as_ref(), "+>e3w"));
}

#[test]
fn an_elephant_pushes_with_the_help_of_a_rhino() {
    let elephants = json!({"c5": "s", "c1": "n"});
    let mut game = open(0, elephants, json!({"c4": "s", "c3": "e"}), &["c2"]);
    assert!(may(game.as_ref(), "c5>c4"));
    game.play("c5>c4");
    assert_eq!(game.state()["elephants"], json!({"c4": "s"}));
    assert_eq!(game.state()["rocks"], json!(["c1"]));
    assert!(game.result().is_none());
}

#[test]
fn the_nearest_animal_that_faces_the_push_wins() {
    for (way, scores) in [("s", [0, 1]), ("e", [1, 0])] {
        let game = open(0, json!({"a3": "s"}), json!({"a2": way}), &["a1"]);
        assert_eq!(won_by(game, "a3>a2"), scores);
    }
}

#[test]
fn there_are_two_ways_into_a_corner() {
    let game = open(0, json!({}), json!({"a1": "w"}), &["c3"]);
    let pushes: Vec<String> = game
        .legal()
        .into_iter()
        .filter(|m| m.contains('>'))
        .collect();
    // Against the rhino that faces west no one enters from the west.
    assert_eq!(pushes, ["+>a1n"]);
    let game = open(0, json!({}), json!({}), &["a1"]);
    let pushes: Vec<String> = game
        .legal()
        .into_iter()
        .filter(|m| m.contains('>'))
        .collect();
    assert_eq!(pushes, ["+>a1e", "+>a1n"]);
}

#[test]
fn the_opening_ban_lasts_for_four_plies() {
    let options = json!({"opening_ban": true});
    let mut game = crate::start("siam", &options, 0);
    assert_eq!(game.legal().len(), 64 - 8);
    for mv in ["+d1n", "+d5n", "d1-out", "d5-out"] {
        assert!(!may(game.as_ref(), "+c1n"));
        game.play(mv);
    }
    assert!(may(game.as_ref(), "+c1n") && may(game.as_ref(), "+c5n"));
    assert_ne!(game.key(), crate::start("siam", &options, 0).key());
}

#[test]
fn the_opening_ban_is_for_pushed_animals_too() {
    let mut state = json!({"ply": 3, "to_move": 1, "elephants": {"b1": "e"},
        "rhinos": {"a1": "e", "b5": "n"}, "rocks": ["c3"], "exits": [0, 0], "scores": [0, 0]});
    let options = json!({"opening_ban": true});
    let game = crate::open("siam", &options, &state);
    assert!(!may(game.as_ref(), "a1>b1") && !may(game.as_ref(), "b5-c5n"));
    state["ply"] = json!(4);
    let game = crate::open("siam", &options, &state);
    assert!(may(game.as_ref(), "a1>b1") && may(game.as_ref(), "b5-c5n"));
}

#[test]
fn exits_may_be_limited() {
    let limited = json!({"max_exits": 1});
    let mut game = crate::start("siam", &limited, 0);
    for mv in ["+a1n", "+a5n", "a1-out", "a5=e", "+a1n", "a5=n"] {
        game.play(mv);
    }
    assert!(!may(game.as_ref(), "a1-out"));
    game.play("a1=e");
    assert!(may(game.as_ref(), "a5-out"));
}
