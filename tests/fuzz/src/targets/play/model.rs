//! Requests to the forward model, several lines in a row.

use games::Rng;
use games::session::{as_strs, random_step};
use model::Model;
use protocol::Answer;
use serde_json::{Value, json};

use super::states;
use crate::sets;

/// Maximum number of requests in an input.
const LINES: usize = 24;

/// A conversation in every set.
pub(crate) fn seeds(rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for set in sets::all() {
        let (game, options) = (set.game, &set.options);
        let seed = rng.below(1000);
        let mut session = set.rules.start(seed).unwrap();
        let mut moves = Vec::new();
        while moves.len() < 3 {
            let Some(step) = random_step(&mut *session, rng).unwrap() else {
                break;
            };
            let played = session.play_step(&as_strs(&step));
            played.expect("a move that was drawn is legal");
            moves.extend(step);
        }
        let all = ["legal", "state", "view", "key"];
        let states = states::examples(set, rng);
        let state = &states[rng.index(states.len())];
        seeds.push(script(&[
            json!({"id": 1, "op": "new", "game": game, "options": options, "seed": seed}),
            json!({"id": "b", "op": "play", "moves": moves, "want": all}),
            json!({"id": [3], "op": "undo", "count": 2, "want": ["key"]}),
            json!({"op": "perft", "depth": 1}),
            json!({"id": null, "op": "playout", "count": 2, "seed": 1}),
        ]));
        seeds.push(script(&[
            json!({"id": 1, "op": "new", "game": game, "options": options, "state": state}),
            json!({"id": 2, "op": "get", "want": all}),
            json!({"id": 3, "op": "playouts", "seed": 1}),
            json!({"id": 4, "op": "undo"}),
            json!({"id": 5, "op": "perft", "depth": 0}),
        ]));
    }
    seeds
}

fn script(requests: &[Value]) -> Vec<u8> {
    let lines: Vec<String> = requests.iter().map(Value::to_string).collect();
    lines.join("\n").into_bytes()
}

pub(crate) fn run(input: &[u8]) -> bool {
    let mut model = Model::default();
    let mut understood = false;
    let lines = input.split(|byte| *byte == b'\n');
    for line in lines.filter(|line| !asks_for_much(line)).take(LINES) {
        understood |= ask(&mut model, line);
    }
    understood
}

/// True for a request that is slow by its own wish: many playouts, a deep perft.
fn asks_for_much(line: &[u8]) -> bool {
    let Ok(request) = serde_json::from_slice::<Value>(line) else {
        return false;
    };
    let number = |name: &str| request.get(name).and_then(Value::as_u64).unwrap_or(1);
    match request.get("op").and_then(Value::as_str) {
        Some("playout") => number("count") > 20,
        Some("playouts") => number("count") > 1,
        // What is too deep to be counted is refused at once.
        Some("perft") => (2..=1000).contains(&number("depth")),
        // The games' own limits keep their playouts short.
        _ => number("max_plies") > 1000,
    }
}

/// Sends a request, and checks the answer; false if it is an error.
fn ask(model: &mut Model, line: &[u8]) -> bool {
    let before = position(model);
    let text = model.answer(line);
    assert!(text.ends_with('\n') && text.lines().count() == 1, "{text}");
    let answer: Answer = serde_json::from_str(&text).expect("an answer is JSON");
    assert!(answer.ok.is_some() != answer.error.is_some(), "{text}");
    if let (Ok(request), false) = (serde_json::from_slice::<Value>(line), answer.id.is_null()) {
        // An id that is there twice is refused, and belongs to nobody.
        assert_eq!(request.get("id"), Some(&answer.id));
    }
    if answer.error.is_some() {
        assert_eq!(position(model), before, "after an error: {text}");
    }
    answer.ok.is_some()
}

/// Every query about the position.
fn position(model: &mut Model) -> Option<Value> {
    let text = model.answer(br#"{"op":"get","want":["state","key"]}"#);
    let answer: Answer = serde_json::from_str(&text).expect("an answer is JSON");
    answer.ok
}
