//! Replays and verification of logs.

use std::fs;

use serde_json::{Value, json};
use tests::{Arena, Ran, assert_contains, good, run, verify};

use crate::{GREEDY, RANDOM, config};

fn played() -> Arena {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    good(arena.play());
    arena
}

/// Changes the log's second match and verifies it.
fn after(change: impl FnOnce(&mut Value)) -> Ran {
    let arena = played();
    let mut matches = arena.matches();
    for record in &mut matches {
        record.as_object_mut().unwrap().remove("prev");
    }
    change(&mut matches[1]);
    let lines: String = matches.iter().map(|record| format!("{record}\n")).collect();
    let log = arena.write("changed.jsonl", &lines);
    verify(log)
}

#[track_caller]
fn mismatch(change: impl FnOnce(&mut Value), part: &str) {
    let ran = after(change);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("m-000001: ok"), "the other one is fine");
    let line = ran
        .stdout
        .lines()
        .find(|line| line.contains("m-000002"))
        .unwrap();
    assert!(
        line.contains("MISMATCH") && line.contains(part),
        "`{part}` in `{line}`"
    );
    assert_contains(&ran.stderr, "1 of 2 matches did not verify");
}

#[test]
fn what_was_altered_is_found() {
    good(after(|_| ()));
    mismatch(|m| m["moves"][2]["move"] = json!("a1-a1/a1"), "move 3");
    mismatch(|m| m["moves"][1]["seat"] = json!(0), "seat 1 was to move");
    mismatch(|m| m["result"]["outcome"] = json!([0.5, 0.5]), "`outcome`");
    mismatch(|m| m["result"]["reason"] = json!("max_plies"), "`reason`");
    mismatch(|m| m["result"]["scores"] = json!([1, 1]), "`scores`");
    mismatch(|m| m["game"] = json!("chess"), "no game `chess`");
    mismatch(|m| m["options"]["size"] = json!(99), "`size`");
    mismatch(|m| m["start"]["arrows"] = json!(["a2"]), "start");
    mismatch(
        |m| drop(m["moves"].as_array_mut().unwrap().pop()),
        "do not lead to an end",
    );
    mismatch(|m| m["opening"] = json!(1000), "opening");
    mismatch(|m| m["opening"] = json!(3), "took time");
    mismatch(
        |m| m["players"][0]["role"] = json!("red"),
        "`players[0].role`",
    );
    mismatch(
        |m| m["limits"]["max_plies"] = json!(3),
        "over by `max_plies`",
    );
    mismatch(
        |m| drop(m["players"].as_array_mut().unwrap().pop()),
        "1 players for 2 seats",
    );
    let fault = json!([{"seat": 0, "code": "timeout", "ply": 1, "message": ""}]);
    mismatch(move |m| m["result"]["faults"] = fault, "fault of seat 0");
}

#[test]
fn a_match_that_is_there_twice_is_found() {
    let arena = played();
    let log = arena.read("out/games.jsonl");
    let twice = arena.write("twice.jsonl", &(log.clone() + &log));
    let ran = verify(twice);
    assert_eq!(ran.code, Some(3));
    assert_contains(&ran.stdout, "with this id already");
}

#[test]
fn a_cut_last_line_is_dropped_and_told() {
    let arena = played();
    let log = fs::read(arena.path("out/games.jsonl")).unwrap();
    for cut in [1, 2, 100] {
        fs::write(arena.path("cut.jsonl"), &log[..log.len() - cut]).unwrap();
        let ran = verify(arena.path("cut.jsonl"));
        assert_eq!(ran.code, Some(3));
        assert_contains(&ran.stdout, "1 verified, 0 with mismatches");
        assert_contains(&ran.stderr, "line 2, the last one, is cut off");
        let listed = good(run(["replay".into(), arena.path("cut.jsonl")]));
        assert!(listed.stderr.contains("is cut off") && listed.stdout.lines().count() == 1);
    }
}

#[test]
fn positions_are_drawn() {
    let arena = played();
    let draw = |more: &[&str]| {
        let path = arena.path("out").display().to_string();
        run([&["replay", &path, "--match", "m-000001"], more].concat())
    };
    let start = good(draw(&["--ply", "0"]));
    assert_contains(&start.stdout, "   a5   .   D   .   D   .    e5");
    let all = draw(&["--all"]);
    let plies = arena.matches()[0]["moves"].as_array().unwrap().len();
    assert_eq!(all.stdout.matches("   a5  ").count(), plies + 1);
    assert_eq!(draw(&["--ply", "999"]).code, Some(2));
    assert_eq!(
        run(["replay".into(), arena.path("out"), "--all".into()]).code,
        Some(2)
    );
}

#[test]
fn matches_are_chosen_by_player() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY, ("third", RANDOM.1)]));
    good(arena.play());
    let ran = |command: &str, args: &[&str]| {
        let args = args.iter().map(|arg| (*arg).into());
        run([command.into(), arena.path("out")].into_iter().chain(args))
    };
    let lines = |args: &[&str]| ran("replay", args).stdout.lines().count();
    assert_eq!(lines(&[]), 6);
    assert_eq!(lines(&["--player", "greedy"]), 4);
    assert_eq!(lines(&["--player", "greedy", "--player", "third"]), 2);
    let verified = ran("replay", &["--player", "third", "--verify"]);
    assert_contains(&verified.stdout, "4 verified");
    let exported = ran("export", &["--player", "greedy", "--player", "third"]).stdout;
    assert_eq!(exported.matches("[Match ").count(), 2, "{exported}");
    for (args, part) in [
        (
            &["--player", "anna"][..],
            "its players are `greedy`, `random`, `third`",
        ),
        (&["--match", "3"], "did you mean `m-000003`?"),
        (
            &["--match", "m-000001", "--player", "nobody"],
            "`nobody` plays in no match",
        ),
    ] {
        for command in ["replay", "export"] {
            let wrong = ran(command, args);
            tests::refused(&wrong, 2, part);
        }
    }
}
