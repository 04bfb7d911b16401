//! An agent that develops a bot: checks, tournaments, logs.

use std::fs;

use serde_json::{Value, json};
use tests::agent::Agent;
use tests::{assert_contains, verified, wait_until};

use crate::{GREEDY, RANDOM, config};

/// Waits for the end of a tournament.
fn finished(agent: &mut Agent, folder: &Value) -> Value {
    let mut answer = Value::Null;
    wait_until("the tournament", || {
        answer = agent.good("get_tournament", json!({"folder": folder}));
        !["preparing", "running"].contains(&answer["state"].as_str().unwrap())
    });
    answer
}

#[test]
fn an_agent_runs_a_tournament_and_reads_its_log() {
    let mut agent = Agent::start::<&str>([]);
    let begun = agent.good(
        "run_tournament",
        json!({"config": config(&[RANDOM, GREEDY])}),
    );
    assert_eq!(begun["bots"], json!(["random", "greedy"]));
    let folder = &begun["folder"];
    let ended = finished(&mut agent, folder);
    assert_eq!(
        (&ended["state"], &ended["done"], &ended["total"]),
        (&json!("finished"), &json!(2), &json!(2))
    );
    assert_eq!(ended["standings"][0]["bot"], "greedy", "{ended}");
    assert_contains(ended["text"].as_str().unwrap(), "Standings");
    let log = agent.good("get_log", json!({"folder": folder}));
    assert_eq!(log["count"], 2);
    let id = &log["matches"][0]["match"];
    let log = agent.good("get_log", json!({"folder": folder, "match": id}));
    assert!(
        log["record"]["moves"].as_array().unwrap().len() > 4,
        "{log}"
    );
    verified(folder.as_str().unwrap());
}

#[test]
fn a_file_and_an_example_are_configurations_too() {
    let mut agent = Agent::start::<&str>([]);
    fs::write(agent.path("two.toml"), config(&[RANDOM, GREEDY])).unwrap();
    let begun = agent.good("run_tournament", json!({"config": "two.toml"}));
    assert_eq!(finished(&mut agent, &begun["folder"])["done"], 2);
    fs::write(agent.path("notes.txt"), "private").unwrap();
    for (given, part) in [
        ("notes.txt", "is neither TOML nor a file of it"),
        ("/etc/passwd", "is neither TOML"),
        ("none.toml", "cannot be read"),
        ("name = 3", "name"),
        ("a = [", "TOML"),
    ] {
        agent.refused("run_tournament", json!({"config": given}), part);
    }
}

#[test]
fn only_folders_of_the_server_are_read() {
    let mut agent = Agent::start::<&str>([]);
    let begun = agent.good(
        "run_tournament",
        json!({"config": config(&[RANDOM, GREEDY])}),
    );
    finished(&mut agent, &begun["folder"]);
    // Its name alone is enough.
    agent.good("get_log", json!({"folder": "test-1"}));
    let elsewhere = tests::root().join("tests/fixtures/tournament-0.1");
    let link = agent.path("runs/mcp/link");
    std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
    let elsewhere = elsewhere.to_str().unwrap();
    for folder in [
        elsewhere,
        "/",
        "..",
        "../..",
        "",
        ".",
        "link",
        "test-1/../..",
        "test-2",
    ] {
        for tool in ["get_log", "get_tournament"] {
            agent.refused(tool, json!({"folder": folder}), "there is no such folder");
        }
    }
}

#[test]
fn programs_run_only_if_the_user_allows_it() {
    const BOT: &str = "sh -c 'touch ran; exec \"$REFEREE\" bot random'";
    let own = (
        "own",
        r#"["sh", "-c", "touch ran; exec \"$REFEREE\" bot random"]"#,
    );
    let text = config(&[RANDOM, own]);
    let new = json!({"game": "siam", "seat": 0, "opponents": [BOT]});
    let check = json!({"command": BOT, "games": ["siam"], "only": ["match/"]});
    let mut agent = Agent::start::<&str>([]);
    assert_eq!(
        agent.good("list_bots", json!({}))["commands_allowed"],
        false
    );
    fs::write(agent.path("own.toml"), &text).unwrap();
    for (tool, asked) in [
        ("new_match", new.clone()),
        ("check_bot", check.clone()),
        ("run_tournament", json!({"config": text})),
        ("run_tournament", json!({"config": "own.toml"})),
    ] {
        agent.refused(tool, asked, "--allow-commands");
    }
    let includes = "include = ['own.toml']\nname = 'x'";
    fs::write(agent.path("more.toml"), includes).unwrap();
    agent.refused(
        "run_tournament",
        json!({"config": "more.toml"}),
        "`include`",
    );
    let rules = format!("rules = ['sh game.sh']\n{}", config(&[RANDOM, GREEDY]));
    agent.refused("run_tournament", json!({"config": rules}), "only sheets");
    assert!(!agent.path("ran").exists());
    let checked = agent.good(
        "check_bot",
        json!({"command": "random", "games": ["siam"], "only": ["match/"]}),
    );
    assert_eq!(checked["failed"], 0, "{checked}");

    let mut agent = Agent::start(["--allow-commands"]);
    assert_eq!(agent.good("list_bots", json!({}))["commands_allowed"], true);
    let begun = agent.good("new_match", new);
    agent.good("resign", json!({"match": begun["match"]}));
    assert!(agent.path("ran").exists());
    let checked = agent.good("check_bot", check);
    assert!(checked["passed"].as_u64().unwrap() > 0, "{checked}");
    let begun = agent.good("run_tournament", json!({"config": text}));
    assert_eq!(finished(&mut agent, &begun["folder"])["done"], 2);
}

#[test]
fn a_broken_bot_is_told_what_is_wrong() {
    let mut agent = Agent::start(["--allow-commands"]);
    let asked = json!({"command": "sh -c 'read x; echo nonsense'", "games": ["siam"]});
    let checked = agent.good("check_bot", asked);
    assert!(checked["failed"].as_u64().unwrap() > 0);
    let finding = &checked["checks"][0]["finding"];
    assert!(
        finding["what"].is_string() && !finding["mend"].as_array().unwrap().is_empty(),
        "{checked}"
    );
    let new = json!({"game": "siam", "seat": 0, "opponents": ["sh -c 'exit 7'"]});
    let begun = agent.good("new_match", new);
    let position = agent.good("get_position", json!({"match": begun["match"]}));
    assert_eq!(
        position["result"]["faults"][0]["code"], "startup",
        "{position}"
    );
}
