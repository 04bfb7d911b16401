//! Endless input, and text that controls a terminal: refused or made harmless.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::Value;
use tests::{Arena, Ran, assert_contains, good, referee, run, verify};

use crate::{GREEDY, HOSTILE, RANDOM, config};

#[track_caller]
fn refused(ran: &Ran, parts: &[&str]) {
    let message: String = ran.stderr.chars().take(2000).collect();
    assert_eq!(ran.code, Some(2), "{message}");
    assert_eq!(ran.stderr.trim_end().lines().count(), 1, "{message}");
    for part in parts {
        assert_contains(&message, part);
    }
}

fn check(arena: &Arena, more: &[&str]) -> Ran {
    let path = arena.path("t.toml").display().to_string();
    run([&["config", "check", &path], more].concat())
}

#[test]
fn only_regular_files_are_read() {
    let arena = Arena::new("");
    let fifo = arena.path("fifo");
    mkfifo(&fifo, Mode::S_IRWXU).unwrap();
    for (path, what) in [(&*fifo, "a FIFO"), (Path::new("/dev/zero"), "a device")] {
        let shown = path.display().to_string();
        let what = format!("it is {what}, not a regular file");
        let parts = [&*shown, &what];
        let bots = config(&[RANDOM, GREEDY]);
        arena.write("t.toml", &format!("include = ['{shown}']\n{bots}"));
        refused(&check(&arena, &[]), &parts);
        arena.write("t.toml", &format!("opening.book = '{shown}'\n{bots}"));
        refused(&check(&arena, &[]), &parts);
        refused(&run(["config", "check", &shown]), &parts);
        refused(&run(["standings", &shown]), &parts);
        refused(&verify(&shown), &parts);
        let state = format!("@{shown}");
        refused(
            &run(["perft", "run", "--depth", "1", "--state", &state]),
            &parts,
        );
        let bots = ["--bot", "random", "--bot", "random", "--log", &shown];
        refused(&run([&["play", "run"], &bots[..]].concat()), &parts);
    }
}

#[test]
fn configurations_without_end_are_refused() {
    let bots = config(&[RANDOM, GREEDY]);
    let arena = Arena::new(&bots);
    let deep = ["a"; 60_000].join(".");
    refused(
        &check(&arena, &["--set", &format!("{deep}=1")]),
        &["--set", "60000 parts", "at most 100"],
    );
    for text in [
        format!("{deep} = 1\n{bots}"),
        format!("{bots}[{deep}]\n"),
        format!("a = {}{}\n{bots}", "[".repeat(60_000), "]".repeat(60_000)),
        format!(
            "a = {}1{}\n{bots}",
            "{a=".repeat(60_000),
            "}".repeat(60_000)
        ),
    ] {
        arena.write("t.toml", &text);
        refused(&check(&arena, &[]), &["t.toml"]);
    }
    let many: String = (0..150_000)
        .map(|n| format!("[[bots]]\nname = \"b{n}\"\ncommand = \"sh\"\n"))
        .collect();
    arena.write(
        "t.toml",
        &format!("name = \"x\"\ngames = [\"run\"]\n{many}"),
    );
    refused(
        &check(&arena, &[]),
        &["`bots`: these are 150000 bots; at most 10000"],
    );
    for n in 0..25 {
        let next = format!("include = [\"{}.toml\", \"{}.toml\"]\n", n + 1, n + 1);
        arena.write(&format!("{n}.toml"), &next);
    }
    arena.write("25.toml", "seed = 1\n");
    arena.write("t.toml", &format!("include = [\"0.toml\"]\n{bots}"));
    refused(
        &check(&arena, &[]),
        &["t.toml", "`include`", "at most 1000 files"],
    );
    let nested = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    refused(
        &run(["perft", "run", "--depth", "1", "--options", &nested]),
        &["--options", "recursion"],
    );
    let path = arena.write("deep.json", &nested);
    let state = format!("@{}", path.display());
    refused(
        &run(["perft", "run", "--depth", "1", "--state", &state]),
        &["deep.json", "recursion"],
    );
}

