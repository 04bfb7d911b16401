//! `referee solve`: values, lines, checkpoints, and refusals.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tests::{assert_contains, good, referee, run};

/// Amazons on five by five with fifteen free cells.
fn small() -> String {
    let arrows = ["a3", "b2", "c1", "c3", "d3", "e3"];
    json!({"ply": 6, "to_move": 0, "amazons": [["a1", "c5"], ["e5", "d1"]], "arrows": arrows,
           "scores": [0, 0]})
    .to_string()
}

const SIZE_5: &str = r#"{"size":5}"#;

fn solved(args: &[&str]) -> Value {
    let ran = good(run([
        &["solve"],
        args,
        &["--memory", "1MB", "--format", "json"],
    ]
    .concat()));
    ran.json()
}

#[track_caller]
fn refused(args: &[&str], part: &str) {
    tests::refused(&run([&["solve"], args].concat()), 2, part);
}

#[test]
fn both_methods_find_the_same_winner_and_check_the_proof() {
    let state = small();
    let args = [
        "amazons",
        "--options",
        SIZE_5,
        "--state",
        &state,
        "--verify",
    ];
    let answer = |method| solved(&[&args[..], &["--method", method]].concat());
    let (proof, other) = (answer("proof-number"), answer("alpha-beta"));
    assert_eq!(proof["solved"], true);
    assert_eq!(proof["winner"], other["winner"]);
    assert!(proof["proof_positions"].as_u64().unwrap() > 0);
    assert!(!proof["line"].as_array().unwrap().is_empty());
}

#[test]
fn people_read_the_winner_the_scores_and_the_line() {
    // An elephant with one tile to go to.
    let state = json!({"ply": 9, "to_move": 0, "phase": "move",
        "tiles": ["......", "......", "......", "#####."],
        "elephant": "a1", "farmers": ["c1", "d1", "e1"], "scores": [22, 0]});
    let state = state.to_string();
    let args = [
        "elephant-run",
        "--options",
        r#"{"target":23}"#,
        "--state",
        &state,
    ];
    let ran = good(run([&["solve"], &args[..], &["--memory", "1MB"]].concat()));
    let expected = "elephant, who is to move, wins\nscores of best play: ";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    assert_contains(&ran.stdout, "replayed by the rules");
    assert_contains(&ran.stdout, "\n  a1-b1");
}

#[test]
fn what_cannot_be_solved_is_refused() {
    refused(&["siam"], "its positions can come back");
    refused(
        &["penguins", "--options", r#"{"players":3}"#],
        "only games of two seats can be solved, and penguins has 3",
    );
    refused(&["amazons", "--resume"], "--checkpoint");
    refused(
        &["amazons", "--starting-tiles"],
        "only elephant-run has them",
    );
    let tile = ["elephant-run", "--starting-tiles", "--tiles", "f4"];
    refused(&tile, "`f4` is none of a1, b1, c1, a2, b2, c2");
}

#[test]
fn a_limit_ends_the_search_and_the_checkpoint_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("half.solve");
    let file = file.to_str().unwrap();
    let state = small();
    let position = ["amazons", "--options", SIZE_5, "--state", &state];
    let whole = solved(&position);
    let args = [&position[..], &["--checkpoint", file]].concat();
    let half = whole["positions"].as_u64().unwrap() / 2;
    assert!(half > 10, "{half}");
    let limit = half.to_string();
    let limited = [
        &["solve"],
        &args[..],
        &["--positions", &limit, "--memory", "1MB"],
    ]
    .concat();
    let ran = run(limited);
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    assert_contains(&ran.stdout, "not solved");
    let rest = solved(&[&args[..], &["--resume"]].concat());
    assert_eq!(rest["winner"], whole["winner"]);
    assert!(rest["positions"].as_u64().unwrap() >= half);
    let other = [
        "amazons",
        "--options",
        SIZE_5,
        "--checkpoint",
        file,
        "--resume",
    ];
    refused(&other, "it is of another state");
    fs::write(file, "something else").unwrap();
    refused(
        &[&args[..], &["--resume"]].concat(),
        "it is not a checkpoint",
    );
}

