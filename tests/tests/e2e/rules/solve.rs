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
    assert_contains(&corner.stdout, "| a1 | **0** |");
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
    let report = more.json();
    assert_eq!(report[0]["solved"], true);
    assert_eq!(report[5]["tile"], "c2");
}
