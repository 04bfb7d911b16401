//! Tournaments whose matches end before the game does.

use std::ffi::OsStr;

use serde_json::{Value, json};
use tests::{Arena, Ran, assert_contains, good, run, verified};

use crate::{GREEDY, RANDOM, config_of};

/// A bot that plays the first legal move, reports a value, and offers something with each move.
const SAYS: &str = r#"
import json, sys
value, offer = json.loads(sys.argv[1]), json.loads(sys.argv[2])
say = lambda message: print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "hello", "protocol": 1, "name": "says"})
    elif message["type"] == "start":
        seat, offers = message["seat"], message.get("offers", False)
        say({"type": "ready"})
    elif message["type"] == "turn":
        if offers and offer:
            say({"type": "offer", **offer})
        mine = value[seat] if isinstance(value, list) else value
        say({"type": "move", "move": message["legal"][0], "info": {"value": mine}})
"#;

/// A tournament of two such bots in the Game of the Amazons on the smallest board.
fn says(adjudicate: &str, values: [Value; 2], offers: [Value; 2]) -> Arena {
    let mut text = format!("name = \"test\"\nrounds = 2\n{adjudicate}\n");
    text.insert_str(
        0,
        "games = [{ id = \"amazons\", options = { size = 5 } }]\n",
    );
    text.push_str("[time]\nper_move = \"20s\"\n");
    for (name, (value, offer)) in ["a", "b"].iter().zip(values.iter().zip(&offers)) {
        text.push_str(&format!(
            "[[bots]]\nname = \"{name}\"\ncommand = [\"python3\", \"says.py\", '{value}', '{offer}']\n"
        ));
    }
    let arena = Arena::new(&text);
    arena.write("says.py", SAYS);
    arena
}

fn reasons(arena: &Arena) -> Vec<String> {
    let reason = |record: &Value| record["result"]["reason"].as_str().unwrap().to_owned();
    let mut reasons: Vec<String> = arena.matches().iter().map(reason).collect();
    reasons.dedup();
    reasons
}

fn check(arena: &Arena) -> Ran {
    let file = arena.path("t.toml");
    run([OsStr::new("config"), OsStr::new("check"), file.as_os_str()])
}

const NO_OFFERS: [Value; 2] = [Value::Null, Value::Null];

#[test]
fn separate_players_are_settled_and_a_share_is_played_out() {
    let games = r#"games = ["paper-penguins", { id = "amazons", options = { size = 6 } }]"#;
    let head = "rounds = 8\nadjudicate = { settled = true, play_out = 0.3 }\n";
    let arena = Arena::new(&(head.to_owned() + &config_of(games, &[RANDOM, GREEDY])));
    good(arena.play());
    let matches = arena.matches();
    let adjudicated = |record: &&Value| !record["adjudication"].is_null();
    let played_out = |record: &&Value| record["adjudication"]["played_out"] == true;
    let adjudicated: Vec<&Value> = matches.iter().filter(adjudicated).collect();
    let out = adjudicated
        .iter()
        .filter(|record| played_out(record))
        .count();
    assert!(
        (1..adjudicated.len()).contains(&out),
        "{out} of {}",
        adjudicated.len()
    );
    for record in adjudicated {
        let adjudication = &record["adjudication"];
        assert_eq!(adjudication["by"], "settled");
        assert!(adjudication["positions"].as_u64() < Some(20_000));
        if !played_out(&record) {
            assert_eq!(record["result"]["reason"], "settled");
            assert_eq!(record["result"]["scores"], adjudication["scores"]);
            assert_eq!(
                adjudication["ply"],
                record["moves"].as_array().unwrap().len()
            );
        }
    }
    verified(arena.path("out"));
    let ran = run([OsStr::new("standings"), arena.path("out").as_os_str()]);
    assert!(
        ran.stdout.contains("Adjudications") && ran.stdout.contains(" settled "),
        "{}",
        ran.stdout
    );
    // What is recorded is proven again.
    let log = arena.read("out/games.jsonl");
    let forged = matches
        .iter()
        .find(|record| record["result"]["reason"] == "settled");
    let mut forged = forged.unwrap().clone();
    assert_contains(&log, forged["match"].as_str().unwrap());
    forged["adjudication"]["outcome"] = json!([0.5, 0.5]);
    forged["result"]["outcome"] = json!([0.5, 0.5]);
    forged.as_object_mut().unwrap().remove("prev");
    arena.write("forged.jsonl", &format!("{forged}\n"));
    let ran = run([
        OsStr::new("replay"),
        arena.path("forged.jsonl").as_os_str(),
        OsStr::new("--verify"),
    ]);
    assert_eq!(ran.code, Some(3));
    assert_contains(&ran.stdout, "adjudication at ply");
}

