//! Tests of Run: the board, the order of actions, and refused states.

use super::*;
use crate::perft::perft;

crate::conformance!(Run, [{}]);

fn game() -> Run {
    Run::new(&Options::defaults_of::<Run>()).unwrap()
}

/// A seat's part of a state: cows, cowboys, and both in reserve.
fn part(cows: &[&str], cowboys: &[&str], reserve: [u8; 2]) -> Value {
    let [more_cows, more_cowboys] = reserve;
    json!({"cows": cows, "cowboys": cowboys,
           "reserve": {"cows": more_cows, "cowboys": more_cowboys}})
}

fn state(seat: Seat, acted: Value, black: Value, white: Value) -> Value {
    json!({"ply": 9, "to_move": seat, "acted": acted, "black": black, "white": white,
           "scores": [0, 0]})
}

/// The legal moves, sorted.
fn legal(state: &Value) -> Vec<String> {
    let game = game();
    let position = game.load(state).unwrap();
    let mut moves = Vec::new();
    game.legal(&position, &mut moves);
    let mut texts: Vec<String> = moves
        .iter()
        .map(|&mv| {
            let mut text = String::new();
            game.write_move(mv, &mut text);
            text
        })
        .collect();
    texts.sort();
    texts
}

fn after(state: &Value, moves: &[&str]) -> Value {
    let game = game();
    let mut position = game.load(state).unwrap();
    for text in moves {
        let mv = game.parse_move(text).unwrap();
        assert!(game.is_legal(&position, mv), "{text}");
        game.play_unchecked(&mut position, mv);
    }
    game.save(&position)
}

fn field_of_error(state: &Value) -> String {
    game().load(state).unwrap_err().field
}

#[test]
fn the_board_is_that_of_the_rules() {
    let board = board();
    let rows: Vec<String> = board
        .rows()
        .iter()
        .rev()
        .map(|row| {
            row.iter()
                .map(|&c| board.name(c))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(
        rows,
        [
            "a4 b5 c6 d7 e8 f9",
            "b4 c5 d6 e7 f8",
            "b3 c4 d5 e6 f7 g8",
            "c3 d4 e5 f6 g7",
            "c2 d3 e4 f5 g6 h7",
            "d2 e3 f4 g5 h6",
            "d1 e2 f3 g4 h5 i6",
        ]
    );
    let number = |cell| {
        let name = board.name(cell).as_bytes();
        (i32::from(name[0]), i32::from(name[1]))
    };
    for a in board.cells() {
        for b in board.cells() {
            let ((ax, ay), (bx, by)) = (number(a), number(b));
            let step = (bx - ax, by - ay);
            let touch = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)].contains(&step);
            assert_eq!(board.neighbours(a).any(|c| c == b), touch);
        }
    }
}

#[test]
fn the_start_and_its_first_turn() {
    let run = game();
    let start = run.start(&mut Rng::new(0));
    let state = run.save(&start);
    assert_eq!(
        state.to_string(),
        r#"{"ply":0,"to_move":0,"acted":null,"black":{"cows":[],"cowboys":[],"reserve":{"cows":7,"cowboys":5}},"white":{"cows":[],"cowboys":[],"reserve":{"cows":7,"cowboys":5}},"scores":[0,0]}"#
    );
    assert_eq!([1, 2].map(|depth| perft(&run, &start, depth)), [12, 144]);
    let next = after(&state, &["cow@e2"]);
    assert_eq!(
        (&next["to_move"], &next["acted"]),
        (&json!(1), &Value::Null)
    );
    let next = after(&state, &["cow@e2", "cowboy@a4", "cow@b5"]);
    assert_eq!(
        (&next["to_move"], &next["acted"]),
        (&json!(0), &Value::Null)
    );
    let next = after(&next, &["e2-e3"]);
    assert_eq!(
        (&next["to_move"], &next["acted"]),
        (&json!(0), &json!("cow"))
    );
}

