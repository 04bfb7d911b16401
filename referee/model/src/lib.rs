//! The forward model: games behind a line-based service, for bots that do not know the rules.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod answer;
mod fields;
mod hello;
mod open;

use std::sync::Arc;
use std::time::Duration;

use games::Catalog;
use games::budget::Budget;
use protocol::{ModelError, ModelErrorCode as Code, Op, plain_request};
use serde_json::Value;
use serde_json::value::RawValue;

pub use answer::MAX_DEPTH;
use answer::{Done, error, text};
use fields::Envelope;
use open::{Extent, NewRequest, Open};

/// No request may be longer, in bytes.
pub const MAX_REQUEST: usize = 16 << 20;

/// No request that goes through many positions may take longer.
const LONGEST: Duration = Duration::from_secs(60);

/// The state of one service: at most one position.
#[derive(Default)]
pub struct Model {
    catalog: Arc<Catalog>,
    game: Option<Open>,
}

impl Model {
    /// A service for these games.
    pub fn of(catalog: Arc<Catalog>) -> Self {
        Model {
            catalog,
            game: None,
        }
    }

    /// Answers a line that is longer than [`MAX_REQUEST`].
    pub fn refuse_long(&self) -> String {
        let message = format!("a request of more than {MAX_REQUEST} bytes");
        respond("null", error(Code::BadRequest, message))
    }

    pub fn answer(&mut self, line: &[u8]) -> String {
        // As nearly all are.
        if let Some((id, op)) = plain_request(line) {
            return respond(&id.to_string(), self.perform(op));
        }
        if !line.trim_ascii_start().starts_with(b"{") {
            let what = if line.trim_ascii().is_empty() {
                "an empty line; a request is a JSON object"
            } else {
                "a request is a JSON object"
            };
            return respond("null", error(Code::BadRequest, what));
        }
        // Read in two steps, so that the answer to a bad request still carries its id.
        let envelope = match serde_json::from_slice::<Envelope>(line) {
            Ok(envelope) => envelope,
            Err(bad) => return respond("null", error(Code::BadRequest, bad)),
        };
        let id = envelope.id.map_or("null", RawValue::get);
        if let Err(bad) = readable(id) {
            return respond("null", error(Code::BadRequest, format!("id: {bad}")));
        }
        let (warning, done) = match serde_json::from_slice::<Op>(line) {
            Ok(op) => (envelope.warning(op.name()), self.perform(op)),
            Err(bad) => {
                let warning = fields::op(line).and_then(|op| envelope.warning(&op));
                let what = fields::explain(line).unwrap_or_else(|| bad.to_string());
                (warning, error(Code::BadRequest, what))
            }
        };
        match warning {
            Some(warning) => warned(&respond(id, done), &warning),
            None => respond(id, done),
        }
    }

    fn perform(&mut self, op: Op) -> Done {
        match op {
            Op::Hello { .. } => Ok(text(&hello::answer(&self.catalog))),
            Op::New {
                game,
                options,
                seed,
                state,
                observation,
                max_plies,
                want,
            } => {
                let mut open = Open::new(
                    NewRequest {
                        game,
                        options,
                        seed,
                        state,
                        observation,
                        max_plies,
                    },
                    self.game.as_ref(),
                    &self.catalog,
                )?;
                let answer = open.introduce(&want)?;
                self.game = Some(open);
                Ok(answer)
            }
            Op::Play { moves, want } => self.open()?.play(&moves, &want),
            Op::Undo { count, want } => self.open()?.undo(count, &want),
            Op::Get { seat, want } => self.open()?.get(seat, &want),
            Op::Sample { seat, seed, count } => self.open()?.sample(seat, seed, count),
            Op::Children { want } => in_time(|| self.open()?.children(&want)),
            Op::Evaluate {} => self.open()?.evaluate(),
            Op::Perft { depth } => in_time(|| self.open()?.perft(depth)),
            Op::Playout { count, ms, seed } => {
                let extent = Extent::new(count, ms)?;
                in_time(|| self.open()?.playout(&extent, seed))
            }
            Op::Playouts { count, ms, seed } => {
                let extent = Extent::new(count, ms)?;
                in_time(|| self.open()?.playouts(&extent, seed))
            }
        }
    }

    fn open(&mut self) -> Result<&mut Open, ModelError> {
        match &mut self.game {
            Some(open) => Ok(open),
            None => error(Code::NoGame, "there is no position yet: `new` sets one up"),
        }
    }
}

/// Makes an answer to a request that goes through many positions, unless that takes too long.
fn in_time(make: impl FnOnce() -> Done) -> Done {
    Budget::default().lasting(LONGEST).run(make)
}

