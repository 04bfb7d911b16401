//! Information for spectators, sensible and not.

use std::process::exit;

use serde_json::{Value, json};

use crate::{lines as output, print, processes, say, sleep_for_ever};

/// The move that is sent instead of a legal one, from the first turn on.
pub(crate) fn instead(how: &str) -> Option<Value> {
    (how == "illegal-at-once").then(|| json!("z9-z9/z9"))
}

/// Returns the information with a move; reports others before it.
pub(crate) fn info(how: &str, turn: &Value) -> Option<Value> {
    let asked = turn["lines"].as_u64()? as usize;
    let legal = turn["legal"].as_array()?;
    let line = |at: usize, depth: u32| {
        let value = 0.75 - 0.25 * at as f64;
        json!({"value": value, "pv": [legal[at]], "depth": depth})
    };
    let lines = |depth: u32| -> Vec<Value> {
        let many = asked.min(legal.len()).min(3);
        (0..many).map(|at| line(at, depth)).collect()
    };
    misbehave(how);
    match how {
        "reports-lines" => {
            say(&json!({"type": "info", "depth": 1, "nodes": 10, "lines": lines(1)}));
            Some(json!({"depth": 2, "nodes": 20, "text": "\u{1b}[2Jfine", "lines": lines(2)}))
        }
        "reports-a-value" => Some(json!({"value": 0.625, "pv": [legal[0]], "depth": 3})),
        "reports-nonsense" => {
            let pv = vec!["z9"; 500];
            say(&json!({"type": "info", "lines": {"best": 1}, "depth": -7, "value": [0.5]}));
            say(&json!({"type": "info", "lines": vec![json!({"pv": pv}); 50]}));
            Some(json!({
                "value": 17, "nodes": "many", "text": {"a": 1}, "depth": 1e300,
                "lines": [
                    {"value": -1, "pv": [legal[0], legal[0], "\u{1b}[2J"]}, "the best", null,
                    {"value": "0.5", "pv": "a1"}, {"pv": [7]},
                ],
            }))
        }
        "crashes-in-an-analysis" => exit(5),
        "reports-and-crashes" => {
            say(&json!({"type": "info", "depth": 1, "lines": lines(1)}));
            exit(5)
        }
        _ => None,
    }
}

fn misbehave(how: &str) {
    match how {
        "hangs-at-once" => sleep_for_ever(),
        "floods-at-once" => {
            output::flood(&json!({"type": "info", "text": "x".repeat(1 << 10)}));
        }
        "forks-at-once" => processes::start("fork-bomb"),
        "daemon-at-once" => processes::start("closed-daemons"),
        "reports-no-json" => {
            print(b"{\"type\":\"info\",\"value\":NaN,\"text\":\"\x1b[2J\x07\"}\n");
        }
        _ => {}
    }
}
