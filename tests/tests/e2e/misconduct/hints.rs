//! Hints for the usual errors of bots, in matches and by `referee check`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tests::{Arena, Ran, assert_contains, good, run};

use crate::{RANDOM, config};

/// A bot in Python that answers through this function `say(message)`.
fn python(say: &str) -> String {
    format!(
        r#"import json, sys

{say}

for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        say({{"type": "hello", "protocol": 1, "name": "python", "author": None}})
    elif kind == "start":
        say({{"type": "ready"}})
    elif kind == "turn":
        say({{"type": "move", "move": message["legal"][0]}})
    elif kind == "quit":
        break
"#
    )
}

const GOOD: &str = "def say(message): print(json.dumps(message), flush=True)";
/// Reopened, so that no variable of the environment removes the buffer.
const UNFLUSHED: &str =
    "out = open(1, 'w')\ndef say(message): print(json.dumps(message), file=out)";

/// Checks the bot of these words in that folder, with such limits.
fn check(arena: &Arena, limits: &[&str], bot: &[&str]) -> Ran {
    let dir = arena.path("").display().to_string();
    let args = ["check", "--game", "run", "--turns", "1", "--dir", &dir];
    run([&args[..], limits, &["--"], bot].concat())
}

/// The bot fails the check with this in the words.
#[track_caller]
fn named(arena: &Arena, limits: &[&str], bot: &[&str], part: &str) {
    let ran = check(arena, limits, bot);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert_contains(&ran.stdout, part);
}

