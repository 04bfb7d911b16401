//! `--trace`: every line both ways, with times.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tests::{Arena, good, json_lines, run};

use crate::{GREEDY, HOSTILE, RANDOM, config};

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    json_lines(&text)
}

/// Number of messages of this type in this direction.
fn count(lines: &[Value], way: &str, kind: &str) -> usize {
    let said = lines.iter().filter_map(|line| line[way].as_str());
    let said = said.filter_map(|text| serde_json::from_str::<Value>(text).ok());
    said.filter(|message| message["type"] == kind).count()
}

#[test]
fn a_tournament_leaves_a_file_for_each_process() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    let mut args = arena.tournament();
    args.extend(["--trace".into(), arena.path("traces")]);
    good(run(args));
    let mut moves: BTreeMap<String, usize> = BTreeMap::new();
    for entry in fs::read_dir(arena.path("traces")).unwrap() {
        let lines = lines(&entry.unwrap().path());
        let bot = lines[0]["bot"].as_str().unwrap().to_owned();
        assert!(
            lines[0]["event"]
                .as_str()
                .unwrap()
                .starts_with("started: referee bot")
        );
        assert_eq!(count(&lines, "to_bot", "hello"), 1);
        assert_eq!(count(&lines, "from_bot", "hello"), 1);
        let turns = count(&lines, "to_bot", "turn");
        assert_eq!(turns, count(&lines, "from_bot", "move"));
        *moves.entry(bot).or_default() += turns;
        assert_eq!(lines.last().unwrap()["event"], "exited with code 0");
        let ms: Vec<f64> = lines
            .iter()
            .map(|line| line["ms"].as_f64().unwrap())
            .collect();
        assert!(ms.is_sorted());
        assert!(
            lines
                .iter()
                .all(|line| line["at"].as_str().unwrap().ends_with('Z'))
        );
    }
    let mut logged: BTreeMap<String, usize> = BTreeMap::new();
    for record in arena.matches() {
        for mv in record["moves"].as_array().unwrap() {
            let player = &record["players"][mv["seat"].as_u64().unwrap() as usize];
            *logged
                .entry(player["name"].as_str().unwrap().to_owned())
                .or_default() += 1;
        }
    }
    assert_eq!(moves, logged);
}

#[test]
fn a_match_and_a_check_can_be_traced_into_one_file() {
    let arena = Arena::new("");
    let file = arena.path("trace.jsonl").display().to_string();
    let garbage = format!("{HOSTILE} garbage");
    good(run([
        "play",
        "amazons",
        "--options",
        r#"{"size":5}"#,
        "--per-move",
        "20s",
        "--quiet",
        "--bot",
        "random",
        "--bot",
        &garbage,
        "--trace",
        &file,
    ]));
    let lines = self::lines(Path::new(&file));
    assert!(lines.iter().any(|line| line["bot"] == "random"));
    let said = lines
        .iter()
        .filter(|line| line["from_bot"] == "I think I will win");
    assert_eq!(said.count(), 1);
    good(run([
        "check",
        "--game",
        "run",
        "--only",
        "quit/at-once",
        "--startup",
        "60s",
        "--trace",
        &file,
        "--",
        HOSTILE,
        "plays",
    ]));
    let lines = self::lines(Path::new(&file));
    let processes = lines.iter().filter(|line| {
        line["event"]
            .as_str()
            .is_some_and(|e| e.starts_with("started"))
    });
    assert_eq!(processes.count(), 2, "the file was restarted");
}

#[test]
fn a_trace_that_cannot_be_written_is_told_before_anything_is_played() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    arena.write("file", "");
    let mut args = arena.tournament();
    args.extend(["--trace".into(), arena.path("file/below.jsonl")]);
    let ran = run(args);
    tests::refused(&ran, 4, "--trace: ");
    assert!(!arena.path("out").exists());
}
