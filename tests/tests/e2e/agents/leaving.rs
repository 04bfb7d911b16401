//! Clients that go away, or do nothing: their matches end, and so do the bots.

use std::process::Command;

use serde_json::json;
use tests::agent::Agent;
use tests::traces::{children, supervisors};
use tests::{json_lines, verified, wait_until};

/// All processes of the bots of this one.
fn below(agent: u32) -> Vec<u32> {
    let mut all = supervisors(agent);
    let mut next = 0;
    while next < all.len() {
        all.extend(children(all[next]));
        next += 1;
    }
    all
}

fn runs(pid: &u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

/// Begins matches of all kinds, and returns the processes of their bots.
fn busy(agent: &mut Agent) -> Vec<u32> {
    for opponent in ["mcts", "alphabeta", "random"] {
        let asked = json!({"game": "siam", "seat": 0, "opponents": [opponent], "per_move": "60s"});
        agent.good("new_match", asked);
    }
    let config = crate::config(&[
        ("a", r#"["referee", "bot", "mcts"]"#),
        ("b", r#"["referee", "bot", "mcts"]"#),
    ]);
    agent.good("run_tournament", json!({"config": config}));
    // A bot that thinks.
    let position = agent.good("get_position", json!({"match": "m-000001"}));
    let request = json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {
        "name": "play_move", "arguments": {"match": "m-000001", "move": position["legal"][0]},
    }});
    agent.write(&request.to_string());
    wait_until("bots", || below(agent.pid()).len() >= 10);
    below(agent.pid())
}

#[test]
fn a_client_that_goes_away_leaves_no_process_and_a_log_that_verifies() {
    let mut agent = Agent::start::<&str>([]);
    let bots = busy(&mut agent);
    let folder = agent.path("runs/mcp/matches-1");
    let kept = tempfile::tempdir().unwrap();
    let (status, said) = {
        // Its folder would go with it.
        let copy = kept.path().join("log");
        let link = Command::new("ln")
            .arg(folder.join("games.jsonl"))
            .arg(&copy)
            .status();
        assert!(link.unwrap().success());
        agent.end()
    };
    assert!(status.success(), "{status}: {said}");
    assert_eq!(said, "");
    wait_until("the end of all bots", || !bots.iter().any(runs));
    let log = std::fs::read_to_string(kept.path().join("log")).unwrap();
    let records = json_lines(&log);
    assert!(records.len() >= 2, "what the client left is lost: {log}");
    assert!(
        records
            .iter()
            .all(|record| record["result"]["reason"] == "forfeit")
    );
}

#[test]
fn a_killed_server_leaves_no_process() {
    let mut agent = Agent::start::<&str>([]);
    let bots = busy(&mut agent);
    let kill = Command::new("kill")
        .arg("-9")
        .arg(agent.pid().to_string())
        .status();
    assert!(kill.unwrap().success());
    wait_until("the end of all bots", || !bots.iter().any(runs));
}

#[test]
fn a_match_whose_client_does_nothing_is_lost() {
    let mut agent = Agent::start(["--idle", "300ms"]);
    let begun = agent.good(
        "new_match",
        json!({"game": "siam", "seat": 0, "opponents": ["random"]}),
    );
    let folder = agent.path(begun["folder"].as_str().unwrap());
    let log = folder.join("games.jsonl");
    wait_until("the log", || {
        std::fs::read_to_string(&log).is_ok_and(|text| !text.is_empty())
    });
    let position = agent.good("get_position", json!({"match": begun["match"]}));
    assert_eq!(
        position["result"]["outcome"],
        json!([0.0, 1.0]),
        "{position}"
    );
    wait_until("the end of the bot", || below(agent.pid()).is_empty());
    verified(folder);
}
