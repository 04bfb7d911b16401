//! Tests of Paper Pen-guins.

use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::session::{LoadError, Rules, configure, random_step};

crate::conformance!(PaperPenguins, [
    {},
    {"size": 4},
    {"size": 5},
    {"size": 6},
    {"size": 11},
    {"size": 4, "points": rows(FOUR)},
    {"size": 5, "points": ["11111", "22222", "33333", "22222", "11111"]}
]);

const FOUR: &str = "1231 2312 3123 1231";

fn rows(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

fn rules(options: Value) -> Result<Arc<dyn Rules>, OptionError> {
    configure::<PaperPenguins>(&options)
}

fn four() -> Arc<dyn Rules> {
    rules(json!({"size": 4, "points": rows(FOUR)})).unwrap()
}

fn state(to_move: Option<Seat>, points: &str, pieces: [&str; 2], scores: [i32; 2]) -> Value {
    let pieces = pieces.map(|list| list.split_whitespace().collect::<Vec<_>>());
    json!({"ply": 9, "to_move": to_move, "phase": "move", "points": rows(points),
           "pieces": pieces, "scores": scores})
}

fn refused(rules: &dyn Rules, state: &Value) -> String {
    match rules.load(state) {
        Err(LoadError::State(error)) => error.field,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the state should be refused"),
    }
}

#[test]
fn random_boards_have_the_numbers_of_the_rules() {
    for (size, counts) in [
        (4, [8, 5, 3]),
        (5, [13, 8, 4]),
        (8, [32, 21, 11]),
        (9, [41, 27, 13]),
        (11, [61, 40, 20]),
    ] {
        let state = rules(json!({"size": size}))
            .unwrap()
            .start(6)
            .unwrap()
            .state()
            .unwrap();
        let points: Vec<String> = serde_json::from_value(state["points"].clone()).unwrap();
        assert_eq!(points.len(), size);
        let count = |digit| points.concat().matches(digit).count();
        assert_eq!(["1", "2", "3"].map(count), counts, "{size}");
    }
}

#[test]
fn a_given_board_is_the_start() {
    assert_eq!(
        four().start(0).unwrap().state().unwrap(),
        json!({"ply": 0, "to_move": 0, "phase": "place", "points": rows(FOUR),
               "pieces": [[], []], "scores": [0, 0]})
    );
}

#[test]
fn placing_and_moving_score_at_once() {
    let mut session = four().start(0).unwrap();
    assert_eq!(
        [1, 2, 3].map(|n| session.perft_nodes(n).unwrap()),
        [16, 240, 3_360]
    );
    for mv in ["a1", "c3", "d4", "b4"] {
        session.play(mv).unwrap();
    }
    let placed = session.state().unwrap();
    assert_eq!(placed["phase"], "move");
    assert_eq!(placed["points"], json!(["1030", "2302", "3123", "0231"]));
    assert_eq!(placed["scores"], json!([1 + 1, 1 + 2]));
    let mut legal = session.legal().unwrap();
    legal.sort();
    let from_a1 = [
        "a1-a2", "a1-a3", "a1-a4", "a1-b1", "a1-b2", "a1-c1", "a1-d1",
    ];
    assert_eq!(legal[..7], from_a1);
    assert_eq!(legal[7..], ["d4-c4", "d4-d1", "d4-d2", "d4-d3"]);
    session.play("a1-a4").unwrap();
    let state = session.state().unwrap();
    assert_eq!(state["points"], json!(["0030", "2302", "3123", "0231"]));
    assert_eq!(state["pieces"], json!([["a4", "d4"], ["b4", "c3"]]));
    assert_eq!(state["scores"], json!([3, 3]));
    // The cell that was left is crossed out for ever.
    assert!(session.play("c3-a1").is_err());
}

#[test]
fn bigger_boards_have_four_pieces_each() {
    for (size, pieces) in [(4, 2), (5, 2), (6, 4), (11, 4)] {
        let mut session = rules(json!({"size": size})).unwrap().start(1).unwrap();
        let mut rng = Rng::new(1);
        while session.state().unwrap()["phase"] == "place" {
            let step = random_step(&mut *session, &mut rng).unwrap().unwrap();
            session.play(&step[0]).unwrap();
        }
        assert_eq!(session.ply(), 2 * pieces);
    }
}

#[test]
fn a_seat_without_moves_is_skipped() {
    let points = "0000 0000 0000 0031";
    let before = state(Some(0), points, ["a4 a1", "b4 b1"], [10, 17]);
    let mut session = four().load(&before).unwrap();
    assert_eq!(session.to_move().alone(), Some(1));
    assert_eq!(session.legal().unwrap(), ["b1-c1", "b1-d1"]);
    session.play("b1-c1").unwrap();
    assert_eq!(session.to_move().alone(), Some(1));
    session.play("c1-d1").unwrap();
    let end = session.end().unwrap();
    assert_eq!(end.reason, "no_moves");
    assert_eq!(end.tally.scores, [10, 21]);
    assert_eq!(end.tally.outcome, [0.0, 1.0]);
    assert_eq!(session.state().unwrap()["phase"], "move");
}

#[test]
fn loaded_states_are_settled_or_refused() {
    let rules = four();
    let none = "0000 0000 0000 0000";
    let over = state(None, none, ["a1 a4", "b1 b4"], [10, 21]);
    assert_eq!(rules.load(&over).unwrap().state().unwrap(), over);
    let unsettled = state(Some(1), none, ["a4 a1", "b4 b1"], [10, 21]);
    assert_eq!(rules.load(&unsettled).unwrap().state().unwrap(), over);
    let refused =
        |to_move, points, pieces, scores| refused(&*rules, &state(to_move, points, pieces, scores));
    assert_eq!(refused(None, none, ["a1 a4", "b1 b4"], [10, 20]), "scores");
    assert_eq!(refused(None, none, ["a1 a4", "b1 b4"], [1, 30]), "scores");
    assert_eq!(refused(None, none, ["a1", "b1 b4"], [10, 21]), "pieces[0]");
    let five = ["a1 a4", "b1 b4 c1"];
    assert_eq!(refused(None, none, five, [10, 21]), "pieces[1]");
    assert_eq!(
        refused(None, none, ["a1 a4", "a1 b4"], [10, 21]),
        "pieces[1]"
    );
    let free = "1000 0000 0000 0000";
    assert_eq!(
        refused(Some(0), free, ["a1 a4", "b1 b4"], [10, 20]),
        "pieces[0]"
    );
    assert_eq!(refused(None, free, ["a1 a3", "b1 b4"], [10, 20]), "to_move");
    let other = "2000 0000 0000 0000";
    assert_eq!(
        refused(Some(0), other, ["a1 a3", "b1 b4"], [10, 19]),
        "points"
    );
}

#[test]
fn states_while_placing_agree_with_placing_in_turn() {
    let rules = four();
    let placing = |to_move, points, pieces, scores| {
        let mut state = state(to_move, points, pieces, scores);
        state["phase"] = json!("place");
        state
    };
    let one = "0231 2312 3123 1231";
    assert!(
        rules
            .load(&placing(Some(1), one, ["a4", ""], [1, 0]))
            .is_ok()
    );
    let refused = |to_move, points, pieces, scores| {
        refused(&*rules, &placing(to_move, points, pieces, scores))
    };
    assert_eq!(refused(Some(1), one, ["a4", ""], [0, 1]), "scores");
    assert_eq!(refused(Some(1), one, ["a4", ""], [2, 0]), "scores");
    assert_eq!(refused(Some(0), one, ["a4", ""], [1, 0]), "to_move");
    assert_eq!(refused(None, one, ["a4", ""], [1, 0]), "to_move");
    assert_eq!(refused(Some(1), one, ["", "a4"], [0, 1]), "pieces[0]");
    assert_eq!(refused(Some(0), one, ["", ""], [1, 0]), "points");
    assert_eq!(
        refused(Some(0), "0031 2312 3123 1231", ["a4", ""], [3, 0]),
        "points"
    );
    let all = "0031 2312 3123 1200";
    assert_eq!(refused(Some(0), all, ["a4 c1", "b4 d1"], [4, 3]), "phase");
}

#[test]
fn more_of_a_number_than_a_random_board_has_is_refused() {
    let rules = rules(json!({"size": 4})).unwrap();
    let mut state = rules.start(3).unwrap().state().unwrap();
    state["points"] = json!(["3333", "1111", "1111", "2222"]);
    assert_eq!(refused(&*rules, &state), "points");
}

#[test]
fn the_option_points_is_checked() {
    for options in [
        json!({"points": rows(FOUR)}),
        json!({"size": 4, "points": ["1230", "2312", "3123", "1231"]}),
        json!({"size": 4, "points": ["1234", "2312", "3123", "1231"]}),
        json!({"size": 4, "points": ["123", "2312", "3123", "1231"]}),
        json!({"size": 4, "points": "1231"}),
    ] {
        assert_eq!(rules(options).err().unwrap().name, "points");
    }
}