#[test]
fn a_cow_is_blocked_and_lost() {
    let white = part(&["d4", "e5"], &[], [0, 0]);
    let state = state(0, Value::Null, part(&["e4"], &[], [0, 0]), white);
    assert_eq!(legal(&state), ["e4-lost"]);
    let next = after(&state, &["e4-lost"]);
    assert_eq!(next["black"], part(&[], &[], [0, 0]));
    assert_eq!(next["scores"], json!([0, 0]));
    assert_eq!(next["to_move"], 1);
}

#[test]
fn nothing_is_lost_while_a_drop_is_possible() {
    let white = part(&["d4", "e5"], &[], [0, 0]);
    let state = state(0, Value::Null, part(&["e4"], &[], [1, 0]), white);
    assert_eq!(
        legal(&state),
        ["cow@d1", "cow@e2", "cow@f3", "cow@g4", "cow@h5", "cow@i6"]
    );
}

#[test]
fn a_white_cow_leaves_the_board_or_is_captured() {
    let white = part(&["e2"], &[], [0, 0]);
    let blacks = part(&["d1"], &["e3"], [0, 0]);
    let whites_turn = state(1, Value::Null, blacks.clone(), white.clone());
    assert_eq!(legal(&whites_turn), ["e2-out"]);
    assert_eq!(after(&whites_turn, &["e2-out"])["scores"], json!([0, 1]));
    let blacks_turn = state(0, Value::Null, blacks, white);
    let next = after(&blacks_turn, &["e3xe2"]);
    assert_eq!(next["black"]["cowboys"], json!(["e2"]));
    assert_eq!(next["white"], part(&[], &[], [0, 0]));
    assert_eq!(next["scores"], json!([0, 0]));
    assert!(!legal(&blacks_turn).contains(&"e3-e2".to_owned()));
}

#[test]
fn a_black_cow_steps_onto_the_last_row() {
    let state = state(
        0,
        Value::Null,
        part(&["e7"], &[], [0, 0]),
        part(&["a4"], &[], [0, 0]),
    );
    assert_eq!(legal(&state), ["e7-d7", "e7-e8"]);
}

#[test]
fn a_kind_left_out_is_looked_at_again_after_the_other_action() {
    // Cowboys in reserve only, and the first row full.
    let row = ["d1", "e2", "f3", "g4", "h5", "i6"];
    let black = part(&row, &[], [0, 2]);
    let both = state(0, Value::Null, black, part(&["a4"], &[], [0, 0]));
    assert!(legal(&both).iter().all(|text| text.contains('-')));
    let next = after(&both, &["e2-e3"]);
    assert_eq!(
        (&next["to_move"], &next["acted"]),
        (&json!(0), &json!("cow"))
    );
    assert_eq!(legal(&next), ["cowboy@e2"]);
}

#[test]
fn the_turn_ends_when_the_other_kind_cannot_act() {
    // White fills black's first row but for the cell of the black cow.
    let white = part(&["a4"], &["d1", "e2", "f3", "g4", "h5"], [0, 0]);
    let turn = state(0, Value::Null, part(&["i6"], &[], [0, 5]), white);
    let next = after(&turn, &["i6-h6"]);
    assert_eq!(legal(&next).len(), 1, "i6 is free for a cowboy now");
    let cows = part(&["a4", "i6"], &["d1", "e2", "f3", "g4", "h5"], [0, 0]);
    let turn = state(0, Value::Null, part(&["h6"], &[], [0, 5]), cows);
    let next = after(&turn, &["h6-h7"]);
    assert_eq!(
        (&next["to_move"], &next["acted"]),
        (&json!(1), &Value::Null)
    );
}

