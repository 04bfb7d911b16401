//! Tests of Elephant Run.

use serde_json::json;

use super::*;
use crate::session::{LoadError, Session};

crate::conformance!(ElephantRun, [
    {},
    {"target": 1},
    {"target": 30, "farmers": 8},
    {"farmers": 4},
    {"ranged_jumps": true},
    {"farmers": 8, "ranged_jumps": true}
]);

fn load(options: Value, state: Value) -> Result<Box<dyn Session>, LoadError> {
    let entry = crate::find("elephant-run").unwrap();
    entry.configure(&options).unwrap().load(&state)
}

fn start(options: Value) -> Box<dyn Session> {
    let entry = crate::find("elephant-run").unwrap();
    entry.configure(&options).unwrap().start(0).unwrap()
}

/// A state after placing; the rows are separated by spaces, the points follow from the rest.
fn state(to_move: Option<Seat>, rows: &str, elephant: &str, farmers: &str, points: i32) -> Value {
    let words = |text: &str| -> Value { text.split_whitespace().collect() };
    json!({"ply": 20, "to_move": to_move, "phase": "move", "tiles": words(rows),
           "elephant": elephant, "farmers": words(farmers), "scores": [points, 0]})
}

fn legal(session: &mut dyn Session) -> Vec<String> {
    let mut moves = session.legal().unwrap();
    moves.sort();
    moves
}

fn refused(options: Value, state: Value) -> String {
    match load(options, state) {
        Err(LoadError::State(error)) => error.field,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the state should be refused"),
    }
}

const FULL: &str = "###### ###### ###### ######";

#[test]
fn the_start_is_that_of_the_rules() {
    let session = start(json!({}));
    assert_eq!(
        session.state().unwrap(),
        json!({"ply": 0, "to_move": 0, "phase": "place",
               "tiles": ["######", "######", "######", "######"],
               "elephant": null, "farmers": [], "scores": [0, 0]})
    );
    assert_eq!(
        [1, 2, 3].map(|n| session.perft_nodes(n).unwrap()),
        [24, 552, 12_144]
    );
}

#[test]
fn an_elephant_shut_in_by_placing_ends_the_game_at_once() {
    let mut session = start(json!({}));
    for mv in ["a1", "a2", "b1", "b2", "a3", "c1", "c3"] {
        assert_eq!(session.reason(), None);
        session.play(mv).unwrap();
    }
    let end = session.end().unwrap();
    assert_eq!(end.reason, "elephant_stuck");
    assert_eq!(end.tally.scores, [0, 0]);
    assert_eq!(end.tally.outcome, [0.0, 1.0]);
    assert_eq!(session.state().unwrap()["phase"], "move");
}

#[test]
fn the_elephant_eats_where_it_steps_and_only_there() {
    let mut session = start(json!({"farmers": 4}));
    for mv in ["a1", "b2", "e4", "f4", "f3"] {
        session.play(mv).unwrap();
    }
    assert_eq!(legal(&mut *session), ["a1-a2", "a1-b1", "a1xc3"]);
    session.play("a1xc3").unwrap();
    let state = session.state().unwrap();
    assert_eq!(
        state["tiles"],
        json!(["######", "######", "######", "######"])
    );
    assert_eq!(state["farmers"], json!(["e4", "f3", "f4"]));
    assert_eq!(state["scores"], json!([1, 0]));
    session.play("e4-d4").unwrap();
    session.play("c3-b4").unwrap();
    session.play("d4-c4").unwrap();
    session.play("b4-a3").unwrap();
    assert_eq!(
        session.state().unwrap()["tiles"],
        json!(["#.####", ".#####", "######", "######"])
    );
    assert_eq!(session.tally().unwrap().scores, [3, 0]);
}

#[test]
fn farmers_run_over_holes_to_the_nearest_tile() {
    let mut session = load(
        json!({"farmers": 4}),
        state(Some(1), "###### ###### .##### #...##", "a4", "a1", 3 + 4),
    )
    .unwrap();
    assert_eq!(legal(&mut *session), ["a1-a3", "a1-b2", "a1-e1"]);
    // A farmer on the nearest tile or the elephant in a hole on the way blocks.
    let mut session = load(
        json!({"farmers": 4}),
        state(Some(1), "###### ###### .##### #...##", "a2", "a1 e1", 2 + 4),
    )
    .unwrap();
    assert_eq!(
        legal(&mut *session),
        ["a1-b2", "e1-d2", "e1-e2", "e1-f1", "e1-f2"]
    );
}

/// The farmers' moves where the elephant is on a4, beside the tile b4, and all else happens on
/// the first row.
fn on_the_first_row(row: &str, farmers: &str, points: i32, ranged: bool) -> Vec<String> {
    let rows = format!(".#.... ...... ...... {row}");
    let options = json!({"farmers": 4, "ranged_jumps": ranged});
    let mut session = load(options, state(Some(1), &rows, "a4", farmers, points)).unwrap();
    legal(&mut *session)
}

