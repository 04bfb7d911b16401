//! Bots that misbehave lose their match with the right code, and nothing else happens.

use serde_json::{Value, json};
use tests::{Arena, good, verified};

use crate::misconduct::arena::{
    SHORT, assert_fault, assert_well, hostile, judge, moves_of_hostile, play_cleanly, stderr, three,
};
use crate::{GREEDY, RANDOM, config, config_of};

/// The ply of a fault in seat 0 and in seat 1: before anything is played…
const START: [u32; 2] = [0, 0];
/// … or in a turn.
const FIRST_TURN: [u32; 2] = [0, 1];
const SECOND_TURN: [u32; 2] = [2, 3];
const THIRD_TURN: [u32; 2] = [4, 5];

/// Tests of bots that lose all their matches: misbehaviour, further lines of their table, the code
/// of the fault, its plies, and a part of the message.
macro_rules! lose {
    ($($test:ident: $how:literal, $more:expr, $code:literal, $plies:expr, $message:literal;)*) => {
        $(#[test]
        fn $test() {
            assert_fault(&three("", $how, $more), $code, $plies, $message);
        })*
    };
}

/// Tests of bots that are odd, but not at fault.
macro_rules! play_on {
    ($($test:ident: $how:literal, $more:expr;)*) => {
        $(#[test]
        fn $test() {
            assert_well(&three("", $how, $more));
        })*
    };
}

mod stages {
    use super::*;

    lose! {
        exits_at_once: "exit-at-start", "", "startup", START, "exited with code 3 before it said `hello`";
        exits_after_hello: "exit-after-hello", "", "startup", START, "exited with code 7";
        exits_before_ready: "exit-before-ready", "", "startup", START, "exited with code 4";
        says_no_hello: "no-hello", SHORT, "startup", START, "did not say `hello` within 1500 ms";
        reads_nothing: "deaf", SHORT, "startup", START, "did not say `hello`";
        is_never_ready: "no-ready", SHORT, "startup", START, "did not say `ready` within 1500 ms";
        speaks_another_protocol: "wrong-protocol", "", "protocol", START, "speaks protocol 99";
        says_hello_twice: "hello-twice", "", "protocol", START, "answered `start` with `hello`";
        plays_another_game: "only-siam", "games = [\"amazons\"]", "startup", START, "but not amazons";
        plays_a_giant_game: "giant-games", "games = [\"amazons\"]", "startup", START, "but not amazons";
        exits_in_a_turn: "crash", "", "crash", SECOND_TURN, "exited with code 5";
        exits_by_a_signal: "signal", "", "crash", SECOND_TURN, "SIGABRT";
        exits_after_a_turn: "exit-after-turn", "", "crash", THIRD_TURN, "exited with code 6";
        closes_stdout: "close-stdout", "", "crash", SECOND_TURN, "closed its output";
        closes_stdin: "close-stdin", "", "crash", THIRD_TURN, "closed its input";
        resigns: "resign", "", "resign", SECOND_TURN, "resigned";
        has_no_move: "no-move", "", "no_move", SECOND_TURN, "has no move: out of ideas";
        calls_itself_late: "false-fault", "", "protocol", SECOND_TURN, "unknown variant `timeout`";
        stops_itself: "stops-itself", SHORT, "timeout", SECOND_TURN, "allowed: 700 ms";
        kills_its_supervisor: "kills-supervisor", "", "crash", SECOND_TURN, "ended together with";
    }

    play_on! {
        exits_at_the_end: "exit-at-end", "";
        exits_at_the_end_of_each: "exit-at-end", "restart = \"each-match\"";
        aborts_instead_of_quitting: "abort-at-quit", "";
        ignores_sigterm: "ignores-term", "";
        stops_its_supervisor: "stops-supervisor", "";
        tells_a_giant_version: "giant-version", "";
    }
}

mod lines {
    use super::*;