#[test]
fn each_move_has_a_value_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("each.moves");
    let file = file.to_str().unwrap();
    let state = small();
    let position = ["amazons", "--options", SIZE_5, "--state", &state];
    let whole = solved(&position);
    let each = [&position[..], &["--each-move"]].concat();
    let memory = ["--memory", "2MB", "--format", "json"];
    let few = ["--checkpoint", file, "--positions", "10"];
    let ran = run([&["solve"], &each[..], &few, &memory].concat());
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    let begun = ran.json();
    assert_eq!(begun["solved"], false);
    let rest = ["--checkpoint", file, "--resume", "--verify"];
    let found = good(run([&["solve"], &each[..], &rest, &memory].concat())).json();
    assert_eq!(
        (&found["solved"], &found["winner"]),
        (&json!(true), &whole["winner"])
    );
    let mover = json!(0);
    let moves = found["moves"].as_array().unwrap();
    let winning = moves.iter().filter(|mv| mv["winner"] == mover).count();
    assert_eq!(winning > 0, whole["winner"] == mover, "{found}");
    assert!(winning < moves.len());
    let decided = begun["moves"].as_array().unwrap().iter().zip(moves);
    assert!(decided.clone().any(|(then, _)| then["solved"] == false));
    for (then, now) in decided.filter(|(then, _)| then["solved"] == true) {
        assert_eq!(then, now, "as before");
    }
    // What was decided before is not checked any more, and the text says so.
    let again = [
        "--checkpoint",
        file,
        "--resume",
        "--verify",
        "--memory",
        "2MB",
    ];
    let ran = good(run([&["solve"], &each[..], &again].concat()));
    let (checked, all) = (found["moves"].as_array().unwrap(), moves.len());
    let checked = checked.iter().filter(|mv| !mv["proof_positions"].is_null());
    let checked = checked.count();
    assert!((1..all).contains(&checked), "{found}");
    assert_contains(
        &ran.stdout,
        &format!("of {checked} of {all} decided moves were checked"),
    );
    assert_contains(&ran.stdout, "were found before without a check");
    let ran = good(run([&["solve"], &each[..], &["--memory", "2MB"]].concat()));
    assert_contains(
        &ran.stdout,
        &format!("light wins after {winning} of {} moves:\n  ", moves.len()),
    );
    // Its checkpoints are its own.
    let other = [&position[..], &["--checkpoint", file, "--resume"]].concat();
    refused(&other, "it is not a checkpoint");
    let over = json!({"ply": 3, "to_move": null, "amazons": [["c3"], ["a1"]], "arrows": ["a2", "b1", "b2"],
        "scores": [1, 0]});
    let over = [
        "amazons",
        "--options",
        SIZE_5,
        "--state",
        &over.to_string(),
        "--each-move",
    ];
    refused(&over, "--each-move: the game is over");
    let file = sheet("nim");
    refused(
        &["nim", "--rules", &file, "--each-move"],
        "--each-move: only for built-in games",
    );
    let retrograde = ["amazons", "--each-move", "--method", "retrograde"];
    refused(&retrograde, "retrograde analysis is for sheets");
}

#[test]
fn ctrl_c_leaves_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("start.solve");
    let args = ["solve", "amazons", "--memory", "1MB", "--checkpoint"];
    let mut child = Command::new(referee())
        .args(args)
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_handler(&child);
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let file = file.to_str().unwrap();
    let args = [
        "solve",
        "amazons",
        "--checkpoint",
        file,
        "--resume",
        "--positions",
        "0",
    ];
    let ran = run([&args[..], &["--memory", "1MB"]].concat());
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
}