#[test]
fn farmers_jump_over_an_adjacent_farmer_to_the_next_tile() {
    for ranged in [false, true] {
        let moves = on_the_first_row("..####", "c1 d1", 21, ranged);
        assert_eq!(moves, ["c1-e1", "d1-e1"]);
    }
}

#[test]
fn ranged_jumps_have_runs_before_and_after() {
    for (row, farmers, points, plain, ranged) in [
        ("..##.#", "c1 d1", 22, vec!["d1-f1"], vec!["c1-f1", "d1-f1"]),
        ("#.#..#", "a1 c1", 22, vec!["c1-f1"], vec!["a1-f1", "c1-f1"]),
        // Only one farmer can be jumped over.
        (
            "#.###.",
            "a1 c1 d1",
            20,
            vec!["c1-e1", "d1-e1"],
            vec!["c1-e1", "d1-e1"],
        ),
    ] {
        assert_eq!(on_the_first_row(row, farmers, points, false), plain);
        assert_eq!(on_the_first_row(row, farmers, points, true), ranged);
    }
}

#[test]
fn farmers_do_not_pass_the_elephant_and_are_skipped() {
    for ranged_jumps in [false, true] {
        let options = json!({"farmers": 4, "ranged_jumps": ranged_jumps});
        let state = state(Some(1), "...... ...... ...... #.#...", "b1", "a1", 25);
        let mut session = load(options, state).unwrap();
        assert_eq!(session.to_move().alone(), Some(0));
        assert_eq!(legal(&mut *session), ["b1-c1"]);
    }
}

#[test]
fn the_outcome_follows_from_the_target_and_the_farmers_not_from_the_scores() {
    let outcome = |options, state| load(options, state).unwrap().tally().unwrap().outcome;
    let rows = "###### ###### ###### ####..";
    let going_on = state(Some(1), rows, "f1", "a1 a2", 4);
    assert_eq!(outcome(json!({"farmers": 4}), going_on.clone()), [0.0, 1.0]);
    let options = json!({"farmers": 4, "target": 4});
    assert_eq!(outcome(options.clone(), going_on), [1.0, 0.0]);
    assert_eq!(start(options.clone()).tally().unwrap().outcome, [0.0, 1.0]);
    let mut session = start(options);
    session.play("c2").unwrap();
    assert_eq!(session.tally().unwrap().outcome, [0.0, 1.0]);
}

#[test]
fn reaching_the_target_does_not_end_the_game() {
    let state = state(Some(0), "###### ###### ###### ####..", "f1", "a1 a2", 4);
    let mut session = load(json!({"farmers": 4, "target": 5}), state).unwrap();
    session.play("f1-f2").unwrap();
    assert_eq!(session.to_move().alone(), Some(1));
    assert_eq!(session.tally().unwrap().outcome, [1.0, 0.0]);
}

#[test]
fn without_farmers_the_elephant_wins() {
    let before = state(Some(0), FULL, "a1", "b1", 3);
    let mut session = load(json!({"farmers": 4, "target": 30}), before).unwrap();
    session.play("a1xc1").unwrap();
    let end = session.end().unwrap();
    assert_eq!(end.reason, "farmers_gone");
    assert_eq!(end.tally.scores, [4, 0]);
    assert_eq!(end.tally.outcome, [1.0, 0.0]);
}

#[test]
fn if_both_ends_hold_the_elephant_is_stuck_and_has_won() {
    let both = state(None, "#..... ...... ...... ......", "f1", "", 27);
    let session = load(json!({"farmers": 4, "target": 30}), both.clone()).unwrap();
    let end = session.end().unwrap();
    assert_eq!(end.reason, "elephant_stuck");
    assert_eq!(end.tally.outcome, [1.0, 0.0]);
    assert_eq!(session.state().unwrap(), both);
}

#[test]
fn the_end_is_looked_at_after_the_elephants_own_move() {
    let rows = "###### ...... ...... ....##";
    let before = state(Some(0), rows, "e1", "a4", 16 + 3);
    let mut session = load(json!({"farmers": 4}), before).unwrap();
    session.play("e1-f1").unwrap();
    // e1 is a tile that was left, so f1 still has a neighbour to go to.
    assert_eq!(session.reason(), None);
    let rows = "###### ...... ...... .....#";
    let before = state(Some(0), rows, "e1", "a4", 17 + 3);
    let mut session = load(json!({"farmers": 4}), before).unwrap();
    session.play("e1-f1").unwrap();
    assert_eq!(session.reason().as_deref(), Some("elephant_stuck"));
    assert_eq!(session.tally().unwrap().outcome, [1.0, 0.0]);
}

