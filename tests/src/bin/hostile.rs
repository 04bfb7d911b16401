//! A bot that plays the first legal move, but misbehaves in the way that its argument names.

use std::io::{self, BufRead, Write};
use std::process::exit;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// Misbehaviour during play begins with the bot's second turn, so that there is a ply to tell.
const TURN: u32 = 2;

fn main() {
    let how = std::env::args().nth(1).unwrap_or_default();
    if how == "exit-at-start" {
        exit(3);
    }
    if how == "deaf" {
        sleep_for_ever();
    }
    let mut turns = 0;
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let message: Value = serde_json::from_str(&line).expect("the referee speaks JSON");
        match message["type"].as_str() {
            Some("hello") => hello(&how),
            Some("start") => {
                turns = 0;
                start(&how);
            }
            Some("turn") => {
                turns += 1;
                let mv = message["legal"][0].clone();
                if turns >= TURN {
                    misbehave(&how, &message);
                }
                say(&json!({"type": "move", "move": mv, "ply": message["ply"]}));
            }
            Some("quit") if how == "stays" => sleep_for_ever(),
            Some("quit") => exit(0),
            _ => {}
        }
    }
    if how == "stays" {
        sleep_for_ever();
    }
}

fn hello(how: &str) {
    match how {
        "no-hello" => sleep_for_ever(),
        "wrong-protocol" => say(&json!({"type": "hello", "protocol": 99, "name": "x"})),
        "python-repr" => print("{'type': 'hello', 'protocol': 1, 'name': 'x'}\n"),
        "only-siam" => {
            say(&json!({"type": "hello", "protocol": 1, "name": "x", "games": ["siam"]}))
        }
        _ => say(&json!({"type": "hello", "protocol": 1, "name": "hostile"})),
    }
}

fn start(how: &str) {
    match how {
        "no-ready" => sleep_for_ever(),
        "exit-before-ready" => exit(4),
        _ => say(&json!({"type": "ready"})),
    }
}

fn misbehave(how: &str, turn: &Value) {
    match how {
        "crash" => exit(5),
        "signal" => std::process::abort(),
        "hang" => sleep_for_ever(),
        "garbage" => print("I think I will win\n"),
        "illegal" => say(&json!({"type": "move", "move": "z9-z9/z9"})),
        "wrong-type" => say(&json!({"type": "move", "move": 7})),
        "resign" => say(&json!({"type": "resign"})),
        "long-line" => print(&"x".repeat(2 << 20)),
        // The deadline must not start anew with each line.
        "drip" => loop {
            say(&json!({"type": "info", "depth": 1}));
            thread::sleep(Duration::from_millis(20));
        },
        "close-stdout" => {
            nix::unistd::close(1).expect("stdout is open");
            sleep_for_ever();
        }
        // Not a fault: dropped.
        "other-ply" => say(&json!({"type": "move", "move": "nonsense", "ply": 1000})),
        "floods-stderr" => {
            for _ in 0..3 << 10 {
                eprint!("{}", "x".repeat(1 << 10));
            }
        }
        "noisy" => eprintln!("ply {}", turn["ply"]),
        _ => {}
    }
}

fn say(message: &Value) {
    print(&format!("{message}\n"));
}

/// Prints without minding whether anybody reads.
fn print(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn sleep_for_ever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(1));
    }
}
