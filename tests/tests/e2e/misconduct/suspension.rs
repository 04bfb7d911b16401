//! A referee that is stopped for a while, alone or with all its bots, blames nobody.

use std::fs;
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tests::traces::{children, marked};
use tests::{Arena, referee, wait_until};

use crate::misconduct::arena::{hostile, mark};
use crate::{RANDOM, config};

/// Longer than any limit here.
const STOPPED: Duration = Duration::from_millis(6500);

/// Stops these while a bot thinks, continues them, and returns the moves of its matches.
fn moves_of_stopped(whom: impl Fn(&Child) -> Vec<u32>) -> Vec<Value> {
    // It takes 1.5 s for each move but the first, and has 4 s.
    let time = "time = { per_move = \"4s\", startup = \"20s\" }\n";
    let bots = config(&[RANDOM]) + &hostile("late", time);
    let top = "concurrency = 1\nlimits = { max_plies = 6 }";
    let arena = Arena::new(&format!("{top}\n{bots}"));
    let mut command = std::process::Command::new(referee());
    command
        .args(arena.tournament())
        .arg("--trace")
        .arg(arena.path("trace"));
    let nothing = std::process::Stdio::null;
    command.stdin(nothing()).stdout(nothing()).stderr(nothing());
    let mut child = command.spawn().unwrap();
    wait_until("the second turn", || {
        let files = fs::read_dir(arena.path("trace"))
            .into_iter()
            .flatten()
            .flatten();
        let named = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().contains("hostile");
        let mut texts = files
            .filter(named)
            .map(|entry| fs::read_to_string(entry.path()).unwrap_or_default());
        texts.any(|text| text.matches(r#"\"type\":\"turn\""#).count() >= 2)
    });
    sleep(Duration::from_millis(200));
    let stopped = whom(&child);
    for pid in &stopped {
        kill(Pid::from_raw(*pid as i32), Signal::SIGSTOP).unwrap();
    }
    sleep(STOPPED);
    for pid in stopped.iter().rev() {
        kill(Pid::from_raw(*pid as i32), Signal::SIGCONT).unwrap();
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let matches = arena.matches();
    assert_eq!(matches.len(), 2);
    for record in &matches {
        assert_eq!(
            record["result"]["faults"],
            serde_json::json!([]),
            "{record}"
        );
    }
    let moves = matches
        .iter()
        .flat_map(|record| record["moves"].as_array().unwrap());
    moves.cloned().collect()
}

/// The one move during whose turn the referee did not run.
#[track_caller]
fn suspended(moves: &[Value]) -> (f64, f64) {
    let found: Vec<&Value> = moves
        .iter()
        .filter(|mv| !mv["suspended_ms"].is_null())
        .collect();
    let [mv] = &found[..] else {
        panic!("{found:?} of {moves:?}")
    };
    (
        mv["suspended_ms"].as_f64().unwrap(),
        mv["ms"].as_f64().unwrap(),
    )
}

#[test]
fn alone() {
    let moves = moves_of_stopped(|child| vec![child.id()]);
    let (gap, took) = suspended(&moves);
    assert!((6000.0..60_000.0).contains(&gap), "{gap}");
    assert!(took < 4000.0, "{took}");
}

#[test]
fn together_with_its_bots() {
    let moves = moves_of_stopped(|child| {
        let supervisors = children(child.id());
        let bots = marked(&mark())
            .into_iter()
            .filter(|pid| !supervisors.contains(pid));
        let bots: Vec<u32> = bots.collect();
        [vec![child.id()], supervisors, bots].concat()
    });
    let (gap, took) = suspended(&moves);
    assert!((6000.0..60_000.0).contains(&gap), "{gap}");
    // What it had left to think when it was stopped.
    assert!((200.0..4000.0).contains(&took), "{took}");
}
