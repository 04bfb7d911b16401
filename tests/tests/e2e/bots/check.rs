//! `referee check`: good bots pass all checks, and each check has a bot that fails it.

use tests::{Arena, Ran, assert_contains, good, run};

use crate::HOSTILE;

/// Lots of time on any machine.
const PATIENT: [&str; 6] = ["--startup", "60s", "--time", "20s", "--margin", "20s"];

fn check(args: &[&str], bot: &[&str]) -> Ran {
    run([&["check"], args, &["--"], bot].concat())
}

/// Runs these checks of Amazons against a hostile bot; the first one of them (after the
/// handshake, which is always there) must fail in this way.
#[track_caller]
fn fails(how: &str, name: &str, args: &[&str], what: &str, fix: &str) {
    let only = ["--game", "amazons", "--only", name, "--format", "json"];
    let ran = check(&[&only, args].concat(), &[HOSTILE, how]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    let report = ran.json();
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["name"] == name).unwrap();
    assert_eq!(found["status"], "failed", "{found}");
    let sentence = found["finding"]["what"].as_str().unwrap();
    assert_contains(sentence, what);
    let advice = found["finding"]["mend"].to_string();
    assert!(advice.contains(fix), "`{fix}` in `{advice}`");
    let said = found["finding"]["said"].as_array().unwrap();
    assert!(!said.is_empty(), "what was said is shown");
    if name != "handshake" {
        assert_eq!(checks[0]["status"], "passed", "the handshake is fine");
    }
}

/// Tests of bots that fail a check: their misbehaviour, the check, and parts of the report.
macro_rules! fail {
    ($($test:ident: $how:literal, $name:literal, $args:expr, $what:literal, $fix:literal;)*) => {
        $(#[test]
        fn $test() {
            fails($how, $name, &$args, $what, $fix);
        })*
    };
}

/// For bots that time out.
const SHORT: [&str; 2] = ["--startup", "3s"];

fail! {
    handshake_not_ready: "no-ready", "handshake", SHORT, "no answer to `start`", "answer `hello`";
    handshake_wrong_protocol: "wrong-protocol", "handshake", PATIENT, "protocol 99", "protocol";
    handshake_unknown_game: "only-chess", "handshake", PATIENT, "does not say that it plays amazons", "games";
    handshake_python: "python-repr", "handshake", PATIENT, "how Python prints a dict", "JSON object";
    handshake_ends: "exit-at-start", "handshake", PATIENT, "exited with code 3", "stderr";
    slow_start: "speaks-first", "slow-start", PATIENT, "`hello` without being asked", "stdin";
    wants: "reads-what-it-refuses", "wants", PATIENT, "its `wants` refuses `state` and `legal`", "`true`";
    match_seat: "first-seat-only", "match/amazons/1", PATIENT, "illegal_move at ply 1", "take the seat";
    opening: "own-moves-only", "opening/amazons", PATIENT, "illegal_move at ply", "all plies of `moves`";
    positions: "usual-start-only", "positions/amazons", PATIENT, "illegal_move at ply", "`state` of `start`";
    no_turn: "expects-a-turn", "no-turn", PATIENT, "exited with code 8 instead of answering `start`", "`end`";
    several_matches: "exit-at-end", "several-matches", PATIENT, "instead of answering `start`", "forget";
    unknown_fields: "strict-fields", "unknown-fields", PATIENT, "exited with code 8", "by their names";
    unknown_messages: "answers-everything", "unknown-messages", PATIENT, "answered `turn` with `ready`", "unknown";
    json_forms: "reads-by-pattern", "json-forms", PATIENT, "exited with code 8", "JSON library";
    long_lines: "short-buffer", "long-lines", PATIENT, "exited with code 8", "line end";
    unicode: "ascii-only", "unicode", PATIENT, "exited with code 8", "UTF-8";
    per_move: "sleeps", "time/per-move", ["--time", "100ms"], "timeout at ply 0", "move_ms";
    game_clock: "sleeps", "time/game-clock", ["--time", "100ms"], "timeout at ply", "remaining_ms";
    fault_told: "answers-error", "fault-told", PATIENT, "answered `ready` to `error`", "no answer";
    quit_at_once: "stays", "quit/at-once", SHORT, "still there 3000 ms after `quit`", "code 0";
    quit_after_match: "sorry-at-quit", "quit/after-match", PATIENT, "exited with code 3 after `quit`", "code 0";
    closed_input: "stays", "closed-input/waiting", SHORT, "after its input was closed", "end of stdin";
    closed_input_in_turn: "stays", "closed-input/in-turn", SHORT, "still there", "end of stdin";
    late_answers: "only-other-ply", "match/amazons/0", SHORT, "answered with \"ply\":1000", "give the `ply`";
}

