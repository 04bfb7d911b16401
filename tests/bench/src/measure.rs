//! Runs a tournament and measures its cost.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;
use tests::cluster::nats::NatsServer;
use tests::web::{self, Events};

/// Time limits that no bot reaches.
pub(crate) const LONG: &str = "per_move = \"60s\"";
/// Polling interval of the referee's memory.
const LOOK: Duration = Duration::from_millis(2);

#[derive(Clone, Debug)]
pub(crate) struct Tournament {
    /// Ids of games, as TOML.
    pub(crate) games: String,
    pub(crate) rounds: u32,
    pub(crate) concurrency: usize,
    /// The command of both bots, as TOML.
    pub(crate) command: String,
    /// The time control, as lines of its table.
    pub(crate) time: String,
    /// More lines of the configuration.
    pub(crate) more: String,
}

impl Tournament {
    /// Two instant bots in Paper Pen-guins, each match on cores of its own. `bot` are the arguments of both:
    /// what they want, and how long they think.
    pub(crate) fn of_instant_bots(bot: &[&str], rounds: u32, concurrency: usize) -> Self {
        let arguments: String = bot.iter().map(|word| format!(", '{word}'")).collect();
        Tournament {
            games: "\"paper-penguins\"".to_owned(),
            rounds,
            concurrency,
            command: format!("['{}'{arguments}]", instant().display()),
            time: LONG.to_owned(),
            more: "affinity = \"cores\"".to_owned(),
        }
    }
}

/// Resident memory of the referee in kB.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Resident {
    pub(crate) all: u64,
    /// Without the pages of files: of the program and its libraries, which the kernel can drop at any time.
    anonymous: u64,
}

/// The cost of a run, from start to end.
#[derive(Clone, Debug)]
pub(crate) struct Cost {
    pub(crate) time: Duration,
    /// Moves that bots made.
    pub(crate) moves: u64,
    pub(crate) matches: u64,
    /// Matches that were lost on time.
    pub(crate) lost_on_time: u64,
    /// CPU time of the referee itself, without bots and their supervisors.
    pub(crate) cpu: Duration,
    /// At equal distances of time.
    pub(crate) resident: Vec<Resident>,
    /// The middle one of the times that were charged to bots, in ms.
    pub(crate) charged_ms: f64,
    /// The folder of its log; removed with this value.
    pub(crate) folder: std::sync::Arc<TempDir>,
}

impl Cost {
    pub(crate) fn log(&self) -> PathBuf {
        self.folder.path().join("out/games.jsonl")
    }

    pub(crate) fn rate(&self) -> f64 {
        self.moves as f64 / self.time.as_secs_f64()
    }

    /// The referee's CPU time a move, in microseconds.
    pub(crate) fn cpu_a_move(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.moves as f64
    }

    /// The most memory that was seen, in kB.
    pub(crate) fn most(&self) -> u64 {
        self.resident.iter().map(|it| it.all).max().unwrap_or(0)
    }

    /// The most that was no page of a file, in kB.
    pub(crate) fn most_anonymous(&self) -> u64 {
        self.resident
            .iter()
            .map(|it| it.anonymous)
            .max()
            .unwrap_or(0)
    }
}

/// The instant bot, built beside this program.
pub(crate) fn instant() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| tests::program("bench", "instant"))
}

/// Spectators of a tournament in the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watched {
    /// No server.
    Not,
    /// A server with this many open pages.
    By(usize),
}

/// Plays a tournament and measures its cost.
pub(crate) fn play(tournament: &Tournament) -> Cost {
    play_watched(tournament, Watched::Not)
}

/// The same with time limits that bots may miss.
pub(crate) fn play_on_time(tournament: &Tournament) -> Cost {
    let folder = configured(tournament);
    let referee = coordinator(&folder).spawn().expect("referee runs");
    to_the_end(referee, Instant::now(), folder)
}

/// The same while pages are open. The cost is that of the tournament's own process.
pub(crate) fn play_watched(tournament: &Tournament, watched: Watched) -> Cost {
    let folder = configured(tournament);
    let mut referee = coordinator(&folder);
    if let Watched::By(_) = watched {
        referee.arg("--watch").stderr(Stdio::piped());
    }
    let mut child = referee.spawn().expect("referee runs");
    let mut begin = Instant::now();
    if let Watched::By(pages) = watched {
        open_pages(child.stderr.take().expect("a pipe"), pages);
        // Starting the server is no part of playing.
        begin = Instant::now();
    }
    without_losses(to_the_end(child, begin, folder))
}

fn without_losses(cost: Cost) -> Cost {
    assert_eq!(cost.lost_on_time, 0, "matches were lost on time");
    cost
}

