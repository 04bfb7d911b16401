//! Sheets in the Game Description Language, wherever a game can be named.

use std::fs;

use serde_json::Value;
use tests::{Arena, root, run, verified};

use crate::{GREEDY, RANDOM, config_of};

fn sheet(id: &str) -> String {
    root()
        .join(format!("games/sheets/{id}.kif"))
        .display()
        .to_string()
}

#[test]
fn a_tournament_of_sheets_verifies_and_keeps_copies() {
    let rules = ["tic-tac-toe", "rock-paper-scissors", "pig", "kuhn-poker"];
    let games = format!("games = {rules:?}\nrules = {:?}", rules.map(sheet));
    let arena = Arena::new(&config_of(&games, &[RANDOM, GREEDY]));
    let ran = arena.play();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let log = fs::read_to_string(arena.path("out/games.jsonl")).unwrap();
    let mut seen = Vec::new();
    for line in log.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["rules"]["name"], record["game"], "{line}");
        assert_eq!(record["result"]["reason"], "terminal", "{line}");
        seen.push(record["game"].as_str().unwrap().to_owned());
    }
    assert!(
        rules.iter().all(|id| seen.iter().any(|other| other == id)),
        "{seen:?}"
    );
    for id in rules {
        let copy = fs::read_to_string(arena.path(&format!("out/rules/{id}.kif"))).unwrap();
        assert_eq!(copy, fs::read_to_string(sheet(id)).unwrap());
    }
    verified(arena.path("out"));
}

/// `tournaments/tic-tac-toe.toml` is the long version.
#[test]
fn mcts_never_loses_tic_tac_toe() {
    let games = format!(
        "games = [\"tic-tac-toe\"]\nrules = [{:?}]\nrounds = 10\nformat = \"gauntlet\"\nchallengers = [\"mcts\"]",
        sheet("tic-tac-toe")
    );
    let mcts = (
        "mcts",
        r#"["referee", "bot", "mcts", "--playouts", "1000"]"#,
    );
    let arena = Arena::new(&config_of(&games, &[RANDOM, GREEDY, mcts]));
    let ran = arena.play();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let log = fs::read_to_string(arena.path("out/games.jsonl")).unwrap();
    let mut wins = 0;
    for line in log.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let seats = record["players"].as_array().unwrap();
        let seat = seats.iter().position(|bot| bot["name"] == "mcts").unwrap();
        let outcome = record["result"]["outcome"][seat].as_f64().unwrap();
        assert!(outcome >= 0.5, "{line}");
        wins += u32::from(outcome == 1.0);
    }
    assert!(wins > 20, "{wins} of 40");
}

#[test]
fn commands_take_sheets() {
    let sheet = sheet("tic-tac-toe");
    let told = |args: &[&str]| {
        let ran = run([args, &["--rules", &sheet]].concat());
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        ran.stdout
    };
    let list = told(&["games"]);
    assert!(
        list.contains("tic-tac-toe.kif: a sheet of") && list.contains("a network of 29 facts"),
        "{list}"
    );
    let shown = told(&["games", "tic-tac-toe", "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["sheet"]["network"]["moves"], 20, "{shown}");
    assert_eq!(shown["example"]["legal"].as_array().unwrap().len(), 9);
    assert!(told(&["perft", "tic-tac-toe", "--depth", "5"]).contains("15120"));
    let played = told(&[
        "play",
        "tic-tac-toe",
        "--bot",
        "referee bot mcts --playouts 300",
        "--bot",
        "referee bot random",
    ]);
    assert!(played.contains("xplayer"), "{played}");
    let checked = told(&["check", "--games", "3"]);
    assert!(checked.contains("undo/tic-tac-toe"), "{checked}");
}

#[test]
fn mistakes_in_sheets_are_named_with_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.kif");
    fs::write(&path, "(role white)\n(<= (legal ?p go) (not (true x)))\n").unwrap();
    let path = path.display().to_string();
    let ran = run(["perft", "bad", "--depth", "1", "--rules", &path]);
    assert!(matches!(ran.code, Some(2 | 4)), "{:?}", ran.code);
    assert!(
        ran.stderr.contains("line 2, column 5: the variable `?p`"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("in the rule `(<= (legal ?p go)"),
        "{}",
        ran.stderr
    );
}

/// A coin is flipped, and nobody sees it; tails ends the game at once. Who is asked to move knows that it
/// was heads.
#[test]
fn a_seat_that_is_asked_to_move_knows_that_the_game_goes_on() {
    let arena = Arena::new("");
    let coin = arena.write(
        "coin.kif",
        "(role caller) (role random) (init flipping)
         (<= (legal random heads) (true flipping)) (<= (legal random tails) (true flipping))
         (<= (legal random noop) (not (true flipping))) (<= (legal caller noop) (true flipping))
         (<= (legal caller left) (true heads)) (<= (legal caller right) (true heads))
         (<= (legal caller noop) (not (true flipping)) (not (true heads)))
         (<= (next heads) (does random heads)) (<= (next tails) (does random tails))
         (<= (next done) (does caller left)) (<= (next done) (does caller right))
         (<= terminal (true tails)) (<= terminal (true done))
         (<= (sees caller moved) (does caller left))
         (<= (goal caller 0) (true tails)) (<= (goal caller 100) (true done))",
    );
    let ran = run(["check".as_ref(), "--rules".as_ref(), coin.as_os_str()]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("hidden/coin"), "{}", ran.stdout);
}
