//! Every command ends soon after a signal, even while it computes; but a signal that was ignored when
//! it started stays ignored, as `nohup` wants it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tests::web::{ask, host};
use tests::{Arena, crowded_log, referee, wait_until};

use crate::rules::ggp_player::GGP_PLAYER;
use crate::{HOSTILE, RANDOM, config, config_of};

/// A long-running command.
struct Long {
    what: &'static str,
    args: Vec<String>,
    /// A file that appears once it computes; otherwise it does after a moment.
    begun: Option<PathBuf>,
    /// True if it serves pages at the address that it prints.
    is_server: bool,
}

/// Longer than any of them takes to start, on most machines.
const MOMENT: Duration = Duration::from_millis(1500);
/// Two seconds, on a machine that has other things to do.
const SOON: Duration = Duration::from_secs(20);

fn long(what: &'static str, args: &[&str]) -> Long {
    Long {
        what,
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        begun: None,
        is_server: false,
    }
}

fn server(what: &'static str, args: &[&str]) -> Long {
    Long {
        is_server: true,
        ..long(what, args)
    }
}

/// A command that runs until it is ended.
struct Running {
    child: Child,
    what: &'static str,
}

impl Running {
    /// Starts a command, in which these signals are ignored.
    fn start(long: &Long, ignored: &str) -> Self {
        let mut command = if ignored.is_empty() {
            Command::new(referee())
        } else {
            let mut command = Command::new("sh");
            let script = format!("trap '' {ignored}; exec \"$0\" \"$@\"");
            command.args(["-c", &script]).arg(referee());
            command
        };
        command
            .args(&long.args)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command.stdout(if long.is_server {
            Stdio::piped()
        } else {
            Stdio::null()
        });
        let mut child = command.spawn().expect("it runs");
        if long.is_server {
            let address = address(&mut child);
            if long.what == "watch" {
                thread::spawn(move || ask(host(&address), "GET", "/api/overview", "", ""));
            }
        }
        match &long.begun {
            Some(file) => wait_until(long.what, || file.exists()),
            None => thread::sleep(MOMENT),
        }
        Running {
            child,
            what: long.what,
        }
    }

