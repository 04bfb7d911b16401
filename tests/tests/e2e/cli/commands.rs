//! The smaller commands.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tests::model::ModelClient;
use tests::{Arena, assert_contains, good, run, verify};

use crate::{GREEDY, RANDOM, config};

fn perft(args: &[&str]) -> String {
    let ran = good(run([&["perft"], args].concat()));
    ran.stdout
}

#[test]
fn perft_prints_the_known_numbers() {
    let nodes = |game, depth| perft(&[game, "--depth", depth]).trim().to_owned();
    assert_eq!(nodes("amazons", "1"), "2176");
    assert_eq!(nodes("amazons", "2"), "4307152");
    assert_eq!(nodes("siam", "1"), "64");
    assert_eq!(nodes("siam", "2"), "3894");
    assert_eq!(nodes("elephant-run", "1"), "24");
    assert_eq!(nodes("elephant-run", "2"), "552");
    assert_eq!(nodes("elephant-run", "3"), "12144");
    assert_eq!(nodes("amazons", "0"), "1");
}

#[test]
fn perft_divides_and_prints_json() {
    let args = [
        "amazons",
        "--options",
        r#"{"size":5}"#,
        "--depth",
        "2",
        "--format",
        "json",
    ];
    let plain: Value = serde_json::from_str(&perft(&args)).unwrap();
    assert_eq!(plain["nodes"], 50422);
    let divided: Value =
        serde_json::from_str(&perft(&[&args[..], &["--divide"]].concat())).unwrap();
    let counts = divided["divide"].as_object().unwrap();
    assert_eq!(counts.len(), 260);
    assert_eq!(
        counts.values().filter_map(Value::as_u64).sum::<u64>(),
        50422
    );
}

#[test]
fn perft_starts_from_a_given_state() {
    let state = json!({"ply": 5, "to_move": 1, "amazons": [["a1"], ["c3"]], "arrows": ["b2"], "scores": [0, 0]});
    let text = state.to_string();
    let inline = perft(&[
        "amazons",
        "--options",
        r#"{"size":5}"#,
        "--depth",
        "2",
        "--state",
        &text,
    ]);
    let arena = Arena::new("");
    let file = format!("@{}", arena.write("state.json", &text).display());
    let from_file = perft(&[
        "amazons",
        "--options",
        r#"{"size":5}"#,
        "--depth",
        "2",
        "--state",
        &file,
    ]);
    assert_eq!(inline, from_file);
}