    lose! {
        prints_garbage: "garbage", "", "protocol", SECOND_TURN, "I think I will win";
        steers_terminals: "escapes", "", "protocol", SECOND_TURN, "I won";
        speaks_python: "python-repr", "", "protocol", START, "not JSON";
        prints_invalid_utf8: "invalid-utf8", "", "protocol", SECOND_TURN, "not JSON";
        prints_deep_json: "deep-json", "", "protocol", SECOND_TURN, "those are JSON objects";
        prints_a_huge_ply: "huge-ply", "", "protocol", SECOND_TURN, "99999999999999999999";
        prints_a_negative_ply: "negative-ply", "", "protocol", SECOND_TURN, "-1";
        tells_what_is_no_json: "nan-info", "", "protocol", SECOND_TURN, "not JSON";
        gives_two_types: "duplicate-type", "", "protocol", SECOND_TURN, "duplicate field `type`";
        gives_two_moves: "duplicate-move", "", "protocol", SECOND_TURN, "duplicate field `move`";
        gives_a_wrong_type: "wrong-type", "", "protocol", SECOND_TURN, "expected a string";
        prints_a_null_byte: "null-byte", "", "protocol", SECOND_TURN, "not JSON";
        hides_a_null_byte: "null-byte-inside", "", "protocol", SECOND_TURN, "not JSON";
        prints_an_empty_line: "empty-line", "", "protocol", SECOND_TURN, "an empty line";
        plays_an_illegal_move: "illegal", "", "illegal_move", SECOND_TURN, "z9-z9/z9";
        plays_a_giant_move: "giant-move", "", "illegal_move", SECOND_TURN, "is not a move";
        prints_half_a_line: "half-line", SHORT, "timeout", SECOND_TURN, "allowed: 700 ms";
        prints_half_a_line_and_exits: "half-line-and-exit", "", "crash", SECOND_TURN, "exited with code 0";
        prints_an_endless_line: "gigabyte", "", "protocol", SECOND_TURN, "more than 1048576 bytes";
        prints_a_long_line: "long-line", "", "protocol", SECOND_TURN, "more than 1048576 bytes";
        is_ready_twice: "ready-twice", "", "protocol", FIRST_TURN, "`ready`";
    }

    play_on! {
        ends_lines_with_crlf: "crlf", "";
        answers_byte_by_byte: "single-bytes", "";
        tells_large_numbers: "large-numbers", "";
        tells_a_huge_number: "huge-number", "";
        hides_deep_json_in_info: "deep-info", "";
        tells_half_a_character: "half-surrogates", "";
        answers_another_ply: "other-ply", "";
        answers_twice_with_the_ply: "twice-with-ply", "";
    }
}

mod floods {
    use super::*;

    lose! {
        never_answers: "hang", SHORT, "timeout", SECOND_TURN, "allowed: 700 ms";
        answers_late: "late", SHORT, "timeout", SECOND_TURN, "allowed: 700 ms";
        drips_info: "drip", SHORT, "timeout", SECOND_TURN, "allowed: 700 ms";
        drips_bytes: "drip-bytes", SHORT, "timeout", SECOND_TURN, "allowed: 700 ms";
        floods_info: "floods-info", "", "protocol", SECOND_TURN, "more than 10000 lines";
        floods_bytes: "floods-bytes", "", "protocol", SECOND_TURN, "more than 16777216 bytes";
        floods_after_its_turn: "floods-later", "", "protocol", THIRD_TURN, "more than 10000 lines";
    }

    play_on! {
        tells_too_many_fields: "many-fields", "";
    }
}

#[test]
fn a_second_answer_without_a_ply_may_count_for_the_next_turn_but_no_further() {
    // If it comes before the next turn it is dropped. Afterwards it looks like an answer.
    let arena = three("", "twice", "");
    good(play_cleanly(&arena, &[]));
    for (_, fault) in judge(&arena, 6) {
        assert!(fault.is_none_or(|fault| fault["code"] == "illegal_move"));
    }
}

#[test]
fn huge_info_is_cut() {
    let arena = three("", "huge-info", "");
    assert_well(&arena);
    let with_info = moves_of_hostile(&arena);
    let with_info: Vec<&Value> = with_info
        .iter()
        .filter(|mv| !mv["info"].is_null())
        .collect();
    assert!(!with_info.is_empty());
    for mv in with_info {
        assert_eq!(mv["info"]["depth"], 3, "{}", mv["info"]);
        let text = mv["info"]["text"].as_str().unwrap();
        assert!((1 << 10..=16 << 10).contains(&text.len()), "{}", text.len());
        assert!(mv["info"].to_string().len() <= 16 << 10);
    }
}

#[test]
fn a_giant_version_is_cut() {
    let arena = three("", "giant-version", "");
    assert_well(&arena);
    let players = arena
        .matches()
        .into_iter()
        .flat_map(|m| m["players"].as_array().unwrap().clone());
    let versions: Vec<String> = players
        .filter_map(|p| Some(p["version"].as_str()?.to_owned()))
        .collect();
    let hostile: Vec<&String> = versions.iter().filter(|v| v.contains("1.")).collect();
    assert!(!hostile.is_empty());
    assert!(
        hostile
            .iter()
            .all(|v| v.len() < 200 && !v.contains(char::is_control))
    );
}

