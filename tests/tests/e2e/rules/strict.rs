//! Rules programs that promise to refuse every move that they do not list: legal moves are
//! requested only if needed, and refused moves are judged in the same way.

use std::fs;

use serde_json::Value;
use tests::{Arena, Ran, assert_contains, good, run};

/// The game of the rules that misbehave.
const RULES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/fixtures/rules/hostile_rules.py"
);

/// A tournament of two such bots and these rules: they take one, and from ply 3 on `later`.
fn arena(rules: &[&str], wants_legal: bool, later: &str) -> Arena {
    let wants = if wants_legal { "True" } else { "False" };
    let bot = format!(
        "[\"python3\", \"-c\", \"import sys, json\\n\
         for line in sys.stdin:\\n \
         m = json.loads(line)\\n \
         if m['type'] == 'hello': print(json.dumps({{'type': 'hello', 'protocol': 1, 'name': 'x', \
         'wants': {{'state': False, 'legal': {wants}}}}}), flush=True)\\n \
         if m['type'] == 'start': print(json.dumps({{'type': 'ready'}}), flush=True)\\n \
         if m['type'] == 'turn': print(json.dumps({{'type': 'move', \
         'move': '{later}' if m['ply'] >= 3 else 'take1'}}), flush=True)\"]"
    );
    let rules: Vec<String> = rules.iter().map(|word| format!("\"{word}\"")).collect();
    let rules = rules.join(", ");
    Arena::new(&format!(
        "name = \"test\"\nconcurrency = 1\ngames = [\"take\"]\n\
         rules = [{{ command = [\"python3\", \"{RULES}\", {rules}] }}]\n\
         [time]\nper_move = \"20s\"\nstartup = \"20s\"\n\
         [[bots]]\nname = \"a\"\ncommand = {bot}\n[[bots]]\nname = \"b\"\ncommand = {bot}\n"
    ))
}

/// Number of `play` requests to the rules, and of those with legal moves.
fn asked(rules: &[&str], wants_legal: bool) -> (usize, usize) {
    let arena = arena(rules, wants_legal, "take1");
    let mut args = arena.tournament();
    args.extend(["--trace".into(), arena.path("traces")]);
    good(run(args));
    assert_eq!(records(&arena).len(), 2);
    let entries = fs::read_dir(arena.path("traces")).unwrap();
    let texts = entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let texts: Vec<String> = texts.collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    let plays = lines.filter(|line| line.contains(r#"\"op\":\"play\""#));
    plays.fold((0, 0), |(all, some), line| {
        let wants = line.contains(r#"\"want\":[\"legal\""#);
        (all + 1, some + usize::from(wants))
    })
}

fn records(arena: &Arena) -> Vec<Value> {
    let log = fs::read_to_string(arena.path("out/games.jsonl")).unwrap_or_default();
    let lines = log.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn legal_moves_are_asked_for_only_if_somebody_wants_them() {
    // Two matches of ten plies, and a position that is made again after the referee has tried whether a state
    // of the first match comes back.
    assert_eq!(asked(&["fine", "strict"], false), (21, 0));
    assert_eq!(asked(&["fine", "strict"], true), (21, 20));
    assert_eq!(asked(&["fine"], false), (21, 20));
}

#[test]
fn a_bot_is_blamed_for_what_rules_refuse_and_do_not_list() {
    let faults = |rules: &[&str]| {
        let arena = arena(rules, false, "take9");
        good(arena.play());
        let records = records(&arena).into_iter();
        let faults = records.map(|record| record["result"]["faults"][0].clone());
        faults.collect::<Vec<Value>>()
    };
    let strict = faults(&["fine", "strict"]);
    assert_eq!(strict.len(), 2);
    for fault in &strict {
        assert_eq!(fault["code"], "illegal_move");
        assert_eq!(fault["ply"], 3);
        let message = fault["message"].as_str().unwrap();
        assert_contains(message, "who has 2 legal moves");
    }
    assert_eq!(strict, faults(&["fine"]));
}

/// The tournament stops, and says this of the rules.
#[track_caller]
fn stops(ran: &Ran, part: &str) {
    assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
    assert_contains(&ran.stderr, part);
    assert!(!ran.stdout.contains("forfeit"), "{}", ran.stdout);
}

#[test]
fn rules_are_blamed_if_they_refuse_what_they_list_or_list_nothing() {
    let listed = arena(&["lists-refused", "strict"], false, "take9").play();
    stops(
        &listed,
        "lists \"take9\" among the legal moves, and refuses it",
    );
    let nothing = arena(&["no-moves", "strict"], false, "take9").play();
    stops(&nothing, "is to move, but lists no move for it");
}
