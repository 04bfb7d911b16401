//! What is no message, and messages that were changed on their way.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;

use chacha20::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};
use tests::agent::Agent;
use tests::traces::resident_kib;
use tests::wait_until;

/// Mutated sessions, unless `MCP_SESSIONS` says another number.
const SESSIONS: u64 = 12;
/// Sessions in one process while its memory is measured.
const TOGETHER: u64 = 10 * SESSIONS;
/// What a server may grow by while it gets garbage, in KiB.
const MOST_GROWTH: u64 = 30 << 10;

#[test]
fn what_is_no_message_is_answered_and_the_next_one_is_read() {
    let mut agent = Agent::silent::<&str>([]);
    for is_greeted in [false, true] {
        for (line, code) in [
            ("nonsense", -32700),
            ("{\"jsonrpc\":\"2.0\",", -32700),
            ("\u{0}\u{1b}", -32700),
            ("[1,2]", -32600),
            ("null", -32600),
            ("{}", -32600),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        ] {
            agent.write(line);
            let answer = agent.read();
            assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        }
        agent.write(&format!("\"{}\"", "x".repeat(5 << 20)));
        assert_eq!(agent.read()["error"]["code"], -32600);
        agent.write("");
        agent.write(r#"{"jsonrpc":"2.0","method":"notifications/unheard"}"#);
        agent.write(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
        assert!(agent.request("ping", json!({}))["result"].is_object());
        if !is_greeted {
            let early = agent.request("tools/call", json!({"name": "list_games", "arguments": {}}));
            assert!(early["error"].is_object(), "{early}");
            agent.greet();
        }
    }
    assert!(agent.request("nonsense", json!({}))["error"].is_object());
    assert!(agent.request("tools/call", json!([]))["error"].is_object());
    assert_eq!(
        agent.good("list_games", json!({}))["games"]
            .as_array()
            .unwrap()
            .len(),
        8
    );
    let (status, said) = agent.end();
    assert!(status.success());
    assert_eq!(said, "");
}

/// The lines of a client that does a bit of everything.
fn session() -> Vec<String> {
    let call = |id: u64, tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let new = json!({
        "game": "amazons", "options": {"size": 5}, "seat": 0, "opponents": ["random"], "seed": 1,
        "per_move": "1s",
    });
    let greeting = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"},
    });
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        call(3, "list_games", json!({})),
        call(4, "get_rules", json!({"game": "siam"})),
        call(5, "new_match", new),
        call(6, "get_position", json!({"match": "m-000001"})),
        call(
            7,
            "play_move",
            json!({"match": "m-000001", "move": "a2-a3/c3"}),
        ),
        call(
            8,
            "analyse",
            json!({"match": "m-000001", "bot": "random", "time": "10ms"}),
        ),
        call(
            9,
            "check_bot",
            json!({"command": "random", "games": ["siam"], "only": ["match/"]}),
        ),
        call(
            10,
            "run_tournament",
            json!({"config": "name = 'x'\ngames = ['siam']\n"}),
        ),
        call(
            11,
            "get_log",
            json!({"folder": "matches-1", "match": "m-000001"}),
        ),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 8}}),
        call(12, "resign", json!({"match": "m-000001"})),
    ];
    lines.iter().map(Value::to_string).collect()
}

/// The session with a few bytes or lines changed.
fn mutated(rng: &mut ChaCha8Rng, keep: usize) -> Vec<u8> {
    let mut below = |n: usize| (rng.next_u64() % n as u64) as usize;
    let mut lines = session();
    for _ in 0..below(4) {
        let (from, to) = (
            keep + below(lines.len() - keep),
            keep + below(lines.len() - keep),
        );
        match below(3) {
            0 => lines.swap(from, to),
            1 => lines.push(lines[from].clone()),
            _ => drop(lines.remove(from)),
        }
    }
    let begin: usize = lines[..keep].iter().map(|line| line.len() + 1).sum();
    let mut bytes = (lines.join("\n") + "\n").into_bytes();
    for _ in 0..1 + below(12) {
        let at = begin + below(bytes.len() - begin);
        match below(5) {
            0 => bytes[at] = below(256) as u8,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, b"\"{}[],:\\\n9-e"[below(12)]),
            3 => bytes[at] ^= 1 << below(8),
            _ => {
                let end = (at + below(40)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
    bytes
}

fn server(folder: &tempfile::TempDir) -> Command {
    let mut command = Command::new(tests::referee());
    command
        .args(["mcp", "--matches", "3", "--idle", "1s"])
        .current_dir(folder.path())
        .env("REFEREE_YARDSTICK", "off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn a_mutated_session_is_no_reason_to_panic() {
    let sessions = std::env::var("MCP_SESSIONS").map_or(SESSIONS, |number| number.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..sessions {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let sent = mutated(&mut rng, 0);
        let mut child = server(&folder).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let shown = String::from_utf8_lossy(&sent).into_owned();
        // It may end before it has read everything.
        let writer = thread::spawn(move || stdin.write_all(&sent));
        let output = child.wait_with_output().unwrap();
        let _ = writer.join().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "seed {seed}: {}: {said}\n{shown}",
            output.status
        );
        for line in output
            .stdout
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            let answer: Value = serde_json::from_slice(line).unwrap();
            assert_eq!(answer["jsonrpc"], "2.0", "seed {seed}: {answer}");
        }
    }
}

#[test]
fn memory_stays_flat_under_mutated_messages() {
    let sessions = std::env::var("MCP_SESSIONS").map_or(TOGETHER, |number| number.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut child = server(&folder).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let (answered, answers) = std::sync::mpsc::channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reader = thread::spawn(move || {
        for line in output.lines() {
            let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if answer["id"] == "done" {
                answered.send(()).unwrap();
            }
        }
    });
    let errors = child.stderr.take().unwrap();
    let errors = thread::spawn(move || std::io::read_to_string(errors).unwrap());
    let greeting = session()[..2].join("\n") + "\n";
    stdin.write_all(greeting.as_bytes()).unwrap();
    let mut grown = Vec::new();
    for seed in 0..sessions {
        let mut rng = ChaCha8Rng::seed_from_u64(1 << 32 | seed);
        let sent = mutated(&mut rng, 2);
        let greeting = session()[..2].join("\n").len() + 1;
        stdin.write_all(&sent[greeting..]).unwrap();
        stdin
            .write_all(b"\n{\"jsonrpc\":\"2.0\",\"id\":\"done\",\"method\":\"ping\"}\n")
            .unwrap();
        answers.recv().unwrap();
        grown.extend(resident_kib(child.id()));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    reader.join().unwrap();
    assert_eq!(errors.join().unwrap(), "");
    // The first third fills what is kept.
    let early = grown[..grown.len() / 3].iter().max().unwrap();
    let late = grown.last().unwrap();
    assert!(*late < early + MOST_GROWTH, "from {early} to {late} KiB");
    wait_until("the end of all bots", || {
        tests::traces::children(child.id()).is_empty()
    });
}
