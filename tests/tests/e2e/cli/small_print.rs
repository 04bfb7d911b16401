//! Special cases: flags that do not go together, marks at the start of files, names with odd
//! characters, warnings.

use std::fs;

use serde_json::Value;
use tests::{Arena, Ran, assert_contains, good, run};

use crate::{GREEDY, RANDOM, config};

fn said(args: &[&str]) -> Ran {
    run(args)
}

#[track_caller]
fn refused(args: &[&str], part: &str) {
    tests::refused(&said(args), 2, part);
}

/// The parser lets a flag pass that needs another one, if something else excludes that.
#[test]
fn no_flag_is_ignored() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    good(arena.play());
    let (file, out) = (arena.path("t.toml"), arena.path("out"));
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let here = ["tournament", file, "--out", out];
    for more in [
        &["--extend", "--replay-bot", "random"][..],
        &["--extend", "--replay-bot", "nobody"],
        &["--dry-run", "--replay-bot", "random"],
        &["--replay-bot", "random"],
        &["--resume", "--nats-creds", "x", "--shard", "1/2"],
        &["--resume", "--nats-lease", "5s", "--trace", "x"],
        &["--resume", "--bundle-cache", "x"],
        &["--resume", "--listen", "127.0.0.1:9"],
    ] {
        let ran = said(&[&here, more].concat());
        assert_eq!(ran.code, Some(2), "{more:?}: {}{}", ran.stdout, ran.stderr);
    }
    for args in [
        &["analyse", "amazons", "--state", "{}", "--ply", "3"][..],
        &["analyse", "amazons", "--options", "{}", "--each-ply"],
        &[
            "analyse", out, "--match", "m-000001", "--ply", "3", "--out", "x",
        ],
        &[
            "analyse",
            out,
            "--match",
            "m-000001",
            "--ply",
            "3",
            "--blunder",
            "0.5",
        ],
        &["check", "--bot", "anna", "--", "sh"],
        &["check", "--bot", "anna", "--list"],
        &["solve", "elephant-run", "--state", "{}", "--tiles", "a1"],
        &[
            "play", "amazons", "--bot", "random", "--bot", "random", "--listen", "0.0.0.0",
        ],
        &[
            "replay", out, "--match", "m-000001", "--verify", "--dir", "x",
        ],
    ] {
        let ran = said(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(arena.matches().len(), 2);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let text = format!("[opening]\nbook = \"book\"\n{}", "");
    let arena = Arena::new(&(config(&[RANDOM, GREEDY]) + &text));
    arena.write(
        "book",
        "\u{feff}amazons: b1-a1/b1\n# more\namazons: b1-b2/b4\n",
    );
    let ran = good(arena.play());
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    assert_eq!(arena.matches()[0]["opening"], 1);
    let log = arena.read("out/games.jsonl");
    let marked = arena.write("marked.jsonl", &format!("\u{feff}{log}"));
    let marked = marked.to_str().unwrap();
    tests::verified(marked);
    for command in ["standings", "export"] {
        let ran = said(&[command, marked]);
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.stderr);
    }
    let server = tests::web::Server::start(["watch", marked], 1);
    let overview = server.json("/api/overview");
    assert_eq!(overview["played"], 2, "{overview}");
    let id = arena.matches()[0]["match"].as_str().unwrap().to_owned();
    assert_eq!(server.get(&format!("/api/match/{id}")).status, 200);
    let state = serde_json::to_string(&arena.matches()[0]["start"]).unwrap();
    let file = arena.write("state", &format!("\u{feff}{state}"));
    let file = format!("@{}", file.display());
    let args = [
        "perft",
        "amazons",
        "--options",
        "{\"size\":5}",
        "--depth",
        "1",
    ];
    good(said(&[&args[..], &["--state", &file]].concat()));
}

#[test]
fn what_is_hardly_meant_is_warned_of() {
    let top = "concurrency = 500\n";
    let arena =
        Arena::new(&(top.to_owned() + &config(&[RANDOM, GREEDY]) + "[opening]\nbook = \"book\"\n"));
    arena.write("book", "siam: +c1n\n");
    let file = arena.path("t.toml");
    let file = file.to_str().unwrap();
    for (set, parts) in [
        (
            "seed=1",
            &["`concurrency = 500` is more than", "no line for any game"][..],
        ),
        ("clock=\"cpu\"", &["no line for any game"]),
    ] {
        let ran = good(said(&["config", "check", file, "--set", set]));
        for part in parts {
            assert_contains(&ran.stderr, part);
        }
        let count = ran.stderr.matches("warning: ").count();
        assert_eq!(count, parts.len(), "{}", ran.stderr);
    }
    let ran = said(&["config", "check", file, "--set", "concurrency=\"auto\""]);
    assert_eq!(ran.stderr.matches("warning: ").count(), 1, "{}", ran.stderr);
}

