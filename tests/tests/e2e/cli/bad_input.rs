//! Bad input: one clear sentence and the documented exit code.

use std::fs;

use tests::{Arena, good, refused_with_all as refused, run, verify};

use crate::{GREEDY, RANDOM, config, config_of};

#[track_caller]
fn config_refused(text: &str, parts: &[&str]) {
    let arena = Arena::new(text);
    refused(&arena.play(), 2, parts);
    assert!(!arena.path("out").exists(), "nothing is made");
}

#[test]
fn a_misspelt_key_is_named_with_its_line_and_the_nearest_right_one() {
    let text = config(&[RANDOM, GREEDY]).replace("per_move", "per_mvoe");
    config_refused(&text, &["t.toml: line 4", "`time.per_mvoe`", "`per_move`"]);
}

#[test]
fn unknown_games_and_options_are_named() {
    let game = |games: &str| config_of(games, &[RANDOM, GREEDY]);
    config_refused(
        &game(r#"games = ["amazon"]"#),
        &["`amazon`", "did you mean `amazons`?"],
    );
    let option = r#"games = [{ id = "amazons", options = { sise = 6 } }]"#;
    config_refused(&game(option), &["`sise` of amazons", "`size`"]);
    let range = r#"games = [{ id = "amazons", options = { size = 12 } }]"#;
    config_refused(&game(range), &["`size` of amazons", "12", "from 5 to 11"]);
    config_refused(&game("games = []"), &["`games`", "at least one"]);
    config_refused(
        &game("games = [7]"),
        &["line 2", "7 is not a string or a table"],
    );
}

#[test]
fn bots_that_cannot_run_are_named() {
    let bot = |command: &str| config(&[RANDOM, ("mine", command)]);
    config_refused(
        &bot(r#""no-such-bot --fast""#),
        &["bot `mine`", "`no-such-bot`", "PATH"],
    );
    config_refused(&bot(r#""./missing.py""#), &["bot `mine`", "`./missing.py`"]);
    config_refused(
        &bot(r#""./t.toml""#),
        &["bot `mine`", "not executable", "chmod +x"],
    );
    config_refused(&bot(r#""python3 'mine""#), &["bot `mine`", "quote"]);
    config_refused(&bot("[]"), &["bot `mine`", "empty"]);
    config_refused(
        &bot("7"),
        &[
            "line 11",
            "`bots.command`",
            "7 is not a list of strings or a string",
        ],
    );
}

#[test]
fn names_are_unique_and_bots_enough() {
    config_refused(
        &config(&[RANDOM, RANDOM]),
        &["line 10: `bots.name`", "two bots have the name `random`"],
    );
    config_refused(
        &config(&[("", "\"sh\"")]),
        &["line 7: `bots.name`", "1 to 60 characters"],
    );
    config_refused(
        &config(&[RANDOM]),
        &["amazons has 2 seats but only 1 bot is there; at least 2 are needed"],
    );
}

#[test]
fn values_are_checked() {
    let with = |line: &str| format!("{line}\n{}", config(&[RANDOM, GREEDY]));
    config_refused(
        &with("rounds = 0"),
        &["line 1: `rounds`", "0 is not a whole number from 1 on"],
    );
    config_refused(
        &with("rounds = \"many\""),
        &["line 1: `rounds`", "\"many\" is not a whole number"],
    );
    config_refused(
        &with("concurrency = 0"),
        &["line 1: `concurrency`", "whole number from 1 on"],
    );
    config_refused(
        &with("concurrency = \"all\""),
        &["line 1: `concurrency`", "number from 1 on or \"auto\""],
    );
    config_refused(
        &with("format = \"ladder\""),
        &[
            "line 1: `format`",
            "\"ladder\" is not one of \"round-robin\", ",
        ],
    );
    config_refused(
        &with("name = \"twice\""),
        &["line 2", "`name` is given twice"],
    );
    let time = |old: &str, new: &str| config(&[RANDOM, GREEDY]).replace(old, new);
    config_refused(
        &time("\"20s\"\nstartup", "\"20\"\nstartup"),
        &[
            "line 4: `time.per_move`",
            "\"20\" is not a duration",
            "\"100ms\"",
        ],
    );
    config_refused(
        &time("\"20s\"\nstartup", "20\nstartup"),
        &["line 4: `time.per_move`", "20 is not a duration"],
    );
    config_refused(
        &time("per_move = \"20s\"", "increment = \"1s\""),
        &["line 4: `time.increment`", "`base`"],
    );
    config_refused(
        &time("per_move = \"20s\"", "per_move = \"0s\""),
        &["line 4: `time.per_move`", "longer than zero"],
    );
    config_refused(
        &time("[time]", "[limits]\nmax_plies = 0\n[time]"),
        &["line 4: `limits.max_plies`", "0 is not a limit"],
    );
    config_refused("", &["missing field `name`"]);
    config_refused("name = \"x\"\nname", &["line 2"]);
}

#[test]
fn a_configuration_that_is_not_there_is_named() {
    refused(&run(["tournament", "/no/such.toml"]), 2, &["/no/such.toml"]);
}

#[test]
fn an_output_folder_that_cannot_be_written_is_named() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    let mut args = arena.tournament();
    args[3] = arena.path("t.toml/out");
    refused(&run(args), 4, &["t.toml/out", "cannot be made"]);
}

#[test]
fn the_folder_of_another_tournament_is_left_alone() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    good(arena.play());
    let before = fs::read(arena.path("out/games.jsonl")).unwrap();
    let copy = fs::read(arena.path("out/tournament.toml")).unwrap();
    refused(&arena.play(), 2, &["already holds a tournament", "--out"]);
    assert_eq!(fs::read(arena.path("out/games.jsonl")).unwrap(), before);
    assert_eq!(fs::read(arena.path("out/tournament.toml")).unwrap(), copy);
}

#[test]
fn a_log_that_is_not_a_log_is_named() {
    let arena = Arena::new(&config(&[]));
    refused(
        &verify(arena.path("t.toml")),
        2,
        &["t.toml` is a configuration, not a log"],
    );
    let text = arena.write("text.txt", "name = \"x\"\n");
    refused(&verify(text), 3, &["text.txt", "line 1 is not a match"]);
    let newer = arena.write("newer.jsonl", "{\"format\":99}\n");
    refused(&verify(newer), 3, &["has format 99"]);
    refused(
        &verify(arena.path("missing.jsonl")),
        2,
        &["missing.jsonl", "cannot be read"],
    );
}

#[test]
fn wrong_arguments_are_named() {
    let perft = |args: &[&str]| run([&["perft"], args].concat());
    refused(
        &perft(&["amazon", "--depth", "1"]),
        2,
        &["`amazon`", "`amazons`"],
    );
    refused(
        &perft(&["amazons", "--depth", "1", "--options", "{"]),
        2,
        &["--options", "not JSON"],
    );
    refused(
        &perft(&["amazons", "--depth", "1", "--state", "{}"]),
        2,
        &["--state", "`ply`"],
    );
    refused(
        &perft(&["amazons", "--depth", "1", "--state", "@/no/file"]),
        2,
        &["/no/file"],
    );
    refused(&run(["games", "sian"]), 2, &["`sian`", "`siam`"]);
    refused(&run(["bot", "rando"]), 2, &["rando", "random"]);
    let play = |bots: &[&str]| run([&["play", "siam"], bots].concat());
    refused(
        &play(&["--bot", "mcts"]),
        2,
        &["the number of bots given is 1"],
    );
    refused(
        &play(&["--bot", "mcts", "--bot", "mtcs"]),
        2,
        &["`mtcs`", "mcts"],
    );
}
