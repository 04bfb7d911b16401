//! Tournaments that go well.

use serde_json::Value;
use tests::{Arena, assert_contains, good, verified};

use crate::misconduct::arena::stderr_files;
use crate::{GREEDY, RANDOM, config, config_of};

/// A match without the fields that differ from run to run.
fn essence(record: &Value) -> Value {
    let mut record = tests::timeless(record);
    record.as_object_mut().unwrap().remove("conditions");
    record
}

#[test]
fn a_round_robin_is_played_shown_and_verified() {
    let bots = [
        RANDOM,
        GREEDY,
        ("second", r#""referee bot random --seed 7""#),
    ];
    let arena = Arena::new(&format!("rounds = 2\n{}", config(&bots)));
    let ran = good(arena.play());
    for part in [
        "Standings",
        "Crosstable",
        "By game and seat",
        "amazons (size=5)",
        "as dark",
    ] {
        assert_contains(&ran.stdout, part);
    }
    assert_contains(&ran.stderr, "[12/12] m-");
    let matches = arena.matches();
    let ids: Vec<String> = (1..=12).map(|n| format!("m-{n:06}")).collect();
    assert!(
        matches
            .iter()
            .map(|m| m["match"].as_str().unwrap())
            .eq(ids.iter())
    );
    let copy = arena.read("out/tournament.toml");
    assert_eq!(copy, arena.read("t.toml"));

    let ran = verified(arena.path("out"));
    assert_contains(&ran.stdout, "12 verified, 0 with mismatches");
}

#[test]
fn swapped_pairs_share_start_and_opening() {
    let games = r#"games = ["penguins", "siam"]"#;
    let arena = Arena::new(&format!(
        "{}[opening]\nrandom_plies = 3\n",
        config_of(games, &[RANDOM, GREEDY])
    ));
    good(arena.play());
    let matches = arena.matches();
    for pair in matches.chunks(2) {
        let opening = |m: &Value| m["moves"].as_array().unwrap()[..3].to_vec();
        assert_eq!(pair[0]["opening"], 3);
        assert_eq!(pair[0]["start"], pair[1]["start"]);
        assert_eq!(opening(&pair[0]), opening(&pair[1]));
        assert_eq!(pair[0]["players"][0]["name"], pair[1]["players"][1]["name"]);
    }
    assert_ne!(matches[0]["seed"], matches[2]["seed"]);
}

#[test]
fn the_same_seed_gives_the_same_moves_whatever_runs_at_a_time() {
    let games =
        r#"games = ["elephant-run", "penguins", { id = "penguins", options = { players = 3 } }]"#;
    let bots = [
        RANDOM,
        GREEDY,
        ("third", r#"["referee", "bot", "random", "--seed", "3"]"#),
    ];
    let runs: Vec<Vec<Value>> = [1, 1, 4]
        .into_iter()
        .map(|concurrency| {
            let head = format!("concurrency = {concurrency}\nseed = 5\n");
            let arena = Arena::new(&(head + &config_of(games, &bots)));
            good(arena.play());
            arena.matches().iter().map(essence).collect()
        })
        .collect();
    assert_eq!(runs[0].len(), 15);
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[0], runs[2]);
}

#[test]
fn a_tournament_goes_on_when_nobody_reads_its_progress() {
    let arena = Arena::new(&format!("rounds = 5\n{}", config(&[RANDOM, GREEDY])));
    let command = format!(
        "'{}' tournament t.toml --out out 2>&1 >/dev/null | head -1",
        tests::referee().display()
    );
    let mut shell = std::process::Command::new("sh");
    let status = shell
        .args(["-c", &command])
        .current_dir(arena.path(""))
        .output();
    assert!(String::from_utf8_lossy(&status.unwrap().stdout).contains("10 matches of 2 bots"));
    tests::wait_until("all matches", || arena.matches().len() == 10);
}

#[test]
fn processes_play_many_matches_or_one_each() {
    for (restart, processes) in [("on-fault", 1), ("each-match", 8)] {
        let noisy = ("noisy", &*format!("['{}', 'noisy']", crate::HOSTILE));
        let head = format!("rounds = 4\nconcurrency = 1\nrestart = \"{restart}\"\n");
        let arena = Arena::new(&(head + &config(&[RANDOM, noisy])));
        good(arena.play());
        assert_eq!(stderr_files(&arena).len(), processes, "{restart}");
    }
}

#[test]
fn another_seed_gives_other_games() {
    let starts: Vec<Value> = [1, 2]
        .into_iter()
        .map(|seed| {
            let games = r#"games = ["penguins"]"#;
            let arena = Arena::new(&format!(
                "seed = {seed}\n{}",
                config_of(games, &[RANDOM, GREEDY])
            ));
            good(arena.play());
            arena.matches()[0]["start"].clone()
        })
        .collect();
    assert_ne!(starts[0], starts[1]);
}

#[test]
fn bots_have_folders_environments_and_times_of_their_own() {
    let bots = r#"
[[bots]]
name = "mine"
command = ["sh", "-c", "test \"$FLAVOUR\" = mint && exec ./run.sh"]
dir = "sub"
env = { FLAVOUR = "mint" }
time = { per_move = "30s" }
"#;
    let arena = Arena::new(&(config(&[RANDOM]) + bots));
    std::fs::create_dir(arena.path("sub")).unwrap();
    let script = format!("#!/bin/sh\nexec '{}' noisy\n", crate::HOSTILE);
    let script = arena.write("sub/run.sh", &script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(script, mode).unwrap();
    good(arena.play());
    for record in arena.matches() {
        assert_eq!(record["result"]["faults"], serde_json::json!([]));
        let players = record["players"].as_array().unwrap();
        let mine = players.iter().find(|p| p["name"] == "mine").unwrap();
        assert_eq!(mine["time"]["per_move_ms"], 30_000);
        assert_eq!(record["time"]["per_move_ms"], 20_000);
    }
    let logs = std::fs::read_dir(arena.path("out/stderr")).unwrap();
    let text: String = logs
        .map(|log| std::fs::read_to_string(log.unwrap().path()).unwrap())
        .collect();
    assert!(text.contains("ply "), "stderr is kept");
}
