//! Tournaments whose referee is killed at random moments and resumed: at the end each match is in
//! the log exactly once, and the log is that of an undisturbed run.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use chacha20::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde_json::Value;

use crate::cluster::workers::BOTS;
use crate::{Arena, Ran, good, referee, timeless, wait_until};

/// The tournaments, of bots that play the same moves in every run.
const SETUPS: [&str; 4] = [
    r#"concurrency = 2
rounds = 40
games = [{ id = "amazons", options = { size = 5 } }]
"#,
    r#"concurrency = 4
rounds = 8
games = ["siam", { id = "penguins", options = { players = 3 } }]
"#,
    r#"concurrency = 1
rounds = 5
restart = "each-match"
games = [{ id = "amazons", options = { size = 5 } }, "run"]
"#,
    r#"concurrency = 3
format = "swiss"
rounds = 15
games = [{ id = "amazons", options = { size = 5 } }, "siam"]
"#,
];

/// The part that all configurations share, besides the bots.
const OPENING: &str = "[opening]\nrandom_plies = 2\n";

/// The most times that a referee is killed in one round.
const MOST_KILLS: u64 = 3;

#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Tournaments that were played to their ends.
    pub rounds: u32,
    pub kills: u32,
    /// … before its log had a match.
    pub early: u32,
    /// … when its log had all matches.
    pub late: u32,
    /// Half-written lines that were put at the end of a log.
    pub cuts: u32,
    /// Half-written lines that were there by themselves.
    pub torn: u32,
    /// Matches of all rounds.
    pub matches: usize,
    pub time: Duration,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} rounds, {} kills ({} before the first match, {} after the last), {} half-written \
             lines made and {} found, {} matches, {:.0} s",
            self.rounds,
            self.kills,
            self.early,
            self.late,
            self.cuts,
            self.torn,
            self.matches,
            self.time.as_secs_f64()
        )
    }
}

/// Plays this many rounds; `show` gets the figures after each.
pub fn run(rounds: u32, seed: u64, mut show: impl FnMut(u32, &Figures)) -> Figures {
    referee();
    let began = Instant::now();
    let references: Vec<Reference> = SETUPS.iter().map(|setup| Reference::play(setup)).collect();
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(seed));
    let mut figures = Figures::default();
    while figures.rounds < rounds {
        let reference = &references[figures.rounds as usize % references.len()];
        let before = figures.kills;
        round(reference, &mut dice, &mut figures);
        figures.time = began.elapsed();
        // One that ended before it could be killed does not count.
        if figures.kills > before {
            figures.rounds += 1;
            figures.matches += reference.matches.len();
            show(figures.rounds, &figures);
        }
    }
    figures
}

struct Dice(ChaCha8Rng);

impl Dice {
    /// A number from 0 to `n` − 1. That some are a little likelier does not matter here.
    fn below(&mut self, n: u64) -> u64 {
        self.0.next_u64() % n
    }
}

struct Reference {
    config: String,
    /// By id.
    matches: HashMap<String, Value>,
    standings: String,
    lines: Vec<String>,
    time: Duration,
}

impl Reference {
    fn play(setup: &str) -> Self {
        let config = format!("name = \"chaos\"\n{setup}{OPENING}{BOTS}");
        let arena = Arena::new(&config);
        let began = Instant::now();
        let ran = good(finish(start(&arena, false)));
        let log = read(&arena.path("out/games.jsonl"));
        Reference {
            config,
            matches: by_id(&log),
            standings: ran.stdout,
            lines: log.lines().map(str::to_owned).collect(),
            time: began.elapsed(),
        }
    }
}

/// Starts a tournament, kills it several times, resumes it to its end, and checks the log.
fn round(reference: &Reference, dice: &mut Dice, figures: &mut Figures) {
    let arena = Arena::new(&reference.config);
    let path = arena.path("out/games.jsonl");
    // What was finished must stay as it is.
    let mut kept = String::new();
    for _ in 0..=dice.below(MOST_KILLS) {
        let mut referee = start(&arena, path.exists());
        wait_for_the_moment(reference, dice, &mut referee, &path);
        if referee.try_wait().expect("a child").is_some() {
            break;
        }
        referee.kill().expect("a child");
        let ran = finish(referee);
        assert!(!ran.stderr.contains("error"), "{}", ran.stderr);
        wait_until("the bots of a referee that was killed", || {
            processes(&arena).is_empty()
        });
        let log = read(&path);
        let whole = log.rfind('\n').map_or(0, |end| end + 1);
        assert!(log.starts_with(&kept), "what was finished is lost");
        kept = log[..whole].to_owned();
        figures.kills += 1;
        figures.early += u32::from(whole == 0);
        figures.late += u32::from(kept.lines().count() == reference.matches.len());
        figures.torn += u32::from(whole < log.len());
        // A crash of the whole machine can cut a line that the referee wrote in one piece.
        let begun = arena.path("out/tournament.toml").exists();
        if begun && whole == log.len() && dice.below(4) == 0 {
            let line = &reference.lines[dice.below(reference.lines.len() as u64) as usize];
            let cut = 1 + dice.below(line.len() as u64 - 1) as usize;
            fs::write(&path, [log.as_bytes(), &line.as_bytes()[..cut]].concat()).expect("a log");
            figures.cuts += 1;
        }
    }
    let ran = good(finish(start(&arena, path.exists())));
    assert_eq!(ran.stdout, reference.standings);
    let log = read(&path);
    assert!(log.starts_with(&kept), "what was finished is lost");
    assert_eq!(log.lines().count(), reference.matches.len());
    assert!(by_id(&log) == reference.matches, "another log: {log}");
    wait_until("the bots of a tournament that is over", || {
        processes(&arena).is_empty()
    });
}

/// A random moment: half of them anywhere, and half around the end of a match.
fn wait_for_the_moment(reference: &Reference, dice: &mut Dice, referee: &mut Child, log: &Path) {
    let pause = match dice.below(2) {
        0 => reference.time.mul_f64(dice.below(1000) as f64 / 1000.0),
        _ => {
            let lines = dice.below(reference.matches.len() as u64) as usize;
            let over = |referee: &mut Child| referee.try_wait().expect("a child").is_some();
            while read(log).lines().count() < lines && !over(referee) {
                thread::sleep(Duration::from_micros(200));
            }
            Duration::from_micros(dice.below(5000))
        }
    };
    thread::sleep(pause);
}

/// Starts the tournament, or goes on with it.
fn start(arena: &Arena, resume: bool) -> Child {
    let mut command = Command::new(referee());
    command.args(arena.tournament()).arg("--quiet");
    if resume {
        command.arg("--resume");
    }
    command
        .current_dir(arena.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("referee runs")
}

fn finish(referee: Child) -> Ran {
    referee.wait_with_output().expect("a child").into()
}

fn read(log: &Path) -> String {
    fs::read_to_string(log).unwrap_or_default()
}

/// The matches without their times.
fn by_id(log: &str) -> HashMap<String, Value> {
    let matches = log.lines().map(|line| {
        let record: Value = serde_json::from_str(line).expect("a match");
        let id = record["match"].as_str().expect("an id").to_owned();
        (id, timeless(&record))
    });
    matches.collect()
}

/// The processes of a tournament: those that were started in its folder. Empty without `/proc`.
fn processes(arena: &Arena) -> Vec<PathBuf> {
    let folder = fs::canonicalize(arena.path("")).expect("a folder");
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    all.map(|entry| entry.path())
        .filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder))
        .collect()
}
