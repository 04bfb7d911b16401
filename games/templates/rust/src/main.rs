//! A rules program: reads the referee's requests and answers them for the game of `game.rs`. Each line
//! is a JSON object, and so is each answer. After an error everything is as it was before.

mod game;

use std::io::{self, BufRead, Write};

use game::{Options, State};
use serde_json::{Map, Value, json};

/// A request that is refused: a word of the protocol, and what is wrong.
struct Refused(&'static str, String);

/// The value of `ok`.
type Answer = Result<Value, Refused>;

fn refuse<T>(code: &'static str, message: impl Into<String>) -> Result<T, Refused> {
    Err(Refused(code, message.into()))
}

/// A position of a match.
#[derive(Clone)]
struct Position {
    options: Options,
    state: State,
    ply: u64,
}

impl Position {
    fn new(request: &Map<String, Value>) -> Result<Self, Refused> {
        if request.get("game").and_then(Value::as_str) != Some(game::ID) {
            return refuse(
                "unknown_game",
                format!("there is only the game `{}`", game::ID),
            );
        }
        let empty = Map::new();
        let options = match request.get("options").unwrap_or(&Value::Null) {
            Value::Null => &empty,
            Value::Object(options) => options,
            _ => return refuse("bad_option", "`options` is not an object"),
        };
        let options = Options::read(options).or_else(|message| refuse("bad_option", message))?;
        match request.get("state").unwrap_or(&Value::Null) {
            Value::Null => {
                let seed = request.get("seed").and_then(Value::as_u64);
                let state = State::start(&options, seed.unwrap_or_default());
                let ply = 0;
                Ok(Position {
                    options,
                    state,
                    ply,
                })
            }
            Value::Object(fields) => Position::read(options, fields),
            _ => refuse("bad_state", "a state is an object"),
        }
    }

    fn read(options: Options, fields: &Map<String, Value>) -> Result<Self, Refused> {
        let ply = fields.get("ply").and_then(Value::as_u64);
        let Some(ply) = ply.filter(|ply| *ply <= u64::from(u32::MAX)) else {
            return refuse("bad_state", "`ply` is not the number of plies made so far");
        };
        let state =
            State::read(&options, fields).or_else(|message| refuse("bad_state", message))?;
        let fits = |to_move: &Value| *to_move == json!(state.to_move());
        if !fields.get("to_move").is_none_or(fits) {
            return refuse("bad_state", "`to_move` does not fit the rest");
        }
        Ok(Position {
            options,
            state,
            ply,
        })
    }

    /// Plays all moves, or none.
    fn play(&mut self, request: &Map<String, Value>) -> Result<(), Refused> {
        let Some(Value::Array(moves)) = request.get("moves") else {
            return refuse("bad_request", "`moves` is not a list");
        };
        let mut state = self.state.clone();
        for mv in moves {
            if state.to_move().is_none() {
                return refuse("game_over", "the game is over");
            }
            let next = mv.as_str().and_then(|mv| state.play(&self.options, mv));
            match next {
                Some(next) => state = next,
                None => return refuse("illegal_move", format!("{mv} is not legal")),
            }
        }
        self.state = state;
        self.ply += moves.len() as u64;
        Ok(())
    }

    /// The position, with what is wanted.
    fn describe(&self, request: &Map<String, Value>) -> Answer {
        let to_move = self.state.to_move();
        let mut answer =
            json!({"ply": self.ply, "to_move": to_move, "result": self.state.result()});
        for name in wanted(request)? {
            answer[name] = if name == "legal" {
                let legal = to_move.map(|_| self.state.legal(&self.options));
                json!(legal.unwrap_or_default())
            } else {
                let mut fields = Map::new();
                fields.insert("ply".into(), self.ply.into());
                fields.insert("to_move".into(), json!(to_move));
                self.state.write(&mut fields);
                Value::Object(fields)
            };
        }
        Ok(answer)
    }
}

/// The requested additions to an answer: `legal` and `state`.
fn wanted(request: &Map<String, Value>) -> Result<Vec<&str>, Refused> {
    let list = match request.get("want").unwrap_or(&Value::Null) {
        Value::Null => Some(Vec::new()),
        Value::Array(list) => list.iter().map(Value::as_str).collect(),
        _ => None,
    };
    let known = |names: &Vec<&str>| names.iter().all(|name| ["legal", "state"].contains(name));
    match list.filter(known) {
        Some(names) => Ok(names),
        None => refuse("bad_request", "`want` is not a list of `legal` and `state`"),
    }
}

/// Answers one request.
fn answer(request: &Map<String, Value>, position: &mut Option<Position>) -> Answer {
    wanted(request)?;
    match request
        .get("op")
        .and_then(Value::as_str)
        .unwrap_or_default()
    {
        "hello" => {
            let games = [game::entry()];
            return Ok(json!({
                "protocol": 1, "name": game::ID, "version": "1", "can": [], "games": games,
            }));
        }
        "new" => *position = Some(Position::new(request)?),
        "play" | "get" if position.is_none() => {
            return refuse("no_game", "there is no position yet: `new` sets one up");
        }
        "play" => position
            .as_mut()
            .map_or(Ok(()), |here| here.play(request))?,
        "get" => {}
        _ => {
            return refuse(
                "bad_request",
                "`op` is not one of `hello`, `new`, `play`, `get`",
            );
        }
    }
    position
        .as_ref()
        .map_or(Ok(Value::Null), |here| here.describe(request))
}

/// Answers one line with one line.
fn answer_line(line: &[u8], position: &mut Option<Position>) -> Value {
    let Ok(Value::Object(request)) = serde_json::from_slice(line) else {
        let error = json!({"code": "bad_request", "message": "a request is a JSON object"});
        return json!({"id": null, "error": error});
    };
    let id = request.get("id").cloned().unwrap_or_default();
    match answer(&request, position) {
        Ok(ok) => json!({"id": id, "ok": ok}),
        Err(Refused(code, message)) => {
            json!({"id": id, "error": {"code": code, "message": message}})
        }
    }
}

fn main() -> io::Result<()> {
    let mut position = None;
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().split(b'\n') {
        writeln!(output, "{}", answer_line(&line?, &mut position))?;
        // Not a detail: what waits in a buffer is waited for.
        output.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered() {
        let mut position = None;
        for (request, expected) in [
            (json!({"id": 1, "op": "get"}), "\"code\":\"no_game\""),
            (json!({"op": "hello", "protocol": 1}), "\"games\":[{"),
            (
                json!({"id": 2, "op": "new", "game": game::ID, "options": {"heap": 4},
                       "want": ["legal"]}),
                "\"legal\":[\"take1\",\"take2\",\"take3\"]",
            ),
            (
                json!({"op": "play", "moves": ["take1", "take4"]}),
                "illegal_move",
            ),
            (json!({"op": "get", "want": ["state"]}), "\"left\":4,"),
            (
                json!({"op": "play", "moves": ["take1", "take3"]}),
                "\"scores\":[0,1]",
            ),
            (json!({"op": "play", "moves": ["take1"]}), "game_over"),
            (
                json!({"op": "new", "game": game::ID,
                       "state": {"ply": 3, "to_move": 1, "left": 2, "turn": 1}}),
                "\"to_move\":1",
            ),
            (
                json!({"op": "new", "game": game::ID, "state": {"ply": 3}}),
                "bad_state",
            ),
            (
                json!({"op": "new", "game": game::ID, "options": {"heap": 0}}),
                "bad_option",
            ),
            (json!({"op": "new", "game": "chess"}), "unknown_game"),
            (json!({"op": "get", "want": ["more"]}), "bad_request"),
            (json!({"op": "fly"}), "bad_request"),
            (json!([]), "bad_request"),
        ] {
            let line = answer_line(request.to_string().as_bytes(), &mut position).to_string();
            assert!(line.contains(expected), "{request}: {line}");
        }
    }
}