#[test]
fn what_is_printed_after_the_end_counts_for_the_next_match() {
    let text = config(&[RANDOM]) + &hostile("garbage-at-end", "");
    let arena = Arena::new(&format!("rounds = 2\nconcurrency = 1\n{text}"));
    good(play_cleanly(&arena, &[]));
    let codes: Vec<Value> = judge(&arena, 4)
        .into_iter()
        .map(|(_, fault)| fault.map_or(Value::Null, |fault| fault["code"].clone()))
        .collect();
    // Each fault ends the process, and the next one has printed nothing yet.
    assert_eq!(
        codes,
        [
            json!(null),
            json!("protocol"),
            json!(null),
            json!("protocol")
        ]
    );
}

#[test]
fn a_bot_that_stops_its_supervisor_at_once_stops_nobody_else() {
    // It depends on who is faster whether the supervisor gets as far as to say that the bot runs.
    let arena = three("", "stops-supervisor-at-start", SHORT);
    good(play_cleanly(&arena, &[]));
    for (_, fault) in judge(&arena, 6) {
        assert!(fault.is_none_or(|fault| fault["code"] == "startup"));
    }
}

#[test]
fn stderr_is_kept_up_to_a_limit_and_never_in_the_way() {
    let arena = three("", "floods-stderr", "");
    assert_well(&arena);
    let kept = stderr(&arena);
    let notes = kept.matches("the rest was dropped]").count();
    assert!(notes >= 1);
    let length = kept.len() - 100 * notes;
    assert!(length <= 1 << 20 && kept.len() > 1 << 20, "{length} bytes");
}

#[test]
fn game_clocks_are_kept_and_told() {
    let text = config(&[RANDOM, GREEDY])
        .replace("per_move = \"20s\"", "base = \"30s\"\nincrement = \"1s\"");
    let arena = Arena::new(&(text + &hostile("hang", "time = { base = \"500ms\" }")));
    good(arena.play());
    for record in arena.matches() {
        assert_eq!(record["time"]["base_ms"], 30_000);
        assert_eq!(record["time"]["increment_ms"], 1000);
    }
    for (_, fault) in judge(&arena, 6) {
        assert_eq!(fault.expect("a fault in each match")["code"], "timeout");
    }
}

#[test]
fn three_seats_play_on_without_the_one_at_fault() {
    let games = r#"games = [{ id = "penguins", options = { players = 3 } }]"#;
    let arena = Arena::new(&(config_of(games, &[RANDOM, GREEDY]) + &hostile("crash", "")));
    good(arena.play());
    let matches = arena.matches();
    assert_eq!(matches.len(), 3, "all rotations of three");
    for record in &matches {
        let players = record["players"].as_array().unwrap();
        let seat = players.iter().position(|p| p["name"] == "hostile").unwrap();
        let result = &record["result"];
        assert_eq!(result["faults"][0]["seat"], seat);
        assert_eq!(result["outcome"][seat], 0.0);
        let moves = record["moves"].as_array().unwrap();
        let mine: Vec<&Value> = moves.iter().filter(|m| m["seat"] == seat).collect();
        assert!(mine.len() > 2 && mine[1..].iter().all(|m| m["forced"] == true));
        let scores: i64 = result["scores"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_i64)
            .sum();
        assert!(scores > 20, "the game went on to its end");
    }
    verified(arena.path("out"));
}

/// The log is JSON that every reader accepts, even with odd output of bots.
#[test]
fn what_cannot_be_kept_of_info_is_replaced_and_the_log_stays_readable() {
    for (how, info) in [
        (
            "half-surrogates",
            json!({"text": "ok \u{fffd}", "\u{fffd}": ["\u{fffd}a", "😀"], "caf": "caf\u{fffd}"}),
        ),
        ("huge-number", json!({"value": null, "depth": 7})),
    ] {
        let arena = three("", how, "");
        assert_well(&arena);
        let with_info = moves_of_hostile(&arena);
        let with_info: Vec<&Value> = with_info
            .iter()
            .filter(|mv| !mv["info"].is_null())
            .collect();
        assert!(!with_info.is_empty());
        for mv in with_info {
            assert_eq!(mv["info"], info, "{how}");
        }
    }
    let arena = three("", "deep-info", "");
    assert_well(&arena);
    let out = arena.path("out").display().to_string();
    tests::verified(&out);
    for command in [
        &["standings", &out][..],
        &["export", &out, "--format", "json"],
        &["export", &out, "--format", "html"],
        &["report", &out, "--bot", "hostile"],
        &["replay", &out, "--match", "m-000001"],
    ] {
        let ran = tests::run(command);
        assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.stderr);
    }
    // Others read it, too: none goes deeper than a hundred values within values.
    let script =
        "import json, sys; sys.setrecursionlimit(400); [json.loads(line) for line in sys.stdin]";
    let log = std::fs::File::open(arena.path("out/games.jsonl")).unwrap();
    let mut python = std::process::Command::new("python3");
    let read = python.args(["-c", script]).stdin(log).status();
    assert!(read.unwrap().success());
}
