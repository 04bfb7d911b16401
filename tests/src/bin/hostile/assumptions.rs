//! Bots that rely on one referee's habits and fail with another that keeps the same protocol.

use std::process::exit;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::say;

/// More than a line of Amazons has.
const SHORT_BUFFER: usize = 100_000;

/// Runs before anything is read.
pub(crate) fn at_once(how: &str) {
    if how == "speaks-first" {
        say(&json!({"type": "hello", "protocol": 1, "name": "eager"}));
    }
}

/// A line was read, and not every bot stands it.
pub(crate) fn read(how: &str, line: &str) {
    let message: Value = serde_json::from_str(line).unwrap_or_default();
    let new_field = || {
        let mut fields = message.as_object().into_iter().flat_map(|m| m.keys());
        fields.any(|name| name.starts_with("x_object"))
    };
    let fatal = match how {
        "strict-fields" => new_field(),
        "reads-by-pattern" => !line.starts_with(r#"{"type":""#),
        "short-buffer" => line.len() > SHORT_BUFFER,
        "ascii-only" => !line.is_ascii(),
        _ => false,
    };
    if fatal {
        eprintln!("that is no line for me");
        exit(8);
    }
}

/// A message of a type that is not handled elsewhere.
pub(crate) fn unknown(how: &str, kind: &str) {
    if how == "answers-everything" && kind != "error" {
        say(&json!({"type": "ready"}));
    }
}

/// The move in place of the first legal one. `turns` counts this one.
pub(crate) fn instead(how: &str, start: &Value, turn: &Value, turns: u32) -> Option<Value> {
    let own = &start["seat"];
    let lost = match how {
        "first-seat-only" => *own != 0,
        "usual-start-only" => start["state"]["ply"] != 0,
        "own-moves-only" => {
            let moves = turn["moves"].as_array().into_iter().flatten();
            turns == 1 && moves.into_iter().any(|played| played["seat"] == *own)
        }
        "sleeps" => {
            thread::sleep(Duration::from_millis(700));
            false
        }
        _ => false,
    };
    lost.then(|| json!("nonsense"))
}