#[test]
fn nul_characters_are_named_with_their_key() {
    let bots = config(&[RANDOM]);
    let bot = |lines: &str| Arena::new(&format!("{bots}[[bots]]\nname = \"mine\"\n{lines}\n"));
    for (key, lines) in [
        ("command", "command = [\"sh\", \"a\\u0000b\"]"),
        ("dir", "command = \"sh\"\ndir = \"a\\u0000b\""),
        ("env", "command = \"sh\"\nenv = { A = \"a\\u0000b\" }"),
    ] {
        let ran = check(&bot(lines), &[]);
        refused(&ran, &["t.toml", "bot `mine`", &format!("`{key}`"), "NUL"]);
    }
}

/// True if nothing in it can steer a terminal.
#[track_caller]
fn assert_harmless(text: &str) {
    let steers = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.contains(steers), "{text:?}");
}

/// Control sequences, as a program in a log or a bot could print them.
const EVIL: &str = "\u{202e}x\u{9b}2J\u{1b}]0;t\u{7}\u{2066}";

#[test]
fn logs_cannot_steer_terminals() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    good(arena.play());
    let log = arena.read("out/games.jsonl");
    let name = serde_json::to_string(&format!("={EVIL}")).unwrap();
    let log = log.replace("\"random\",\"role\"", &format!("{name},\"role\""));
    let path = arena.write("evil.jsonl", &log).display().to_string();
    for args in [
        &["standings", &path][..],
        &["standings", &path, "--by", "game"],
        &["standings", &path, "--format", "markdown"],
        &["standings", &path, "--format", "html"],
        &["standings", &path, "--format", "csv"],
        &["standings", &path, "--format", "json"],
        &["replay", &path],
        &["replay", &path, "--match", "m-000001", "--all"],
        &["replay", &path, "--match", "m-000001", "--format", "json"],
        &["export", &path],
        &["export", &path, "--format", "json"],
    ] {
        let ran = run(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.stderr);
        assert!(ran.stdout.contains("202e"), "{args:?}: {}", ran.stdout);
        assert_harmless(&(ran.stdout + &ran.stderr));
    }
    let csv = run(["standings", &path, "--format", "csv"]).stdout;
    assert_contains(&csv, ",'=\\u202ex");
}

#[test]
fn stderr_of_bots_cannot_steer_terminals() {
    let arena = Arena::new("");
    let script = format!("cat evil >&2; exec '{HOSTILE}' plays");
    arena.write("evil", &format!("{EVIL}\n\tfine\n"));
    arena.write("bot.sh", &script);
    let output = Command::new(referee())
        .args([
            "play",
            "run",
            "--bot",
            "random",
            "--bot",
            "sh bot.sh",
            "--quiet",
        ])
        .current_dir(arena.path(""))
        .stdin(Stdio::null())
        .output();
    let ran: Ran = output.unwrap().into();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(
        ran.stderr,
        "\\u202ex\\u009b2J\\u001b]0;t\\u0007\\u2066\n\tfine\n"
    );
}

#[test]
fn the_model_answers_every_line() {
    let mut child = Command::new(referee())
        .arg("model")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: [&[u8]; 8] = [
        b"",
        b"{\"id\":1,\"op\":\"new\",\"game\":\"amazons\"}",
        b"{\"id\":2,\"op\":\"perft\",\"depth\":1000}",
        b" \r",
        b"\xff\xfe",
        &vec![b'x'; 17 << 20],
        b"{\"id\":3,\"op\":\"playouts\",\"count\":4294967295}",
        b"{\"id\":4,\"op\":\"get\"}",
    ];
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&lines.join(&b'\n'))
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let answers = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let codes: Vec<(Value, Value)> = answers
        .map(|answer: Value| (answer["id"].clone(), answer["error"]["code"].clone()))
        .collect();
    let expected = [
        (Value::Null, "bad_request".into()),
        (1.into(), Value::Null),
        (2.into(), "too_much".into()),
        (Value::Null, "bad_request".into()),
        (Value::Null, "bad_request".into()),
        (Value::Null, "bad_request".into()),
        (3.into(), "too_much".into()),
        (4.into(), Value::Null),
    ];
    assert_eq!(codes, expected);
}
