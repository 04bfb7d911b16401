//! Rules from several sources in one tournament, and the bots' knowledge of hidden cards.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;
use tests::{
    Arena, assert_contains, good, program, referee, root, run, timeless, verified, wait_until,
};

use crate::{GREEDY, RANDOM, config_of};

/// A bot that does not start before the file `go` exists; so its games must be given.
const GATED: (&str, &str) = (
    "gated",
    r#"["sh", "-c", "until [ -e go ]; do sleep 0.05; done; exec \"$REFEREE\" bot random"]
       games = ["paper-penguins", "pig", "nim"]"#,
);

/// A game that is built in, one in Python and one in Rust, each of them this many rounds.
fn three_sources(rounds: u32) -> String {
    let python = root().join("games/examples/pig.py");
    let rust = program("nim-rules", "game");
    let config = config_of(
        &format!(
            "games = [\"paper-penguins\", {{ id = \"pig\", options = {{ target = 10 }} }}, \"nim\"]\n\
             rules = [\"python3 '{}'\", \"'{}'\"]",
            python.display(),
            rust.display()
        ),
        &[RANDOM, GREEDY, GATED],
    );
    let config = config.replace("startup = \"20s\"", "startup = \"2m\"");
    // So that two tournaments deal the same.
    let secret = "5ec2e7".repeat(11)[..64].to_owned();
    format!("concurrency = 1\nrounds = {rounds}\nsecret = \"{secret}\"\n{config}")
}

fn matches(arena: &Arena) -> Vec<Value> {
    let mut matches: Vec<Value> = arena.matches().iter().map(timeless).collect();
    matches.sort_by_key(|record| record["match"].to_string());
    matches
}

#[test]
fn a_tournament_of_three_sources_is_killed_resumed_extended_and_verified() {
    let arena = Arena::new(&three_sources(1));
    let mut killed = Command::new(referee())
        .args(arena.tournament())
        .arg("--quiet")
        .current_dir(arena.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("two matches", || {
        let log = fs::read_to_string(arena.path("out/games.jsonl"));
        log.is_ok_and(|log| log.lines().count() >= 2)
    });
    killed.kill().unwrap();
    killed.wait().unwrap();
    let played = arena.matches().len();
    assert!(played < 18, "{played} of 18 matches were played");

    arena.write("go", "");
    let go_on = |how: &str| {
        let mut args = arena.tournament();
        args.push(how.into());
        good(run(args));
    };
    go_on("--resume");
    assert_eq!(arena.matches().len(), 18);
    arena.write("t.toml", &three_sources(2));
    go_on("--extend");

    let matches = matches(&arena);
    assert_eq!(matches.len(), 36);
    for record in &matches {
        let faults = &record["result"]["faults"];
        assert_eq!(*faults, Value::Array(Vec::new()), "{record}");
        let is_built_in = record["game"] == "paper-penguins";
        assert_eq!(record["rules"].is_null(), is_built_in, "{record}");
    }
    verified(arena.path("out"));

    let undisturbed = Arena::new(&three_sources(1));
    undisturbed.write("go", "");
    good(undisturbed.play());
    assert_eq!(self::matches(&undisturbed), matches[..18]);
}

/// The knowledge of a seat of Kuhn poker before the end: its card, and the bets before its last
/// turn.
fn may_know(record: &Value, seat: u64) -> (String, Vec<String>) {
    let moves = record["moves"].as_array().unwrap();
    let text = |played: &Value| played["move"].as_str().unwrap().to_owned();
    let card = text(&moves[seat as usize]);
    let bets = &moves[2..];
    let last = bets.iter().rposition(|played| played["seat"] == seat);
    let seen = bets[..last.map_or(0, |last| last + 1)].iter().map(text);
    (card, seen.collect())
}

/// Messages to a process in its one match before the end, with match and seat.
fn input(trace: &str) -> Option<(String, u64, Vec<String>)> {
    let mut of = None;
    let mut sent = Vec::new();
    for line in trace.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let Some(text) = line["to_bot"].as_str() else {
            continue;
        };
        let mut message: Value = serde_json::from_str(text).unwrap();
        if message["type"] == "start" {
            assert_eq!(
                of, None,
                "one process plays one match, as others have its deal"
            );
            let id = message["match"].take().as_str().unwrap().to_owned();
            of = Some((id, message["seat"].as_u64().unwrap()));
        }
        if message["type"] == "end" {
            let (id, seat) = of?;
            return Some((id, seat, sent));
        }
        sent.push(message.to_string());
    }
    None
}

