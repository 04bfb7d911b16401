//! Invalid lines, and too many lines.

use std::io::{self, Write};
use std::process::exit;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::{print, say};

/// The line instead of the answer.
pub(crate) fn instead(how: &str, answer: &Value) -> Option<Vec<u8>> {
    let line = format!("{answer}\n");
    let open = line.trim_end().trim_end_matches('}').to_owned();
    let mv = &answer["move"];
    let text = match how {
        "garbage" => "I think I will win\n".to_owned(),
        "escapes" => "\u{1b}[2J\u{1b}]0;pwned\u{7} I won\n".to_owned(),
        "illegal" => r#"{"type":"move","move":"z9-z9/z9"}"#.to_owned() + "\n",
        "giant-move" => format!(
            "{}\n",
            json!({"type": "move", "move": "x".repeat(900 << 10)})
        ),
        "wrong-type" => r#"{"type":"move","move":7}"#.to_owned() + "\n",
        "resign" => r#"{"type":"resign"}"#.to_owned() + "\n",
        "no-move" => {
            r#"{"type":"fault","code":"no_move","message":"out of ideas"}"#.to_owned() + "\n"
        }
        "false-fault" => r#"{"type":"fault","code":"timeout"}"#.to_owned() + "\n",
        "long-line" => "x".repeat(2 << 20),
        "empty-line" => format!("\n{line}"),
        "null-byte" => format!("\0{line}"),
        "null-byte-inside" => line.replace("\"type\"", "\"ty\0pe\""),
        "only-other-ply" => format!("{}\n", json!({"type": "move", "move": mv, "ply": 1000})),
        "crlf" => line.replace('\n', "\r\n"),
        "deep-json" => "[".repeat(500_000) + "\n",
        "deep-info" => {
            let (down, up) = ("[".repeat(100_000), "]".repeat(100_000));
            format!("{open},\"info\":{down}{up}}}\n")
        }
        "huge-ply" => format!("{{\"type\":\"move\",\"move\":{mv},\"ply\":99999999999999999999}}\n"),
        "negative-ply" => format!("{{\"type\":\"move\",\"move\":{mv},\"ply\":-1}}\n"),
        "huge-number" => {
            format!("{open},\"info\":{{\"value\":1e99999,\"depth\":7}}}}\n")
        }
        "nan-info" => format!("{open},\"info\":{{\"value\":NaN}}}}\n"),
        "half-surrogates" => {
            let info = r#"{"text":"ok \ud83d","\udc00":["\ud800a","\ud83d\ude00"],"caf":"caf"#;
            let mut line = format!("{open},\"info\":{info}").into_bytes();
            // A text that was cut within a character.
            line.extend_from_slice(b"\xc3\"}}\n");
            return Some(line);
        }
        "large-numbers" => format!(
            "{open},\"info\":{{\"nodes\":18446744073709551615,\"value\":-1.7976931348623157e308}}}}\n"
        ),
        "duplicate-type" => format!("{open},\"type\":\"resign\"}}\n"),
        "duplicate-move" => format!("{open},\"move\":\"a1\"}}\n"),
        "half-line" => open,
        "half-line-and-exit" => {
            print(open.as_bytes());
            exit(0);
        }
        "invalid-utf8" => {
            let mut line = line.into_bytes();
            line.splice(2..4, [0xff, 0xfe]);
            return Some(line);
        }
        "single-bytes" => {
            for byte in line.bytes() {
                print(&[byte]);
                thread::sleep(Duration::from_micros(100));
            }
            String::new()
        }
        _ => return None,
    };
    Some(text.into_bytes())
}

/// Lines before the answer, if there will be one.
pub(crate) fn before(how: &str) {
    match how {
        // The deadline must not restart with each line.
        "drip" => loop {
            say(&json!({"type": "info", "depth": 1}));
            thread::sleep(Duration::from_millis(20));
        },
        "drip-bytes" => loop {
            print(b"x");
            thread::sleep(Duration::from_millis(20));
        },
        "gigabyte" => {
            let chunk = vec![b'x'; 1 << 20];
            for _ in 0..1 << 10 {
                print(&chunk);
            }
        }
        "floods-info" => flood(&json!({"type": "info", "depth": 1})),
        "floods-bytes" => flood(&json!({"type": "info", "text": "x".repeat(500 << 10)})),
        "huge-info" => {
            for name in ["text", "pv", "text"] {
                say(&json!({"type": "info", name: "x".repeat(900 << 10)}));
            }
        }
        "many-fields" => {
            for name in 0..5000 {
                say(&json!({"type": "info", format!("field {name}"): name}));
            }
        }
        "prints-some" => {
            for _ in 0..100 {
                say(&json!({"type": "info", "text": "x".repeat(80)}));
            }
        }
        // Not a fault: dropped.
        "other-ply" => say(&json!({"type": "move", "move": "nonsense", "ply": 1000})),
        "floods-stderr" => {
            for _ in 0..3 << 10 {
                eprint!("{}", "x".repeat(1 << 10));
            }
        }
        _ => {}
    }
}

pub(crate) fn info(how: &str) -> Option<Value> {
    match how {
        "huge-info" => Some(json!({"text": "x".repeat(900 << 10), "depth": 3})),
        _ => None,
    }
}

/// Prints a message until the pipe closes.
pub(crate) fn flood(message: &Value) {
    let line = format!("{message}\n");
    let mut out = io::stdout().lock();
    while out.write_all(line.as_bytes()).is_ok() {}
}
