//! Nim: a heap, from which two players take in turn.

use serde_json::{Map, Value, json};

/// The game's id.
pub const ID: &str = "nim";

/// A seat, counted from 0.
pub type Seat = usize;

/// The options of the game.
#[derive(Clone, Debug)]
pub struct Options {
    heap: u64,
    most: u64,
}

/// A state: what is left, and whose turn it is, or would be if the game went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    left: u64,
    turn: Seat,
}

/// The game's entry in the answer to `hello`.
pub fn entry() -> Value {
    json!({
        "id": ID,
        "title": "Nim",
        "summary": "Take from the heap; taking the last one wins.",
        "roles": ["first", "second"],
        "symmetric": true,
        "hidden": false,
        "options": {
            "heap": {
                "type": "int", "min": 1, "max": 100, "default": 21,
                "help": "How many there are at the start.",
            },
            "most": {
                "type": "int", "min": 1, "max": 10, "default": 3,
                "help": "How many a player may take at a time.",
            },
        },
        "notation": [["take2", "take two of the heap"]],
        "limits": {"max_plies": null, "repetition": null},
        "guide": GUIDE,
    })
}

/// The rules for people.
const GUIDE: &str = "\
# Nim

There is one heap. Two players take from it in turn, at least one and at most three at a time.
Whoever takes the last one wins.
";

impl Options {
    /// Reads options and fills in the defaults. An error names the option.
    pub fn read(given: &Map<String, Value>) -> Result<Self, String> {
        let mut options = Options { heap: 21, most: 3 };
        for (name, value) in given {
            let (option, max) = match name.as_str() {
                "heap" => (&mut options.heap, 100),
                "most" => (&mut options.most, 10),
                _ => {
                    let message = "there is no such option; allowed are `heap`, `most`";
                    return Err(format!("option `{name}`: {message}"));
                }
            };
            match value.as_u64() {
                Some(number) if (1..=max).contains(&number) => *option = number,
                _ => {
                    let message = format!("it must be a whole number from 1 to {max}");
                    return Err(format!("option `{name}`: {message}"));
                }
            }
        }
        Ok(options)
    }
}

impl State {
    /// The state at the start. Only `seed` may make one start differ from another.
    pub fn start(options: &Options, _seed: u64) -> Self {
        State {
            left: options.heap,
            turn: 0,
        }
    }

    /// The fields of the state, without `ply` and `to_move`.
    pub fn write(&self, fields: &mut Map<String, Value>) {
        fields.insert("left".into(), self.left.into());
        fields.insert("turn".into(), self.turn.into());
    }

    /// Reads them back. An error says why they make no sense.
    pub fn read(options: &Options, fields: &Map<String, Value>) -> Result<Self, String> {
        let number = |name: &str| fields.get(name).and_then(Value::as_u64);
        let left = number("left").filter(|left| *left <= options.heap);
        let turn = number("turn").filter(|turn| *turn <= 1);
        Ok(State {
            left: left.ok_or("`left` does not fit the heap")?,
            turn: turn.ok_or("`turn` is neither 0 nor 1")? as Seat,
        })
    }

    /// The seat to move; `None` when the game is over.
    pub fn to_move(&self) -> Option<Seat> {
        (self.left > 0).then_some(self.turn)
    }

    /// All legal moves.
    pub fn legal(&self, options: &Options) -> Vec<String> {
        let most = options.most.min(self.left);
        (1..=most).map(|count| format!("take{count}")).collect()
    }

    /// The state after a move, if that is legal.
    pub fn play(&self, options: &Options, mv: &str) -> Option<State> {
        let index = self.legal(options).iter().position(|legal| legal == mv)?;
        Some(State {
            left: self.left - (index as u64 + 1),
            turn: 1 - self.turn,
        })
    }

    /// The result; `None` while the game goes on.
    pub fn result(&self) -> Option<Value> {
        let scores = [0, 1].map(|seat| u32::from(seat != self.turn));
        (self.left == 0).then(|| json!({"scores": scores, "reason": "heap_empty"}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(given: Value) -> Result<Options, String> {
        Options::read(given.as_object().unwrap())
    }

    fn perft(options: &Options, state: &State, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = state.legal(options);
        let after = moves.iter().filter_map(|mv| state.play(options, mv));
        after.map(|next| perft(options, &next, depth - 1)).sum()
    }

    #[test]
    fn who_takes_the_last_one_wins() {
        let options = options(json!({"heap": 5})).unwrap();
        let mut state = State::start(&options, 0);
        for mv in ["take3", "take1", "take1"] {
            assert_eq!(state.result(), None);
            state = state.play(&options, mv).unwrap();
        }
        assert_eq!(state.to_move(), None);
        let expected = json!({"scores": [1, 0], "reason": "heap_empty"});
        assert_eq!(state.result(), Some(expected));
    }

    #[test]
    fn no_more_than_are_left() {
        let two = options(json!({"heap": 2})).unwrap();
        let start = State::start(&two, 0);
        assert_eq!(start.legal(&two), ["take1", "take2"]);
        assert_eq!(start.play(&two, "take3"), None);
        let one = options(json!({"most": 1})).unwrap();
        assert_eq!(State::start(&one, 0).legal(&one), ["take1"]);
    }

    #[test]
    fn positions_are_counted() {
        let five = options(json!({"heap": 5})).unwrap();
        let start = State::start(&five, 0);
        let counts = (0..7).map(|depth| perft(&five, &start, depth));
        assert_eq!(counts.collect::<Vec<_>>(), [1, 3, 8, 10, 5, 1, 0]);
    }

    #[test]
    fn options_are_checked_by_name() {
        for (given, message) in [
            (json!({"heap": 0}), "option `heap`"),
            (json!({"most": "x"}), "option `most`"),
            (json!({"haep": 5}), "option `haep`: there is no such"),
        ] {
            let error = options(given).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
