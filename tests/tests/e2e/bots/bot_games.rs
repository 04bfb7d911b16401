//! Bots that play only some of the games: by the configuration, or by their answer to a single
//! `hello`.

use std::collections::HashSet;
use std::fs;

use serde_json::Value;
use tests::{Arena, Ran, assert_contains, run, verified};

use crate::bots::submissions::with;

/// Plays the games in `FOLDER/NAME.games`, if it exists; counts its starts in `FOLDER/NAME.starts`.
const BOT: &str = r#"import json, os, sys
name = sys.argv[1]
open(name + ".starts", "a").write("x")
hello = {"type": "hello", "protocol": 1, "name": name}
if os.path.exists(name + ".games"):
    hello["games"] = open(name + ".games").read().split()
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        print(json.dumps(hello), flush=True)
    elif kind == "start":
        print(json.dumps({"type": "ready"}), flush=True)
    elif kind == "turn":
        print(json.dumps({"type": "move", "move": message["legal"][0]}), flush=True)
    elif kind == "quit":
        break
"#;

const GAMES: &str = "games = [{ id = \"run\", limits = { max_plies = 6 } }, { id = \"siam\", limits = { max_plies = 6 } }]";

/// A tournament of run and siam between `a`, `b` and `c`, of which `c` says that it plays run; the first
/// lines go to the top, and the last to `c`.
fn arena(top: &str, of_c: &str) -> Arena {
    let bot =
        |name: &str| format!("[[bots]]\nname = \"{name}\"\ncommand = \"python3 bot.py {name}\"\n");
    let arena = Arena::new(&format!(
        "name = \"some\"\nconcurrency = 2\n{top}\n[time]\nper_move = \"20s\"\nstartup = \"20s\"\n{}{}{}{of_c}\n",
        bot("a"),
        bot("b"),
        bot("c"),
    ));
    arena.write("bot.py", BOT);
    arena.write("c.games", "run amazons");
    arena
}

/// The games in which this bot has matches, without a fault in any of them.
#[track_caller]
fn games_of(arena: &Arena, bot: &str) -> HashSet<String> {
    let matches = arena.matches();
    let faults = |record: &Value| record["result"]["faults"].as_array().unwrap().len();
    assert_eq!(matches.iter().map(faults).sum::<usize>(), 0);
    let plays = |record: &&Value| {
        let players = record["players"].as_array().unwrap();
        players.iter().any(|player| player["name"] == bot)
    };
    let games = matches.iter().filter(plays);
    games
        .map(|record| record["game"].as_str().unwrap().to_owned())
        .collect()
}

