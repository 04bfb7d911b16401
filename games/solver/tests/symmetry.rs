//! Mirror images of a position are worth the same, and share what is known of them.

#![expect(clippy::unwrap_used, reason = "in tests")]

use games::rules::amazons::Amazons;
use games::{Game, Options};
use serde_json::{Value, json};
use solver::{Method, Question, Solver};

/// A cell of the board of 5 by 5 in a mirror.
fn mirrored(cell: &Value) -> Value {
    let [letter, number] = *cell.as_str().unwrap().as_bytes() else {
        panic!("{cell} has two letters");
    };
    let letter = (b'a' + b'e' - letter) as char;
    json!(format!("{letter}{}", number as char))
}

fn all_mirrored(cells: &Value) -> Value {
    cells.as_array().unwrap().iter().map(mirrored).collect()
}

#[test]
fn the_table_of_a_position_answers_for_its_mirror_image() {
    let options = Options::of::<Amazons>(&json!({"size": 5})).unwrap();
    let game = Amazons::new(&options).unwrap();
    let state = json!({"ply": 6, "to_move": 0, "amazons": [["a1", "c5"], ["e5", "d1"]],
        "arrows": ["a2", "b4", "c3", "c1", "d4", "e3"], "scores": [0, 0]});
    let mut image = state.clone();
    image["amazons"] = state["amazons"]
        .as_array()
        .unwrap()
        .iter()
        .map(all_mirrored)
        .collect();
    image["arrows"] = all_mirrored(&state["arrows"]);
    for method in [Method::ProofNumber, Method::AlphaBeta] {
        let solver = |state: &Value| {
            let position = game.load(state).unwrap();
            let watch = Box::new(|_: &_| true);
            Solver::new(&game, position, Question::Win, Some(method), 1 << 22, watch).unwrap()
        };
        let mut first = solver(&state);
        let value = first.run().unwrap();
        assert!(first.progress().positions > 20);
        let mut bytes = Vec::new();
        first.save(&serde_json::Map::new(), &mut bytes).unwrap();
        let mut second = solver(&image);
        second.restore(&serde_json::Map::new(), &bytes[..]).unwrap();
        second.ask_again();
        let before = second.progress().positions;
        assert_eq!(second.run().unwrap(), value);
        assert_eq!(
            second.progress().positions,
            before,
            "nothing is searched again"
        );
    }
}
