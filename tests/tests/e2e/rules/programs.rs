//! Games with rules in another program: the same as built in, and failures are nobody's fault.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;
use tests::{Arena, Ran, assert_contains, good, json_lines, root, run, verified, verify};

use crate::{GREEDY, RANDOM, config_of};

/// The game of the rules that misbehave.
const HOSTILE_RULES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/fixtures/rules/hostile_rules.py"
);
/// This program as a rules program.
const FAR: &str = r#"{ command = "referee model", prefix = "far" }"#;

/// A tournament of the game `take` with this defect in the rules.
fn hostile(how: &str, more: &str) -> Arena {
    let bots = [RANDOM, GREEDY]
        .map(|(name, command)| format!("[[bots]]\nname = \"{name}\"\ncommand = {command}\n"));
    Arena::new(&format!(
        "name = \"test\"\nconcurrency = 1\nrounds = 3\ngames = [\"take\"]\n{more}\n\
         rules = [{{ command = [\"python3\", \"{HOSTILE_RULES}\", \"{how}\"] }}]\n\
         [time]\nper_move = \"20s\"\nstartup = \"20s\"\n{}",
        bots.concat()
    ))
}

fn matches(arena: &Arena) -> usize {
    let log = fs::read_to_string(arena.path("out/games.jsonl")).unwrap_or_default();
    log.lines().count()
}

/// The tournament stops with code 4 and a sentence that has these parts; no bot is blamed.
#[track_caller]
fn stops(ran: &Ran, parts: &[&str]) {
    assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
    let error = ran.stderr.lines().find(|line| line.starts_with("error: "));
    let error = error.unwrap_or_else(|| panic!("an error in {}", ran.stderr));
    for part in parts {
        assert_contains(error, part);
    }
    assert!(!ran.stdout.contains("forfeit"), "{}", ran.stdout);
}

macro_rules! hostile {
    ($($test:ident: $how:literal, $more:literal, $parts:expr;)*) => {
        $(#[test]
        fn $test() {
            let arena = hostile($how, $more);
            let parts: &[&str] = &$parts;
            let all = [&["the rules program `python3 ", "the request was {\"id\":"], parts].concat();
            stops(&arena.play(), &all);
            assert_eq!(matches(&arena), 0, "no match has a result");
        })*
    };
}

hostile! {
    who_dies: "dies", "", ["exited with code 7", "the sky fell", "\"op\":\"play\""];
    who_hangs: "hangs", "rules_timeout = \"2s\"", ["did not answer within 2000 ms"];
    who_prints_rubbish: "rubbish", "", ["gave an answer that cannot be read", "not json"];
    who_floods: "flood", "", ["printed a line of more than"];
    who_answers_another_request: "other-id", "", ["answered another request"];
    who_lists_no_move: "no-moves", "", ["is to move, but lists no move for it"];
    who_lists_a_move_twice: "twice", "", ["lists the move `take1` twice"];
    who_lets_a_third_seat_move: "third-seat", "", ["seat 2 is to move, but has 2 seats"];
    who_has_a_result_before_the_end: "early-result", "", ["gives a result, but says that seat"];
    who_counts_wrong: "wrong-ply", "", ["plies were made"];
}

#[test]
fn a_listed_move_that_is_refused_is_the_rules_fault() {
    // A bot that takes the first move of the list, which is the one that is refused.
    let first = r#"["python3", "-c", "import sys, json\nfor line in sys.stdin:\n m = json.loads(line)\n if m['type'] == 'hello': print(json.dumps({'type': 'hello', 'protocol': 1, 'name': 'first'}), flush=True)\n if m['type'] == 'start': print(json.dumps({'type': 'ready'}), flush=True)\n if m['type'] == 'turn': print(json.dumps({'type': 'move', 'move': m['legal'][0]}), flush=True)"]"#;
    let arena = Arena::new(&format!(
        "name = \"test\"\nconcurrency = 1\ngames = [\"take\"]\n\
         rules = [{{ command = [\"python3\", \"{HOSTILE_RULES}\", \"lists-refused\"] }}]\n\
         [time]\nper_move = \"20s\"\nstartup = \"20s\"\n\
         [[bots]]\nname = \"a\"\ncommand = {first}\n[[bots]]\nname = \"b\"\ncommand = {first}\n"
    ));
    stops(
        &arena.play(),
        &["lists \"take9\" among the legal moves, and refuses it"],
    );
}

