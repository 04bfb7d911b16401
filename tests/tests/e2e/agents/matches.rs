//! Matches in which an agent has a seat.

use serde_json::{Value, json};
use tests::agent::Agent;
use tests::{good, root, verify};

/// Moves of an agent after which it resigns.
const MOST_MOVES: usize = 60;

/// Plays a match with this many opponents to its end, by moves that hardly repeat.
fn play(agent: &mut Agent, new_match: Value) -> (Value, Value) {
    let begun = agent.good("new_match", new_match);
    let id = begun["match"].as_str().unwrap().to_owned();
    let mut position = agent.good("get_position", json!({"match": id}));
    let mut made = 0;
    while position["result"].is_null() {
        assert_eq!(position["your_turn"], true, "{position}");
        let legal = position["legal"].as_array().unwrap();
        made += 1;
        position = match made > MOST_MOVES {
            true => agent.good("resign", json!({"match": id})),
            false => {
                let mv = &legal[(made * 7919) % legal.len()];
                agent.good("play_move", json!({"match": id, "move": mv}))
            }
        };
    }
    (begun, position)
}

#[test]
fn an_agent_plays_every_game_and_the_log_verifies() {
    let sheet = root().join("games/sheets/kuhn-poker.kif");
    let rules = ["--rules", sheet.to_str().unwrap()];
    let mut agent = Agent::start(rules);
    let games = agent.good("list_games", json!({}));
    let games = games["games"].as_array().unwrap().clone();
    assert_eq!(games.len(), 9);
    let mut folder = String::new();
    for (seat, game) in games.iter().enumerate() {
        let known = agent.good("get_rules", json!({"game": game["id"]}));
        assert!(known["rules"].as_str().unwrap().len() > 20, "{known}");
        let seats = known["roles"].as_array().unwrap();
        let opponents = vec!["random"; seats.len() - 1];
        let seat = seat % seats.len();
        let asked = json!({
            "game": game["id"], "seat": seat, "opponents": opponents, "per_move": "20s",
        });
        let (begun, last) = play(&mut agent, asked);
        assert_eq!(begun["role"], seats[seat]);
        let outcome = last["result"]["outcome"].as_array().unwrap();
        assert_eq!(outcome.len(), seats.len(), "{last}");
        folder = begun["folder"].as_str().unwrap().to_owned();
        let log = agent.good(
            "get_log",
            json!({"folder": folder, "match": begun["match"]}),
        );
        assert_eq!(
            log["record"]["result"]["outcome"],
            last["result"]["outcome"]
        );
    }
    let listed = agent.good("get_log", json!({"folder": folder}));
    assert_eq!(listed["count"], games.len());
    let verified = tests::verified(agent.path(&folder));
    tests::assert_contains(&verified.stdout, "9 verified, 0 with mismatches");
}

#[test]
fn a_seat_has_a_role_and_a_seed_gives_the_same_start() {
    let mut agent = Agent::start::<&str>([]);
    let mut starts = Vec::new();
    for _ in 0..2 {
        let asked =
            json!({"game": "penguins", "seat": 0, "opponents": ["random --seed 3"], "seed": 7});
        let begun = agent.good("new_match", asked);
        starts
            .push(agent.good("get_position", json!({"match": begun["match"]}))["position"].take());
    }
    assert_eq!(starts[0], starts[1]);
    let asked = json!({"game": "siam", "seat": "rhinos", "opponents": ["greedy"]});
    let begun = agent.good("new_match", asked);
    assert_eq!(
        (&begun["seat"], &begun["role"]),
        (&json!(1), &json!("rhinos"))
    );
    let position = agent.good("get_position", json!({"match": begun["match"]}));
    assert_eq!(
        position["moves"][0]["seat"], 0,
        "the opponent has moved: {position}"
    );
    assert!(
        position["text"].as_str().unwrap().lines().count() >= 5,
        "{position}"
    );
    let analysis = json!({"match": begun["match"], "bot": "mcts --playouts 20", "time": "10s"});
    let analysis = agent.good("analyse", analysis);
    assert!(
        position["legal"]
            .as_array()
            .unwrap()
            .contains(&analysis["move"]),
        "{analysis}"
    );
}

#[test]
fn what_is_wrong_is_an_error_of_the_tool_and_costs_nothing() {
    let mut agent = Agent::start::<&str>([]);
    let new = |game: &str, seat: Value, opponents: &[&str]| json!({"game": game, "seat": seat, "opponents": opponents});
    for (asked, part) in [
        (new("simia", json!(0), &["random"]), "did you mean `siam`?"),
        (
            new("siam", json!(2), &["random"]),
            "0 (elephants), 1 (rhinos)",
        ),
        (
            new("siam", json!("rhino"), &["random"]),
            "did you mean `rhinos`?",
        ),
        (new("siam", json!(0), &[]), "needs 1 opponents"),
        (new("siam", json!(0), &["mtcs"]), "only reference bots"),
        (
            new("siam", json!(0), &["mcts --nodes 3"]),
            "--nodes means nothing",
        ),
        (new("siam", json!(0), &["'"]), "quote"),
        (
            json!({"game": "siam", "seat": 0, "opponents": ["random"], "per_move": "1"}),
            "per_move: ",
        ),
        (
            json!({"game": "siam", "seat": 0, "opponents": ["random"], "per_moves": "1s"}),
            "unknown field",
        ),
        (
            json!({"game": "amazons", "options": {"size": 99}, "seat": 0, "opponents": ["random"]}),
            "size",
        ),
        (json!({"game": "siam"}), "missing field `seat`"),
    ] {
        agent.refused("new_match", asked, part);
    }
    agent.refused(
        "play_move",
        json!({"match": "m-000009", "move": "x"}),
        "there is no match",
    );
    agent.refused("get_rules", json!({"game": "chess"}), "there is no game");
    agent.refused("play", json!({}), "there is no tool `play`");
    let begun = agent.good("new_match", new("siam", json!(0), &["random"]));
    let id = begun["match"].clone();
    agent.refused(
        "play_move",
        json!({"match": id, "move": "nonsense\u{1b}[2J"}),
        "is not a legal move",
    );
    let position = agent.good("get_position", json!({"match": id}));
    assert_eq!(
        (&position["your_turn"], &position["ply"]),
        (&json!(true), &json!(0))
    );
    let resigned = agent.good("resign", json!({"match": id}));
    assert_eq!(resigned["result"]["outcome"], json!([0.0, 1.0]));
    agent.refused(
        "play_move",
        json!({"match": id, "move": "x"}),
        "the match is over by",
    );
    let folder = agent.path(begun["folder"].as_str().unwrap());
    good(verify(folder));
}

#[test]
fn matches_at_a_time_are_bounded() {
    let mut agent = Agent::start(["--matches", "2"]);
    let asked = json!({"game": "siam", "seat": 0, "opponents": ["random"]});
    let first = agent.good("new_match", asked.clone());
    agent.good("new_match", asked.clone());
    agent.refused("new_match", asked.clone(), "2 matches are played already");
    agent.good("resign", json!({"match": first["match"]}));
    // Its bot leaves in a moment.
    tests::wait_until("a place", || agent.call("new_match", asked.clone()).is_ok());
}