/// Plays a tournament by one worker with this many slots, over this server. Measures the
/// coordinator.
pub(crate) fn play_by_worker(tournament: &Tournament, server: &NatsServer, slots: usize) -> Cost {
    let folder = configured(tournament);
    let mut worker = Command::new(tests::referee());
    worker.args(["worker", &server.address(), "--trust", "--slots"]);
    worker.arg(slots.to_string()).stdin(Stdio::null());
    let mut worker = worker.stderr(Stdio::piped()).spawn().expect("referee runs");
    let mut said = BufReader::new(worker.stderr.take().expect("a pipe"));
    said.read_line(&mut String::new()).expect("that it waits");
    thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
    let mut referee = coordinator(&folder);
    referee.args(["--nats", &server.address()]);
    let begin = Instant::now();
    let cost = to_the_end(referee.spawn().expect("referee runs"), begin, folder);
    worker.kill().expect("a worker");
    worker.wait().expect("a worker");
    without_losses(cost)
}

/// A folder with the configuration of a tournament.
fn configured(tournament: &Tournament) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Tournament {
        games,
        rounds,
        concurrency,
        command,
        time,
        more,
    } = tournament;
    // The variable makes the bots different, or the referee would warn that they are identical.
    let config = format!(
        "name = \"bench\"\ngames = [{games}]\nrounds = {rounds}\nconcurrency = {concurrency}\n\
         {more}\n[time]\n{time}\nstartup = \"60s\"\n\
         [[bots]]\nname = \"a\"\ncommand = {command}\n[[bots]]\nname = \"b\"\ncommand = {command}\n\
         env = {{ BENCH_BOT = \"b\" }}\n"
    );
    fs::write(folder.path().join("bench.toml"), config).expect("a configuration");
    folder
}

/// The command that plays the tournament of a folder.
fn coordinator(folder: &TempDir) -> Command {
    let mut referee = Command::new(tests::referee());
    let path = folder.path();
    referee.arg("tournament").arg(path.join("bench.toml"));
    referee.arg("--quiet").arg("--out").arg(path.join("out"));
    referee.stdin(Stdio::null()).stdout(Stdio::null());
    referee
}

/// Measures a tournament until it has ended.
fn to_the_end(mut child: Child, begin: Instant, folder: TempDir) -> Cost {
    let pid = Pid::from_raw(child.id() as i32);
    let clock = clock_getcpuclockid(pid).expect("a running referee");
    let (mut cpu, mut resident) = (Duration::ZERO, Vec::new());
    while child.try_wait().expect("a child").is_none() {
        if let Ok(now) = clock.now() {
            cpu = Duration::from(now);
        }
        resident.extend(self::resident(pid));
        thread::sleep(LOOK);
    }
    let time = begin.elapsed();
    let Counts {
        moves,
        matches,
        lost_on_time,
        charged_ms,
    } = count(&folder.path().join("out/games.jsonl"));
    Cost {
        time,
        moves,
        matches,
        lost_on_time,
        cpu,
        resident,
        charged_ms,
        folder: std::sync::Arc::new(folder),
    }
}

/// Opens pages at the address that is printed here, and reads all that they get until they end.
fn open_pages(stderr: ChildStderr, pages: usize) {
    let mut stderr = BufReader::new(stderr);
    let lines = stderr.by_ref().lines().map_while(Result::ok);
    let mut links = lines.filter_map(|line| Some(line[line.find("http://")?..].to_owned()));
    let link = links.next().expect("an address");
    for _ in 0..pages {
        let mut events = Events::of(web::host(&link), "/api/events");
        thread::spawn(move || while events.next("overview").is_some() {});
    }
    thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
}

fn resident(pid: Pid) -> Option<Resident> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let kilobytes = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    Some(Resident {
        all: kilobytes("VmRSS:")?,
        anonymous: kilobytes("RssAnon:")?,
    })
}

/// The counts of a log.
struct Counts {
    moves: u64,
    matches: u64,
    lost_on_time: u64,
    charged_ms: f64,
}

fn count(log: &Path) -> Counts {
    let log = BufReader::new(fs::File::open(log).expect("a log"));
    let (mut moves, mut matches, mut lost_on_time) = (0, 0, 0);
    let mut charged = Vec::new();
    for line in log.lines() {
        let line = line.expect("a line");
        let record: Value = serde_json::from_str(&line).expect("a match");
        let faults = record["result"]["faults"].as_array().expect("faults");
        for fault in faults {
            assert_eq!(fault["code"], "timeout", "{line}");
        }
        let list = record["moves"].as_array().expect("moves");
        moves += list.len() as u64;
        charged.extend(list.iter().filter_map(|played| played["ms"].as_f64()));
        matches += 1;
        lost_on_time += u64::from(!faults.is_empty());
    }
    charged.sort_by(f64::total_cmp);
    Counts {
        moves,
        matches,
        lost_on_time,
        charged_ms: charged.get(charged.len() / 2).copied().unwrap_or(0.0),
    }
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
