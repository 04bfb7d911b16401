//! Agents that connect over HTTP.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::web::{ask, host};
use tests::{refused, run, wait_until};

/// A server over HTTP, which is ended with this value.
struct Served {
    child: Child,
    host: String,
    _folder: TempDir,
}

impl Served {
    fn start(idle: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(tests::referee())
            .args(["mcp", "--http", "127.0.0.1:0", "--idle", idle])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        stderr.read_line(&mut line).unwrap();
        let at = line.find("http://").unwrap_or_else(|| panic!("{line}"));
        Served {
            host: host(line[at..].trim_end()).to_owned(),
            child,
            _folder: folder,
        }
    }

    /// Posts a message: the status, the session and the message of the answer.
    fn post(&self, headers: &str, message: &Value) -> (u16, Option<String>, Value) {
        let headers = format!("Accept: application/json, text/event-stream\r\n{headers}");
        let answer = ask(&self.host, "POST", "/mcp", &headers, &message.to_string());
        let session = answer
            .head
            .lines()
            .find_map(|line| line.strip_prefix("mcp-session-id: "));
        let data = answer
            .body
            .lines()
            .filter_map(|line| serde_json::from_str(line.trim_start_matches("data:").trim()).ok());
        let data = data.rev().find(|data: &Value| data.is_object());
        (
            answer.status,
            session.map(str::to_owned),
            data.unwrap_or_default(),
        )
    }

    /// Begins a session.
    fn greet(&self) -> String {
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let greeting = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let (status, session, answer) = self.post("", &greeting);
        assert_eq!(status, 200, "{answer}");
        let session = format!("Mcp-Session-Id: {}\r\n", session.unwrap());
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.post(&session, &begun).0, 202);
        session
    }

    fn call(&self, session: &str, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let request = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params});
        let (status, _, mut answer) = self.post(session, &request);
        assert_eq!(status, 200, "{answer}");
        answer["result"].take()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}

#[test]
fn an_agent_plays_over_http_and_its_end_ends_its_matches() {
    let served = Served::start("10m");
    let (one, other) = (served.greet(), served.greet());
    let asked = json!({"game": "siam", "seat": 0, "opponents": ["random"]});
    let begun = served.call(&one, "new_match", asked.clone());
    let id = &begun["structuredContent"]["match"];
    let position = served.call(&one, "get_position", json!({"match": id}));
    let mv = &position["structuredContent"]["legal"][0];
    let position = served.call(&one, "play_move", json!({"match": id, "move": mv}));
    assert_eq!(position["structuredContent"]["ply"], 2, "{position}");
    let kept = served.call(&other, "new_match", asked);
    let ended = ask(&served.host, "DELETE", "/mcp", &one, "");
    assert!(ended.status < 300, "{}", ended.status);
    let result = |id: &Value| {
        let position = served.call(&other, "get_position", json!({"match": id}));
        position["structuredContent"]["result"].clone()
    };
    wait_until("the end of the match", || !result(id).is_null());
    assert_eq!(result(id)["outcome"], json!([0.0, 1.0]));
    assert!(result(&kept["structuredContent"]["match"]).is_null());
}

#[test]
fn pages_and_foreign_names_get_nothing() {
    let served = Served::start("10m");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"},
    }});
    let own = format!("Origin: http://{}\r\n", served.host);
    assert_eq!(served.post(&own, &ping).0, 200);
    for headers in [
        "Host: evil.example\r\n",
        "Host: evil.example:8000\r\n",
        "Host: localhost.evil.example\r\n",
        "Origin: http://evil.example\r\n",
        "Origin: https://127.0.0.1\r\n",
        "Origin: http://127.0.0.1:1\r\n",
        "Origin: null\r\n",
    ] {
        let (status, session, answer) = served.post(headers, &ping);
        assert!((400..500).contains(&status), "{headers}: {status} {answer}");
        assert!(
            session.is_none() && answer["result"].is_null(),
            "{headers}: {answer}"
        );
    }
    let (status, ..) = served.post("", &json!({"nonsense": "x".repeat(5 << 20)}));
    assert!((400..500).contains(&status), "{status}");
    assert_eq!(served.post("", &ping).0, 200);
}

#[test]
fn only_this_machine_is_served() {
    for address in ["0.0.0.0:0", "10.1.2.3:8000", "[::]:0"] {
        refused(
            &run(["mcp", "--http", address]),
            2,
            "only an address of this machine",
        );
    }
}
