//! Tests of Giantslayer: the board, tramples, captures, the ends, and refused states.

use super::*;
use crate::perft::perft;

crate::conformance!(Giantslayer, [{}]);

fn game() -> Giantslayer {
    Giantslayer::new(&Options::defaults_of::<Giantslayer>()).unwrap()
}

fn state(seat: Seat, halogai: &[&str], giants: &[&str]) -> Value {
    json!({"ply": 9, "to_move": seat, "halogai": halogai, "giants": giants,
           "scores": [6 - giants.len(), 0]})
}

/// The legal moves, sorted.
fn legal(state: &Value) -> Vec<String> {
    let game = game();
    let position = game.load(state).unwrap();
    let mut moves = Vec::new();
    game.legal(&position, &mut moves);
    assert_eq!(game.count_legal(&position), moves.len() as u64);
    let text = |mv: &Move| {
        let mut text = String::new();
        game.write_move(*mv, &mut text);
        assert_eq!(game.parse_move(&text).as_ref(), Ok(mv));
        assert!(game.is_legal(&position, *mv));
        text
    };
    let mut texts: Vec<String> = moves.iter().map(text).collect();
    texts.sort();
    texts
}

fn after(state: &Value, text: &str) -> Value {
    let game = game();
    let mut position = game.load(state).unwrap();
    let mv = game.parse_move(text).unwrap();
    assert!(game.is_legal(&position, mv), "{text}");
    game.play_unchecked(&mut position, mv);
    let after = game.save(&position);
    assert_eq!(game.load(&after).unwrap(), position);
    after
}

fn reason(state: &Value) -> Option<&'static str> {
    let game = game();
    game.reason(&game.load(state).unwrap())
}

#[test]
fn the_board_is_that_of_the_rules() {
    let ground = Tables::new();
    let board = &ground.board;
    let lengths: Vec<usize> = board.rows().iter().map(Vec::len).collect();
    assert_eq!(lengths, [5, 6, 7, 8, 9, 8, 7, 6, 5]);
    let first: Vec<&str> = board.rows().iter().map(|row| board.name(row[0])).collect();
    assert_eq!(
        first,
        ["a1", "b1", "c1", "d1", "e1", "f2", "g3", "h4", "i5"]
    );
    assert_eq!(board.name(ground.middle), "e5");
    assert_eq!(ground.edge.count_ones(), 24);
    let number = |cell| {
        let name = board.name(cell).as_bytes();
        (i32::from(name[0]), i32::from(name[1]))
    };
    for a in board.cells() {
        for b in board.cells() {
            let ((row, m), (other, n)) = (number(a), number(b));
            let step = (other - row, n - m);
            let touch = [(0, 1), (0, -1), (1, 0), (1, 1), (-1, 0), (-1, -1)].contains(&step);
            assert_eq!(board.neighbours(a).any(|c| c == b), touch);
        }
    }
}

#[test]
fn the_start() {
    let game = game();
    let start = game.start(&mut Rng::new(0));
    let state = game.save(&start);
    assert_eq!(state["giants"], json!(["d4", "d5", "e4", "e6", "f5", "f6"]));
    assert_eq!(state["halogai"].as_array().unwrap().len(), 24);
    assert_eq!(state["halogai"][0], "a1");
    assert_eq!(
        (&state["ply"], &state["to_move"], &state["scores"]),
        (&json!(0), &json!(0), &json!([0, 0]))
    );
    assert_eq!(perft(&game, &start, 1), legal(&state).len() as u64);
}

/// Slides found step by step: what the lines must agree with.
#[test]
fn slides_agree_with_walking() {
    let game = game();
    let board = &game.tables.board;
    let mut rng = Rng::new(4);
    for _ in 0..300 {
        let mut position = game.no_stones();
        for cell in board.cells().filter(|&c| c != game.tables.middle) {
            match rng.below(5) {
                0 => game.put(&mut position, HALOGAI, cell),
                1 => game.put(&mut position, GIANTS, cell),
                _ => {}
            }
        }
        let empty = game.empty(&position);
        let mut walked = Vec::new();
        for from in position.stones(HALOGAI) {
            for direction in 0..6 {
                let mut next = board.step(from, direction);
                while let Some(to) = next.filter(|to| empty >> to & 1 != 0) {
                    walked.push((from, to));
                    next = board.step(to, direction);
                }
            }
        }
        let mut slid = Vec::new();
        game.lines
            .each(&position.lines, |from, to| slid.push((from, to)));
        assert_eq!(position.lines.count() as usize, slid.len());
        walked.sort_unstable();
        slid.sort_unstable();
        assert_eq!(slid, walked);
    }
}

