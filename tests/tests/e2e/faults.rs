//! Bots that misbehave lose their match with the right code, and nothing else happens.

use serde_json::{Value, json};
use tests::{Arena, run};

use crate::{GREEDY, HOSTILE, RANDOM, config, config_of};

/// Time limits for bots that are waited for. Long enough for the other bots on any machine.
const SHORT: &str = r#", time = { per_move = "700ms", startup = "1500ms" }"#;

fn hostile(how: &str, time: &str) -> String {
    let time = time.replacen(", ", "", 1);
    format!("[[bots]]\nname = \"hostile\"\ncommand = ['{HOSTILE}', '{how}']\n{time}\n")
}

/// Plays hostile, random and greedy against each other, checks that all is well but for the
/// hostile bot's faults, and gives its first fault as seat 0.
fn fault(how: &str, time: &str) -> Value {
    let arena = Arena::new(&(config(&[RANDOM, GREEDY]) + &hostile(how, time)));
    let ran = arena.play();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let matches = arena.matches();
    assert_eq!(matches.len(), 6, "the tournament goes on to its end");
    let mut first = Value::Null;
    for record in &matches {
        let players = record["players"].as_array().unwrap();
        let faults = record["result"]["faults"].as_array().unwrap();
        let Some(seat) = players.iter().position(|p| p["name"] == "hostile") else {
            assert!(faults.is_empty(), "{faults:?}");
            continue;
        };
        if let Some(fault) = faults.first() {
            assert_eq!(fault["seat"], seat);
            assert_eq!(faults.len(), 1);
            let outcome = if seat == 0 {
                json!([0.0, 1.0])
            } else {
                json!([1.0, 0.0])
            };
            assert_eq!(record["result"]["outcome"], outcome);
            assert_eq!(record["result"]["reason"], "forfeit");
            assert_eq!(fault["ply"], record["moves"].as_array().unwrap().len());
        }
        if seat == 0 && first.is_null() {
            first = faults.first().cloned().unwrap_or(json!("no fault"));
        }
    }
    let verified = run(["replay".into(), arena.path("out"), "--verify".into()]);
    assert_eq!(verified.code, Some(0), "{}", verified.stdout);
    first
}

#[track_caller]
fn assert_fault(how: &str, time: &str, code: &str, ply: u32, message: &str) {
    let fault = fault(how, time);
    assert_eq!(
        (&fault["code"], &fault["ply"]),
        (&json!(code), &json!(ply)),
        "{fault}"
    );
    let told = fault["message"].as_str().unwrap();
    assert!(told.contains(message), "`{message}` in `{told}`");
}

#[test]
fn a_bot_that_exits_at_once_has_not_started() {
    assert_fault(
        "exit-at-start",
        "",
        "startup",
        0,
        "exited with code 3 before it said `hello`",
    );
}

#[test]
fn a_bot_that_exits_before_it_is_ready_has_not_started() {
    assert_fault("exit-before-ready", "", "startup", 0, "exited with code 4");
}

#[test]
fn a_bot_that_does_not_introduce_itself_has_not_started() {
    assert_fault(
        "no-hello",
        SHORT,
        "startup",
        0,
        "did not say `hello` within 1500 ms",
    );
}

#[test]
fn a_bot_that_reads_nothing_has_not_started() {
    assert_fault("deaf", SHORT, "startup", 0, "did not say `hello`");
}

#[test]
fn a_bot_that_is_never_ready_has_not_started() {
    assert_fault(
        "no-ready",
        SHORT,
        "startup",
        0,
        "did not say `ready` within 1500 ms",
    );
}

#[test]
fn another_version_of_the_protocol_is_a_fault() {
    assert_fault("wrong-protocol", "", "protocol", 0, "speaks protocol 99");
}

#[test]
fn python_repr_is_not_json() {
    assert_fault("python-repr", "", "protocol", 0, "not JSON");
}

