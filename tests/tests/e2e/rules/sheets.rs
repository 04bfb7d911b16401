//! Sheets in the Game Description Language, in all commands with games.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Arena, assert_contains, good, json_lines, root, run, verified};

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
    good(arena.play());
    let log = arena.read("out/games.jsonl");
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
        let copy = arena.read(&format!("out/rules/{id}.kif"));
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
    good(arena.play());
    let log = arena.read("out/games.jsonl");
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
    let stdout_of = |args: &[&str]| {
        let ran = good(run([args, &["--rules", &sheet]].concat()));
        ran.stdout
    };
    let list = stdout_of(&["games"]);
    assert!(
        list.contains("tic-tac-toe.kif: a sheet of") && list.contains("a network of 29 facts"),
        "{list}"
    );
    let shown = stdout_of(&["games", "tic-tac-toe", "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["sheet"]["network"]["moves"], 20, "{shown}");
    assert_eq!(shown["example"]["legal"].as_array().unwrap().len(), 9);
    assert!(stdout_of(&["perft", "tic-tac-toe", "--depth", "5"]).contains("15120"));
    let played = stdout_of(&[
        "play",
        "tic-tac-toe",
        "--bot",
        "referee bot mcts --playouts 300",
        "--bot",
        "referee bot random",
    ]);
    assert_contains(&played, "xplayer");
    let checked = stdout_of(&["check", "--games", "3"]);
    assert_contains(&checked, "undo/tic-tac-toe");
}

#[test]
fn mistakes_in_sheets_are_named_with_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.kif");
    fs::write(&path, "(role white)\n(<= (legal ?p go) (not (true x)))\n").unwrap();
    let path = path.display().to_string();
    let ran = run(["perft", "bad", "--depth", "1", "--rules", &path]);
    assert!(matches!(ran.code, Some(2 | 4)), "{:?}", ran.code);
    assert_contains(&ran.stderr, "line 2, column 5: the variable `?p`");
    assert_contains(&ran.stderr, "in the rule `(<= (legal ?p go)");
}

/// A sheet that does not ground, and whose games take minutes: thousands of steps, each of which looks at
/// tens of thousands of candidates.
fn slow() -> String {
    let mut text = String::from(
        "(role me) (role you) (init (at 0)) (legal me a) (legal me b) (legal you a) (legal you b)
         (<= (next (at ?m)) (true (at ?n)) (up ?n ?m))
         (<= (next seen) (true (at ?a)) (true (at ?b)) (true (at ?d)) (c ?e) (c ?f) (c ?g)
            (not (true (all ?a ?b ?d ?e ?f ?g))))
         (<= terminal (true (at 5000))) (goal me 50) (goal you 50)\n",
    );
    text.extend((0..30).map(|number| format!("(c {number})")));
    text.extend((0..5000).map(|number| format!("(up {number} {})", number + 1)));
    text
}

#[test]
fn bots_and_the_forward_model_keep_their_time_in_a_game_that_takes_minutes() {
    let arena = Arena::new("");
    let rules = arena.write("slow.kif", &slow()).display().to_string();
    let games = format!("games = [\"slow\"]\nrules = [{rules:?}]\nrounds = 1");
    let mcts = ("mcts", r#"["referee", "bot", "mcts"]"#);
    let config = config_of(&games, &[mcts, GREEDY]);
    let time = "per_move = \"500ms\"\nmargin = \"10s\"";
    let config = config.replace("per_move = \"20s\"", time);
    arena.write(
        "t.toml",
        &config.replace("[time]", "[limits]\nmax_plies = 4\n[time]"),
    );
    good(arena.play());
    for record in arena.matches() {
        assert_eq!(record["result"]["reason"], "max_plies", "{record}");
    }
    let requests = [
        r#"{"id":1,"op":"new","game":"slow"}"#,
        r#"{"id":2,"op":"playout","ms":100}"#,
        r#"{"id":3,"op":"playouts","ms":100}"#,
        r#"{"id":4,"op":"get","want":["legal"]}"#,
    ];
    let mut command = Command::new(tests::referee());
    command.args(["model", "--rules", &rules]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut model = command.spawn().unwrap();
    let asked = requests.join("\n") + "\n";
    let begun = Instant::now();
    model
        .stdin
        .take()
        .unwrap()
        .write_all(asked.as_bytes())
        .unwrap();
    let answers = String::from_utf8(model.wait_with_output().unwrap().stdout).unwrap();
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
    let answers: Vec<Value> = json_lines(&answers);
    let playout = &answers[1]["ok"];
    assert_eq!(
        (&playout["count"], &playout["outcome"]),
        (&json!(0), &json!([0.5, 0.5]))
    );
    assert_eq!(
        answers[2]["error"]["code"], "bad_request",
        "several act at once"
    );
    assert_eq!(answers[3]["ok"]["ply"], 0);
}

/// An exploding sheet leaves nothing behind when its time is over, and takes little memory.
#[test]
fn rules_timeout_and_memory_hold_for_sheets() {
    let constants: String = (0..30).map(|number| format!("(c {number})")).collect();
    let text = format!(
        "(role me) (legal me a) (legal me b) {constants} (<= terminal (true x)) (goal me 1)
         (<= (h ?a ?b ?d ?e ?f) (c ?a) (c ?b) (c ?d) (c ?e) (c ?f)) (<= (legal me d) (h ?a ?b ?d ?e ?f))"
    );
    assert!(text.len() < 600, "as small as that");
    let arena = Arena::new("");
    let sheet = arena.write("large.kif", &text).display().to_string();
    let games = format!("games = [\"large\"]\nrules_timeout = \"300ms\"\nrules = [{sheet:?}]");
    arena.write("t.toml", &config_of(&games, &[RANDOM]));
    for args in [
        vec!["games", "--rules", &sheet],
        vec!["config", "check", arena.path("t.toml").to_str().unwrap()],
    ] {
        let mut child = Command::new(tests::referee())
            .args(&args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            let status = fs::read_to_string(format!("/proc/{}/status", child.id()));
            let line = status.unwrap_or_default();
            let line = line
                .lines()
                .find_map(|line| line.strip_prefix("VmHWM:").map(str::to_owned));
            let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
            peak = peak.max(number.unwrap_or(0));
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{args:?}: {:?}",
            begun.elapsed()
        );
        assert!(peak < 350_000, "{args:?}: {peak} kB");
    }
}

/// A coin is flipped, and nobody sees it; tails ends the game at once. So a seat with a turn knows
/// that it was heads.
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
    let ran = good(run([
        "check".as_ref(),
        "--rules".as_ref(),
        coin.as_os_str(),
    ]));
    assert_contains(&ran.stdout, "hidden/coin");
}
