//! `referee new-bot`: its projects build, pass their own tests and play. Only in languages that
//! `tests/run` needs anyway; `bots/examples/test` installs and tests all.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use serde_json::Value;
use tests::{Arena, Ran, assert_contains, good, json_lines, referee, run};

fn new_bot(args: &[&str]) -> Ran {
    run([&["new-bot"], args].concat())
}

/// A shell's command in a folder; `referee` is the program under test.
pub(crate) fn shell(command: &str, dir: &Path) -> Ran {
    let folder = referee().parent().unwrap().to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [folder].into_iter().chain(env::split_paths(&path));
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .current_dir(dir)
        .env("PATH", env::join_paths(folders).unwrap())
        .env_remove("CARGO_TARGET_DIR")
        // What a project needs is there, since the referee needs it, too.
        .env("CARGO_NET_OFFLINE", "true");
    shell.output().unwrap().into()
}

/// Makes a project and follows its own instructions: build, test, play.
fn works_as_told(language: &str) {
    let arena = Arena::new("");
    let dir = arena.path("gyre");
    let ran = good(new_bot(&[
        language,
        dir.to_str().unwrap(),
        "--format",
        "json",
    ]));
    let report = ran.json();
    assert_eq!(report["name"], "gyre");
    let next: Vec<&str> = report["next"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    good(shell(next[1], &dir));
    // Two of its games, and all the time that a busy machine needs.
    let quick = "--out runs/1 --quiet --set rounds=1 --set 'games=[\"siam\",\"elephant-run\"]' \
                 --set time.per_move=30s --set time.startup=60s";
    good(shell(&format!("{} {quick}", next[2]), &dir));
    let log = fs::read_to_string(dir.join("runs/1/games.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 4);
    for record in json_lines(&log) {
        let faults = record["result"]["faults"].as_array().unwrap();
        assert!(faults.is_empty(), "{faults:?}");
    }
}

#[test]
fn python_works_as_told() {
    works_as_told("python");
}

#[test]
fn c_works_as_told() {
    works_as_told("c");
}

#[test]
fn rust_works_as_told() {
    works_as_told("rust");
}

#[test]
fn plain_shell_works_as_told() {
    works_as_told("sh");
}

#[test]
fn what_to_type_next_is_told() {
    let arena = Arena::new("");
    let dir = arena.path("my bot");
    let ran = good(new_bot(&["c++", dir.to_str().unwrap(), "--name", "second"]));
    let commands: Vec<&str> = ran
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .collect();
    assert_eq!(
        commands,
        [
            &format!("cd '{}'", dir.display()),
            "make && make test",
            "referee tournament tournament.toml",
            "referee check -- ./bot",
        ]
    );
    let source = fs::read_to_string(dir.join("bot.hpp")).unwrap();
    assert_contains(&source, r#""name":"second""#);
}

#[test]
fn languages_are_listed() {
    let ran = good(new_bot(&[]));
    let listed: Vec<&str> = ran
        .stdout
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let all = "python javascript typescript c cpp go java rust sh --bridge --bridge";
    assert_eq!(listed.join(" "), all);
    let json = new_bot(&["--format", "json"]).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[3]["id"], "c");
}

#[test]
fn what_cannot_be_made_is_refused() {
    let arena = Arena::new("");
    arena.write("mine.py", "");
    let here = arena.path("");
    let there = arena.path("new");
    let (here, there) = (here.to_str().unwrap(), there.to_str().unwrap());
    for (args, message) in [
        (&["pyhton", there][..], "did you mean `python`?"),
        (&["cobol", there], "there are `python`, `javascript`"),
        (&["python", here, "--name", "mine"], "is not empty"),
        (&["python", there, "--name", "7up"], "`7up` is no name"),
        (&["python", there, "--name", "random"], "choose another"),
        (&["python"], "a project in `python` needs a folder"),
    ] {
        let ran = new_bot(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{args:?}: {}", ran.stderr);
    }
    assert!(!arena.path("new").exists());
    arena.write("file", "");
    let file = arena.path("file/inside");
    let ran = new_bot(&["python", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
}