#[test]
fn a_bot_that_does_not_play_the_game_forfeits_it() {
    assert_fault("only-siam", "", "startup", 0, "but not amazons");
}

#[test]
fn a_crash_is_told_with_its_exit_code() {
    assert_fault("crash", "", "crash", 2, "exited with code 5");
}

#[test]
fn a_crash_by_a_signal_is_told_with_its_name() {
    assert_fault("signal", "", "crash", 2, "SIGABRT");
}

#[test]
fn a_hang_is_a_timeout() {
    assert_fault("hang", SHORT, "timeout", 2, "allowed: 700 ms");
}

#[test]
fn a_drip_of_info_does_not_move_the_deadline() {
    assert_fault("drip", SHORT, "timeout", 2, "allowed: 700 ms");
}

#[test]
fn garbage_is_shown() {
    assert_fault("garbage", "", "protocol", 2, "I think I will win");
}

#[test]
fn an_illegal_move_is_shown() {
    assert_fault("illegal", "", "illegal_move", 2, "z9-z9/z9");
}

#[test]
fn a_field_of_a_wrong_type_is_a_fault() {
    assert_fault("wrong-type", "", "protocol", 2, "expected a string");
}

#[test]
fn an_endless_line_is_cut_off() {
    assert_fault("long-line", "", "protocol", 2, "more than 1048576 bytes");
}

#[test]
fn closing_stdout_is_a_crash() {
    assert_fault("close-stdout", "", "crash", 2, "closed its output");
}

#[test]
fn resigning_ends_the_match() {
    assert_fault("resign", "", "resign", 2, "resigned");
}

#[test]
fn an_answer_to_another_ply_is_dropped() {
    assert_eq!(fault("other-ply", ""), "no fault");
}

#[test]
fn stderr_is_kept_up_to_a_limit_and_never_in_the_way() {
    let arena = Arena::new(&(config(&[RANDOM]) + &hostile("floods-stderr", "")));
    assert_eq!(arena.play().code, Some(0));
    for record in arena.matches() {
        assert_eq!(record["result"]["faults"], json!([]));
    }
    let files = std::fs::read_dir(arena.path("out/stderr")).unwrap();
    let texts: Vec<String> = files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    // The limit is one for all its processes.
    let length: usize = texts.iter().map(String::len).sum();
    let notes = 100 * texts.len();
    assert!(
        (1 << 20..(1 << 20) + notes).contains(&length),
        "{length} bytes"
    );
    let full = |text: &&String| text.trim_end().ends_with("the rest was dropped]");
    assert!(texts.iter().any(|text| full(&text)));
}

#[test]
fn game_clocks_are_kept_and_told() {
    let text = config(&[RANDOM, GREEDY])
        .replace("per_move = \"20s\"", "base = \"30s\"\nincrement = \"1s\"");
    let arena = Arena::new(&(text + &hostile("hang", ", time = { base = \"500ms\" }")));
    assert_eq!(arena.play().code, Some(0));
    for record in arena.matches() {
        assert_eq!(record["time"]["base_ms"], 30_000);
        assert_eq!(record["time"]["increment_ms"], 1000);
        let players = record["players"].as_array().unwrap();
        let hanging = players.iter().position(|p| p["name"] == "hostile");
        let codes: Vec<&Value> = record["result"]["faults"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| &f["code"])
            .collect();
        assert_eq!(
            codes,
            if hanging.is_some() {
                vec!["timeout"]
            } else {
                vec![]
            }
        );
    }
}

#[test]
fn three_seats_play_on_without_the_one_at_fault() {
    let games = r#"games = [{ id = "penguins", options = { players = 3 } }]"#;
    let arena = Arena::new(&(config_of(games, &[RANDOM, GREEDY]) + &hostile("crash", "")));
    assert_eq!(arena.play().code, Some(0));
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
    let verified = run(["replay".into(), arena.path("out"), "--verify".into()]);
    assert_eq!(verified.code, Some(0), "{}", verified.stdout);
}