#[test]
fn memory_of_rules_is_limited() {
    let bots = [RANDOM, GREEDY]
        .map(|(name, command)| format!("[[bots]]\nname = \"{name}\"\ncommand = {command}\n"));
    let arena = Arena::new(&format!(
        "name = \"test\"\nconcurrency = 1\ngames = [\"take\"]\n\
         [[rules]]\ncommand = [\"python3\", \"{HOSTILE_RULES}\", \"eats-memory\"]\n\
         resources = {{ memory = \"256MiB\" }}\n\
         [time]\nper_move = \"20s\"\nstartup = \"20s\"\n{}",
        bots.concat()
    ));
    let ran = arena.play();
    assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
    assert_contains(&ran.stderr, "the rules program");
}

#[test]
fn rules_that_work_play_a_whole_tournament_that_verifies() {
    let arena = hostile("fine", "");
    good(arena.play());
    assert_eq!(matches(&arena), 6);
    let line: Value = {
        let log = arena.read("out/games.jsonl");
        serde_json::from_str(log.lines().next().unwrap()).unwrap()
    };
    assert_eq!(line["rules"]["name"], "hostile");
    assert_eq!(line["rules"]["sha256"].as_str().unwrap().len(), 64);
    let out = arena.path("out");
    verified(&out);
    let shown = good(run([
        "replay".as_ref(),
        out.as_os_str(),
        "--match".as_ref(),
        "m-000001".as_ref(),
    ]));
    assert_contains(&shown.stdout, "left: 0");
}