#[test]
fn bots_are_sent_the_same_in_deals_that_they_cannot_tell_apart() {
    let rules = root().join("games/examples/kuhn_poker.py");
    let games = format!(
        "rounds = 25\ngames = [\"kuhn-poker\"]\nrules = [\"python3 '{}'\"]",
        rules.display()
    );
    let bots = [RANDOM, ("other", RANDOM.1)];
    let arena = Arena::new(&config_of(&games, &bots));
    let mut args = arena.tournament();
    args.extend(["--trace".into(), arena.path("traces")]);
    good(run(args));

    let matches = arena.matches();
    let matches: BTreeMap<&str, &Value> = matches
        .iter()
        .map(|record| (record["match"].as_str().unwrap(), record))
        .collect();
    let mut deals = BTreeSet::new();
    // By what a bot may know: what it was sent, and the deals.
    type Inputs = (BTreeSet<Vec<String>>, BTreeSet<String>);
    let mut known: BTreeMap<_, Inputs> = BTreeMap::new();
    let mut processes = 0;
    for trace in fs::read_dir(arena.path("traces")).unwrap() {
        let trace = fs::read_to_string(trace.unwrap().path()).unwrap();
        let Some((id, seat, sent)) = input(&trace) else {
            continue;
        };
        processes += 1;
        let record = matches[id.as_str()];
        let name = &record["players"][seat as usize]["name"];
        let deal = format!(
            "{}{}",
            record["moves"][0]["move"], record["moves"][1]["move"]
        );
        deals.insert(deal.clone());
        let key = (name.to_string(), seat, may_know(record, seat));
        let (inputs, of) = known.entry(key).or_default();
        inputs.insert(sent);
        of.insert(deal);
    }
    assert_eq!(processes, 2 * 50, "each match has two processes of its own");
    // There are six, and which of them are dealt is a secret that differs from run to run: one in sixteen
    // runs misses one, and one in 1,600 misses two.
    assert!(deals.len() >= 5, "few deals were played: {deals:?}");
    let alike = known.values().filter(|(_, deals)| deals.len() > 1).count();
    assert!(alike >= 6, "{alike} situations with two deals");
    for (key, (inputs, deals)) in &known {
        assert_eq!(inputs.len(), 1, "{key:?} in {deals:?}: {inputs:#?}");
    }
}

#[test]
fn a_replay_as_a_role_hides_what_it_could_not_know() {
    let rules = root().join("games/examples/kuhn_poker.py");
    let games = format!(
        "games = [\"kuhn-poker\"]\nrules = [\"python3 '{}'\"]",
        rules.display()
    );
    let arena = Arena::new(&config_of(&games, &[RANDOM, GREEDY]));
    good(arena.play());
    let replay = |more: &[&str]| {
        let args = ["replay", "--match", "m-000001"].iter().chain(more);
        let args = args.map(Into::into).chain([arena.path("out")]);
        run(args)
    };
    let record = &arena.matches()[0];
    let roles: Vec<&str> = record["players"]
        .as_array()
        .unwrap()
        .iter()
        .map(|player| player["role"].as_str().unwrap())
        .collect();
    let card = record["moves"][1]["move"].as_str().unwrap();
    let shown = |more: &[&str]| {
        let ran = good(replay(more));
        ran.stdout
    };
    let dealt = format!("2. chance: {card} ");
    assert!(shown(&["--all"]).contains(&dealt));
    for (seat, role) in roles.iter().enumerate() {
        let known = shown(&["--as", role, "--ply", "2"]);
        assert_contains(&known, "2. chance: hidden");
        let sees = format!("sees {:?}", card);
        assert_eq!(known.contains(&sees), seat == 1, "{known}");
        assert_eq!(known, shown(&["--as", &seat.to_string(), "--ply", "2"]));
    }
    let refused = replay(&["--as", "nobody"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let sentence = format!(
        "`nobody` is no role of m-000001, which has {}",
        roles.join(", ")
    );
    assert_contains(&refused.stderr, &sentence);
}
