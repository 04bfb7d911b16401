//! Reports about matches lost by faults.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tests::{Arena, Ran, assert_contains, good, json_lines, run};

use crate::{HOSTILE, RANDOM, config};

/// Plays random against the misbehaving bot, which says something on stderr first.
fn tournament(how: &str) -> Arena {
    let script = format!("echo to stderr >&2; exec {HOSTILE} {how}");
    let command = format!(r#"["sh", "-c", "{script}"]"#);
    let mut text = config(&[RANDOM, ("hostile one", &command)]);
    text.push_str("env = { GREETING = \"hello\" }\n");
    let arena = Arena::new(&text);
    good(arena.play());
    arena
}

/// The folder about the first match, in which the bot has seat 1.
fn folder(arena: &Arena) -> PathBuf {
    arena.path("out/failures/m-000001-seat1-hostile_one")
}

fn failure(arena: &Arena) -> Value {
    let text = fs::read_to_string(folder(arena).join("failure.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn lines(arena: &Arena) -> Vec<Value> {
    let text = fs::read_to_string(folder(arena).join("lines.jsonl")).unwrap();
    json_lines(&text)
}

/// Runs the failure's command to play that side again, with `referee` being this one.
fn play_again(failure: &Value) -> Ran {
    let command = failure["play_again"].as_str().unwrap();
    let words = shell_words::split(command).unwrap();
    assert_eq!(words[0], "referee");
    run(&words[1..])
}

#[test]
fn a_lost_match_is_told_with_all_that_was_said() {
    let arena = tournament("garbage");
    let failure = failure(&arena);
    assert_eq!(failure["fault"]["code"], "protocol");
    assert_eq!(failure["fault"]["ply"], 3);
    let advice = "answer each `hello`, `start` and `turn` once, and nothing else";
    assert_eq!(failure["advice"], advice);
    assert_eq!(failure["env"], json!({"GREETING": "hello"}));
    assert_eq!(failure["exit"], Value::Null, "it was still running");
    assert_eq!(failure["last_moves"].as_array().unwrap().len(), 1);
    let stderr = fs::read_to_string(folder(&arena).join("stderr.txt")).unwrap();
    assert_eq!(stderr, "to stderr\n");
    let lines = lines(&arena);
    let to_bot = |line: &Value| -> Value {
        line["to_bot"]
            .as_str()
            .map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
    };
    assert_eq!(to_bot(&lines[0])["type"], "start");
    assert_eq!(lines[1]["from_bot"], r#"{"type":"ready"}"#);
    assert_eq!(to_bot(&lines[2])["type"], "turn");
    assert_eq!(lines[5]["from_bot"], "I think I will win");
    assert_eq!(to_bot(&lines[6])["code"], "protocol");
    assert!(
        !arena
            .path("out/failures")
            .join("m-000001-seat0-random")
            .exists()
    );
}

#[test]
fn why_a_bot_loses_is_told_while_it_is_played() {
    let command = format!(r#"["{HOSTILE}", "garbage"]"#);
    let arena = Arena::new(&config(&[RANDOM, ("garbage", &command)]));
    let ran = arena.play();
    // Which of two matches is over first is open.
    let warned = ran.stderr.lines().any(|line| {
        let parts = [
            "warning: `garbage`, protocol at ply ",
            " of m-00000",
            ": not JSON: ",
        ];
        parts.into_iter().all(|part| line.contains(part))
    });
    assert!(warned, "{}", ran.stderr);
    let lines = ran
        .stderr
        .matches("what is not a message belongs on stderr");
    assert_eq!(lines.count(), 1, "{}", ran.stderr);
}

#[test]
fn one_bots_fault_does_not_hide_anothers() {
    // What is said of the first contains what is said of the second.
    let starts = r#"["sh", "-c", "exit 5"]"#;
    let crashes = format!(r#"["{HOSTILE}", "crash"]"#);
    let explains = format!(r#"["sh", "-c", "{HOSTILE} crash; echo no luck >&2; exit 5"]"#);
    let bots = [RANDOM, ("a", starts), ("b", &crashes), ("c", &explains)];
    let ran = Arena::new(&config(&bots)).play();
    for part in [
        "the bot `a` does not start: exited with code 5 before it said `hello`",
        "warning: `b`, crash at ply ",
        ": exited with code 5; the last it printed on stderr: no luck",
    ] {
        assert_contains(&ran.stderr, part);
    }
    assert!(!ran.stderr.contains("warning: `a`, "), "{}", ran.stderr);
}

#[test]
fn the_side_of_a_failure_can_be_played_again() {
    let arena = tournament("crash");
    let failure = failure(&arena);
    assert_eq!(failure["exit"], "exited with code 5");
    let again = good(play_again(&failure));
    let lines: Vec<&str> = again.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{}", again.stdout);
    assert!(lines[0].starts_with("ply 1: ") && lines[0].contains("as recorded"));
    assert!(lines[1].starts_with("ply 3: exited with code 5"));
    assert_eq!(
        lines[2],
        "recorded at ply 3: crash: exited with code 5; the last it printed on stderr: to stderr"
    );
    assert_eq!(lines[3], "1 move as recorded, 0 others");
}

#[test]
fn a_mended_bot_answers_where_the_other_failed() {
    let arena = tournament("illegal");
    let log = arena.path("out").to_string_lossy().into_owned();
    let fixed = good(replay_with(&arena, &[HOSTILE, "plays"]));
    assert_contains(&fixed.stdout, "recorded is a fault");
    assert_contains(&fixed.stdout, "recorded at ply 3: illegal_move");
    let other = run(["replay", &log, "--match", "m-000001", "--bot", "nobody"]);
    tests::refused(&other, 2, "`random`, `hostile one`");
}

/// Repeats the hostile bot's requests to this bot in Python.
fn ask_again(arena: &Arena, answer: &str) -> Ran {
    let script = format!(
        "import json, sys\n\
         say = lambda message: print(json.dumps(message), flush=True)\n\
         for line in sys.stdin:\n    \
             asked = json.loads(line)\n    \
             if asked['type'] == 'hello': say({{'type': 'hello', 'protocol': 1, 'name': 'x'}})\n    \
             elif asked['type'] == 'start': say({{'type': 'ready'}})\n    \
             elif asked['type'] == 'turn': {answer}\n"
    );
    let bot = arena.write("again.py", &script).display().to_string();
    replay_with(arena, &["python3", &bot])
}

/// Repeats the hostile bot's requests of the first match to another command.
fn replay_with(arena: &Arena, command: &[&str]) -> Ran {
    let log = arena.path("out").to_string_lossy().into_owned();
    let replay = [
        "replay",
        &log,
        "--match",
        "m-000001",
        "--bot",
        "hostile one",
        "--",
    ];
    run([&replay[..], command].concat())
}

#[test]
fn answers_that_a_match_would_drop_or_punish_are_told() {
    let arena = tournament("crash");
    let answer = "[say({'type': 'move', 'move': asked['legal'][0], 'ply': asked['ply'] + late}) \
                  for late in (7, 0)]";
    let again = good(ask_again(&arena, answer));
    let lines: Vec<&str> = again.stdout.lines().collect();
    let dropped = "ply 1: an answer with \"ply\":8 is dropped; waiting for another";
    assert_eq!(lines[0], dropped);
    assert!(
        lines[1].starts_with("ply 1: ") && lines[3].starts_with("ply 3: "),
        "{lines:?}"
    );
    let again = ask_again(&arena, "say({'type': 'ready'})");
    let what = "ply 1: did not answer `turn` with `move`";
    assert!(again.stdout.starts_with(what), "{}", again.stdout);
}

#[test]
fn variables_of_the_environment_are_put_in_again() {
    let command = format!(r#"["sh", "-c", "test $WORD = left && exec {HOSTILE} plays; exit 9"]"#);
    let mut text = config(&[RANDOM, ("mine", &command)]);
    text.push_str("env = { WORD = \"${NO_SUCH_VARIABLE:-left}\" }\n");
    let arena = Arena::new(&text);
    good(arena.play());
    let log = arena.path("out").to_string_lossy().into_owned();
    let again = good(run([
        "replay", &log, "--match", "m-000001", "--bot", "mine",
    ]));
    assert_contains(&again.stdout, " as recorded, 0 others");
}

#[test]
fn a_bot_that_does_not_start_is_told_once_with_its_last_words() {
    let arena = tournament("exit-at-start");
    let failure = failure(&arena);
    let message = failure["fault"]["message"].as_str().unwrap();
    assert_eq!(
        message,
        "exited with code 3 before it said `hello`; the last it printed on stderr: to stderr \
         (the last of 3 attempts)"
    );
    let again = good(play_again(&failure));
    assert!(
        again
            .stdout
            .starts_with("before the first ply: exited with code 3")
    );
}

#[test]
fn failures_have_a_limit_in_all() {
    let command = format!(r#"["{HOSTILE}", "garbage"]"#);
    let bots = config(&[RANDOM, ("garbage", &command)]);
    let top = "concurrency = 1\nrounds = 10\nkeep = { failures = \"64KiB\" }";
    let arena = Arena::new(&format!("{top}\n{bots}"));
    let ran = good(arena.play());
    assert_eq!(
        ran.stderr.matches("`keep.failures`").count(),
        1,
        "{}",
        ran.stderr
    );
    let note = arena.read("out/failures/dropped.txt");
    assert_contains(&note, "`keep.failures` allows 64.0 KiB in all");
    let there = |number: usize| {
        let name = format!("out/failures/m-{number:06}-seat{}-garbage", number % 2);
        arena.path(&name).exists()
    };
    let left: Vec<usize> = (1..=20).filter(|number| there(*number)).collect();
    assert!(!left.contains(&1) && left.contains(&20), "{left:?}");
}