#[test]
fn what_rules_print_and_say_is_kept() {
    let arena = hostile("dies", "");
    let mut args = arena.tournament();
    args.extend(["--trace".into(), arena.path("traces")]);
    let ran = run(args);
    assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
    let kept = |folder: &str, part: &str| {
        let entries = fs::read_dir(arena.path(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let of_rules = paths.filter(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("python3_")
        });
        let texts: Vec<String> = of_rules
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        assert!(
            texts.iter().any(|text| text.contains(part)),
            "`{part}` in {texts:?}"
        );
    };
    kept("out/stderr", "the sky fell");
    kept("traces", r#""to_bot":"{\"id\":"#);
    kept("traces", "exited with code 7");
}

#[test]
fn a_match_is_traced_with_its_rules() {
    let arena = Arena::new("");
    let file = arena.path("trace.jsonl").display().to_string();
    let rules = rules_that("fine");
    let mut args = vec!["play", "take", "--rules", &rules, "--quiet"];
    args.extend(["--bot", "random", "--bot", "random", "--trace", &file]);
    good(referee(&args));
    let text = fs::read_to_string(&file).unwrap();
    let lines = text.lines();
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of_rules = |way: &str, part: &str| {
        let said = lines.iter().filter(|line| line["bot"] == rules.as_str());
        let said = said.filter_map(|line| line[way].as_str());
        said.filter(|text| text.contains(part)).count()
    };
    let plies = of_rules("to_bot", r#""op":"play""#);
    assert!((5..=10).contains(&plies), "{plies} plies");
    assert!(of_rules("from_bot", r#""ok":"#) > plies, "{text}");
}

fn referee(args: &[&str]) -> Ran {
    run(args)
}

#[test]
fn games_through_a_pipe_have_the_same_perft_numbers() {
    for game in [
        "amazons --options {\"size\":5}",
        "amazon-penguins",
        "elephant-run",
        "giantslayer",
        "paper-penguins",
        "penguins",
        "run",
        "siam",
    ] {
        let words: Vec<&str> = game.split(' ').collect();
        let built_in = referee(&[&["perft"], &words[..], &["--depth", "2", "--divide"]].concat());
        let far = format!("far-{}", words[0]);
        let mut words = words.clone();
        words[0] = &far;
        let through = good(referee(
            &[
                &["perft"],
                &words[..],
                &["--depth", "2", "--divide", "--rules", FAR],
            ]
            .concat(),
        ));
        assert_eq!(built_in.stdout, through.stdout, "{game}");
    }
}

#[test]
fn matches_through_a_pipe_are_the_same_move_by_move() {
    for (game, options) in [
        ("siam", "{}"),
        ("elephant-run", "{}"),
        ("run", "{}"),
        ("penguins", "{\"players\":3}"),
        ("penguins", "{\"players\":4}"),
        ("amazons", "{\"size\":5}"),
    ] {
        let seats: Value = serde_json::from_str(options).unwrap();
        let bots = seats["players"].as_u64().unwrap_or(2);
        let play = |game: &str, more: &[&str]| {
            let mut args = vec!["play", game, "--options", options, "--seed", "7"];
            args.extend([
                "--random-plies",
                "2",
                "--max-plies",
                "60",
                "--format",
                "json",
            ]);
            for _ in 0..bots {
                args.extend(["--bot", "referee bot random --seed 3"]);
            }
            args.extend(more);
            let ran = good(referee(&args));
            let record = ran.json();
            let moves = record["moves"].as_array().unwrap().iter();
            let moves: Vec<Value> = moves.map(|played| played["move"].clone()).collect();
            (moves, record["result"].clone(), record["start"].clone())
        };
        let far = format!("far-{game}");
        assert_eq!(play(game, &[]), play(&far, &["--rules", FAR]), "{game}");
    }
}

/// The command of rules that misbehave in this way.
fn rules_that(how: &str) -> String {
    format!("python3 {HOSTILE_RULES} {how}")
}

#[test]
fn good_rules_pass_all_checks_and_bad_ones_do_not() {
    good(referee(&[
        "check",
        "--rules",
        &rules_that("fine"),
        "--games",
        "5",
    ]));
    let ran = referee(&["check", "--rules", &rules_that("forgets"), "--games", "5"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert_contains(&ran.stdout, "states/take");
    let ran = referee(&[
        "check",
        "--rules",
        &rules_that("lists-refused"),
        "--games",
        "5",
    ]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    for (how, code, line) in [
        ("fine", 0, "made up for by `play`"),
        ("own-playouts", 0, ""),
        ("greedy-playouts", 3, "FAIL  playouts/take"),
        ("unseeded-playouts", 3, "FAIL  playouts/take"),
        ("wild-playouts", 3, "not 2 numbers from 0 to 1"),
    ] {
        let ran = referee(&["check", "--rules", &rules_that(how), "--games", "2"]);
        assert_eq!(ran.code, Some(code), "{how}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(line), "{how}: {}", ran.stdout);
    }
}

/// Other rules that say the same, and some that do not.
#[test]
fn rules_are_compared_with_others() {
    let between = |how: &str, other: &str| {
        let (rules, other) = (rules_that(how), rules_that(other));
        referee(&[
            "check",
            "--rules",
            &rules,
            "--against",
            &other,
            "--games",
            "3",
        ])
    };
    let compare = |how: &str| between("fine", how);
    let same = good(compare("fine"));
    assert!(
        !same.stdout.contains("nothing to compare with"),
        "{}",
        same.stdout
    );
    let other = compare("wrong-ply");
    assert_eq!(other.code, Some(3), "{}{}", other.stdout, other.stderr);
    assert_contains(&other.stdout, "FAIL  against/take");
    // Games that are built in can be compared with, too, also by rules of the same id.
    let model = |source: &str| {
        referee(&[
            "check",
            "--rules",
            source,
            "--against",
            "referee model",
            "--game",
            "far-run",
            "--games",
            "2",
        ])
    };
    let ran = good(model(FAR));
    assert!(
        !ran.stdout.contains("nothing to compare with"),
        "{}",
        ran.stdout
    );
    // The only games of both are compared, even under different names.
    let goofspiel = root().join("games/examples/goofspiel.py");
    let ran = referee(&[
        "check",
        "--rules",
        &rules_that("fine"),
        "--against",
        &format!("python3 '{}'", goofspiel.display()),
    ]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert_contains(&ran.stdout, "FAIL  against/take");
    // Points before the end are compared if both say them.
    for (how, other, code) in [
        ("scores", "scores", 0),
        ("scores", "fine", 0),
        ("scores", "other-scores", 3),
    ] {
        let ran = between(how, other);
        assert_eq!(
            ran.code,
            Some(code),
            "{other}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

/// Chance, several seats at once, hidden information: played, verified, and alike for both matches of a
/// pair.
#[test]
fn games_of_every_kind_are_played_and_verified() {
    for (game, file) in [
        ("pig", "pig"),
        ("kuhn-poker", "kuhn_poker"),
        ("rock-paper-scissors", "rock_paper_scissors"),
        ("goofspiel", "goofspiel"),
    ] {
        let program = root().join(format!("games/examples/{file}.py"));
        let games = format!(
            "games = [\"{game}\"]\nrules = [\"python3 '{}'\"]",
            program.display()
        );
        let arena = Arena::new(&config_of(&games, &[RANDOM, GREEDY]));
        good(arena.play());
        let drawn = |record: &Value| -> Vec<Value> {
            assert_eq!(
                record["result"]["faults"],
                Value::Array(Vec::new()),
                "{record}"
            );
            let moves = record["moves"].as_array().unwrap().iter();
            let chance = moves.filter(|played| played["seat"].is_null());
            chance.map(|played| played["move"].clone()).collect()
        };
        let matches = arena.matches();
        let (one, other) = (drawn(&matches[0]), drawn(&matches[1]));
        let both = one.len().min(other.len());
        assert_eq!(one[..both], other[..both], "{game}");
        assert_eq!(both == 0, game == "rock-paper-scissors", "{game}");
        verified(arena.path("out"));
        // Another draw than what was dealt is found.
        if both > 0 {
            let log = arena.path("out/games.jsonl");
            let text = fs::read_to_string(&log).unwrap();
            let wrong = |drawn: &Value| format!("{{\"seat\":null,\"move\":{drawn}");
            let other = one.iter().find(|drawn| **drawn != one[0]);
            let other = other.unwrap_or(&one[0]);
            let changed = text.replacen(&wrong(&one[0]), &wrong(other), 1);
            fs::write(&log, changed).unwrap();
            let refused = verify(arena.path("out"));
            assert_eq!(refused.code, Some(3), "{game}: {}", refused.stdout);
            let deal = "but the match's deal brings";
            assert!(refused.stdout.contains(deal), "{game}: {}", refused.stdout);
        }
    }
}

/// Bots in the strict sandbox can run the rules, whose files are readable, and read nothing else.
#[test]
fn rules_are_found_in_the_strict_sandbox() {
    let games = format!(
        "games = [\"take\"]\nsandbox = \"strict\"\nrules = [\"python3 '{HOSTILE_RULES}' fine\"]"
    );
    let mcts = ("mcts", r#"["referee", "bot", "mcts", "--playouts", "10"]"#);
    let arena = Arena::new(&config_of(&games, &[RANDOM, mcts]));
    good(arena.play());
    for record in arena.matches() {
        assert_eq!(record["result"]["reason"], "empty", "{record}");
    }
}

/// A position in another process cannot be evaluated; this is reported, and nothing breaks.
#[test]
fn far_positions_have_no_evaluation() {
    let mut model = Command::new(tests::referee())
        .args(["model", "--rules", FAR])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let requests = "{\"id\":1,\"op\":\"new\",\"game\":\"far-siam\"}\n{\"id\":2,\"op\":\"evaluate\"}\n\
                    {\"id\":3,\"op\":\"get\",\"want\":[\"key\"]}\n";
    model
        .stdin
        .take()
        .unwrap()
        .write_all(requests.as_bytes())
        .unwrap();
    let answers = model.wait_with_output().unwrap().stdout;
    let answers = String::from_utf8(answers).unwrap();
    let answers: Vec<Value> = json_lines(&answers);
    assert_eq!(answers[1]["error"]["code"], "bad_request", "{answers:?}");
    assert!(answers[2]["ok"]["key"].is_string(), "{answers:?}");
}

#[test]
fn mistakes_in_sources_are_named() {
    let error = |rules: &str| {
        let ran = referee(&["perft", "take", "--depth", "1", "--rules", rules]);
        assert!(
            matches!(ran.code, Some(2 | 4)),
            "{:?} {}",
            ran.code,
            ran.stderr
        );
        ran.stderr
    };
    assert!(error("no-such-program").contains("no-such-program"));
    assert!(error("no-such-sheet.kif").contains("`no-such-sheet.kif` cannot be read"));
    assert!(error("referee model").contains("there are two games `amazons`"));
    assert!(error("{ command = \"referee model\", prefix = \"Far\" }").contains("`Far`"));
    assert!(error("{ comand = \"referee model\" }").contains("comand"));
    assert!(error(&format!("python3 {HOSTILE_RULES} protocol-99")).contains("version 99"));
    assert!(error("true").contains("exited"), "{}", error("true"));
}
