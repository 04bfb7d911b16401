//! `referee play --human`: a person takes a seat, here through a pipe.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;
use tests::{Arena, Ran, assert_contains, good, referee, run};

use crate::HOSTILE;

/// Plays Amazons on the smallest board, with these arguments and this input.
fn play(arena: &Arena, args: &[&str], typed: &str) -> Ran {
    let mut child = Command::new(referee())
        .args([
            "play",
            "amazons",
            "--options",
            r#"{"size":5}"#,
            "--per-move",
            "20s",
            "--log",
        ])
        .arg(arena.path("match.jsonl"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("referee runs");
    let mut input = child.stdin.take().expect("a pipe");
    // It may be over before all is read.
    let _ = input.write_all(typed.as_bytes());
    drop(input);
    child.wait_with_output().expect("referee ends").into()
}

fn record(arena: &Arena) -> Value {
    let log = arena.read("match.jsonl");
    serde_json::from_str(log.lines().next().expect("a match")).expect("JSON")
}

#[test]
fn the_rules_can_be_read_during_the_match() {
    let arena = Arena::new("");
    let ran = good(play(
        &arena,
        &["--human", "0", "--bot", "random"],
        "rules\nresign\n",
    ));
    assert_contains(&ran.stdout, "shoots an arrow");
}

#[test]
fn a_whole_match_is_played_by_numbers() {
    let arena = Arena::new("");
    let ran = good(play(
        &arena,
        &["--human", "0", "--bot", "random"],
        &"1\n".repeat(100),
    ));
    let record = record(&arena);
    assert_eq!(record["result"]["reason"], "no_moves", "{}", ran.stdout);
    let first = &record["players"][0];
    assert_eq!(
        (&first["name"], &first["role"]),
        (&"human".into(), &"light".into())
    );
    assert!(
        first["time"]["per_move_ms"].is_null(),
        "a person has all the time"
    );
    let moves = record["moves"].as_array().unwrap();
    assert_eq!(
        ran.stdout.matches("legal move").count(),
        moves.len().div_ceil(2)
    );
    assert_eq!(
        ran.stdout.matches("   a5  ").count(),
        moves.len() + 1,
        "boards are drawn"
    );
    good(run([
        "replay".into(),
        arena.path("match.jsonl"),
        "--verify".into(),
    ]));
}

#[test]
fn the_dialogue_helps() {
    let arena = Arena::new("");
    let typed = "help\nlist b1-b2\nb1\nzz\n9999\nundo\nboard\nnotation\nb1-b4/d4\nresign\n";
    let ran = good(play(
        &arena,
        &["--human", "light", "--bot", "random", "--quiet"],
        typed,
    ));
    for part in [
        "light, ply 0, 260 legal moves > ",
        "gives the match up",
        "  b1-b2/",
        "moves begin with `b1`: b1-",
        "no legal move begins with `zz`",
        "numbers from 1 to 260",
        "what was played stands",
        "   a5  ",
        "light, ply 2, ",
        "human: resign at ply 2",
    ] {
        assert_contains(&ran.stdout, part);
    }
    let record = record(&arena);
    assert_eq!(record["moves"][0]["move"], "b1-b4/d4");
    assert_eq!(record["result"]["faults"][0]["code"], "resign");
    assert_eq!(record["result"]["outcome"], serde_json::json!([0.0, 1.0]));
}

#[test]
fn the_end_of_the_input_is_to_resign() {
    let arena = Arena::new("");
    good(play(&arena, &["--human", "1", "--bot", "random"], ""));
    let record = record(&arena);
    assert_eq!(record["result"]["faults"][0]["seat"], 1);
    assert_eq!(record["result"]["faults"][0]["ply"], 1);
}

#[test]
fn a_bot_at_fault_loses_against_a_person() {
    let arena = Arena::new("");
    let bot = format!("{HOSTILE} garbage");
    good(play(
        &arena,
        &["--human", "0", "--bot", &bot],
        &"1\n".repeat(5),
    ));
    let record = record(&arena);
    assert_eq!(record["result"]["faults"][0]["code"], "protocol");
    assert_eq!(record["result"]["outcome"], serde_json::json!([1.0, 0.0]));
}

#[test]
fn people_can_play_each_other() {
    let arena = Arena::new("");
    good(play(
        &arena,
        &["--human", "0", "--human", "1"],
        "1\n1\n2\nresign\n",
    ));
    let record = record(&arena);
    assert_eq!(record["players"][1]["name"], "human (dark)");
    assert_eq!(record["moves"].as_array().unwrap().len(), 3);
    assert_eq!(record["result"]["faults"][0]["seat"], 1);
}

#[test]
fn wrong_seats_and_numbers_of_bots_are_told() {
    let error = |args: &[&str]| {
        let ran = run([&["play", "siam"], args].concat());
        assert_eq!(ran.code, Some(2), "{}", ran.stdout);
        ran.stderr
    };
    assert!(error(&["--human", "2", "--bot", "random"]).contains("0 (elephants), 1 (rhinos)"));
    assert!(error(&["--human", "0"]).contains("2 seats"));
    let json = ["--human", "0", "--bot", "random", "--format", "json"];
    assert!(error(&json).contains("do not go together"));
    let twice = ["--human", "0", "--human", "elephants"];
    assert!(error(&twice).contains("no free seat"));
}

#[test]
fn a_bot_can_be_asked_what_a_person_was_asked() {
    let arena = Arena::new("");
    play(
        &arena,
        &["--human", "0", "--bot", "random"],
        &"1\n".repeat(100),
    );
    let log = arena.path("match.jsonl").display().to_string();
    let replay = ["replay", &log, "--match", "m-000001", "--bot", "human"];
    let ran = run(replay);
    tests::refused(&ran, 2, "was a person");
    // It plays the first legal move, too.
    let ran = good(run([&replay[..], &["--", HOSTILE, "plays"]].concat()));
    assert_contains(&ran.stdout, " as recorded, 0 others");
}
