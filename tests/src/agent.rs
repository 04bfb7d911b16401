//! A client of `referee mcp`, as an agent has one: lines of JSON-RPC over its pipes.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A server that runs in a folder of its own, and the only client of it.
#[derive(Debug)]
pub struct Agent {
    child: Child,
    /// `None` once it is to end.
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    id: u64,
    folder: TempDir,
}

impl Agent {
    /// Starts a server with these arguments, and shakes hands with it.
    pub fn start<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        let mut agent = Self::silent(args);
        agent.greet();
        agent
    }

    /// The same without the handshake.
    pub fn silent<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut child = Command::new(crate::referee())
            .arg("mcp")
            .args(args)
            .current_dir(folder.path())
            .env("REFEREE_YARDSTICK", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("referee runs");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        Agent {
            stdin: child.stdin.take(),
            child,
            stdout,
            id: 0,
            folder,
        }
    }

    /// The handshake.
    pub fn greet(&mut self) {
        let greeting = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = self.request("initialize", greeting);
        assert_eq!(
            answer["result"]["serverInfo"]["name"], "referee",
            "{answer}"
        );
        self.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    /// The folder in which it runs.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line.
    pub fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("an open connection");
        stdin
            .write_all(format!("{line}\n").as_bytes())
            .expect("it reads");
    }

    /// The next message of the server.
    pub fn read(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The whole answer to a request.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        self.write(&request.to_string());
        let answer = self.read();
        assert_eq!(answer["id"], self.id, "{answer}");
        answer
    }

    /// Calls a tool: its structured answer, or the sentence of its error.
    ///
    /// # Errors
    /// The sentence.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let mut answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{answer}")).to_owned();
        match answer["result"]["isError"] == true {
            true => Err(text),
            false => {
                let structured = answer["result"]["structuredContent"].take();
                let same: Value = serde_json::from_str(&text).expect("JSON");
                assert_eq!(same, structured);
                Ok(structured)
            }
        }
    }

    /// Calls a tool that must succeed.
    #[track_caller]
    pub fn good(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments);
        answer.unwrap_or_else(|why| panic!("{tool}: {why}"))
    }

    /// Calls a tool that must refuse this, in one line.
    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value, part: &str) {
        let why = self.call(tool, arguments).expect_err(tool);
        assert_eq!(why.lines().count(), 1, "{why}");
        crate::assert_contains(&why, part);
    }

    /// Plays a match to its end by moves that this chooses, and returns the last position.
    pub fn play(&mut self, id: &str, mut choose: impl FnMut(&Value) -> String) -> Value {
        let mut position = self.good("get_position", json!({"match": id}));
        while position["result"].is_null() {
            let mv = choose(&position);
            position = self.good("play_move", json!({"match": id, "move": mv}));
        }
        position
    }

    /// Closes its input; its exit status, and what it said on stderr.
    pub fn end(mut self) -> (ExitStatus, String) {
        self.stdin = None;
        let mut said = String::new();
        let stderr = self.child.stderr.as_mut().expect("a pipe");
        stderr.read_to_string(&mut said).expect("text");
        (self.child.wait().expect("it ends"), said)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // Closing its input ends it.
        self.stdin = None;
        let _ = self.child.wait();
    }
}
