//! Tournaments over NATS: server, coordinator and workers are real processes that can be killed,
//! stopped and restarted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cluster::{Connection, Role, Server, streams};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::cluster::nats::NatsServer;
use crate::{Arena, Ran, referee, timeless, wait_until};

/// Bots that play the same moves in every run.
pub const BOTS: &str = r#"
[time]
per_move = "60s"
startup = "60s"
[[bots]]
name = "random"
command = ["referee", "bot", "random"]
[[bots]]
name = "greedy"
command = ["referee", "bot", "greedy"]
[[bots]]
name = "third"
command = ["referee", "bot", "random", "--seed", "3"]
"#;

/// A configuration of these bots; `head` comes first.
pub fn config(head: &str) -> String {
    format!("name = \"evening\"\n{head}{BOTS}")
}

/// A tournament and its processes.
#[derive(Debug)]
pub struct Field {
    pub nats: NatsServer,
    /// The folder of the configuration, and of the tournament in `out`.
    pub arena: Arena,
    workers: BTreeMap<String, Child>,
}

impl Field {
    /// A field with this configuration, without workers.
    pub fn new(config: &str) -> Self {
        Self::with_server(config, NatsServer::start())
    }

    /// The same with another server.
    pub fn with_server(config: &str, nats: NatsServer) -> Self {
        Field {
            nats,
            arena: Arena::new(config),
            workers: BTreeMap::new(),
        }
    }

    /// A command in the arena, without stdin; its output goes to `NAME.out` and `NAME.err` there.
    pub fn command(&self, name: &str, program: &Path) -> Command {
        let file = |end: &str| {
            let mut options = fs::OpenOptions::new();
            let path = self.arena.path(&format!("{name}.{end}"));
            options
                .create(true)
                .append(true)
                .open(path)
                .expect("a file")
        };
        let mut command = Command::new(program);
        command.current_dir(self.arena.path(""));
        command
            .stdin(Stdio::null())
            .stdout(file("out"))
            .stderr(file("err"));
        command
    }

    /// A process's stderr.
    pub fn stderr(&self, name: &str) -> String {
        fs::read_to_string(self.arena.path(&format!("{name}.err"))).unwrap_or_default()
    }

    /// Starts a worker that trusts the configuration, with more arguments.
    pub fn worker(&mut self, name: &str, more: &[&str]) {
        let mut command = self.command(name, referee());
        command.args(["worker", &self.nats.address(), "--name", name, "--trust"]);
        let child = command.args(more).spawn().expect("a worker");
        self.workers.insert(name.to_owned(), child);
    }

    /// Adds a process as a worker, so that it can be killed and ends with the field.
    pub fn adopt(&mut self, name: &str, worker: Child) {
        self.workers.insert(name.to_owned(), worker);
    }

    /// The process of a worker.
    pub fn pid(&self, name: &str) -> u32 {
        self.workers.get(name).expect("a worker").id()
    }

    pub fn signal(&mut self, name: &str, signal: Signal) {
        kill(Pid::from_raw(self.pid(name) as i32), signal).expect("a signal");
    }

    pub fn kill_worker(&mut self, name: &str) {
        if let Some(mut worker) = self.workers.remove(name) {
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }

    /// Waits until a worker has ended by itself, and returns its exit code.
    pub fn ended(&mut self, name: &str) -> Option<i32> {
        let mut worker = self.workers.remove(name).expect("a worker");
        wait_until("the end of a worker", || {
            worker.try_wait().expect("a worker").is_some()
        });
        worker.wait().expect("a worker").code()
    }

    /// The command of the coordinator, with a short lease.
    pub fn coordinator(&self, more: &[&str]) -> Command {
        let mut command = self.command("coordinator", referee());
        command.args(self.arena.tournament()).arg("--quiet");
        command.args(["--nats", &self.nats.address(), "--nats-lease", "1s"]);
        command.args(more);
        command
    }

    /// Plays the tournament to its end.
    pub fn play(&self, more: &[&str]) {
        let mut coordinator = self.coordinator(more).spawn().expect("a coordinator");
        self.ends_well(&mut coordinator);
    }

    /// Waits for the end of a coordinator.
    #[track_caller]
    pub fn ends_well(&self, coordinator: &mut Child) {
        let end = Instant::now() + Duration::from_secs(90);
        while coordinator.try_wait().expect("a child").is_none() {
            if Instant::now() > end {
                let _ = coordinator.kill();
                panic!("no end: {}", self.said());
            }
            thread::sleep(Duration::from_millis(10));
        }
        let status = coordinator.wait().expect("a child");
        assert_eq!(status.code(), Some(0), "{}", self.said());
    }

    /// Output of coordinator and workers on stderr.
    pub fn said(&self) -> String {
        let workers = self.workers.keys().map(|name| self.stderr(name));
        let workers: Vec<String> = workers.collect();
        format!("{}\n{}", self.stderr("coordinator"), workers.join("\n"))
    }

    pub fn done(&self) -> usize {
        let log = fs::read(self.arena.path("out/games.jsonl")).unwrap_or_default();
        log.iter().filter(|byte| **byte == b'\n').count()
    }

    pub fn matches(&self) -> BTreeMap<String, Value> {
        matches(&self.arena.path("out/games.jsonl"))
    }

    /// Jobs, results and announcements that are left on the server.
    pub fn left(&self) -> Vec<String> {
        let server = Server {
            address: self.nats.address(),
            credentials: None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(async {
            let connection = Connection::open(&server, Role::Viewer).await;
            let left = streams(&connection.expect("a connection")).await;
            left.expect("an answer")
        })
    }
}

impl Drop for Field {
    fn drop(&mut self) {
        let names: Vec<String> = self.workers.keys().cloned().collect();
        names.iter().for_each(|name| self.kill_worker(name));
    }
}

/// The matches of a log by their ids, without data that differ between runs.
pub fn matches(log: &Path) -> BTreeMap<String, Value> {
    let log = fs::read_to_string(log).expect("a log");
    let mut matches = BTreeMap::new();
    for line in log.lines() {
        let record: Value = serde_json::from_str(line).expect("a match");
        let id = record["match"].as_str().expect("an id").to_owned();
        let mut record = timeless(&record);
        // How many matches ran at a time is the worker's affair.
        record["conditions"]["concurrency"] = Value::Null;
        let before = matches.insert(id.clone(), record);
        assert!(before.is_none(), "`{id}` is there twice");
    }
    matches
}

/// The matches of the same tournament on one machine, and its log.
pub fn undisturbed(config: &str) -> (Arena, BTreeMap<String, Value>) {
    let arena = Arena::new(config);
    let ran: Ran = crate::run(arena.tournament().into_iter().chain(["--quiet".into()]));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let matches = matches(&arena.path("out/games.jsonl"));
    (arena, matches)
}

/// The log of an arena.
pub fn log_of(arena: &Arena) -> PathBuf {
    arena.path("out/games.jsonl")
}
