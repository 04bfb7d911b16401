//! Output of an earlier version is read, verified, resumed and rated as it was then. The fixtures
//! are never regenerated.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use tests::{Ran, assert_contains, good, referee};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/tournament-0.1");

fn run_in(folder: &Path, args: &[&str]) -> Ran {
    let output = Command::new(referee())
        .args(args)
        .current_dir(folder)
        .output();
    output.expect("referee runs").into()
}

/// A folder with a copy of the tournament, whose log has this many of its matches.
fn copy(matches: usize) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for name in ["tournament.toml", "schedule.toml"] {
        fs::copy(Path::new(FIXTURE).join(name), folder.path().join(name)).expect("a copy");
    }
    let lines: Vec<String> = lines(Path::new(FIXTURE));
    let log: String = lines[..matches]
        .iter()
        .flat_map(|line| [line, "\n"])
        .collect();
    fs::write(folder.path().join("games.jsonl"), log).expect("a log");
    folder
}

fn lines(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("games.jsonl")).expect("a log");
    text.lines().map(str::to_owned).collect()
}

/// Each match by its id, without times and data that depend on the machine.
fn played(folder: &Path) -> Vec<Value> {
    let record = |line: String| -> Value { serde_json::from_str(&line).expect("a match") };
    let mut records: Vec<Value> = lines(folder).into_iter().map(record).collect();
    records.sort_by_key(|record| record["match"].to_string());
    let kept = |record: &Value| {
        let moves = record["moves"].as_array().expect("moves").iter();
        let moves = moves.map(|ply| serde_json::json!([ply["seat"], ply["move"]]));
        let players = record["players"].as_array().expect("players").iter();
        serde_json::json!({
            "match": record["match"], "game": record["game"], "options": record["options"],
            "seed": record["seed"], "start": record["start"], "limits": record["limits"],
            "players": players.map(|player| player["name"].clone()).collect::<Vec<_>>(),
            "moves": moves.collect::<Vec<_>>(), "result": record["result"],
        })
    };
    records.iter().map(kept).collect()
}

#[test]
fn an_old_log_verifies() {
    let ran = good(run_in(Path::new(FIXTURE), &["replay", ".", "--verify"]));
    assert_contains(&ran.stdout, "15 verified, 0 with mismatches");
}

#[test]
fn an_old_log_is_rated_as_before() {
    let ran = good(run_in(
        Path::new(FIXTURE),
        &["standings", ".", "--format", "json"],
    ));
    let now = ran.json();
    let text = fs::read_to_string(PathBuf::from(FIXTURE).join("standings.json"));
    let then: Value = serde_json::from_str(&text.expect("standings")).expect("JSON");
    same(&then, &now, "standings");
}

/// Fields that depend on the computation of intervals, which later versions do more carefully.
const OF_INTERVALS: [&str; 5] = ["error", "low", "high", "superiority", "false_discovery"];

/// Equal, but for intervals and rounding; there may be new fields.
fn same(then: &Value, now: &Value, place: &str) {
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            for (key, value) in then {
                let place = format!("{place}.{key}");
                let now = now.get(key).unwrap_or_else(|| panic!("{place} is gone"));
                if !OF_INTERVALS.contains(&key.as_str()) {
                    same(value, now, &place);
                }
            }
        }
        (Value::Array(then), Value::Array(now)) => {
            assert_eq!(then.len(), now.len(), "{place}");
            for (index, (then, now)) in then.iter().zip(now).enumerate() {
                same(then, now, &format!("{place}[{index}]"));
            }
        }
        (Value::Number(then), Value::Number(now)) => {
            let [then, now] = [then, now].map(|it| it.as_f64().expect("a number"));
            assert!(
                (then - now).abs() <= 1e-6 * then.abs().max(1.0),
                "{place}: {then} {now}"
            );
        }
        _ => assert_eq!(then, now, "{place}"),
    }
}

#[test]
fn an_old_tournament_is_resumed_as_it_was_planned() {
    let folder = copy(6);
    let resume = [
        "tournament",
        "tournament.toml",
        "--out",
        ".",
        "--resume",
        "--quiet",
    ];
    good(run_in(folder.path(), &resume));
    let [then, now] = [Path::new(FIXTURE), folder.path()].map(played);
    assert_eq!(then, now);
    assert_eq!(lines(Path::new(FIXTURE))[..6], lines(folder.path())[..6]);
}