#[test]
fn states_that_break_the_rules_are_refused() {
    let four = || json!({"farmers": 4});
    let moving = |elephant, farmers, points| state(Some(0), FULL, elephant, farmers, points);
    assert!(load(four(), moving("a1", "c1 c2 c3 c4", 0)).is_ok());
    assert_eq!(refused(four(), moving("a1", "c1 c2 c3 c4", 1)), "scores");
    assert_eq!(refused(four(), moving("a1", "c1 c2 c3", 0)), "scores");
    assert_eq!(refused(four(), moving("a1", "a1 c2 c3 c4", 0)), "farmers");
    assert_eq!(refused(four(), moving("a1", "c1 c1 c3 c4", 0)), "farmers");
    assert_eq!(
        refused(four(), moving("a1", "c1 c2 c3 c4 d1", 0)),
        "farmers"
    );
    assert_eq!(refused(four(), moving("g1", "c1 c2 c3 c4", 0)), "elephant");
    let hole = state(
        Some(0),
        "###### ###### ###### ##.###",
        "a1",
        "c1 c2 c3 c4",
        1,
    );
    assert_eq!(refused(four(), hole), "farmers");
    let mut changed = moving("a1", "c1 c2 c3 c4", 0);
    changed["elephant"] = Value::Null;
    assert_eq!(refused(four(), changed), "elephant");
    let mut changed = moving("a1", "c1 c2 c3 c4", 0);
    changed["to_move"] = Value::Null;
    assert_eq!(refused(four(), changed), "to_move");
    let mut changed = moving("a1", "c1 c2 c3 c4", 0);
    changed["tiles"] = json!(["######"]);
    assert_eq!(refused(four(), changed), "tiles");
}

#[test]
fn states_while_placing_agree_with_placing_in_turn() {
    let four = || json!({"farmers": 4});
    let placing = |to_move: Option<Seat>, elephant: Option<&str>, farmers: &str| {
        let mut state = state(to_move, FULL, "", farmers, 0);
        state["phase"] = json!("place");
        state["elephant"] = json!(elephant);
        state
    };
    assert!(load(four(), placing(Some(1), Some("a1"), "c1 c2")).is_ok());
    assert_eq!(refused(four(), placing(Some(0), Some("a1"), "")), "to_move");
    assert_eq!(refused(four(), placing(Some(1), None, "")), "to_move");
    assert_eq!(refused(four(), placing(None, Some("a1"), "")), "to_move");
    assert_eq!(refused(four(), placing(Some(0), None, "c1")), "farmers");
    let full = placing(Some(1), Some("a1"), "c1 c2 c3 c4");
    assert_eq!(refused(four(), full), "phase");
    let mut eaten = placing(Some(1), Some("a1"), "c1");
    eaten["tiles"][0] = json!(".#####");
    assert_eq!(refused(four(), eaten), "tiles");
    let mut scored = placing(Some(1), Some("a1"), "c1");
    scored["scores"] = json!([3, 0]);
    assert_eq!(refused(four(), scored), "scores");
}

/// A farmer's move in one direction, found by walking cell by cell.
fn walk(game: &ElephantRun, position: &Position, from: CellId, d: usize) -> Option<CellId> {
    let has = |set: u32, cell: CellId| set >> cell & 1 != 0;
    let mut cell = game.board.step(from, d)?;
    let (mut holes, mut jumped) = (0, false);
    loop {
        if has(position.elephant, cell) || (has(position.farmers, cell) && jumped) {
            return None;
        } else if has(position.farmers, cell) {
            jumped = true;
        } else if has(position.tiles, cell) {
            let plain = !jumped || holes == 0;
            return (plain || game.ranged_jumps).then_some(cell);
        } else {
            holes += 1;
        }
        cell = game.board.step(cell, d)?;
    }
}

#[test]
fn farmers_moves_agree_with_walking() {
    for options in [json!({}), json!({"farmers": 8, "ranged_jumps": true})] {
        let game = ElephantRun::new(&Options::of::<ElephantRun>(&options).unwrap()).unwrap();
        let mut rng = Rng::new(3);
        let mut moves = Vec::new();
        for _ in 0..200 {
            let mut position = game.start(&mut rng);
            while game.to_move(&position).is_some() {
                game.legal(&position, &mut moves);
                if position.phase == Phase::Move && position.seat == 1 {
                    let ways = cells(position.farmers)
                        .flat_map(|from| (0..DIRECTIONS).map(move |d| (from, d)));
                    let mut walked: Vec<(CellId, CellId)> = ways
                        .filter_map(|(from, d)| Some((from, walk(&game, &position, from, d)?)))
                        .collect();
                    let mut listed: Vec<(CellId, CellId)> = moves
                        .iter()
                        .map(|mv| match *mv {
                            Move::Go { from, to } => (from, to),
                            other => panic!("{other:?}"),
                        })
                        .collect();
                    walked.sort_unstable();
                    listed.sort_unstable();
                    assert_eq!(listed, walked);
                }
                game.play_unchecked(&mut position, moves[rng.index(moves.len())]);
            }
        }
    }
}
