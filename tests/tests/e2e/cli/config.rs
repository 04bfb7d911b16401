//! Configurations: layers, variables, `--set`, and the checks before a tournament.

use std::fs;
use std::process::Command;

use serde_json::Value;
use tests::{
    Arena, Ran, assert_contains, good, referee, refused_with_all as refused, root, run, verified,
};

use crate::{GREEDY, RANDOM, config};

/// Runs `referee` with more arguments after the path of the configuration.
fn with(arena: &Arena, before: &[&str], after: &[&str]) -> Ran {
    let path = arena.path("t.toml");
    let mut args: Vec<&str> = before.to_vec();
    args.push(path.to_str().unwrap());
    args.extend(after);
    run(args)
}

fn dry(arena: &Arena, more: &[&str]) -> Ran {
    with(arena, &["tournament"], &[&["--dry-run"], more].concat())
}

/// The configuration with two bots, split: time and bots in another folder.
fn layered() -> Arena {
    let arena = Arena::new(
        "include = [\"base/bots.toml\"]\nname = \"layered\"\nconcurrency = 1\n\
         games = [{ id = \"amazons\", options = { size = 5 } }]\n[time]\nmargin = \"1s\"\n",
    );
    fs::create_dir(arena.path("base")).unwrap();
    arena.write(
        "base/bots.toml",
        "name = \"base\"\n[time]\nper_move = \"20s\"\nstartup = \"20s\"\n\
         [[bots]]\nname = \"here\"\ncommand = [\"./mine.sh\", \"${PLAYER_OF_TESTS:-random}\"]\n\
         [[bots]]\nname = \"random\"\ncommand = \"referee bot random\"\n",
    );
    let script = "#!/bin/sh\nexec \"$REFEREE\" bot \"$1\"\n";
    let script = arena.write("base/mine.sh", script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(script, mode).unwrap();
    arena
}

#[test]
fn a_dry_run_tells_what_would_be_played_and_plays_nothing() {
    let text = format!("rounds = 15\n{}", config(&[RANDOM, GREEDY]));
    let arena = Arena::new(&text);
    let ran = good(dry(&arena, &["--out", arena.path("out").to_str().unwrap()]));
    for part in [
        "30 matches of 2 bots",
        "About ",
        "m-000001  round 1  amazons  random – greedy",
        "10 more",
    ] {
        assert_contains(&ran.stdout, part);
    }
    assert!(!arena.path("out").exists(), "nothing is written");
    let json = dry(&arena, &["--format", "json"]);
    let json = json.json();
    let schedule = json["schedule"].as_array().unwrap();
    assert_eq!(schedule.len(), 30);
    assert!(json["seconds_most"].as_u64().unwrap() > 0);
    // The printed schedule is what is played.
    good(arena.play());
    for (scheduled, played) in schedule.iter().zip(arena.matches()) {
        assert_eq!(scheduled["match"], played["match"]);
        assert_eq!(scheduled["seed"], played["seed"]);
        let names = played["players"].as_array().unwrap().iter();
        let names: Vec<&Value> = names.map(|player| &player["name"]).collect();
        assert!(scheduled["players"].as_array().unwrap().iter().eq(names));
    }
}

#[test]
fn where_results_decide_a_dry_run_says_so() {
    let arena = Arena::new(&format!(
        "format = \"knockout\"\n{}",
        config(&[RANDOM, GREEDY])
    ));
    let ran = dry(&arena, &[]);
    assert_contains(&ran.stdout, "2 to 10 matches");
    assert_contains(&ran.stdout, "depends on results");
}

#[test]
fn files_are_layered_and_the_copy_is_the_whole() {
    let arena = layered();
    let mut args = arena.tournament();
    args.extend(["--set".into(), "rounds=2".into()]);
    good(run(&args));
    let matches = arena.matches();
    assert_eq!(matches.len(), 4);
    for record in &matches {
        assert_eq!(record["result"]["faults"], serde_json::json!([]));
        assert_eq!(record["time"]["per_move_ms"], 20_000);
        assert_eq!(record["time"]["margin_ms"], 1000);
        let mut players = record["players"].as_array().unwrap().iter();
        let here = players.find(|player| player["name"] == "here").unwrap();
        assert_eq!(here["command"], serde_json::json!(["./mine.sh", "random"]));
    }
    let copy = arena.read("out/tournament.toml");
    for part in [
        "name = \"layered\"",
        "rounds = 2",
        "dir = \"base",
        "${PLAYER_OF_TESTS:-random}",
    ] {
        assert_contains(&copy, part);
    }
    assert!(!copy.contains("include"), "{copy}");
    // It goes on with the same keys set, and with others not.
    let log = arena.read("out/games.jsonl");
    let first = log.lines().next().unwrap();
    fs::write(arena.path("out/games.jsonl"), format!("{first}\n")).unwrap();
    let mut other = arena.tournament();
    other.push("--resume".into());
    refused(&run(&other), 2, &["`rounds` was 2 and is not there now"]);
    args.push("--resume".into());
    good(run(&args));
    assert_eq!(arena.matches().len(), 4);
}

#[test]
fn variables_are_taken_from_the_environment() {
    let text = config(&[RANDOM, ("mine", "\"referee bot ${PLAYER_OF_TESTS}\"")]);
    let arena = Arena::new(&text);
    refused(
        &arena.play(),
        2,
        &[
            "bot `mine`",
            "`command`",
            "no environment variable `PLAYER_OF_TESTS`",
        ],
    );
    let mut command = Command::new(referee());
    command
        .args(arena.tournament())
        .env("PLAYER_OF_TESTS", "greedy");
    let ran: Ran = command.output().unwrap().into();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let log = arena.read("out/games.jsonl");
    assert_contains(&log, "[\"referee\",\"bot\",\"greedy\"]");
}

#[test]
fn problems_with_layers_name_their_place() {
    let arena = layered();
    let check = |more: &[&str]| with(&arena, &["config", "check"], more);
    good(check(&[]));
    refused(
        &check(&["--set", "ronds=2"]),
        2,
        &["--set ronds=2", "did you mean `rounds`?"],
    );
    refused(
        &check(&["--set", "rounds=many"]),
        2,
        &["--set rounds=many: `rounds`", "is not a whole number"],
    );
    refused(
        &check(&["--set", "bots.me.dir=x"]),
        2,
        &["--set bots.me.dir=x", "name of a bot"],
    );
    let base = arena.read("base/bots.toml");
    arena.write(
        "base/bots.toml",
        &base.replace("\"20s\"\nstartup", "20\nstartup"),
    );
    refused(
        &check(&[]),
        2,
        &["base/bots.toml: line 3: `time.per_move`: 20 is not a duration"],
    );
    fs::remove_file(arena.path("base/bots.toml")).unwrap();
    refused(
        &check(&[]),
        2,
        &["t.toml → ", "base/bots.toml` cannot be read"],
    );
    arena.write("base/bots.toml", "include = [\"../t.toml\"]\n");
    refused(&check(&[]), 2, &["includes itself"]);
}

#[test]
fn a_check_tells_what_will_be_played() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    let ran = good(with(&arena, &["config", "check"], &["--set", "rounds=3"]));
    for part in [
        "test: round-robin, 3 rounds",
        "6 matches",
        "amazons (size=5)",
    ] {
        assert_contains(&ran.stdout, part);
    }
    let bad = Arena::new(&config(&[RANDOM, ("gone", "\"./gone\"")]));
    refused(
        &with(&bad, &["config", "check"], &[]),
        2,
        &["bot `gone`", "`./gone`"],
    );
}