#[test]
fn bots_that_agree_on_the_loser_end_the_match() {
    let rule = "adjudicate = { resign = { value = 0.02, moves = 4, all = true }, play_out = 0 }";
    let loses = || json!([0.99, 0.01]);
    let arena = says(rule, [loses(), loses()], NO_OFFERS);
    good(arena.play());
    assert_eq!(reasons(&arena), ["adjudicated_win"]);
    for record in arena.matches() {
        assert_eq!(record["result"]["outcome"], json!([1.0, 0.0]));
        assert_eq!(record["moves"].as_array().unwrap().len(), 8);
    }
    verified(arena.path("out"));
}

#[test]
fn the_word_of_one_bot_ends_nothing() {
    let rules = "adjudicate = { resign = { value = 0.4, moves = 1 }, draw = { value = 0.1, moves = 1 }, \
                 offers = true, play_out = 0 }";
    for nonsense in [
        json!("lost"),
        json!(-5),
        json!(0),
        json!({"value": 0}),
        json!(1e308),
    ] {
        let arena = says(
            rules,
            [nonsense, json!(0)],
            [Value::Null, json!({"kind": "draw"})],
        );
        good(arena.play());
        assert_eq!(reasons(&arena), ["no_moves"]);
    }
}

#[test]
fn equal_offers_end_the_match() {
    let offer = || json!({"kind": "settle", "outcome": [0.5, 0.5], "scores": [4, 4]});
    let rules = "adjudicate = { offers = true, play_out = 0 }";
    let arena = says(rules, [json!(0.5), json!(0.5)], [offer(), offer()]);
    good(arena.play());
    for record in arena.matches() {
        assert_eq!(record["result"]["reason"], "agreed");
        assert_eq!(record["result"]["scores"], json!([4, 4]));
        assert_eq!(record["moves"][1]["offer"]["kind"], "settle");
    }
    verified(arena.path("out"));
    let off = says("", [json!(0.5), json!(0.5)], [offer(), offer()]);
    good(off.play());
    assert_eq!(reasons(&off), ["no_moves"]);
}

#[test]
fn reference_bots_offer_what_counting_proves() {
    let bots = config_of(
        r#"games = [{ id = "paper-penguins", options = { size = 5 } }]"#,
        &[RANDOM, GREEDY],
    );
    let arena = Arena::new(&format!(
        "adjudicate = {{ offers = true, play_out = 0 }}\nrounds = 3\n{bots}"
    ));
    good(arena.play());
    // In some of the matches, one of them has no move left once all is separate, and cannot agree.
    assert_eq!(reasons(&arena), ["no_moves", "agreed", "no_moves"]);
    verified(arena.path("out"));
}

#[test]
fn wrong_rules_are_refused_with_their_place() {
    for (rule, message) in [
        (
            "resign = { value = 0.02, moves = 4, all = false }",
            "no match is decided by the word of one bot",
        ),
        (
            "resign = { value = 0.6, moves = 4 }",
            "0.6 is not between 0 and 0.5",
        ),
        ("draw = { value = 0.1, moves = 0 }", "moves"),
        ("play_out = 1.5", "1.5 is not a share"),
        ("settled = true, positions = 0", "positions"),
        ("positions = 5", "needs `settled = true`"),
    ] {
        let arena = says(
            &format!("adjudicate = {{ {rule} }}"),
            [json!(0), json!(0)],
            NO_OFFERS,
        );
        let ran = check(&arena);
        assert_eq!(ran.code, Some(2), "{rule}");
        assert!(ran.stderr.contains(message), "{rule}: {}", ran.stderr);
    }
    let arena = Arena::new(
        &("adjudicate = { settled = true }\n".to_owned()
            + &config_of(r#"games = ["siam"]"#, &[RANDOM, GREEDY])),
    );
    let ran = check(&arena);
    tests::refused(&ran, 2, "can be settled by counting: `amazons`");
}