#[test]
fn good_bots_pass_everything_in_all_games() {
    let random = ["referee", "bot", "random"];
    for bot in [&random[..], &[HOSTILE, "plays"], &[HOSTILE, "crlf"]] {
        let args = [&PATIENT[..], &["--format", "json", "--turns", "2"]].concat();
        let ran = good(check(&args, bot));
        let report = ran.json();
        assert_eq!(
            (&report["failed"], &report["skipped"]),
            (&0.into(), &0.into())
        );
        let listed = run(["check", "--list"]).stdout;
        let names = listed.lines().map(|line| line.split(' ').next().unwrap());
        let names: Vec<&str> = names.collect();
        let checks = report["checks"].as_array().unwrap();
        let ran: Vec<&str> = checks
            .iter()
            .map(|check| check["name"].as_str().unwrap())
            .collect();
        assert_eq!(ran, names, "everything that is listed is done");
        for name in [
            "match/penguins-4/3",
            "match/siam/1",
            "positions/run",
            "handshake",
        ] {
            assert!(names.contains(&name), "{name}");
        }
    }
}

#[test]
fn a_bot_is_checked_in_the_games_that_it_plays() {
    let ran = good(check(
        &[&PATIENT[..], &["--format", "tap"]].concat(),
        &[HOSTILE, "only-siam"],
    ));
    assert_contains(&ran.stdout, " - match/siam/1\n");
    assert!(!ran.stdout.contains("amazons"));
    let plan = ran.stdout.lines().nth(1).unwrap();
    let count = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("ok "))
        .count();
    assert_eq!(plan, format!("1..{count}"));
}

#[test]
fn a_bot_that_never_answers_costs_three_waits_and_not_more() {
    let args = ["--startup", "1s", "--game", "amazons"];
    let ran = check(&args, &[HOSTILE, "hang"]);
    assert_eq!(ran.code, Some(3));
    let failed = ran.stdout.lines().filter(|line| line.starts_with("FAIL"));
    assert!(failed.count() >= 3, "{}", ran.stdout);
    assert_contains(&ran.stdout, "did not answer in 3 checks");
    assert_contains(&ran.stderr, "checks failed");
}

#[test]
fn failures_are_printed_for_people_and_for_junit() {
    let only = ["--game", "amazons", "--only", "match/"];
    let bot = [HOSTILE, "first-seat-only"];
    let text = check(&[&only[..], &PATIENT].concat(), &bot);
    assert_eq!(text.code, Some(3));
    for part in [
        "ok    match/amazons/0",
        "FAIL  match/amazons/1",
        "      sent     {\"type\":\"turn\"",
        "      came     {\"type\":\"move\",\"move\":\"nonsense\"",
        "      fix      ",
        "2 passed, 1 failed",
    ] {
        assert_contains(&text.stdout, part);
    }
    let junit = check(
        &[&only[..], &PATIENT, &["--format", "junit"]].concat(),
        &bot,
    );
    assert_eq!(junit.code, Some(3));
    assert_contains(&junit.stdout, "<testcase name=\"match/amazons/1\"");
    assert_eq!(junit.stdout.matches("<failure message=").count(), 1);
}

#[test]
fn what_cannot_be_checked_is_told() {
    let error = |args: &[&str]| {
        let ran = check(args, &[HOSTILE, "plays"]);
        assert_eq!(ran.code, Some(2), "{}", ran.stdout);
        ran.stderr
    };
    assert!(error(&["--game", "sima"]).contains("siam"));
    assert!(error(&["--only", "nothing"]).contains("--list"));
    assert_eq!(run(["check"]).code, Some(2));
    let missing = check(&[], &["./no-such-bot"]);
    assert_eq!(
        missing.code,
        Some(3),
        "a bot that is not there does not pass"
    );
    assert_contains(&missing.stdout, "there is no program `./no-such-bot`");
}

#[test]
fn the_bots_of_the_examples_pass() {
    let bot = tests::root().join("bots/examples/python/random_bot.py");
    let bot = bot.display().to_string();
    let args = [&PATIENT[..], &["--game", "run", "--turns", "2"]].concat();
    good(check(&args, &["python3", &bot]));
}

#[test]
fn a_talkative_bot_is_only_counted_from_turn_to_turn() {
    let arena = Arena::new("");
    let script = r#"import json, sys
for line in sys.stdin:
    message = json.loads(line)
    say = lambda answer: print(json.dumps(answer), flush=True)
    if message["type"] == "hello":
        say({"type": "hello", "protocol": 1, "name": "talker"})
    elif message["type"] == "start":
        say({"type": "ready"})
    elif message["type"] == "turn":
        print('{"type":"info","depth":1}\n' * 3000, end="")
        say({"type": "move", "move": message["legal"][0]})
    elif message["type"] == "quit":
        break
"#;
    let script = arena.write("bot.py", script).display().to_string();
    let only = ["--game", "run", "--only", "several-matches"];
    good(check(
        &[&PATIENT[..], &only].concat(),
        &["python3", &script],
    ));
}

#[test]
fn stderr_is_shown_where_it_may_explain() {
    let arena = Arena::new("");
    let script = arena.write("bot.sh", "echo oh dear >&2; exit 4\n");
    let script = script.display().to_string();
    let ran = check(&PATIENT, &["sh", &script]);
    assert_eq!(ran.code, Some(3));
    assert_contains(&ran.stdout, "      stderr   oh dear");
}
