//! Helpers of the end-to-end tests: the built program, folders, waiting. They panic when a test
//! fails.

#![allow(missing_docs, reason = "only tests read this")]

pub mod agent;
pub mod campaign;
pub mod chaos;
pub mod chat_server;
pub mod cluster;
pub mod flood;
pub mod model;
pub mod needs;
pub mod screen;
pub mod traces;
pub mod web;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The program `referee`, built in the same profile as the tests.
pub fn referee() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| program("referee", "referee"))
}

/// The misbehaving bot, built in the same way.
pub fn hostile() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| program("tests", "hostile"))
}

/// A program of this workspace, built in the same profile as the running one.
pub fn program(package: &str, name: &str) -> PathBuf {
    // Programs are in `target/PROFILE`, tests in the folder `deps` there.
    let myself = env::current_exe().expect("the path of this program");
    let mut folders = myself.ancestors().skip(1);
    let folder = folders.find(|folder| !folder.ends_with("deps"));
    let folder = folder.expect("a target folder");
    // `tests/run` has built them all, and runs each test in a process of its own.
    if env::var_os("PROGRAMS_ARE_BUILT").is_none() {
        let profile = match folder.file_name().and_then(OsStr::to_str) {
            None | Some("debug") => "dev",
            Some(profile) => profile,
        };
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", package, "--bin", name]);
        build.args(["--profile", profile]);
        if package == "referee" {
            build.args(["--features", "cluster,mcp"]);
        }
        // Of the package under test. Build scripts that look at them would run again, and what depends on
        // them would be built again, each time.
        let of_a_package =
            |key: &str| key.starts_with("CARGO_PKG_") || key.starts_with("CARGO_MANIFEST_");
        for (key, _) in env::vars().filter(|(key, _)| of_a_package(key)) {
            build.env_remove(key);
        }
        let status = build.current_dir(root()).status();
        let built = status.expect("cargo runs").success();
        assert!(built, "{name} does not build");
    }
    folder.join(name)
}

/// The top of the repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

#[derive(Debug)]
pub struct Ran {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    #[track_caller]
    pub fn json(&self) -> Value {
        let value = serde_json::from_str(&self.stdout);
        value.unwrap_or_else(|error| panic!("{error} in {}{}", self.stdout, self.stderr))
    }
}

/// A JSON value a line, as in logs.
#[track_caller]
pub fn json_lines(text: &str) -> Vec<Value> {
    let value = |line| serde_json::from_str(line).expect("a line of JSON");
    text.lines().map(value).collect()
}

/// Runs `referee` with these arguments.
pub fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Ran {
    let output = Command::new(referee())
        .args(args)
        .stdin(Stdio::null())
        .output();
    output.expect("referee runs").into()
}

/// Asserts exit code 0.
#[track_caller]
pub fn good(ran: Ran) -> Ran {
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    ran
}

/// Asserts this exit code, and a part of the message.
#[track_caller]
pub fn refused(ran: &Ran, code: i32, part: &str) {
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
    assert_contains(&ran.stderr, part);
}

/// Shows the whole text if the part is not in it.
#[track_caller]
pub fn assert_contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` in {text}");
}

/// The same, where all that it says about itself is one line.
#[track_caller]
pub fn refused_in_one_line(ran: &Ran, code: i32, part: &str) {
    refused_with_all(ran, code, &[part]);
}

/// The same with several parts in that line.
#[track_caller]
pub fn refused_with_all(ran: &Ran, code: i32, parts: &[&str]) {
    assert_eq!(ran.stderr.trim_end().lines().count(), 1, "{}", ran.stderr);
    for part in parts {
        refused(ran, code, part);
    }
}

/// Runs `referee` with these words in the arena's folder.
pub fn run_in(arena: &Arena, args: &str) -> Ran {
    let mut command = Command::new(referee());
    command.args(args.split_whitespace());
    let output = command.current_dir(arena.path("")).output();
    output.expect("referee runs").into()
}

/// Checks a log, or that of a tournament's folder, against the rules.
pub fn verify(log: impl AsRef<OsStr>) -> Ran {
    run(["replay".as_ref(), log.as_ref(), "--verify".as_ref()])
}

/// The same, where every match must be as the rules have it.
#[track_caller]
pub fn verified(log: impl AsRef<OsStr>) -> Ran {
    good(verify(log))
}

/// A folder for one test, with a configuration in it.
#[derive(Debug)]
pub struct Arena {
    folder: TempDir,
}

impl Arena {
    /// A folder with this configuration.
    pub fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("t.toml"), config).expect("a configuration");
        Arena { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("a file");
        path
    }

    /// The text of a file in the folder.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        let text = fs::read_to_string(self.path(name));
        text.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The arguments that play the configuration into the folder `out`.
    pub fn tournament(&self) -> Vec<PathBuf> {
        vec![
            "tournament".into(),
            self.path("t.toml"),
            "--out".into(),
            self.path("out"),
        ]
    }

    /// The command that plays the configuration, without a terminal or anything printed.
    pub fn silent(&self) -> Command {
        let mut command = Command::new(referee());
        command
            .args(self.tournament())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    pub fn play(&self) -> Ran {
        run(self.tournament())
    }

    /// The matches of the log in `out`, by id.
    pub fn matches(&self) -> Vec<Value> {
        let log = self.read("out/games.jsonl");
        let lines = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("a match"));
        let mut matches: Vec<Value> = lines.collect();
        matches.sort_by_key(|record| record["match"].to_string());
        matches
    }
}

/// A match without the data that differ between runs and machines: times, and what depends on them.
pub fn timeless(value: &Value) -> Value {
    const TIMES: [&str; 8] = [
        "started",
        "duration_ms",
        "ms",
        "cpu_ms",
        "suspended_ms",
        "load",
        "machine",
        "prev",
    ];
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(key, _)| !TIMES.contains(&&***key));
            let fields = fields.map(|(key, value)| (key.clone(), timeless(value)));
            Value::Object(fields.collect())
        }
        Value::Array(values) => values.iter().map(timeless).collect(),
        value => value.clone(),
    }
}

/// A line of a log as older versions wrote it: without the hash of the line before.
pub fn unchained(line: &str) -> String {
    let (text, _) = line.rsplit_once(",\"prev\":").expect("a line with a hash");
    format!("{text}}}")
}

/// A log of matches between this many bots, each of which plays four.
pub fn crowded_log(bots: usize) -> String {
    let line = |number: usize| {
        let both = [number % bots, (number / bots + number + 1) % bots];
        let players =
            both.map(|bot| json!({"name": format!("b{bot}"), "role": "x", "command": []}));
        let record = json!({
            "format": 1, "match": format!("m-{number:06}"), "game": "siam", "options": {}, "seed": 1,
            "start": {}, "players": players, "time": {"startup_ms": 1, "margin_ms": 1},
            "limits": {}, "opening": 0, "moves": [],
            "result": {"scores": [1, 0], "outcome": [1.0, 0.0], "reason": "x", "faults": []},
            "started": "2026-01-02T03:04:05.678Z", "duration_ms": 1, "referee": "",
        });
        format!("{record}\n")
    };
    (0..2 * bots).map(line).collect()
}

/// Waits until something holds.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "waited too long for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