    fn send(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id() as i32);
        kill(pid, signal).unwrap_or_else(|error| panic!("{}: {error}", self.what));
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a child")
    }

    /// Waits for its end, which has to be soon.
    fn ends_soon(mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.ended() {
                return status;
            }
            assert!(begun.elapsed() < SOON, "{} goes on", self.what);
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address that a server prints.
fn address(child: &mut Child) -> String {
    use std::io::{BufRead as _, BufReader};
    let mut line = String::new();
    let output = child.stdout.as_mut().expect("a pipe");
    BufReader::new(output).read_line(&mut line).expect("a line");
    let at = line.find("http://").expect("an address");
    line[at..].trim_end().to_owned()
}

/// A sheet whose first position takes practically for ever.
const HEAVY: &str = "(role me) (init go) (legal me a) (legal me b) (<= (legal me d) h) \
    (<= (next done) (does me ?m)) (<= terminal (true done)) (goal me 50) \
    (<= h (c ?a) (c ?b) (c ?d) (c ?e) (c ?f) (c ?g) (c ?h) (c ?i))";

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Inputs that take commands long.
struct Inputs {
    arena: Arena,
}

impl Inputs {
    fn new() -> Self {
        let bots = [("dreams", r#"["HOSTILE", "hang"]"#), RANDOM];
        let config = config(&bots).replace("HOSTILE", HOSTILE);
        let arena = Arena::new(&config.replace("\"20s\"", "\"1000s\""));
        let constants: String = (0..30).map(|number| format!("(c {number})")).collect();
        arena.write("heavy.kif", &(HEAVY.to_owned() + &constants));
        arena.write("crowd.jsonl", &crowded_log(4000));
        let games = "games = [\"heavy\"]\nrules = [\"heavy.kif\"]";
        arena.write("heavy.toml", &config_of(games, &[RANDOM]));
        Inputs { arena }
    }

    fn path(&self, name: &str) -> String {
        text(&self.arena.path(name)).to_owned()
    }

    /// Commands that handle signals.
    fn handling(&self) -> Vec<Long> {
        let hangs = format!("{HOSTILE} hang");
        let checkpoint = self.path("solved");
        let (toml, out) = (self.path("t.toml"), self.path("out"));
        vec![
            Long {
                begun: Some(self.arena.path("out/games.jsonl")),
                ..long(
                    "tournament",
                    &["tournament", &toml, "--out", &out, "--quiet"],
                )
            },
            long(
                "play",
                &[
                    "play",
                    "siam",
                    "--bot",
                    &hangs,
                    "--bot",
                    "random",
                    "--per-move",
                    "1000s",
                ],
            ),
            long(
                "check",
                &[
                    "check", "--game", "siam", "--time", "1000s", "--", HOSTILE, "hang",
                ],
            ),
            long(
                "solve",
                &[
                    "solve",
                    "amazons",
                    "--options",
                    r#"{"size":6}"#,
                    "--checkpoint",
                    &checkpoint,
                ],
            ),
            long(
                "analyse",
                &["analyse", "siam", "--bot", "mcts", "--time", "1000s"],
            ),
            server("watch", &["watch", &self.path("crowd.jsonl")]),
            server(
                "play --web",
                &["play", "siam", "--web", "--human", "0", "--bot", "random"],
            ),
            server("ggp-player", &GGP_PLAYER),
        ]
    }

    /// Commands that do not, with input that keeps them busy.
    fn others(&self) -> Vec<Long> {
        let (sheet, crowd) = (self.path("heavy.kif"), self.path("crowd.jsonl"));
        let site = self.path("site");
        vec![
            long("games", &["games", "--rules", &sheet]),
            long(
                "perft",
                &["perft", "heavy", "--rules", &sheet, "--depth", "3"],
            ),
            long("check --rules", &["check", "--rules", &sheet]),
            long(
                "play with a sheet",
                &["play", "heavy", "--rules", &sheet, "--bot", "random"],
            ),
            long("perft of a game", &["perft", "amazons", "--depth", "6"]),
            long("model", &["model", "--rules", &sheet]),
            long(
                "config check",
                &["config", "check", &self.path("heavy.toml")],
            ),
            long("replay --verify", &["replay", &crowd, "--verify"]),
            long("export", &["export", &crowd, "--format", "csv"]),
            long("standings", &["standings", &crowd]),
            long("report", &["report", &crowd, "--all", "--out", &site]),
        ]
    }
}

#[test]
fn every_command_ends_soon_whatever_it_computes() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let inputs = Inputs::new();
        let all = inputs.handling().into_iter().chain(inputs.others());
        for long in all {
            if long.what == "tournament" && signal == Signal::SIGINT {
                // The first one finishes the matches in flight.
                continue;
            }
            let mut running = Running::start(&long, "");
            if let Some(status) = running.ended() {
                assert!(!long.is_server, "{}: {status}", long.what);
                assert!(
                    inputs.handling().iter().all(|it| it.what != long.what),
                    "{}",
                    long.what
                );
                // It was faster than it may be.
                continue;
            }
            running.send(signal);
            let status = running.ends_soon();
            let is_server = long.is_server && status.code() == Some(0);
            let is_ended = status.code() == Some(130) || status.code().is_none();
            assert!(is_server || is_ended, "{}: {status}", long.what);
            if long.what == "solve" {
                assert!(inputs.arena.path("solved").exists(), "its checkpoint");
            }
        }
        assert!(!inputs.arena.path("solved.part").exists());
    }
}

#[test]
fn signals_that_were_ignored_stay_ignored() {
    let inputs = Inputs::new();
    let all = inputs.handling();
    let mut running: Vec<Running> = Vec::new();
    for long in &all {
        running.push(Running::start(long, "HUP INT"));
    }
    for signal in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGHUP] {
        running.iter().for_each(|running| running.send(signal));
    }
    // Longer than any of them takes to end.
    thread::sleep(Duration::from_secs(3));
    for mut running in running {
        assert_eq!(running.ended(), None, "{}", running.what);
        running.send(Signal::SIGTERM);
        running.ends_soon();
    }
}

#[test]
fn bots_do_not_inherit_that_signals_are_ignored() {
    let arena = Arena::new("");
    let seen = arena.path("seen");
    let script = format!(
        "grep SigIgn /proc/self/status > {}; exec referee bot random",
        text(&seen)
    );
    let program = arena.write(
        "bot.sh",
        &script.replace("referee bot", &format!("{} bot", text(referee()))),
    );
    let bot = format!("sh {}", text(&program));
    let options = r#"{"size":5}"#;
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' HUP INT TERM CHLD; exec \"$0\" \"$@\""])
        .arg(referee());
    command.args([
        "play",
        "amazons",
        "--options",
        options,
        "--bot",
        &bot,
        "--bot",
        "random",
    ]);
    let played = command.output().expect("it runs");
    assert_eq!(
        played.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&played.stderr)
    );
    let ignored = fs::read_to_string(seen).expect("a mask");
    let mask = ignored.trim().rsplit('\t').next().expect("a number");
    let mask = u64::from_str_radix(mask, 16).expect("a number");
    let signals = [
        Signal::SIGHUP,
        Signal::SIGINT,
        Signal::SIGTERM,
        Signal::SIGCHLD,
    ];
    for signal in signals {
        assert_eq!(mask >> (signal as i32 - 1) & 1, 0, "{signal}");
    }
}
