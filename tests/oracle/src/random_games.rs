//! Random games of every game under every option: nothing breaks, and a position
//! written down and opened again is the same.

use crate::board::Random;
use crate::{Oracle, open, start};
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

fn play(game: &str, options: &Value, games: u64) {
    for seed in 0..games {
        let mut position = start(game, options, seed);
        let mut random = Random(seed);
        for _ in 0..400 {
            check(game, options, position.as_ref());
            let legal = position.legal();
            if legal.is_empty() {
                break;
            }
            position.play(&legal[random.below(legal.len())]);
        }
    }
}

fn given() -> Value {
    let fish = ["10210321", "1110223", "01123211", "2101321"];
    let fish = [fish, ["11302211", "1110011", "22113321", "3210123"]].concat();
    json!(fish)
}

#[test]
fn amazons() {
    for size in 5..=11 {
        play(
            "amazons",
            &json!({"size": size}),
            if size < 9 { 4 } else { 1 },
        );
    }
}

#[test]
fn amazon_penguins() {
    for board in ["square", "hex"] {
        for setup in ["random", "laid"] {
            play(
                "amazon-penguins",
                &json!({"board": board, "setup": setup}),
                3,
            );
        }
    }
    let options = json!({"board": "hex", "setup": "given", "fish": given()});
    play("amazon-penguins", &options, 3);
    let fish = ["10203123"; 8];
    play(
        "amazon-penguins",
        &json!({"setup": "given", "fish": fish}),
        3,
    );
}

#[test]
fn elephant_run() {
    for farmers in 4..=8 {
        for ranged_jumps in [false, true] {
            let options = json!({"farmers": farmers, "ranged_jumps": ranged_jumps, "target": 8});
            play("elephant-run", &options, 20);
        }
    }
}

#[test]
fn giantslayer() {
    play("giantslayer", &json!({}), 10);
}

#[test]
fn paper_penguins() {
    for size in 4..=11 {
        play("paper-penguins", &json!({"size": size}), 4);
    }
    let points = ["1231", "3211", "1112", "2213"];
    play("paper-penguins", &json!({"size": 4, "points": points}), 10);
}

#[test]
fn penguins() {
    for players in 2..=4 {
        for setup in ["random", "laid", "given"] {
            for placement in ["one-fish", "any"] {
                let mut options =
                    json!({"players": players, "setup": setup, "placement": placement});
                if setup == "given" {
                    options["fish"] = given();
                }
                play("penguins", &options, 3);
            }
        }
    }
}

#[test]
fn run() {
    play("run", &json!({}), 20);
}

#[test]
fn siam() {
    for opening_ban in [false, true] {
        for max_exits in [json!(null), json!(1), json!(5)] {
            play(
                "siam",
                &json!({"opening_ban": opening_ban, "max_exits": max_exits}),
                5,
            );
        }
    }
}