#[test]
fn a_long_count_shows_how_far_it_is() {
    let mut child = Command::new(tests::referee())
        .args(["perft", "amazons", "--depth", "12"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = lines.next().expect("it goes on until it is ended").unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let part = "depth 1 has 2176 positions; still counting depth 12";
    assert!(first.ends_with(part), "{first}");
}

#[test]
fn games_are_listed_and_explained() {
    let list = run(["games"]).stdout;
    for game in ["amazons", "elephant-run", "penguins", "siam"] {
        assert_contains(&list, game);
        let shown = good(run(["games", game]));
        for part in [
            "Seats:",
            "Options:",
            "Moves:",
            "Limits",
            "Example",
            "\"ply\":0",
        ] {
            assert!(shown.stdout.contains(part), "{part} of {game}");
        }
    }
}

#[test]
fn the_rules_of_every_game_are_printed() {
    let games = run(["games", "--format", "json"]).json();
    for game in games.as_array().unwrap() {
        let id = game["id"].as_str().unwrap();
        let ran = good(run(["rules", id]));
        for part in [
            "MOVES",
            "Legal here:",
            "Not legal:",
            "END",
            "OPTIONS",
            "STATE",
            "{\"ply\":",
        ] {
            assert!(ran.stdout.contains(part), "{part} of {id}");
        }
        let widest = ran.stdout.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{id}: {widest:?}");
        assert!(run(["games", id]).stdout.ends_with(&ran.stdout), "{id}");
    }
    let markdown = run(["rules", "siam", "--format", "markdown"]).stdout;
    assert!(markdown.starts_with("# Siam\n") && markdown.contains("```board {}\n"));
    let shown = run(["games", "siam", "--format", "json"]).json();
    assert_eq!(shown["rules"], markdown);
    let unknown = run(["rules", "siem"]);
    tests::refused(&unknown, 2, "`siam`");
}

#[test]
fn help_has_the_protocol() {
    let ran = good(run(["help", "protocol"]));
    for part in ["THE FORWARD MODEL", "  `playouts`, `count`, `ms`, `seed`"] {
        assert_contains(&ran.stdout, part);
    }
    assert_eq!(run(["protocol"]).stdout, ran.stdout);
    assert!(run(["help", "rules"]).stdout.contains("--format"));
    let rules = good(run(["help", "rules-protocol"])).stdout;
    assert_contains(&rules, "rules program");
    assert_eq!(run(["protocol", "rules"]).stdout, rules);
    assert_contains(&good(run(["protocol", "ggp"])).stdout, "game manager");
}

#[test]
fn short_help_says_where_to_start_and_has_every_command() {
    let help = good(run(["-h"])).stdout;
    assert_contains(&help, "Start here:\n  referee tournament quickstart");
    let listed = help.lines().filter_map(|line| line.strip_prefix("  "));
    let listed: Vec<&str> = listed.filter_map(|line| line.split(' ').next()).collect();
    for command in [
        "tournament",
        "new-bot",
        "standings",
        "solve",
        "worker",
        "mcp",
        "doctor",
    ] {
        assert!(listed.contains(&command), "{command} in {help}");
    }
    assert!(
        !help.contains("supervise") && !help.contains("Exit codes"),
        "{help}"
    );
    assert!(
        help.lines().count() <= 60 && help.lines().all(|line| line.len() <= 90),
        "{help}"
    );
}

#[test]
fn a_single_match_is_drawn_and_logged() {
    let arena = Arena::new("");
    let log = arena.path("match.jsonl").display().to_string();
    let options = [
        "--options",
        r#"{"size":5}"#,
        "--per-move",
        "20s",
        "--log",
        &log,
    ];
    let bots = [
        "play",
        "amazons",
        "--bot",
        "random",
        "--bot",
        "referee bot greedy",
    ];
    for count in 1..=2 {
        let ran = good(run([&bots[..], &options].concat()));
        assert!(
            ran.stdout
                .starts_with("start\n   a5   .   D   .   D   .    e5\n"),
            "{}",
            ran.stdout
        );
        assert_contains(&ran.stdout, "random – referee bot greedy");
        let text = std::fs::read_to_string(&log).unwrap();
        assert_eq!(text.lines().count(), count, "appended");
    }
    let quiet = run([&bots[..], &["--quiet"]].concat());
    assert_eq!(quiet.stdout.lines().count(), 1);
    let json = run([&bots[..], &["--format", "json"]].concat());
    let record = json.json();
    assert_eq!(record["players"][1]["name"], "referee bot greedy");
    let twins = run([
        "play",
        "siam",
        "--bot",
        "random",
        "--bot",
        "random",
        "--quiet",
        "--max-plies",
        "20",
    ]);
    assert_contains(&twins.stdout, "random – random (2)");
}

#[test]
fn a_log_with_a_cut_last_line_can_be_appended_to() {
    let arena = Arena::new("");
    let log = arena.path("match.jsonl").display().to_string();
    let play = || {
        let options = ["--options", r#"{"size":5}"#, "--quiet", "--log", &log];
        run([
            &["play", "amazons", "--bot", "random", "--bot", "random"],
            &options[..],
        ]
        .concat())
    };
    good(play());
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.clone() + &text[..50]).unwrap();
    let second = good(play());
    assert_contains(
        &second.stderr,
        "line 2, the last one, is cut off after 50 bytes",
    );
    let verified = verify(&log);
    assert_eq!(
        verified.stdout,
        "m-000001: ok\nm-000002: ok\n2 verified, 0 with mismatches\n"
    );
}

/// The answer to `new`, without the fields that only `new` has: the seats, if options decide them.
fn opened(model: &mut ModelClient, new: Value) -> Value {
    let of_two = (new["game"] == "penguins").then(|| json!(["red", "blue"]));
    let mut answer = model.ok(new);
    let roles = answer.as_object_mut().unwrap().remove("roles");
    assert_eq!(roles, of_two);
    answer
}

#[test]
fn the_model_serves_whole_games() {
    let mut model = ModelClient::start();
    for game in ["siam", "penguins"] {
        let want = json!(["legal", "state", "view", "key"]);
        let new = json!({"op": "new", "game": game, "seed": 7, "want": want});
        let mut at = opened(&mut model, new);
        let first = at.clone();
        let mut plies = 0;
        while at["result"].is_null() && plies < 60 {
            let mv = at["legal"][plies % at["legal"].as_array().unwrap().len()].clone();
            at = model.ok(json!({"op": "play", "moves": [mv], "want": want}));
            plies += 1;
            assert_eq!(at["ply"], plies);
            let again = json!({"op": "new", "game": game, "state": at["state"], "want": want});
            let again = opened(&mut ModelClient::start(), again);
            assert_eq!(again, at, "state and key are complete");
        }
        assert_eq!(
            model.ok(json!({"op": "undo", "count": plies, "want": want})),
            first
        );
    }
}

#[test]
fn a_reader_who_leaves_early_is_no_error() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    let line = format!("'{}' games siam | head -1", tests::referee().display());
    let script = arena.write("early.sh", &line);
    let shell = Command::new("sh").arg(script).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&shell.stderr), "");
}
