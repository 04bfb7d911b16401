//! Tests of Siam: the positions of the printed rules and refused states.

use super::*;
use crate::perft::perft;

crate::conformance!(
    Siam,
    [
        {},
        {"opening_ban": true},
        {"max_exits": 1},
        {"max_exits": 5},
        {"opening_ban": true, "max_exits": 2},
    ]
);

fn game(options: Value) -> Siam {
    Siam::new(&Options::of::<Siam>(&options).unwrap()).unwrap()
}

fn state(seat: Seat, elephants: Value, rhinos: Value, rocks: &[&str]) -> Value {
    json!({"ply": 20, "to_move": seat, "elephants": elephants, "rhinos": rhinos,
           "rocks": rocks, "exits": [0, 0], "scores": [0, 0]})
}

fn texts(game: &Siam, position: &Position) -> Vec<String> {
    let mut moves = Vec::new();
    game.legal(position, &mut moves);
    let text = |mv: &Move| {
        let mut text = String::new();
        game.write_move(*mv, &mut text);
        text
    };
    moves.iter().map(text).collect()
}

/// True if the move is legal, by `legal` and by `is_legal`.
fn allows(state: &Value, text: &str) -> bool {
    let game = game(json!({}));
    let position = game.load(state).unwrap();
    let listed = texts(&game, &position).iter().any(|t| t == text);
    assert_eq!(
        game.is_legal(&position, game.parse_move(text).unwrap()),
        listed
    );
    listed
}

fn after(state: &Value, text: &str) -> Value {
    assert!(allows(state, text), "{text}");
    let game = game(json!({}));
    let mut position = game.load(state).unwrap();
    game.play_unchecked(&mut position, game.parse_move(text).unwrap());
    game.save(&position)
}

#[test]
fn the_start_and_its_perft() {
    let siam = game(json!({}));
    let start = siam.start(&mut Rng::new(0));
    assert_eq!(
        siam.save(&start).to_string(),
        r#"{"ply":0,"to_move":0,"elephants":{},"rhinos":{},"rocks":["b3","c3","d3"],"exits":[0,0],"scores":[0,0]}"#
    );
    assert_eq!([1, 2].map(|depth| perft(&siam, &start, depth)), [64, 3894]);
}

#[test]
fn one_animal_pushes_one_rock() {
    let state = state(1, json!({}), json!({"c3": "n"}), &["c4"]);
    let next = after(&state, "c3>c4");
    assert_eq!(next["rhinos"], json!({"c4": "n"}));
    assert_eq!(next["rocks"], json!(["c5"]));
    assert_eq!(next["to_move"], 0);
}

#[test]
fn two_animals_push_two_rocks_and_win() {
    let state = state(1, json!({}), json!({"c2": "n", "c3": "n"}), &["c4", "c5"]);
    assert!(!allows(&state, "c3>c4"));
    let next = after(&state, "c2>c3");
    assert_eq!(next["scores"], json!([0, 1]));
    assert_eq!(next["to_move"], Value::Null);
    assert_eq!(next["rocks"], json!(["c5"]));
}

#[test]
fn three_animals_push_three_rocks() {
    let rocks = ["c3", "c4", "c5"];
    let state = state(1, json!({}), json!({"c1": "n", "c2": "n"}), &rocks);
    assert!(!allows(&state, "c1>c2"));
    assert_eq!(after(&state, "+>c1n")["scores"], json!([0, 1]));
}

#[test]
fn animals_face_to_face() {
    assert!(!allows(
        &state(1, json!({"c4": "s"}), json!({"c3": "n"}), &["a1"]),
        "c3>c4"
    ));
    let two = state(
        0,
        json!({"c5": "s", "c4": "s"}),
        json!({"c3": "n"}),
        &["a1"],
    );
    assert!(allows(&two, "c5>c4"));
    let elephants = json!({"c5": "s", "c4": "s", "c2": "n"});
    let against_two = state(0, elephants, json!({"c3": "n"}), &["a1"]);
    assert!(!allows(&against_two, "c5>c4"));
}

#[test]
fn an_animal_sideways_does_not_resist() {
    for side in ["e", "w"] {
        let state = state(0, json!({"c4": "s"}), json!({"c3": side}), &["a1"]);
        assert!(allows(&state, "c4>c3"));
    }
}

#[test]
fn a_long_line_resists() {
    let elephants = json!({"e3": "w", "c3": "n"});
    let state = state(1, elephants, json!({"a3": "e"}), &["d3", "b3"]);
    assert!(!allows(&state, "+>e3w"));
}

#[test]
fn a_long_line_gives_way() {
    let elephants = json!({"c5": "s", "c1": "n"});
    let rhinos = json!({"c4": "s", "c3": "e"});
    let state = state(0, elephants, rhinos, &["c2"]);
    let next = after(&state, "c5>c4");
    assert_eq!(next["elephants"], json!({"c4": "s"}));
    assert_eq!(next["rhinos"], json!({"c2": "e", "c3": "s"}));
    assert_eq!(next["rocks"], json!(["c1"]));
    assert_eq!(next["scores"], json!([0, 0]));
}

