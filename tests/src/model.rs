//! A client of `referee model`, as in any language.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A running forward model.
#[derive(Debug)]
pub struct ModelClient {
    child: Child,
    /// `None` once it has to end.
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    id: u64,
}

impl ModelClient {
    /// Starts a model.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a model with more arguments.
    pub fn start_with(more: &[&str]) -> Self {
        let mut child = Command::new(crate::referee())
            .arg("model")
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("referee runs");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        ModelClient {
            stdin: child.stdin.take(),
            child,
            stdout,
            id: 0,
        }
    }

    /// Sends a request and returns the whole answer.
    pub fn ask(&mut self, mut request: Value) -> Value {
        self.id += 1;
        request["id"] = json!(self.id);
        let stdin = self.stdin.as_mut().expect("an open model");
        // In one piece: each would wake the model.
        let line = format!("{request}\n");
        stdin.write_all(line.as_bytes()).expect("the model reads");
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the model answers");
        let answer: Value = serde_json::from_str(&line).expect("answers are JSON");
        assert_eq!(answer["id"], self.id);
        answer
    }

    /// Sends a request that must succeed and returns its `ok`.
    pub fn ok(&mut self, request: Value) -> Value {
        let mut answer = self.ask(request);
        assert!(answer.get("error").is_none(), "{}", answer["error"]);
        answer["ok"].take()
    }
}

impl Drop for ModelClient {
    fn drop(&mut self) {
        // Closing its input ends it.
        self.stdin = None;
        let _ = self.child.wait();
    }
}