/// Ids are returned, so they must be readable also within an answer.
fn readable(id: &str) -> serde_json::Result<()> {
    // As nearly all are.
    let short_number = id.len() < 20 && id.bytes().all(|byte| byte.is_ascii_digit());
    if short_number {
        return Ok(());
    }
    serde_json::from_str::<Value>(&format!("[{id}]")).map(drop)
}

fn respond(id: &str, done: Done) -> String {
    let (word, body) = match done {
        Ok(body) => ("\"ok\":", body),
        Err(error) => ("\"error\":", text(&error)),
    };
    ["{\"id\":", id, ",", word, &body, "}\n"].concat()
}

/// An answer with a warning at its end.
fn warned(answer: &str, warning: &str) -> String {
    let body = answer.trim_end().strip_suffix('}').unwrap_or(answer);
    format!("{body},\"warning\":{}}}\n", text(&warning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Answer;
    use serde_json::json;
    use std::time::{Duration, Instant};

    /// A model with the start of a game of Amazons.
    fn amazons(size: u32) -> Model {
        let mut model = Model::default();
        let options = json!({"size": size});
        let new = json!({"id": 1, "op": "new", "game": "amazons", "options": options});
        ask(&mut model, new);
        model
    }

    #[test]
    fn ids_that_nobody_can_read_are_refused() {
        let deep = format!("{}{}", "[".repeat(127), "]".repeat(127));
        for id in [&*deep, "1e999", r#""\ud800""#] {
            let line = format!("{{\"id\":{id},\"op\":\"get\"}}");
            let answer = Model::default().answer(line.as_bytes());
            assert!(answer.starts_with("{\"id\":null,"), "{answer}");
        }
    }

    #[test]
    fn ids_come_back_as_they_were_written() {
        for id in [
            "12345678901234567890123",
            "1e2",
            "{\"a\": [1.0]}",
            "\"\\u00e9\"",
            "null",
        ] {
            let answer =
                Model::default().answer(format!("{{\"id\":{id},\"op\":\"get\"}}").as_bytes());
            assert!(
                answer.starts_with(&format!("{{\"id\":{id},\"error\"")),
                "{answer}"
            );
        }
    }

    fn ask(model: &mut Model, request: Value) -> Value {
        let line = model.answer(request.to_string().as_bytes());
        let answer: Answer = serde_json::from_str(&line).unwrap();
        assert_eq!(answer.id, request["id"]);
        serde_json::to_value(answer).unwrap()
    }

    #[test]
    fn a_game_is_played_back_and_forth() {
        let mut model = Model::default();
        let new = json!({"id": 1, "op": "new", "game": "amazons", "options": {"size": 5}, "want": ["legal", "key", "state", "view"]});
        let first = ask(&mut model, new);
        assert_eq!(first["ok"]["legal"].as_array().unwrap().len(), 260);
        let mv = first["ok"]["legal"][7].clone();
        let played = ask(&mut model, json!({"id": "x", "op": "play", "moves": [mv]}));
        assert_eq!(
            played["ok"],
            json!({"ply": 1, "to_move": 1, "result": null})
        );
        let undone = ask(
            &mut model,
            json!({"id": [2], "op": "undo", "count": 1, "want": ["legal", "key", "state", "view"]}),
        );
        assert_eq!(undone["ok"], first["ok"]);
        assert_eq!(
            ask(&mut model, json!({"id": 3, "op": "perft", "depth": 2}))["ok"],
            json!({"nodes": 50422})
        );
    }

    #[test]
    fn play_is_all_or_nothing() {
        let mut model = amazons(6);
        let bad = ask(
            &mut model,
            json!({"id": 2, "op": "play", "moves": ["a2-a3/a4", "a5-b5/b4", "a1-a2/a3"]}),
        );
        assert_eq!(bad["error"]["code"], "illegal_move");
        assert_eq!(
            ask(&mut model, json!({"id": 3, "op": "get"}))["ok"]["ply"],
            0
        );
        let bad = ask(&mut model, json!({"id": 4, "op": "undo", "count": 1}));
        assert_eq!(bad["error"]["code"], "bad_count");
    }

    #[test]
    fn playouts_give_means() {
        let mut model = amazons(5);
        let playout = ask(
            &mut model,
            json!({"id": 2, "op": "playout", "count": 50, "seed": 1}),
        );
        let sum: f64 = playout["ok"]["outcome"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_f64)
            .sum();
        assert!((sum - 1.0).abs() < 1e-9 && playout["ok"]["plies"].as_f64().unwrap() > 4.0);
        let by_move = ask(
            &mut model,
            json!({"id": 3, "op": "playouts", "count": 1, "seed": 1}),
        );
        assert_eq!(by_move["ok"]["moves"].as_object().unwrap().len(), 260);
    }

    #[test]
    fn what_is_wrong_with_a_request_is_named() {
        let mut model = Model::default();
        for (request, expected) in [
            (
                json!({"op": "perft", "depth": -1}),
                "`depth`: -1 is not a whole number from 0 on",
            ),
            (
                json!({"op": "playout", "count": 1.5}),
                "`count`: 1.5 is not a whole number from 0 on",
            ),
            (
                json!({"op": "undo", "count": 1u64 << 40}),
                "`count`: 1099511627776 is not a whole",
            ),
            (json!({"op": "new", "game": 7}), "`game`: 7 is not a string"),
            (json!({"op": "new"}), "`new` needs the field `game`"),
            (
                json!({"op": "play", "moves": "a1"}),
                "`moves`: \"a1\" is not a list of (string or object)",
            ),
            (
                json!({"op": "play", "moves": [1]}),
                "`moves`: 1 is not one of string, object",
            ),
            (
                json!({"op": "get", "want": ["all"]}),
                "`want`: \"all\" is not one of \"legal\", \"state\"",
            ),
            (
                json!({"op": "plya"}),
                "there is no `op` `plya`; did you mean `play`? it is one of `children`",
            ),
            (json!({"op": 3}), "`op`: 3 is not one of"),
            (json!({}), "`op` is missing; it is one of"),
        ] {
            let answer = ask(&mut model, request);
            assert_eq!(answer["error"]["code"], "bad_request");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn fields_that_an_operation_does_not_have_are_ignored_with_a_warning() {
        let mut model = Model::default();
        let new = json!({"id": 1, "op": "new", "game": "run", "sede": 7});
        let answer = ask(&mut model, new);
        assert_eq!(answer["ok"]["ply"], 0);
        let expected = "`new` has no field `sede`, did you mean `seed`?; it was ignored";
        assert_eq!(answer["warning"], expected);
        let answer = ask(&mut model, json!({"id": 2, "op": "get", "moves": []}));
        assert!(
            answer["warning"]
                .as_str()
                .unwrap()
                .contains("no field `moves`")
        );
        // Also beside an error.
        let answer = ask(&mut model, json!({"id": 2, "op": "new", "gmae": "run"}));
        assert_eq!(answer["error"]["message"], "`new` needs the field `game`");
        let expected = "`new` has no field `gmae`, did you mean `game`?; it was ignored";
        assert_eq!(answer["warning"], expected);
        let answer = ask(&mut model, json!({"id": 3, "op": "get", "want": ["key"]}));
        assert_eq!(answer["warning"], Value::Null);
    }

    #[test]
    fn bad_requests_are_answered() {
        let mut model = Model::default();
        for (request, code) in [
            (json!({"id": 1, "op": "get"}), "no_game"),
            (
                json!({"id": 2, "op": "new", "game": "amazon"}),
                "unknown_game",
            ),
            (
                json!({"id": 3, "op": "new", "game": "amazons", "options": {"size": 3}}),
                "bad_option",
            ),
            (
                json!({"id": 4, "op": "new", "game": "amazons", "state": {}}),
                "bad_state",
            ),
            (json!({"id": 5, "op": "fly"}), "bad_request"),
            (json!({"id": 6}), "bad_request"),
            (
                json!({"id": 7, "op": "get", "want": ["everything"]}),
                "bad_request",
            ),
        ] {
            assert_eq!(ask(&mut model, request)["error"]["code"], code);
        }
        for line in [
            &b"{"[..],
            b"[1]",
            b"\xff",
            b"",
            b" \r\n",
            b"{\"id\":\"\xff\"}",
        ] {
            let answer = model.answer(line);
            assert!(
                answer.starts_with(r#"{"id":null,"error":{"code":"bad_request""#),
                "{answer}"
            );
        }
    }

    /// `children` is `play`, `get` with everything, and `undo` for every legal move, in all games.
    #[test]
    fn children_are_the_positions_after_each_move() {
        for entry in games::GAMES.iter() {
            let mut model = Model::default();
            ask(
                &mut model,
                json!({"op": "new", "game": entry.info.id, "seed": 1}),
            );
            let mut rng = games::Rng::new(5);
            for _ in 0..3 {
                let want = json!(["state", "legal", "key", "view", "value"]);
                let here = ask(&mut model, json!({"op": "get", "want": ["legal"]}));
                let legal = here["ok"]["legal"].as_array().unwrap().clone();
                let all = ask(
                    &mut model,
                    json!({"op": "children", "want": ["state", "value"]}),
                );
                let children = all["ok"]["children"].as_array().unwrap();
                let moves: Vec<_> = children.iter().map(|child| child["move"].clone()).collect();
                assert_eq!(moves, legal);
                let checked = children.iter().step_by(children.len() / 20 + 1);
                for child in checked {
                    let mv = &child["move"];
                    let played = json!({"op": "play", "moves": [mv], "want": want});
                    let played = ask(&mut model, played);
                    for field in ["ply", "to_move", "result", "key", "state", "value"] {
                        assert_eq!(child[field], played["ok"][field], "{mv} {field}");
                    }
                    let value = ask(&mut model, json!({"op": "evaluate"}));
                    assert_eq!(value["ok"]["value"], child["value"]);
                    ask(&mut model, json!({"op": "undo"}));
                }
                // As many as perft counts, and as deep.
                let nodes = ask(&mut model, json!({"op": "perft", "depth": 1}));
                assert_eq!(nodes["ok"]["nodes"], json!(children.len()));
                let mv = &legal[rng.index(legal.len())];
                ask(&mut model, json!({"op": "play", "moves": [mv]}));
            }
        }
    }

    /// A search in a bot finds as many nodes by `children` alone as perft.
    #[test]
    fn children_and_perft_agree() {
        fn nodes(model: &mut Model, state: &Value, depth: u32) -> u64 {
            let new = json!({"op": "new", "game": "elephant-run", "state": state});
            ask(model, new);
            let answer = ask(model, json!({"op": "children", "want": ["state"]}));
            let children = answer["ok"]["children"].as_array().unwrap();
            if depth == 1 {
                return children.len() as u64;
            }
            let below = children
                .iter()
                .map(|c| nodes(model, &c["state"], depth - 1));
            below.sum()
        }
        let mut model = Model::default();
        let new = json!({"op": "new", "game": "elephant-run", "want": ["state"]});
        let start = ask(&mut model, new)["ok"]["state"].clone();
        let perft = ask(&mut model, json!({"op": "perft", "depth": 3}));
        assert_eq!(perft["ok"]["nodes"], nodes(&mut model, &start, 3));
    }

    #[test]
    fn a_finished_game_has_no_children_and_the_value_of_its_outcome() {
        let mut model = Model::default();
        let moves = json!(["a1", "a2", "b1", "b2", "a3", "c1", "c3"]);
        ask(&mut model, json!({"op": "new", "game": "elephant-run"}));
        let end = json!({"op": "play", "moves": moves, "want": ["value"]});
        let end = ask(&mut model, end);
        assert_eq!(end["ok"]["result"]["outcome"], json!([0.0, 1.0]));
        assert_eq!(end["ok"]["value"], json!([0.0, 1.0]));
        let children = ask(&mut model, json!({"op": "children"}));
        assert_eq!(children["ok"], json!({"children": []}));
        let playouts = ask(&mut model, json!({"op": "playouts", "ms": 1}));
        assert_eq!(playouts["ok"], json!({"moves": {}, "count": 0}));
    }

    #[test]
    fn playouts_stop_when_the_time_is_over() {
        let mut model = Model::default();
        ask(
            &mut model,
            json!({"op": "new", "game": "amazons", "options": {"size": 5}}),
        );
        let begin = Instant::now();
        let playout = ask(&mut model, json!({"op": "playout", "ms": 20, "seed": 1}));
        assert!(begin.elapsed() >= Duration::from_millis(20));
        assert!(playout["ok"]["count"].as_u64().unwrap() > 0);
        // With time enough, `count` is what ends them, and the games are the same.
        let one = json!({"op": "playout", "ms": open::MOST_MS, "count": 9, "seed": 1});
        let mut one = ask(&mut model, one)["ok"].take();
        assert_eq!(one["count"], 9);
        one.as_object_mut().unwrap().remove("count");
        assert_eq!(
            one,
            ask(&mut model, json!({"op": "playout", "count": 9, "seed": 1}))["ok"]
        );
        let by_move = json!({"op": "playouts", "ms": open::MOST_MS, "count": 2});
        let by_move = ask(&mut model, by_move);
        assert_eq!(by_move["ok"]["count"], 2);
        assert_eq!(by_move["ok"]["moves"].as_object().unwrap().len(), 260);
        for bad in [
            json!({"ms": 0}),
            json!({"ms": open::MOST_MS + 1}),
            json!({"count": 0}),
        ] {
            for op in ["playout", "playouts"] {
                let mut request = bad.clone();
                request["op"] = op.into();
                assert_eq!(ask(&mut model, request)["error"]["code"], "bad_count");
            }
        }
    }

    #[test]
    fn children_that_are_too_long_are_given_up() {
        let mut model = Model::default();
        ask(&mut model, json!({"op": "new", "game": "amazons"}));
        let children = json!({"op": "children", "want": ["legal"]});
        assert_eq!(ask(&mut model, children)["error"]["code"], "too_much");
        let children = ask(&mut model, json!({"op": "children"}));
        assert_eq!(children["ok"]["children"].as_array().unwrap().len(), 2176);
    }
}