#[test]
fn the_nearest_animal_that_faces_the_way_of_the_push_wins() {
    for (facing, scores) in [("s", [0, 1]), ("e", [1, 0])] {
        let state = state(0, json!({"a3": "s"}), json!({"a2": facing}), &["a1", "c3"]);
        let next = after(&state, "a3>a2");
        assert_eq!(next["scores"], json!(scores));
        assert_eq!(next["rocks"], json!(["c3"]));
    }
}

#[test]
fn an_animal_that_enters_wins_if_no_other_faces_its_way() {
    let sideways = json!({"a1": "e", "a2": "e", "a3": "w", "a4": "e"});
    let state = state(1, sideways, json!({}), &["a5", "c3"]);
    let next = after(&state, "+>a1n");
    assert_eq!(next["scores"], json!([0, 1]));
    assert_eq!(next["rhinos"], json!({"a1": "n"}));
    assert_eq!(
        next["elephants"],
        json!({"a2": "e", "a3": "e", "a4": "w", "a5": "e"})
    );
}

#[test]
fn corners_have_two_ways_in() {
    let state = state(0, json!({}), json!({"a1": "w"}), &["c3"]);
    assert!(allows(&state, "+>a1n"));
    assert!(!allows(&state, "+>a1e"), "the rhino faces against");
    assert!(game(json!({})).parse_move("+>a1s").is_err());
}

#[test]
fn the_opening_ban_holds_for_four_plies() {
    let banned = game(json!({"opening_ban": true}));
    let mut state = state(
        0,
        json!({"c2": "s", "b5": "e"}),
        json!({"d4": "n"}),
        &["c5", "d1"],
    );
    state["elephants"]["c3"] = json!("n");
    state["rhinos"]["c4"] = json!("n");
    state["rhinos"]["e1"] = json!("w");
    for (ply, open) in [(0, false), (3, false), (4, true)] {
        state["ply"] = json!(ply);
        let position = banned.load(&state).unwrap();
        let texts = texts(&banned, &position);
        for text in ["+c1n", "c2-c1e", "+>c5s", "b5>c5"] {
            let never = text == "+>c5s";
            let listed = texts.iter().any(|t| t == text);
            assert_eq!(listed, open && !never, "{text} at {ply}");
            let mv = banned.parse_move(text).unwrap();
            assert_eq!(banned.is_legal(&position, mv), listed);
        }
    }
    // A rock may be pushed there.
    state["ply"] = json!(0);
    state["to_move"] = json!(1);
    let position = banned.load(&state).unwrap();
    assert!(texts(&banned, &position).contains(&"e1>d1".to_owned()));
}

#[test]
fn exits_are_limited() {
    let siam = game(json!({"max_exits": 2}));
    let mut state = state(0, json!({"a1": "s"}), json!({}), &["c3"]);
    for (exits, may) in [(0, true), (1, true), (2, false)] {
        state["exits"] = json!([exits, 0]);
        let position = siam.load(&state).unwrap();
        assert_eq!(texts(&siam, &position).contains(&"a1-out".to_owned()), may);
    }
    state["exits"] = json!([3, 0]);
    assert_eq!(siam.load(&state).unwrap_err().field, "exits");
}

#[test]
fn states_that_break_the_rules_are_refused() {
    let good = state(0, json!({"a1": "s"}), json!({"b1": "n"}), &["c3"]);
    let siam = game(json!({}));
    let cases = [
        ("elephants", json!({"a6": "n"}), "elephants"),
        ("elephants", json!({"a1": "x"}), "elephants.a1"),
        ("elephants", json!({"a1": 1}), "elephants.a1"),
        (
            "elephants",
            json!({"a1": "n", "a2": "n", "a3": "n", "a4": "n", "a5": "n", "b5": "n"}),
            "elephants",
        ),
        ("rhinos", json!({"a1": "n"}), "rhinos"),
        ("rocks", json!(["a1"]), "rocks"),
        ("rocks", json!([]), "rocks"),
        ("rocks", json!(["c3", "c3"]), "rocks"),
        ("rocks", json!(["c2", "c3", "c4", "c5"]), "rocks"),
        ("scores", json!([1, 0]), "scores"),
        ("to_move", Value::Null, "scores"),
        ("to_move", json!(2), "to_move"),
        ("exits", json!([0]), "exits"),
    ];
    for (field, value, wrong) in cases {
        let mut state = good.clone();
        state[field] = value.clone();
        assert_eq!(
            siam.load(&state).unwrap_err().field,
            wrong,
            "{field} {value}"
        );
    }
    let mut over = good.clone();
    over["to_move"] = Value::Null;
    over["scores"] = json!([1, 0]);
    over["rocks"] = json!(["c2", "c3", "c4"]);
    assert_eq!(siam.load(&over).unwrap_err().field, "rocks");
    over["rocks"] = json!([]);
    assert_eq!(siam.save(&siam.load(&over).unwrap()), over);
}

#[test]
fn who_lost_is_not_in_keys() {
    let siam = game(json!({}));
    let ends = [[0, 1], [1, 0]].map(|scores| {
        let state = json!({"ply": 9, "to_move": null, "elephants": {"a1": "n"}, "rhinos": {},
            "rocks": ["b3", "c3"], "exits": [0, 0], "scores": scores});
        let position = siam.load(&state).unwrap();
        let mut identity = String::new();
        siam.write_identity(&position, &mut identity);
        (siam.key(&position), identity)
    });
    assert_eq!(ends[0], ends[1]);
}
