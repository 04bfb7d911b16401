//! The program and the oracle in the same position, where they must agree.

use std::collections::HashMap;
use std::env;
use std::ops::Range;

use oracle::Oracle;
use oracle::random::Random;
use serde_json::{Value, json};
use tests::model::ModelClient;

/// The games of this program through a pipe.
const FAR: &str = r#"{ command = "referee model", prefix = "far" }"#;

/// The program's source of rules.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// They are compiled in.
    BuiltIn,
    /// In another process.
    #[allow(dead_code, reason = "not every test that has pairs asks for them")]
    FarAway,
}

/// A game under fixed options, held by both.
pub(crate) struct Pair {
    /// The program's id.
    id: String,
    game: String,
    options: Value,
    /// The game that is played.
    model: ModelClient,
    /// A second session in which states are loaded.
    loader: ModelClient,
    /// The program's keys by the oracle's, and the other way round.
    keys: [HashMap<String, String>; 2],
}

/// The seeds of a test: this many, or the number in the environment.
pub(crate) fn seeds(count: u64) -> Range<u64> {
    let times = number("DIFFERENTIAL_GAMES", 1);
    let first = number("DIFFERENTIAL_SEED", 0);
    first..first + count * times
}

fn number(variable: &str, default: u64) -> u64 {
    let Ok(text) = env::var(variable) else {
        return default;
    };
    let number = text.parse();
    number.unwrap_or_else(|_| panic!("{variable} is `{text}`, not a number"))
}

/// Requests in every position.
fn want() -> Value {
    json!(["legal", "state", "key"])
}

impl Pair {
    pub(crate) fn new(place: Place, game: &str, options: &Value) -> Self {
        let (more, prefix): (&[&str], _) = match place {
            Place::BuiltIn => (&[], ""),
            Place::FarAway => (&["--rules", FAR], "far-"),
        };
        Pair {
            id: format!("{prefix}{game}"),
            game: game.to_owned(),
            options: options.clone(),
            model: ModelClient::start_with(more),
            loader: ModelClient::start_with(more),
            keys: Default::default(),
        }
    }

    /// Opens a position in both: `{"seed": 1}`, or a valid state, settled or not, as
    /// `{"state": …}`. `Err` has the program's refusal.
    pub(crate) fn open(&mut self, from: Value) -> Result<Box<dyn Oracle>, Value> {
        let mut answer = self.model.ask(self.new_from(&from, want()));
        if answer.get("error").is_some() {
            return Err(answer["error"].take());
        }
        let answer = &answer["ok"];
        let state = from.get("state").unwrap_or(&answer["state"]);
        let oracle = oracle::open(&self.game, &self.options, state);
        self.compare(answer, oracle.as_ref());
        Ok(oracle)
    }

    fn new_from(&self, from: &Value, want: Value) -> Value {
        let mut request = from.clone();
        request["op"] = json!("new");
        request["game"] = json!(self.id);
        request["options"] = self.options.clone();
        request["want"] = want;
        request
    }

    pub(crate) fn play(&mut self, oracle: &mut dyn Oracle, mv: &str) {
        let answer = self
            .model
            .ok(json!({"op": "play", "moves": [mv], "want": want()}));
        oracle.play(mv);
        self.compare(&answer, oracle);
    }

    /// Plays random moves to the end of the game, at most this many.
    pub(crate) fn play_on(&mut self, oracle: &mut dyn Oracle, most: usize, random: &mut Random) {
        for _ in 0..most {
            let legal = oracle.legal();
            if legal.is_empty() {
                return;
            }
            if random.below(8) == 0 {
                self.try_another_order(oracle, random);
            }
            let mv = random.pick(&legal);
            self.play(oracle, mv);
        }
    }

    /// Plays and takes back three moves, and the same with the first and the last one swapped:
    /// often two ways to one position, whose keys must be equal.
    fn try_another_order(&mut self, oracle: &dyn Oracle, random: &mut Random) {
        let mut line = Vec::new();
        let mut end = oracle.clone_box();
        for _ in 0..3 {
            let legal = end.legal();
            if legal.is_empty() {
                return;
            }
            let mv = random.pick(&legal).clone();
            end.play(&mv);
            line.push(mv);
        }
        self.play_and_undo(oracle, &line);
        line.swap(0, 2);
        self.play_and_undo(oracle, &line);
    }

    /// Plays moves for as long as they are legal, then takes all of them back.
    fn play_and_undo(&mut self, oracle: &dyn Oracle, line: &[String]) {
        let mut position = oracle.clone_box();
        let mut played = 0;
        for mv in line {
            if !position.legal().contains(mv) {
                break;
            }
            self.play(position.as_mut(), mv);
            played += 1;
        }
        let answer = self
            .model
            .ok(json!({"op": "undo", "count": played, "want": want()}));
        self.compare(&answer, oracle);
    }

    /// Fails unless an answer of the program agrees with the oracle.
    fn compare(&mut self, answer: &Value, oracle: &dyn Oracle) {
        let (game, options, state) = (&self.game, &self.options, oracle.state());
        let what = |name: &str| format!("{name} of {game} {options} at {state}");
        assert_eq!(answer["state"], state, "{}", what("state"));
        assert_eq!(answer["to_move"], state["to_move"], "{}", what("to_move"));
        assert_eq!(answer["ply"], state["ply"], "{}", what("ply"));
        let legal = answer["legal"].as_array().expect("a list of moves");
        let mut legal: Vec<&str> = legal.iter().filter_map(Value::as_str).collect();
        legal.sort_unstable();
        assert_eq!(legal, oracle.legal(), "{}", what("legal"));
        let result = oracle
            .result()
            .map(|end| json!({"scores": end.scores, "outcome": end.outcome, "reason": end.reason}));
        assert_eq!(answer["result"], json!(result), "{}", what("result"));
        self.compare_keys(answer, oracle);
        // What the oracle writes is read and written back as it is, by the letter.
        let loaded = self
            .loader
            .ok(self.new_from(&json!({"state": state}), json!(["state", "key"])));
        for field in ["ply", "to_move", "result", "state", "key"] {
            let (loaded, played) = (&loaded[field], &answer[field]);
            assert_eq!(loaded.to_string(), played.to_string(), "loading {state}");
        }
    }

    /// Keys are equal exactly where the oracle's are, in all games of these options.
    fn compare_keys(&mut self, answer: &Value, oracle: &dyn Oracle) {
        let fast = answer["key"].as_str().expect("a key").to_owned();
        let slow = oracle.key();
        let [by_slow, by_fast] = &mut self.keys;
        let other = by_slow.entry(slow.clone()).or_insert_with(|| fast.clone());
        assert_eq!(*other, fast, "two keys for one position: {slow}");
        let other = by_fast.entry(fast).or_insert_with(|| slow.clone());
        assert_eq!(*other, slow, "one key for two positions");
    }
}