/// Waits until the program handles SIGINT itself.
fn wait_for_handler(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    let handles = || {
        let text = fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
        caught >> (Signal::SIGINT as u64 - 1) & 1 != 0
    };
    while !handles() {
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_report_on_starting_tiles_says_what_is_proven() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tiles.solve");
    let file = file.to_str().unwrap();
    let args = [
        "solve",
        "elephant-run",
        "--starting-tiles",
        "--memory",
        "1MB",
    ];
    let corner = good(run(
        [&args[..], &["--tiles", "a1", "--checkpoint", file]].concat()
    ));
    assert_contains(&corner.stdout, "| a1 | **0** | 1 | b1 c1 a2 b2 a3 c3 |");
    assert_contains(&corner.stdout, "the elephant cannot move");
    let more = [
        "--checkpoint",
        file,
        "--resume",
        "--positions",
        "20000",
        "--format",
        "json",
    ];
    let more = run([&args[..], &more].concat());
    assert_eq!(more.code, Some(5), "{}", more.stderr);
    assert_contains(&more.stderr, "`--positions` ended the search");
    let report = more.json();
    assert_eq!(report[0]["solved"], true);
    assert_eq!(report[0]["placements_that_hold"], 1);
    assert_eq!(
        (&report[5]["tile"], &report[5]["at_most"]),
        (&json!("c2"), &json!(null))
    );
    // Both searches agree about a few placements.
    let small = ["--tiles", "b1", "--positions", "200000", "--verify", "3"];
    let small = run([&args[..3], &small, &["--options", r#"{"farmers":4}"#]].concat());
    assert_eq!(small.code, Some(5), "{}", small.stderr);
    assert_contains(&small.stdout, "| b1 | at least 3 | | |");
    assert_contains(
        &small.stdout,
        "agrees that 3 placements, drawn by lot for each tile, allow as much",
    );
    let full = run([&args[..3], &["--tiles", "c2", "--memory", "10kB"]].concat());
    assert_contains(&full.stderr, "do not fit into `--memory`");
}

fn sheet(name: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../games/sheets");
    format!("{root}/{name}.kif")
}

#[test]
fn sheets_have_the_values_that_are_known() {
    // Tic-tac-toe is a draw, and heaps are won by who moves first unless their nim-sum is 0.
    for (name, winner, scores) in [
        ("tic-tac-toe", json!("draw"), json!([50, 50])),
        ("nim", json!(0), json!([100, 0])),
    ] {
        let file = sheet(name);
        for method in ["alpha-beta", "proof-number", "retrograde"] {
            let args = [name, "--rules", &file, "--method", method, "--verify"];
            let memory = ["--format", "json", "--memory", "100MB"];
            let answer = good(run([&["solve"], &args[..], &memory].concat())).json();
            assert_eq!(answer["winner"], winner, "{name} {method}");
            assert_eq!(answer["scores"], scores, "{name} {method}");
            assert!(answer["proof_positions"].as_u64().unwrap() > 10, "{answer}");
            assert_eq!(answer["rules"].as_str().unwrap().len(), 64);
        }
    }
}

#[test]
fn a_rules_program_is_solved() {
    let python = format!(
        "python3 {}/../games/examples/hex.py",
        env!("CARGO_MANIFEST_DIR")
    );
    // The first player wins Hex on every board, and so the second one if it may take over the first stone.
    for (options, winner) in [
        (r#"{"size":3,"swap":false}"#, 0),
        (r#"{"size":2,"swap":true}"#, 1),
    ] {
        let args = ["hex", "--rules", &python, "--options", options];
        let answer = solved(&[&args[..], &["--question", "win", "--verify"]].concat());
        assert_eq!(answer["winner"], winner, "{answer}");
    }
}

/// A token on a circle of five, which the seats move in turn, on or back by one. `rest` are the rules for
/// the end.
fn circle(rest: &str) -> String {
    format!(
        "(role left) (role right)
         (init (at 0)) (init (turn left))
         (on 0 1) (on 1 2) (on 2 3) (on 3 4) (on 4 0)
         (<= (legal ?r (go ?to)) (true (turn ?r)) (true (at ?from)) (on ?from ?to))
         (<= (legal ?r (go ?to)) (true (turn ?r)) (true (at ?from)) (on ?to ?from))
         (<= (legal left noop) (true (turn right)))
         (<= (legal right noop) (true (turn left)))
         (<= (next (at ?to)) (does ?r (go ?to)))
         (<= (next (turn left)) (true (turn right)))
         (<= (next (turn right)) (true (turn left)))
         {rest}"
    )
}

#[test]
fn play_that_need_not_end_has_the_value_that_a_seat_can_force() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, rest: &str| {
        let file = folder.path().join(name);
        fs::write(&file, circle(rest)).unwrap();
        file.to_str().unwrap().to_owned()
    };
    // Who steps on 2 or 3 has lost, and from anywhere else there is a way back.
    let endless = write(
        "endless.kif",
        "(<= terminal (true (at 2))) (<= terminal (true (at 3)))
         (<= (goal ?r 100) (true (turn ?r)))
         (<= (goal ?r 0) (role ?r) (not (true (turn ?r))))",
    );
    let ran = run(["solve", "endless", "--rules", &endless, "--memory", "1MB"]);
    assert_eq!(ran.code, Some(5), "{}\n{}", ran.stdout, ran.stderr);
    assert_contains(&ran.stderr, "all positions are listed instead");
    assert_contains(&ran.stderr, "neither seat can force an end");
    // The first step wins, whatever else could go on for ever.
    let first = write(
        "first.kif",
        "(<= terminal (true (at 1)))
         (<= (goal ?r 0) (true (turn ?r)))
         (<= (goal ?r 100) (role ?r) (not (true (turn ?r))))",
    );
    let answer = solved(&["first", "--rules", &first, "--verify"]);
    assert_eq!(answer["winner"], 0, "{answer}");
    let asked = ["endless", "--rules", &endless, "--method", "alpha-beta"];
    tests::refused(
        &run([&["solve"], &asked[..]].concat()),
        5,
        "play can come back",
    );
}

#[test]
fn games_without_turns_or_with_chance_are_refused() {
    for (name, part) in [
        ("rock-paper-scissors", "seat 0 and seat 1 act at once"),
        ("pig", "chance takes part in it"),
        ("kuhn-poker", "chance takes part in it"),
        ("lights-out", "has 1 under these options"),
    ] {
        let file = sheet(name);
        refused(&[name, "--rules", &file], part);
    }
    let file = sheet("nim");
    let args = ["nim", "--rules", &file, "--method", "retrograde"];
    refused(
        &[&args[..], &["--checkpoint", "x.solve"]].concat(),
        "has none",
    );
    refused(
        &["amazons", "--method", "retrograde"],
        "for sheets and rules programs",
    );
}