#[test]
fn the_middle_is_closed() {
    let slides = legal(&state(0, &["e1"], &["h7"]));
    assert!(slides.contains(&"e1-e4".to_owned()));
    assert!(!slides.iter().any(|text| text.contains("e5")));
    assert!(!slides.contains(&"e1-e6".to_owned()));
    let steps = legal(&state(1, &["e4"], &["e3"]));
    assert!(steps.iter().all(|text| !text.contains('x')), "{steps:?}");
    for wrong in [
        "e3xe5", "e4xe6", "e4-e5", "e4-e6", "e5-e6", "e5xe7", "a1-b3", "a1-a1", "a1",
    ] {
        assert!(game().parse_move(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn every_beginning_of_a_chain_is_a_move() {
    let turn = state(1, &["d3", "f4", "i9"], &["c3"]);
    let tramples: Vec<String> = legal(&turn)
        .into_iter()
        .filter(|t| t.contains('x'))
        .collect();
    assert_eq!(tramples, ["c3xe3", "c3xe3xg5"]);
    let next = after(&turn, "c3xe3");
    assert_eq!(next["halogai"], json!(["f4", "i9"]));
    assert_eq!(next["giants"], json!(["e3"]));
    let next = after(&turn, "c3xe3xg5");
    assert_eq!(next["halogai"], json!(["i9"]));
    assert_eq!(next["to_move"], 0);
}

#[test]
fn a_chain_may_come_back_to_where_it_started() {
    let turn = state(1, &["c2", "d3", "c3"], &["b2"]);
    let moves = legal(&turn);
    for text in ["b2xd2xd4xb2", "b2xd4xd2xb2"] {
        assert!(moves.contains(&text.to_owned()), "{moves:?}");
    }
    assert_eq!(after(&turn, "b2xd2xd4xb2")["halogai"], json!([]));
}

#[test]
fn giants_are_captured_at_the_start_of_the_halogais_turn() {
    let turn = state(0, &["c3", "d7", "h4"], &["d4", "g6"]);
    let next = after(&turn, "d7-d5");
    assert_eq!(
        next["giants"],
        json!(["d4", "g6"]),
        "not before the giants' turn"
    );
    let moved = after(&next, "d4-e4");
    assert_eq!(moved["giants"], json!(["e4", "g6"]));
    let stayed = after(&next, "g6-g7");
    assert_eq!(stayed["giants"], json!(["g7"]));
    assert_eq!(stayed["scores"], json!([5, 0]));
    // A loaded state of the halogai's turn is taken as it stands.
    let flanked = state(0, &["c3", "d5"], &["d4"]);
    assert_eq!(game().save(&game().load(&flanked).unwrap()), flanked);
}

#[test]
fn the_game_ends_by_slaying() {
    let turn = state(1, &["c3", "d5", "e3"], &["d3"]);
    let next = after(&turn, "d3-d4");
    assert_eq!(
        (&next["to_move"], &next["scores"]),
        (&Value::Null, &json!([6, 0]))
    );
    assert_eq!(reason(&next), Some("slain"));
}

#[test]
fn the_game_ends_by_escape_before_any_capture() {
    let turn = state(1, &["a1", "a3"], &["b2", "i7"]);
    let next = after(&turn, "b2-a2");
    assert_eq!(next["giants"], json!(["a2", "i7"]));
    assert_eq!(
        (&next["to_move"], &next["scores"]),
        (&Value::Null, &json!([4, 2]))
    );
    assert_eq!(reason(&next), Some("escaped"));
}

#[test]
fn the_game_ends_by_escape_after_a_capture() {
    let turn = state(1, &["c3", "d5"], &["d4", "a1", "h8"]);
    let next = after(&turn, "h8-i8");
    assert_eq!(next["giants"], json!(["a1", "i8"]));
    assert_eq!(
        (&next["to_move"], &next["scores"]),
        (&Value::Null, &json!([4, 2]))
    );
    assert_eq!(reason(&next), Some("escaped"));
}

#[test]
fn loaded_states_that_are_over_are_settled() {
    for seat in [0, 1] {
        let escaped = state(seat, &["c3"], &["a1", "i8"]);
        let saved = game().save(&game().load(&escaped).unwrap());
        assert_eq!(
            (&saved["to_move"], &saved["scores"]),
            (&Value::Null, &json!([4, 2]))
        );
        let slain = state(seat, &["c3"], &[]);
        assert_eq!(reason(&slain), Some("slain"));
    }
}

#[test]
fn seats_that_cannot_move_are_skipped() {
    let no_halogai = state(0, &[], &["d4"]);
    let saved = game().save(&game().load(&no_halogai).unwrap());
    assert_eq!(saved["to_move"], 1);
    // A giant shut in beside a corner is captured as the halogai's turn begins.
    let ring = ["a1", "a2", "b1", "b3", "c2", "c3"];
    let behind = ["a3", "b4", "c1", "c4", "d2", "d3", "d4"];
    let stones: Vec<&str> = ring.into_iter().chain(behind).collect();
    let shut_in = state(1, &stones, &["b2"]);
    let saved = game().save(&game().load(&shut_in).unwrap());
    assert_eq!(
        (&saved["to_move"], &saved["scores"]),
        (&Value::Null, &json!([6, 0]))
    );
}

#[test]
fn states_that_break_the_rules_are_refused() {
    let good = state(0, &["a1", "c3"], &["d4", "e4"]);
    assert!(game().load(&good).is_ok());
    let cases = [
        ("halogai", json!(["e5"]), "halogai"),
        ("halogai", json!(["f1"]), "halogai"),
        ("halogai", json!(["a1", "a1"]), "halogai"),
        ("giants", json!(["e5", "d4"]), "giants"),
        ("giants", json!(["a1", "d4"]), "giants"),
        (
            "giants",
            json!(["b1", "b2", "b3", "b4", "b5", "b6", "c1"]),
            "giants",
        ),
        ("giants", json!(["d4"]), "scores"),
        ("scores", json!([3, 0]), "scores"),
        ("scores", json!([4, 2]), "scores"),
        ("to_move", Value::Null, "to_move"),
        ("to_move", json!(2), "to_move"),
    ];
    for (field, value, wrong) in cases {
        let mut state = good.clone();
        state[field] = value.clone();
        let error = game().load(&state).unwrap_err();
        assert_eq!(error.field, wrong, "{field} {value}");
    }
    let mut crowd = good.clone();
    let rows = game().tables.board.rows().to_vec();
    let cells = rows
        .iter()
        .take(4)
        .flatten()
        .map(|&c| game().tables.board.name(c).to_owned());
    crowd["halogai"] = cells.take(25).collect();
    crowd["giants"] = json!(["i5", "g6"]);
    assert_eq!(game().load(&crowd).unwrap_err().field, "halogai");
    let mut over = state(0, &["c3"], &["a1", "i8"]);
    over["to_move"] = Value::Null;
    assert_eq!(game().load(&over).unwrap_err().field, "scores");
    over["scores"] = json!([4, 2]);
    assert_eq!(game().save(&game().load(&over).unwrap()), over);
}

/// The state with the most moves that `examples/giantslayer_chains.rs` finds, from any seed. There
/// is no way to have fewer: every chain is a move of its own. However many there are, their number
/// fits: no giant has more than 6 × 5²³ chains of 24 jumps, because none goes back at once.
#[test]
fn the_most_chains_known_are_counted_listed_and_drawn() {
    let halogai = [
        "b2", "b3", "b4", "b5", "c3", "c5", "d2", "d3", "d4", "d5", "d6", "d7", "e3", "e7", "f3",
        "f4", "f5", "f6", "f7", "f8", "g5", "g7", "h5", "h6",
    ];
    let giants = ["d1", "e9", "g3", "g6", "h9", "i8"];
    let position = game().load(&state(1, &halogai, &giants)).unwrap();
    assert_eq!(game().count_legal(&position), 3_268_885);
    let mut moves = Vec::new();
    game().legal(&position, &mut moves);
    assert_eq!(moves.len(), 3_268_885);
    let longest = moves.iter().filter_map(|mv| match mv {
        Move::Trample(chain) => Some(chain.len()),
        Move::Go(..) => None,
    });
    assert_eq!(longest.max(), Some(22));
    assert!(size_of::<Move>() <= 16, "the list stays small");
    let mut rng = Rng::new(1);
    for _ in 0..3 {
        let mv = game().random_move(&position, &mut rng, &mut Vec::new());
        assert!(game().is_legal(&position, mv));
    }
}
