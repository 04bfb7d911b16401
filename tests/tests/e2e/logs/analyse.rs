//! Analyses by bots: of positions, of logs, and of whole matches.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tests::screen::Terminal;
use tests::{Arena, Ran, assert_contains, good, referee, root, run, verified};

use crate::HOSTILE;

const SMALL: [&str; 3] = ["amazons", "--options", r#"{"size":5}"#];
/// A fixed amount of search on each machine.
const ALPHABETA: &str = "referee bot alphabeta --nodes 3000";

fn analyse(args: &[&str]) -> Ran {
    // Lots of time: the bots end by themselves.
    run([&["analyse"], args, &["--time", "60s"]].concat())
}

/// JSON output, one value a line.
#[track_caller]
fn answers(args: &[&str]) -> Vec<Value> {
    let ran = good(analyse(&[args, &["--format", "json"]].concat()));
    let lines = ran.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn hostile(how: &str) -> String {
    format!("'{HOSTILE}' {how}")
}

/// The analysis of the start of a match by a hostile bot.
fn of_hostile(how: &str, more: &[&str]) -> Vec<Value> {
    answers(&[&SMALL[..], &["--bot", &hostile(how)], more].concat())
}

#[track_caller]
fn refused(args: &[&str], part: &str) {
    tests::refused(&analyse(args), 2, part);
}

#[test]
fn a_bot_tells_its_best_lines() {
    let [thought] = &of_hostile("reports-lines", &["--lines", "2"])[..] else {
        panic!("one bot")
    };
    let (depth, nodes) = (&thought["depth"], &thought["nodes"]);
    assert_eq!((depth, nodes), (&json!(2), &json!(20)), "{thought}");
    let values = |key: &str| -> Vec<&Value> {
        let lines = thought["lines"].as_array().unwrap();
        lines.iter().map(|line| &line[key]).collect()
    };
    assert_eq!(values("value"), [&json!(0.75), &json!(0.5)]);
    assert_eq!(values("depth"), [&json!(2), &json!(2)]);
    assert_eq!(thought["move"], thought["lines"][0]["pv"][0]);
    // This start is solved.
    assert_eq!(thought["proven"]["outcome"], json!([1.0, 0.0]));
    assert_contains(
        thought["proven"]["by"].as_str().unwrap(),
        "referee solve amazons",
    );
    assert_eq!(
        (&thought["remarks"], &thought["fault"]),
        (&json!([]), &json!(null))
    );
    assert_eq!(
        (&thought["role"], &thought["value"]),
        (&json!("light"), &json!(0.75))
    );
    // On a terminal, nothing of what it says does anything.
    let bot = hostile("reports-lines");
    let shown = analyse(&[&SMALL[..], &["--bot", &bot]].concat()).stdout;
    assert!(
        shown.contains("depth 2, 20 nodes") && shown.contains("\\u001b[2Jfine"),
        "{shown}"
    );
    assert!(
        shown.contains("  1  0.750  depth 2") && shown.contains("  3  0.250"),
        "{shown}"
    );
}

#[test]
fn reports_are_updates_for_those_who_want_them() {
    let answers = of_hostile("reports-lines", &["--updates"]);
    let [early, .., last] = &answers[..] else {
        panic!("{answers:?}")
    };
    assert_eq!(
        (&early["done"], &early["depth"]),
        (&json!(false), &json!(1))
    );
    assert_eq!(
        (&early["move"], &early["lines"][2]["depth"]),
        (&json!(null), &json!(1))
    );
    assert_eq!((&last["done"], &last["depth"]), (&json!(true), &json!(2)));
    refused(&[&SMALL[..], &["--updates"]].concat(), "--format json");
}

#[test]
fn a_bot_that_knows_nothing_of_lines_is_shown_with_what_it_tells() {
    let silent = &of_hostile("plays", &[])[0];
    assert!(
        silent["move"].is_string() && silent["fault"].is_null(),
        "{silent}"
    );
    assert_eq!(
        (&silent["lines"], &silent["value"]),
        (&json!([]), &json!(null))
    );
    let some = &of_hostile("reports-a-value", &[])[0];
    let expected = json!([{"value": 0.625, "pv": [some["move"]], "depth": 3}]);
    assert_eq!((&some["lines"], &some["value"]), (&expected, &json!(0.625)));
}

#[test]
fn nonsense_is_dropped_with_a_word() {
    let thought = &of_hostile("reports-nonsense", &["--lines", "4"])[0];
    assert!(
        thought["move"].is_string() && thought["fault"].is_null(),
        "{thought}"
    );
    // One legal move is left of it all.
    assert_eq!(thought["lines"], json!([{"pv": [thought["move"]]}]));
    for key in ["value", "depth", "nodes", "text"] {
        assert_eq!(thought[key], json!(null), "{thought}");
    }
    let remarks = thought["remarks"].to_string();
    for part in [
        "`value` is 17, which is not from 0 to 1",
        "`lines[0].value` is -1",
        "`lines[1]` is \\\"the best\\\", which is no line",
        "`lines` are 5, but asked for were 4",
        "`nodes` is \\\"many\\\"",
        "line 1: its move 2, ",
    ] {
        assert_contains(&remarks, part);
    }
    let bot = hostile("reports-nonsense");
    let shown = analyse(&[&SMALL[..], &["--bot", &bot]].concat()).stdout;
    assert!(
        shown.contains("dropped: `value` is 17") && !shown.contains('\u{1b}'),
        "{shown}"
    );
}

#[test]
fn a_bot_that_crashes_costs_nobody_else_anything() {
    let mut args = SMALL.to_vec();
    let bots = ["reports-and-crashes", "exit-at-start", "reports-a-value"].map(hostile);
    for bot in &bots {
        args.extend(["--bot", bot]);
    }
    let answers = answers(&args);
    let codes: Vec<&Value> = answers
        .iter()
        .map(|thought| &thought["fault"]["code"])
        .collect();
    assert_eq!(codes, [&json!("crash"), &json!("startup"), &json!(null)]);
    assert_eq!(
        (&answers[0]["depth"], &answers[0]["move"]),
        (&json!(1), &json!(null))
    );
    assert_eq!(answers[2]["value"], json!(0.625));
    let shown = analyse(&[&args[..], &["--concurrency", "1"]].concat()).stdout;
    assert_contains(&shown, "3 bots think, one after the other");
    assert_contains(&shown, "crash: ");
    let resigned = &of_hostile("illegal-at-once", &[])[0];
    assert_eq!(
        resigned["fault"]["code"],
        json!("illegal_move"),
        "{resigned}"
    );
}

/// A match between two bots that play at random, as a log: dark throws it away near the end.
fn random_match(arena: &Arena) -> (String, Value) {
    let log = arena.path("match.jsonl").display().to_string();
    let bots = ["referee bot random", "referee bot random --seed 2"];
    let mut args = [&["play"][..], &SMALL, &["--quiet", "--log", &log]].concat();
    for bot in bots {
        args.extend(["--bot", bot]);
    }
    good(run(&args));
    let text = fs::read_to_string(&log).unwrap();
    (log, serde_json::from_str(&text).unwrap())
}

/// The value for the seat to move, by brute force.
fn solve(session: &mut dyn games::Session) -> f64 {
    let mover = session.to_move().alone().unwrap();
    let mut best: f64 = 0.0;
    for mv in session.legal().unwrap() {
        session.play(&mv).unwrap();
        let value = match session.end() {
            Some(end) => end.tally.outcome[mover],
            None => 1.0 - solve(session),
        };
        session.undo(1).unwrap();
        best = best.max(value);
        if best == 1.0 {
            break;
        }
    }
    best
}

/// The position of a match after this many plies.
fn position(record: &Value, plies: usize) -> Box<dyn games::Session> {
    let rules = games::find("amazons").unwrap();
    let rules = rules.configure(&record["options"]).unwrap();
    let mut session = rules.load(&record["start"]).unwrap();
    for made in &record["moves"].as_array().unwrap()[..plies] {
        session.play(made["move"].as_str().unwrap()).unwrap();
    }
    session
}

#[test]
fn blunders_of_a_match_are_found_and_written_into_a_copy() {
    let arena = Arena::new("");
    let (log, record) = random_match(&arena);
    let plies = record["moves"].as_array().unwrap().len();
    let copy = arena.path("copy.jsonl").display().to_string();
    let whole = ["--match", "m-000001", "--each-ply", "--bot", ALPHABETA];
    let answers = answers(&[&[&*log][..], &whole, &["--out", &copy, "--blunder", "0.4"]].concat());
    let judged = answers[0]["plies"].as_array().unwrap();
    assert_eq!((answers.len(), judged.len()), (1, plies));

    // Near the end all is proven, as brute force does.
    let late = judged.iter().rev().take(6);
    for here in late {
        let ply = here["ply"].as_u64().unwrap() as usize;
        let value = solve(&mut *position(&record, ply));
        assert_eq!(here["value"].as_f64(), Some(value), "{here}");
    }
    let blunders = answers[0]["blunders"].as_array().unwrap();
    let last = blunders.last().and_then(Value::as_u64).expect("a blunder") as usize;
    let here = &judged[last];
    assert!(
        here["loss"].as_f64() >= Some(0.4) && here["blunder"] == true,
        "{here}"
    );
    assert_ne!(here["played"], here["thought"]["lines"][0]["pv"][0]);
    // The blunder lost the match for certain.
    assert_eq!(judged[last + 1]["value"], json!(1.0));
    assert_eq!(solve(&mut *position(&record, last + 1)), 1.0);

    // The copy is the match, with what was thought of each ply, and stands every check.
    verified(&copy);
    let text = fs::read_to_string(&copy).unwrap();
    let mut copied: Value = serde_json::from_str(&text).unwrap();
    let entry = copied["moves"][last]["analysis"][0].clone();
    assert_eq!(entry["loss"], here["loss"]);
    assert_eq!(
        (&entry["bot"], &entry["value"]),
        (&json!(ALPHABETA), &here["value"])
    );
    assert_eq!(entry["line"], here["thought"]["lines"][0]["pv"]);
    for made in copied["moves"].as_array_mut().unwrap() {
        made.as_object_mut()
            .unwrap()
            .remove("analysis")
            .expect("an analysis");
    }
    assert_eq!(copied, record);
    good(run(["replay", &copy, "--match", "m-000001", "--ply", "3"]));
    good(run(["export", &copy, "--format", "html"]));
    refused(
        &[&[&*log][..], &whole, &["--out", &copy]].concat(),
        "is there already",
    );
}

#[test]
fn a_graph_is_drawn_from_the_view_of_one_seat() {
    let arena = Arena::new("");
    let (log, record) = random_match(&arena);
    let won_by = record["result"]["outcome"][0].as_f64().unwrap() as usize;
    for (seat, of_light) in [("light", won_by), ("1", 1 - won_by)] {
        let args = [
            &*log,
            "--match",
            "m-000001",
            "--each-ply",
            "--bot",
            ALPHABETA,
        ];
        let shown = analyse(&[&args[..], &["--seat", seat]].concat()).stdout;
        let lines: Vec<&str> = shown.lines().collect();
        let [.., last, blunders] = &lines[..] else {
            panic!("{shown}")
        };
        let bar = ["0.000  ░░░░░░░░░░░░░░░░░░░░", "1.000  ████████████████████"];
        assert!(last.contains(bar[of_light]), "{shown}");
        assert!(
            blunders.starts_with("blunders (a loss of 0.2 or more): light"),
            "{shown}"
        );
        assert_contains(&shown, "BLUNDER: loses 0.");
    }
}

#[test]
fn a_position_of_a_log_is_the_same_as_its_state() {
    let arena = Arena::new("");
    let (log, record) = random_match(&arena);
    let plies = record["moves"].as_array().unwrap().len() - 4;
    let state = position(&record, plies).state().unwrap();
    let file = arena.write("state.json", &state.to_string());
    let (ply, file) = (plies.to_string(), format!("@{}", file.display()));
    let bot = ["--bot", ALPHABETA, "--lines", "1"];
    let by_log = answers(&[&[&*log, "--match", "m-000001", "--ply", &ply][..], &bot].concat());
    let by_game = ["amazons", &*log, "--match", "m-000001", "--ply", &ply];
    let by_game = answers(&[&by_game[..], &bot].concat());
    let by_state = answers(&[&SMALL[..], &["--state", &file], &bot].concat());
    let value = solve(&mut *position(&record, plies));
    for answers in [&by_log, &by_game, &by_state] {
        assert_eq!(answers[0]["value"].as_f64(), Some(value));
        assert_eq!(answers[0]["lines"].as_array().unwrap().len(), 1);
        assert_eq!(answers[0]["ply"], json!(plies));
    }
    assert_eq!(by_log[0]["match"], json!("m-000001"));
    assert_eq!(by_log[0]["lines"], by_game[0]["lines"]);
}

#[test]
fn what_nobody_can_think_about_is_refused_in_a_sentence() {
    let arena = Arena::new("");
    let (log, record) = random_match(&arena);
    let plies = record["moves"].as_array().unwrap().len();
    let of_match = |more: &[&str], part: &str| {
        refused(&[&[&*log, "--match", "m-000001"], more].concat(), part);
    };
    of_match(&[], "--match needs --ply N");
    of_match(
        &["--ply", &plies.to_string()],
        "the match is over there by `no_moves`",
    );
    of_match(&["--ply", "999"], &format!("has only {plies} plies"));
    of_match(
        &["--ply", "1", "--seat", "light"],
        "it is not the turn of light there",
    );
    of_match(
        &["--ply", "1", "--seat", "green"],
        "is no seat of amazons, which has light, dark",
    );
    of_match(
        &["--each-ply", "--blunder", "7"],
        "a loss is a number from 0 to 1",
    );
    refused(
        &[&*log, "--match", "1", "--ply", "1"],
        "did you mean `m-000001`?",
    );
    refused(
        &["siam", &log, "--match", "m-000001", "--ply", "1"],
        "of amazons, not of siam",
    );
    refused(&["chess"], "chess");
    refused(
        &[&SMALL[..], &["--bot", "nobody-of-this-name"]].concat(),
        "reference bot",
    );
    let sheet = |name: &str| root().join("games/sheets").join(name).display().to_string();
    let together = sheet("rock-paper-scissors.kif");
    let of_sheet = ["rock-paper-scissors", "--rules", &together];
    refused(
        &of_sheet,
        "act at once there; --seat says which of them is to think",
    );
    let bot = ["--seat", "1", "--bot", "referee bot mcts --playouts 60"];
    let answers = answers(&[&of_sheet[..], &bot].concat());
    assert_eq!(
        (&answers[0]["seat"], &answers[0]["nodes"]),
        (&json!(1), &json!(60)),
        "{answers:?}"
    );
    assert_eq!(answers[0]["lines"].as_array().unwrap().len(), 3);
    let cards = sheet("kuhn-poker.kif");
    refused(&["kuhn-poker", "--rules", &cards], "chance acts there");
}

#[test]
fn a_seat_with_hidden_information_thinks_about_what_it_knows() {
    let arena = Arena::new("");
    let log = arena.path("match.jsonl").display().to_string();
    let sheet = root()
        .join("games/sheets/kuhn-poker.kif")
        .display()
        .to_string();
    let game = ["kuhn-poker", "--rules", &sheet];
    let players = [
        "--bot", "random", "--bot", "random", "--quiet", "--log", &log,
    ];
    good(run([&["play"][..], &game, &players].concat()));
    let mcts = "referee bot mcts --playouts 300";
    let args = [
        &*log,
        "--rules",
        &sheet,
        "--match",
        "m-000001",
        "--each-ply",
        "--bot",
        mcts,
    ];
    let answers = answers(&args);
    let plies = answers[0]["plies"].as_array().unwrap();
    let skipped = |ply: &&Value| {
        ply["skipped"].as_str()
            == Some("chance acts there, and no seat: there is nothing to choose")
    };
    assert!(plies.iter().any(|ply| skipped(&ply)), "{plies:?}");
    let thought: Vec<&Value> = plies
        .iter()
        .filter(|ply| ply["skipped"].is_null())
        .collect();
    assert!(!thought.is_empty(), "{plies:?}");
    for ply in thought {
        assert!(
            ply["value"]
                .as_f64()
                .is_some_and(|value| (0.0..=1.0).contains(&value)),
            "{ply}"
        );
        assert_eq!(
            ply["thought"]["lines"][0]["pv"].as_array().unwrap().len(),
            1
        );
    }
}

#[test]
fn lines_are_drawn_while_bots_think_and_stay_when_they_are_done() {
    let folder = tempfile::tempdir().unwrap();
    let command = format!(
        "{} analyse amazons --options '{{\"size\":5}}' --time 60s --bot \"{} reports-lines\"",
        referee().display(),
        HOSTILE
    );
    let Some(terminal) = Terminal::start(&command, 80, 40, Path::new(folder.path())) else {
        return;
    };
    let (code, screen) = terminal.end();
    let rows = screen.rows();
    assert_eq!(code, Some(0), "{rows:?}");
    let with = |part: &str| rows.iter().filter(|row| row.contains(part)).count();
    // The block is gone, and the end is there once.
    assert_eq!(
        (with("depth 1"), with("  1  0.750  depth 2")),
        (0, 1),
        "{rows:?}"
    );
}