#[test]
fn all_pairings_of_a_round_get_the_same_opening_if_that_is_wanted() {
    let bots = [RANDOM, GREEDY, ("third", RANDOM.1), ("fourth", RANDOM.1)];
    let book = [
        "b1-a1/b1", "b1-b2/b4", "d1-e1/d2", "d1-d2/c2", "a2-d2/c1", "e2-b2/b4", "e2-d3/e2",
    ];
    let book: String = book.map(|mv| format!("amazons: {mv}\n")).concat();
    let openings = |order: &str, more: &str| {
        let text = format!("rounds = 3\n{}[opening]\n{order}{more}", config(&bots));
        let arena = Arena::new(&text);
        arena.write("book", &book);
        good(arena.play());
        let mut rounds: Vec<Vec<String>> = vec![Vec::new(); 3];
        let mut met = std::collections::BTreeMap::<Vec<String>, usize>::new();
        for record in arena.matches() {
            let players = record["players"].as_array().unwrap();
            let mut names: Vec<String> = players
                .iter()
                .map(|player| player["name"].to_string())
                .collect();
            names.sort();
            let times = met.entry(names).or_default();
            let plies = record["opening"].as_u64().unwrap() as usize;
            let moves = record["moves"].as_array().unwrap()[..plies].iter();
            let moves: Vec<&Value> = moves.map(|played| &played["move"]).collect();
            rounds[*times / 2].push(format!("{moves:?}"));
            *times += 1;
        }
        for round in &mut rounds {
            round.sort();
            round.dedup();
        }
        rounds
    };
    for more in [
        "random_plies = 3\n",
        "book = \"book\"\n",
        "book = \"book\"\nrandom_plies = 2\n",
    ] {
        let same = openings("order = \"round\"\n", more);
        assert!(
            same.iter().all(|round| round.len() == 1),
            "{more}: {same:?}"
        );
        let usual = openings("", more);
        assert!(
            usual.iter().any(|round| round.len() > 1),
            "{more}: {usual:?}"
        );
        assert_eq!(openings("order = \"pairing\"\n", more), usual);
    }
}

#[test]
fn names_with_odd_characters_can_be_said() {
    let bots = [("-x", RANDOM.1), ("a=b.c", RANDOM.1)];
    let arena = Arena::new(&config(&bots));
    good(arena.play());
    let out = arena.path("out");
    let out = out.to_str().unwrap();
    good(said(&["standings", out, "--sprt", "-x", "a=b.c"]));
    let file = arena.path("t.toml");
    let file = file.to_str().unwrap();
    let set = "bots.a=b.c.time.per_move=\"7s\"";
    good(said(&["config", "check", file, "--set", set]));
    refused(
        &[
            "config",
            "check",
            file,
            "--set",
            "bots.b=c.time.per_move=7s",
        ],
        "bots",
    );
}

#[test]
fn sentences_say_what_to_do() {
    refused(
        &["play", "amazons", "--bot", "random"],
        "add another --bot or --human",
    );
    for (options, meant) in [
        ("{size:5}", "did you mean '{\"size\":5}'?"),
        ("{'size':5}", "did you mean '{\"size\":5}'?"),
        (
            "{setup:laid,size:6}",
            "did you mean '{\"setup\":\"laid\",\"size\":6}'?",
        ),
    ] {
        refused(
            &["perft", "amazons", "--options", options, "--depth", "1"],
            meant,
        );
    }
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    let file = arena.path("t.toml");
    let file = file.to_str().unwrap();
    let folder = arena.path("");
    let folder = folder.to_str().unwrap();
    refused(&["standings", file], "t.toml");
    refused(
        &["merge", folder, "--out", "/tmp/never-made"],
        "holds no tournament",
    );
    refused(
        &[
            "config",
            "check",
            file,
            "--set",
            "format=sprt",
            "--set",
            "rounds=3",
            "--set",
            "sprt.elo1=5",
        ],
        "remove `rounds`",
    );
    let text = config(&[
        RANDOM,
        (
            "mine",
            r#"["sh", "-c", "read x; echo '{\"type\":\"ready\"}'; sleep 9"]"#,
        ),
    ]);
    let arena = Arena::new(&text);
    good(arena.play());
    let message = &arena.matches()[0]["result"]["faults"][0]["message"];
    let message = message.as_str().unwrap();
    assert!(
        message.ends_with("another message: `{\"type\":\"ready\"}`"),
        "{message}"
    );
}

#[test]
fn included_rules_are_relative_to_their_file() {
    let arena = Arena::new("");
    for folder in ["deep", "deep/games"] {
        fs::create_dir(arena.path(folder)).unwrap();
    }
    let sheet = "(role a) (role b) (init (turn a)) (<= (legal a go) (true (turn a))) \
                 (<= (legal b noop) (true (turn a))) (<= (next done) (does a go)) \
                 (<= terminal (true done)) (goal a 100) (goal b 0)";
    arena.write("deep/coin.kif", sheet);
    arena.write("deep/games/other.kif", sheet);
    arena.write(
        "deep/rules.toml",
        "rules = [\"coin.kif\", { command = \"other.kif\", dir = \"games\" }, \
         { command = \"coin.kif\", prefix = \"x\" }]\n",
    );
    let text = format!(
        "include = [\"deep/rules.toml\"]\n{}",
        crate::config_of(
            "games = [\"coin\", \"other\", \"x-coin\"]",
            &[RANDOM, GREEDY]
        )
    );
    let file = arena.write("t.toml", &text);
    good(said(&["config", "check", file.to_str().unwrap()]));
}

#[test]
fn a_slow_start_is_waited_for_in_play() {
    let arena = Arena::new("");
    let slow = "sh -c 'sleep 1; exec \"$REFEREE\" bot random'";
    let play = |startup: &str| {
        said(&[
            "play",
            "amazons",
            "--options",
            "{\"size\":5}",
            "--quiet",
            "--bot",
            "random",
            "--bot",
            slow,
            "--startup",
            startup,
        ])
    };
    drop(arena);
    let ran = play("200ms");
    assert!(
        ran.stdout.contains("within 200 ms"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let ran = good(play("60s"));
    assert!(!ran.stdout.contains("startup"), "{}", ran.stdout);
    assert_eq!(play("0s").code, Some(2));
}