#[test]
fn keys_are_explained() {
    let all = good(run(["config", "explain"]));
    for part in [
        "time.per_move  (duration)",
        "bots[].command",
        "; required)",
        "default 1)",
    ] {
        assert_contains(&all.stdout, part);
    }
    let some = run(["config", "explain", "bots.time", "--format", "json"]);
    let some: Vec<Value> = serde_json::from_str(&some.stdout).unwrap();
    assert!(
        some.iter()
            .any(|key| key["key"] == "bots[].time.base" && key["type"] == "duration")
    );
    assert!(
        some.iter()
            .all(|key| key["key"].as_str().unwrap().starts_with("bots[].time"))
    );
    refused(
        &run(["config", "explain", "tmie"]),
        2,
        &["no key begins with `tmie`"],
    );
}

#[test]
fn the_schema_is_current_and_named_in_the_ready_configurations() {
    let schema = fs::read_to_string(root().join("tournaments/schema.json")).unwrap();
    // Neither is printed: they are long.
    assert!(
        run(["config", "schema"]).stdout == schema,
        "regenerate it with `referee config schema > tournaments/schema.json`"
    );
    for entry in fs::read_dir(root().join("tournaments")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(
                text.lines().next(),
                Some("#:schema ./schema.json"),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn books_open_matches_and_may_not_change() {
    let head = "rounds = 2\nopening.book = \"book.txt\"\n";
    let arena = Arena::new(&format!("{head}{}", config(&[RANDOM, GREEDY])));
    refused(
        &arena.play(),
        2,
        &["`opening.book`", "book.txt` cannot be read"],
    );
    arena.write("book.txt", "# openings\namazons: a1-a1/a1\n");
    refused(
        &arena.play(),
        2,
        &["book.txt`, line 2: move 1", "`a1-a1/a1`"],
    );
    let moves = model_moves();
    let book = |moves: &[String]| -> String {
        moves.iter().map(|mv| format!("amazons: {mv}\n")).collect()
    };
    arena.write("book.txt", &book(&moves[..2]));
    good(arena.play());
    let matches = arena.matches();
    let first = |record: &Value| record["moves"][0]["move"].as_str().unwrap().to_owned();
    for pair in matches.chunks(2) {
        assert_eq!(pair[0]["opening"], 1);
        assert_eq!(
            first(&pair[0]),
            first(&pair[1]),
            "the same for both seat orders"
        );
    }
    let mut dealt = [first(&matches[0]), first(&matches[2])];
    dealt.sort();
    let mut expected = moves[..2].to_vec();
    expected.sort();
    assert_eq!(dealt, *expected, "each opening once");
    verified(arena.path("out"));
    // Another book is noticed.
    arena.write("book.txt", &book(&moves[2..4]));
    let mut args = arena.tournament();
    args.push("--resume".into());
    let ran = run(args);
    tests::refused(&ran, 4, "was the book changed?");
}

/// Legal moves at the start of Amazons on the smallest board.
fn model_moves() -> Vec<String> {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    arena.write("book.txt", "");
    good(with(
        &arena,
        &["tournament"],
        &[
            "--out",
            arena.path("out").to_str().unwrap(),
            "--quiet",
            "--set",
            "rounds=6",
            "--set",
            "opening.random_plies=1",
        ],
    ));
    let matches = arena.matches();
    let mut moves: Vec<String> = matches
        .iter()
        .map(|record| record["moves"][0]["move"].as_str().unwrap().to_owned())
        .collect();
    moves.sort();
    moves.dedup();
    assert!(moves.len() >= 4, "{moves:?}");
    moves
}

#[test]
fn openings_that_are_left_out_of_a_book_are_named_once() {
    let head = "rounds = 4\nopening = { book = \"book.txt\", balanced = 0.000001 }\n";
    let arena = Arena::new(&format!("{head}{}", config(&[RANDOM, GREEDY])));
    let moves = model_moves();
    let book = moves[..3].iter().map(|mv| format!("amazons: {mv}\n"));
    arena.write("book.txt", &book.collect::<String>());
    let ran = good(arena.play());
    let warning = "2 of the 3 openings of amazons in the book are left out, because their random \
                   games are not within 0.000001 of equal chances: ";
    let (before, names) = ran.stderr.split_once(warning).expect(&ran.stderr);
    assert!(!names.contains(warning), "once: {}", ran.stderr);
    assert!(before.ends_with("warning: "), "{before}");
    let played = arena.matches();
    let played = played[0]["moves"][0]["move"].as_str().unwrap();
    let named = names.lines().next().unwrap();
    for mv in &moves[..3] {
        assert_eq!(named.contains(&**mv), mv != played, "{mv} in {named}");
    }
}

#[test]
fn openings_that_cannot_be_balanced_are_told() {
    let head = "opening = { random_plies = 1, balanced = 0.000001 }\n";
    let games = r#"games = [{ id = "elephant-run", options = { target = 1 } }]"#;
    let text = crate::config_of(games, &[RANDOM, GREEDY]);
    let arena = Arena::new(&format!("{head}{text}"));
    let ran = good(arena.play());
    let warnings = ran
        .stderr
        .matches("warning: no opening of elephant-run")
        .count();
    assert_eq!(warnings, 1, "{}", ran.stderr);
    let matches = arena.matches();
    assert_eq!(
        matches[0]["moves"][0]["move"],
        matches[1]["moves"][0]["move"]
    );
    refused(
        &with(
            &arena,
            &["config", "check"],
            &["--set", "opening.balanced=0.7"],
        ),
        2,
        &["`opening.balanced`", "at most 0.5"],
    );
}

#[test]
fn shells_and_man_are_told_about_everything_but_the_inner_parts() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = good(run(["completions", shell]));
        for part in ["tournament", "dry-run", "explain"] {
            assert!(ran.stdout.contains(part), "{part} for {shell}");
        }
        assert!(!ran.stdout.contains("supervise"), "{shell}");
    }
    let page = good(run(["man"]));
    assert!(page.stdout.contains(".TH referee 1") && !page.stdout.contains("supervise"));
    let arena = Arena::new("");
    let folder = arena.path("man1");
    good(run(["man".into(), "--out".into(), folder.clone()]));
    for page in [
        "referee.1",
        "referee-tournament.1",
        "referee-config-explain.1",
    ] {
        assert!(folder.join(page).is_file(), "{page}");
    }
}

#[test]
fn a_tournament_tells_as_much_as_is_wanted() {
    let play = |flag: &[&str]| {
        let arena = Arena::new(&config(&[RANDOM, GREEDY]));
        let out = arena.path("out");
        let more = [&["--out", out.to_str().unwrap()], flag].concat();
        let ran = good(with(&arena, &["tournament"], &more));
        ran.stderr
    };
    assert_eq!(play(&["--quiet"]), "");
    let normal = play(&[]);
    assert!(
        normal.contains("[2/2] m-") && !normal.contains("begins"),
        "{normal}"
    );
    let verbose = play(&["-v"]);
    assert_contains(&verbose, "m-000001  amazons  random – greedy begins");
    assert_contains(&verbose, "[2/2] m-");
}

#[test]
fn what_was_probably_meant_is_said() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    let path = arena.path("t.toml").display().to_string();
    for (args, part) in [
        (
            &["tournament", &path, "--rounds", "3"][..],
            "--set rounds=VALUE",
        ),
        (
            &["tournament", &path, "--per-move=1s"],
            "--set time.per_move=VALUE",
        ),
        (
            &["play", "run", "--per-move", "-1s"],
            "\"-1s\" is not a duration",
        ),
        (
            &["play", "siam", "--human", "rhino", "--bot", "random"],
            "did you mean `rhinos`?",
        ),
        (
            &["bot", "random", "--level", "3"],
            "--level means nothing to the bot `random`",
        ),
    ] {
        let ran = run(args);
        tests::refused(&ran, 2, part);
    }
    let ran = run(["standings", &path]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let part = "is a configuration, not a log";
    assert_contains(&ran.stderr, part);
    good(arena.play());
    let out = arena.path("out").display().to_string();
    for command in ["replay", "export"] {
        let ran = run([command, &out, "--match", "2"]);
        tests::refused(&ran, 2, "did you mean `m-000002`?");
    }
}

#[test]
fn a_dry_run_says_a_range_of_times() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    let ran = dry(&arena, &[]);
    let part = "from bots that answer at once to bots that use all their time";
    assert_contains(&ran.stdout, "About 1s to ");
    assert_contains(&ran.stdout, part);
}