#[test]
fn a_seat_that_can_do_nothing_is_skipped() {
    let white = part(&["d1"], &["e2", "f3", "g4", "h5", "i6"], [0, 0]);
    let stuck = state(0, Value::Null, part(&[], &[], [3, 0]), white);
    let game = game();
    let position = game.load(&stuck).unwrap();
    assert_eq!(game.to_move(&position), Some(1));
    // A seat that has acted and cannot go on forgoes the rest of its turn.
    let acted = state(
        0,
        json!("cow"),
        part(&["e4"], &[], [0, 0]),
        part(&["a4"], &[], [0, 0]),
    );
    let saved = game.save(&game.load(&acted).unwrap());
    assert_eq!(
        (&saved["to_move"], &saved["acted"]),
        (&json!(1), &Value::Null)
    );
}

#[test]
fn the_game_ends_in_the_middle_of_a_turn() {
    let black = part(&["e8"], &["e4"], [0, 0]);
    let turn = state(0, Value::Null, black, part(&[], &["a4"], [0, 2]));
    let next = after(&turn, &["e8-out"]);
    assert_eq!(next["to_move"], Value::Null);
    assert_eq!(next["acted"], Value::Null);
    assert_eq!(next["scores"], json!([1, 0]));
    let game = game();
    let position = game.load(&next).unwrap();
    assert_eq!(game.reason(&position), Some("no_cows"));
    assert_eq!(game.save(&position), next);
}

#[test]
fn states_that_break_the_rules_are_refused() {
    let good = state(
        0,
        Value::Null,
        part(&["e4"], &["e3"], [6, 4]),
        part(&["e5"], &["e2"], [6, 4]),
    );
    assert!(game().load(&good).is_ok());
    let cases = [
        ("/to_move", Value::Null, "to_move"),
        ("/acted", json!("dog"), "acted"),
        ("/black/cows", json!(["a1"]), "black.cows"),
        ("/black/cows", json!(["e4", "f4"]), "black.cows"),
        ("/black/cowboys", json!(["e4"]), "black.cowboys"),
        ("/white/cows", json!(["e4"]), "white.cows"),
        ("/white/cowboys", json!(["e2", "e2"]), "white.cowboys"),
        (
            "/white/reserve",
            json!({"cows": 6}),
            "white.reserve.cowboys",
        ),
        ("/white/reserve/cows", json!(8), "white.reserve.cows"),
        ("/white/reserve/cowboys", json!(5), "white.cowboys"),
        ("/scores", json!([1, 0]), "scores"),
        ("/scores", json!([0]), "scores"),
    ];
    for (path, value, wrong) in cases {
        let mut state = good.clone();
        *state.pointer_mut(path).unwrap() = value.clone();
        assert_eq!(field_of_error(&state), wrong, "{path} {value}");
    }
    let mut over = good.clone();
    over["to_move"] = Value::Null;
    over["acted"] = json!("cow");
    over["black"] = part(&[], &["e3"], [0, 0]);
    over["white"] = part(&[], &[], [0, 0]);
    assert_eq!(field_of_error(&over), "acted");
    // Black may only drop at ply 0 but cannot, and white cannot move at all.
    let mut stuck = good.clone();
    stuck["ply"] = json!(0);
    let top = ["b5", "c6", "d7", "e8", "f9"];
    stuck["black"] = part(&["a4"], &top, [0, 0]);
    stuck["white"] = part(&[], &[], [1, 0]);
    assert_eq!(field_of_error(&stuck), "ply");
}

#[test]
fn the_ply_is_not_in_the_key_of_a_finished_game() {
    let game = game();
    let ends = [0, 9].map(|ply| {
        let mut end = state(
            0,
            Value::Null,
            part(&[], &[], [0, 5]),
            part(&[], &[], [0, 0]),
        );
        end["ply"] = json!(ply);
        let position = game.load(&end).unwrap();
        let mut identity = String::new();
        game.write_identity(&position, &mut identity);
        (game.key(&position), identity)
    });
    assert_eq!(ends[0], ends[1]);
}
