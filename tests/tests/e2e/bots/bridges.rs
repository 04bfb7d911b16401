//! Bridges to engines that speak other protocols: as `referee new-bot --bridge` makes them, with engines
//! that read strictly and play legal moves.

use std::fs;

use tests::{Arena, good, json_lines, root, run};

use super::new_bot::shell;

/// Makes a project, runs its tests, and has the bridge with this engine play its tournament.
fn plays(bridge: &str, engine: &str, command: &str) -> Vec<serde_json::Value> {
    let arena = Arena::new("");
    let dir = arena.path("gyre");
    let made = ["new-bot", "--bridge", bridge, dir.to_str().unwrap()];
    good(run(made));
    good(shell("python3 -m unittest", &dir));
    let engine_file = root().join("tests/fixtures/bridges").join(engine);
    fs::copy(engine_file, dir.join(engine)).unwrap();
    good(shell(
        &format!(
            "referee tournament tournament.toml --out runs/1 --quiet --set rounds=1 \
             --set opening.random_plies=3 --set 'bots.gyre.command=\"{command}\"' \
             --set time.per_move=30s --set time.startup=60s"
        ),
        &dir,
    ));
    let log = fs::read_to_string(dir.join("runs/1/games.jsonl")).unwrap();
    let records = json_lines(&log);
    assert_eq!(records.len(), 2);
    for record in &records {
        assert_eq!(
            record["result"]["reason"], "no_moves",
            "{}",
            record["result"]
        );
    }
    records
}

#[test]
fn an_engine_that_speaks_uci_plays() {
    let command = "python3 uci.py --option Hash=16 python3 uci_engine.py";
    for record in plays("uci", "uci_engine.py", command) {
        let seat = record["players"].as_array().unwrap();
        let seat = seat.iter().position(|it| it["name"] == "gyre").unwrap();
        let mut moves = record["moves"].as_array().unwrap()[3..].iter();
        let first = moves.find(|it| it["seat"] == seat).unwrap();
        assert_eq!(first["info"]["depth"], 1, "{first}");
        assert_eq!(first["info"]["pv"][0], first["move"], "{first}");
        let value = first["info"]["value"].as_f64().unwrap();
        assert!((value - 0.64).abs() < 0.01, "{first}");
    }
}

#[test]
fn bots_that_were_written_for_botzone_play() {
    for (life, flag, style) in [
        ("once", "", "json"),
        ("kept", "", "json"),
        ("kept", "--simple", "simple"),
    ] {
        let command = format!("python3 botzone.py {flag} python3 botzone_bot.py {life} {style}");
        plays("botzone", "botzone_bot.py", &command);
    }
}