#[track_caller]
fn assert_played(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

/// Resumes the tournament; all of its 12 matches are in the log then.
#[track_caller]
fn assert_resumed(arena: &Arena) {
    let out = arena.path("out");
    let ran = with(
        arena,
        &["tournament"],
        &["--out", out.to_str().unwrap(), "--resume"],
    );
    assert_played(&ran);
    assert_eq!(arena.matches().len(), 12);
}

#[test]
fn pairings_that_a_bot_does_not_play_by_its_hello_are_not_scheduled() {
    let arena = arena(GAMES, "");
    let giant = "x".repeat(500_000) + &" y".repeat(10_000);
    arena.write("c.games", &format!("run {giant} amazons"));
    let ran = arena.play();
    assert_played(&ran);
    assert_contains(
        &ran.stderr,
        "warning: `c` does not play siam by its `hello`, and has no matches there\n",
    );
    assert_eq!(arena.matches().len(), 6 + 2);
    assert_eq!(games_of(&arena, "c"), HashSet::from(["run".to_owned()]));
    assert_eq!(games_of(&arena, "a").len(), 2);
    verified(arena.path("out"));
    let record = arena.read("out/bot-games.toml");
    assert!(record.len() < 2000, "what a bot says is bounded: {record}");
    assert_contains(&record, "[games]\nc = [\"run\", \"amazons\", \"y\"]");

    // The rest is known although `c` says otherwise now; no bot is queried again.
    let log = arena.path("out/games.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let first: Vec<&str> = text.lines().take(3).collect();
    fs::write(&log, first.join("\n") + "\n").unwrap();
    fs::remove_file(arena.path("c.games")).unwrap();
    let ran = with(
        &arena,
        &["tournament"],
        &["--out", arena.path("out").to_str().unwrap(), "--resume"],
    );
    assert_played(&ran);
    assert_eq!(arena.matches().len(), 6 + 2);
    assert_eq!(games_of(&arena, "c"), HashSet::from(["run".to_owned()]));

    // A merge takes the record with it.
    let (out, merged) = (arena.path("out"), arena.path("merged"));
    let ran = run([
        "merge",
        out.to_str().unwrap(),
        "--out",
        merged.to_str().unwrap(),
    ]);
    assert_played(&ran);
    assert_eq!(
        fs::read_to_string(merged.join("bot-games.toml")).unwrap(),
        record
    );
}

#[test]
fn an_extension_asks_the_bots_that_are_new() {
    let arena = arena(GAMES, "");
    assert_played(&arena.play());
    let starts = |name: &str| arena.read(name).len();
    let before = starts("a.starts");
    let text = arena.read("t.toml");
    arena.write(
        "t.toml",
        &(text + "[[bots]]\nname = \"d\"\ncommand = \"python3 bot.py d\"\n"),
    );
    arena.write("d.games", "siam");
    // Bots that were asked are not asked again.
    arena.write("a.games", "siam");
    let ran = with(
        &arena,
        &["tournament"],
        &["--out", arena.path("out").to_str().unwrap(), "--extend"],
    );
    assert_played(&ran);
    assert_contains(&ran.stderr, "`d` does not play run by its `hello`");
    assert_eq!(arena.matches().len(), 6 + 2 + 4);
    assert_eq!(games_of(&arena, "d"), HashSet::from(["siam".to_owned()]));
    assert_eq!(games_of(&arena, "a").len(), 2);
    assert!(starts("a.starts") > before);
    let record = arena.read("out/bot-games.toml");
    assert!(
        record.contains("c = ") && record.contains("d = [\"siam\"]"),
        "{record}"
    );
    // The result is the same again.
    assert_resumed(&arena);
}

#[test]
fn the_configuration_says_it_and_nobody_is_asked() {
    let arena = arena(GAMES, "games = [\"siam\"]");
    let ran = with(&arena, &["config", "check"], &[]);
    assert_played(&ran);
    let said = ran.stdout.clone() + &ran.stderr;
    assert_contains(&said, "`c` does not play run, and has no matches there");
    assert_contains(&said, "8 matches");
    let ran = arena.play();
    assert_played(&ran);
    // What `hello` says does not count then: `c` refuses these matches, and loses them.
    let matches = arena.matches();
    assert_eq!(matches.len(), 2 + 6);
    assert!(!arena.path("out/bot-games.toml").exists());
}

#[test]
fn parts_and_folders_without_a_record_have_the_full_schedule() {
    let arena = arena(GAMES, "");
    let part = arena.path("part");
    let part = part.to_str().unwrap();
    let ran = with(&arena, &["tournament"], &["--out", part, "--shard", "1/1"]);
    assert_played(&ran);
    let log = arena.read("part/games.jsonl");
    assert_eq!(log.lines().count(), 12);
    assert!(log.contains("], but not siam"), "it forfeits");
    assert!(!arena.path("part/bot-games.toml").exists());

    assert_played(&arena.play());
    fs::remove_file(arena.path("out/bot-games.toml")).unwrap();
    fs::write(arena.path("out/games.jsonl"), "").unwrap();
    assert_resumed(&arena);
}

#[test]
fn what_cannot_be_played_is_refused_before_anything_is_written() {
    for (top, of_c, says) in [
        (
            format!("format = \"swiss\"\n{GAMES}"),
            "games = [\"run\"]",
            "bot `c`: `games`: `siam` is not among them, and where later pairings depend on results (`format = \"swiss\"`) every bot",
        ),
        (
            GAMES.to_owned(),
            "games = []",
            "bot `c`: `games`: name at least one game",
        ),
        (
            GAMES.to_owned(),
            "games = [\"sima\"]",
            "did you mean `siam`?",
        ),
    ] {
        let arena = arena(&top, of_c);
        let ran = arena.play();
        tests::refused(&ran, 2, says);
        assert!(!arena.path("out/games.jsonl").exists());
    }
    let arena = arena("games = [\"siam\"]", "");
    for name in ["a", "b"] {
        arena.write(&format!("{name}.games"), "run");
    }
    let ran = arena.play();
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("no match can be played")
            && ran
                .stderr
                .contains("`siam` has 2 seats, but 0 bots play it"),
        "{}",
        ran.stderr
    );
}