/// The message of the fault by which the bot loses a match.
fn fault(script: &str, more: &str) -> String {
    let text = config(&[RANDOM, ("mine", r#""python3 bot.py""#)]) + more;
    let arena = Arena::new(&text);
    arena.write("bot.py", script);
    good(arena.play());
    let fault = &arena.matches()[0]["result"]["faults"][0];
    format!(
        "{}: {}",
        fault["code"].as_str().unwrap(),
        fault["message"].as_str().unwrap()
    )
}

#[test]
fn a_good_bot_is_not_accused() {
    let arena = Arena::new("");
    arena.write("bot.py", &python(GOOD));
    let ran = check(&arena, &["--startup", "60s"], &["python3", "bot.py"]);
    let failed: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("FAIL"))
        .collect();
    // Whether it keeps its time depends on the machine.
    assert!(
        failed.iter().all(|line| line.contains("time/")),
        "{}",
        ran.stdout
    );
}

#[test]
fn output_that_is_not_flushed() {
    let arena = Arena::new("");
    arena.write("bot.py", &python(UNFLUSHED));
    named(
        &arena,
        &["--startup", "5s"],
        &["python3", "bot.py"],
        "it came only when the bot's input was closed",
    );
    let message = fault(&python(UNFLUSHED), "time = { startup = \"5s\" }\n");
    assert!(
        message.starts_with("startup: did not say `hello` within 5000 ms"),
        "{message}"
    );
    assert!(
        message.ends_with("it sleeps, waiting for input: is its output flushed?"),
        "{message}"
    );
}

#[test]
fn a_move_that_is_not_flushed() {
    let say = format!("{UNFLUSHED}; message['type'] == 'move' or out.flush()");
    let message = fault(&python(&say), "time = { per_move = \"2s\" }\n");
    assert!(message.starts_with("timeout: no move after"), "{message}");
    assert!(
        message.ends_with("it sleeps, waiting for input: is its output flushed?"),
        "{message}"
    );
}

/// A bot that computes, or waits, a little too long and prints with `flush` keeps nothing back.
#[test]
fn an_answer_that_is_late_by_a_hair_is_not_blamed_on_flushing() {
    for think in [
        "end = time.monotonic() + 0.15\nwhile time.monotonic() < end: pass",
        "time.sleep(0.15)",
    ] {
        let body = think.replace('\n', "\n    ");
        let say = format!("import time\n{GOOD}\n\ndef think(move):\n    {body}\n    return move\n");
        let script = python(&say).replace("message[\"legal\"][0]", "think(message[\"legal\"][0])");
        let text = config(&[RANDOM, ("mine", r#""python3 bot.py""#)]);
        let arena = Arena::new(&format!(
            "rounds = 10\n{text}time = {{ per_move = \"100ms\", margin = \"20ms\", startup = \"20s\" }}\n"
        ));
        arena.write("bot.py", &script);
        good(arena.play());
        for record in arena.matches() {
            let fault = &record["result"]["faults"][0];
            let message = fault["message"].as_str().unwrap();
            assert_eq!(fault["code"], "timeout", "{message}");
            assert!(!message.contains("flushed"), "{message}");
            assert_contains(message, " of CPU time, at a load of ");
        }
        let out = arena.path("out").display().to_string();
        let page = run(["report", &out, "--bot", "mine"]).stdout;
        assert!(!page.contains("flushed"), "{page}");
    }
}

#[test]
fn a_line_without_its_end() {
    let say = "def say(message): sys.stdout.write(json.dumps(message)); sys.stdout.flush()";
    let message = fault(&python(say), "time = { startup = \"5s\" }\n");
    assert_contains(&message, "has no line end");
    let arena = Arena::new("");
    arena.write("bot.py", &python(say));
    named(
        &arena,
        &["--startup", "5s"],
        &["python3", "bot.py"],
        "has no line end",
    );
}

#[test]
fn an_endless_loop() {
    let say = format!("{GOOD}\n\ndef think():\n    while True: pass\n");
    let script = python(&say).replace("message[\"legal\"][0]", "think()");
    let message = fault(&script, "time = { per_move = \"2s\" }\n");
    assert!(message.starts_with("timeout: no move after"), "{message}");
    assert!(message.ends_with("it is still computing"), "{message}");
    let arena = Arena::new("");
    arena.write("bot.py", &script);
    named(
        &arena,
        // One check: each computes for as long as it may.
        &["--startup", "5s", "--only", "match/run/0"],
        &["python3", "bot.py"],
        "a loop without an end",
    );
}

#[test]
fn two_answers_to_a_turn() {
    let say =
        format!("{GOOD}\n\ndef twice(move): say({{'type': 'move', 'move': move}}); return move");
    let script = python(&say).replace("message[\"legal\"][0]", "twice(message[\"legal\"][0])");
    let arena = Arena::new("");
    arena.write("bot.py", &script);
    let dir = arena.path("").display().to_string();
    let ran = run([
        "check",
        "--game",
        "amazons",
        "--only",
        "match/amazons/0",
        "--startup",
        "60s",
        "--dir",
        &dir,
        "--",
        "python3",
        "bot.py",
    ]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert_contains(&ran.stdout, "its last move once more");
}

#[test]
fn debug_text_on_stdout() {
    let say = format!("print('thinking...', flush=True)\n{GOOD}");
    let message = fault(&python(&say), "");
    assert!(message.starts_with("protocol: not JSON"), "{message}");
    assert_contains(
        &message,
        "`thinking...` (what is not a message belongs on stderr)",
    );
    let arena = Arena::new("");
    arena.write("bot.py", &python(&say));
    named(
        &arena,
        &["--startup", "60s"],
        &["python3", "bot.py"],
        "belongs on stderr",
    );
}

#[test]
fn python_in_place_of_json() {
    let say = "def say(message): print(message, flush=True)";
    let message = fault(&python(say), "");
    assert_contains(&message, "that is how Python prints a dict");
    let arena = Arena::new("");
    arena.write("bot.py", &python(say));
    named(
        &arena,
        &["--startup", "60s"],
        &["python3", "bot.py"],
        "print json.dumps",
    );
}

/// An executable script.
fn script(arena: &Arena, text: &str) {
    let path = arena.write("bot", text);
    may_run(&path);
}

fn may_run(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn scripts_that_cannot_be_started() {
    let arena = Arena::new("");
    arena.write("bot", "#!/bin/sh\n");
    named(&arena, &["--startup", "60s"], &["./bot"], "chmod +x");
    script(&arena, "#!/usr/bin/pyhton3\n");
    named(
        &arena,
        &["--startup", "60s"],
        &["./bot"],
        "`/usr/bin/pyhton3`, which is not there",
    );
    script(&arena, "#!/usr/bin/env pyhton3\n");
    named(
        &arena,
        &["--startup", "60s"],
        &["./bot"],
        "the interpreter `pyhton3`",
    );
    script(&arena, "#!/usr/bin/env python3\r\nimport json\r\n");
    named(
        &arena,
        &["--startup", "60s"],
        &["./bot"],
        "Windows line ends",
    );
    script(&arena, &python(GOOD));
    let part = "`#!/usr/bin/env python3` would, so a shell has run it";
    named(&arena, &["--startup", "60s"], &["./bot"], part);
    named(
        &arena,
        &["--startup", "60s"],
        &["./bot.py"],
        "build the bot first",
    );
    named(
        &arena,
        &["--startup", "60s"],
        &["python3 bot.py"],
        "a word of its own",
    );
}

#[test]
fn tournaments_name_them_before_they_begin() {
    let arena = Arena::new(&config(&[RANDOM, ("mine", r#"["./bot"]"#)]));
    for (text, part) in [
        ("#!/usr/bin/env pyhton3\n", "`bots.mine`"),
        ("#!/usr/bin/env pyhton3\n", "the interpreter `pyhton3`"),
        ("#!/bin/sh\r\n", "sed -i 's/\\r$//'"),
    ] {
        script(&arena, text);
        let ran = arena.play();
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(
            ran.stderr.contains(part) || part == "`bots.mine`",
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn windows_line_ends_that_a_shell_stumbles_over() {
    let arena = Arena::new("");
    arena.write("bot.sh", "while read -r line; do\r\n  echo\r\ndone\r\n");
    named(
        &arena,
        &["--startup", "60s"],
        &["sh", "bot.sh"],
        "Windows line ends",
    );
    let text = config(&[RANDOM, ("mine", r#""sh bot.sh""#)]);
    let arena = Arena::new(&text);
    arena.write("bot.sh", "while read -r line; do\r\n  echo\r\ndone\r\n");
    good(arena.play());
    let message = arena.matches()[0]["result"]["faults"][0]["message"].clone();
    let message = message.as_str().unwrap();
    assert_contains(message, "has Windows line ends");
}
