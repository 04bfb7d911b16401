//! Attacks over the network or by shown data: connections that keep others out, hostile requests,
//! sheets and logs that take for ever.

use std::net::TcpStream;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::super::judge::Verdict;
use super::super::site::{Site, as_user};
use super::scene::{Scene, Stage, Tiers};
use crate::crowded_log;
use crate::flood::{connections, may_open};
use crate::web::{Server, ask};

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "flooded-servers",
        by: "anybody who reaches the address",
        cannot: "keep others from the pages or a `ggp-player` by connections that do nothing",
        tiers: Tiers::Any,
        promised: |_, _| true,
        play: flooded_servers,
    },
    Scene {
        name: "foreign-requests",
        by: "a page of another site",
        cannot: "ask a `ggp-player` for anything",
        tiers: Tiers::Any,
        promised: |_, _| true,
        play: foreign_requests,
    },
    Scene {
        name: "endless-sheets",
        by: "a game manager",
        cannot: "hold a `ggp-player` beyond its clocks by a sheet",
        tiers: Tiers::Any,
        promised: |_, _| true,
        play: endless_sheets,
    },
    Scene {
        name: "crowded-log",
        by: "the author of a log",
        cannot: "keep `watch` from ending, or make it take more than 1 GB, by thousands of bots",
        tiers: Tiers::Any,
        promised: |_, _| true,
        play: played_crowd,
    },
];

/// More connections than a server of ours has at a time.
const FLOOD: usize = 1_100;
/// Roomy limit for anything immediate, on a busy machine.
const SOON: Duration = Duration::from_secs(20);
/// The most memory of a page server, in kB.
const MOST_MEMORY: u64 = 1_000_000;

/// `referee watch` of a log.
pub(super) fn pages(stage: &Stage, site: &Site<'_>) -> Server {
    let mut command = as_user(stage.user, &stage.programs.referee());
    command
        .arg("watch")
        .arg(site.arena.path("shared/games.jsonl"));
    command.args(["--listen", "127.0.0.1:0"]);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    Server::of(command, 1)
}

/// `referee ggp-player` with a bot of ours.
fn player(stage: &Stage, site: &Site<'_>) -> Server {
    let mut command = as_user(stage.user, &stage.programs.referee());
    command.args(["ggp-player", "--port", "0", "--", "referee", "bot", "mcts"]);
    command.env("TMPDIR", site.arena.path("tmp"));
    command.current_dir(site.arena.path("private"));
    command.stdin(Stdio::null()).stderr(Stdio::null());
    Server::of(command, 1)
}

fn say(player: &Server, headers: &str, request: &str) -> (u16, String) {
    let answer = ask(player.host(), "POST", "/", headers, request);
    (answer.status, answer.body)
}

fn flooded_servers(stage: &Stage) -> Verdict {
    let mut verdict = Verdict::default();
    if !may_open(FLOOD as u64 + 400) {
        verdict
            .unknown
            .push("this user may not open 1,500 files".to_owned());
        return verdict;
    }
    let site = Site::new(stage.programs, stage.user, None);
    site.arena.write("shared/games.jsonl", "");
    let (pages, player) = (pages(stage, &site), player(stage, &site));
    for (server, what, method, path, body) in [
        (&pages, "the pages", "GET", "/api/overview", ""),
        (&player, "the player", "POST", "/", "(INFO)"),
    ] {
        for (how, sent) in [
            ("silent", ""),
            ("half a head", "GET / HTTP/1.1\r\nHost: 127.0.0"),
            (
                "half a body",
                "POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n(",
            ),
        ] {
            let held: Vec<TcpStream> = connections(server.host(), FLOOD, sent);
            let begun = Instant::now();
            let answer = ask(server.host(), method, path, "", body);
            let is_shut_out = answer.status != 200 || begun.elapsed() > SOON;
            verdict.tried(
                format!("{FLOOD} connections, {how}, to {what}"),
                is_shut_out,
            );
            drop(held);
        }
    }
    verdict
}

fn foreign_requests(stage: &Stage) -> Verdict {
    let site = Site::new(stage.programs, stage.user, None);
    let player = player(stage, &site);
    let mut verdict = Verdict::default();
    if say(&player, "", "(INFO)").0 != 200 {
        verdict
            .unknown
            .push("the player does not answer at all".to_owned());
    }
    for headers in [
        "Host: localhost\r\nOrigin: http://localhost\r\n",
        "Host: localhost\r\nOrigin: null\r\n",
        "Host: localhost\r\nOrigin: http://evil.example\r\n",
        "Host: evil.example\r\n",
        "Host: localhost.evil.example\r\n",
        "Host: 10.1.2.3\r\n",
    ] {
        let (status, _) = say(&player, headers, "(ABORT m)");
        verdict.tried(headers.replace("\r\n", " "), status == 200);
    }
    verdict
}

/// Sheets of some hundred bytes.
fn sheets() -> [(&'static str, String); 3] {
    let constants: String = (0..30).map(|number| format!("(c {number})")).collect();
    let game = "(role me) (init go) (legal me a) (legal me b) (goal me 50) \
                (<= (next done) (does me ?m)) (<= terminal (true done))";
    let product = "(c ?a) (c ?b) (c ?d) (c ?e) (c ?f) (c ?g) (c ?h) (c ?i)";
    let all = "?a ?b ?d ?e ?f ?g ?h ?i";
    [
        (
            "candidates",
            format!("{game} {constants} (<= (legal me d) h) (<= h {product})"),
        ),
        (
            "atoms",
            format!("{game} {constants} (<= (h {all}) {product}) (<= (legal me d) (h {all}))"),
        ),
        (
            "moves",
            format!("{game} {constants} (<= (legal me (m {all})) {product})"),
        ),
    ]
}

fn endless_sheets(stage: &Stage) -> Verdict {
    let site = Site::new(stage.programs, stage.user, None);
    let player = player(stage, &site);
    let mut verdict = Verdict::default();
    for (what, sheet) in sheets() {
        let begun = Instant::now();
        say(&player, "", &format!("(START m me ({sheet}) 2 2)"));
        verdict.tried(
            format!("{what}: START beyond its clock"),
            begun.elapsed() > SOON,
        );
        let begun = Instant::now();
        let (_, said) = say(&player, "", "(ABORT m)");
        verdict.tried(format!("{what}: ABORT waits"), begun.elapsed() > SOON);
        let (_, status) = say(&player, "", "(INFO)");
        let is_held = !matches!(&*said, "aborted" | "busy") || !status.contains("available");
        verdict.tried(format!("{what}: the player stays busy"), is_held);
    }
    verdict
}

fn played_crowd(stage: &Stage) -> Verdict {
    let site = Site::new(stage.programs, stage.user, None);
    let bots = if stage.short { 2_000 } else { 8_000 };
    site.arena.write("shared/games.jsonl", &crowded_log(bots));
    let server = pages(stage, &site);
    let host = server.host().to_owned();
    // Somebody asks for a page, so that the standings are computed.
    thread::spawn(move || ask(&host, "GET", "/api/overview", "", ""));
    thread::sleep(Duration::from_secs(3));
    let mut verdict = Verdict::default();
    let process = server.id();
    let memory = peak_memory(process);
    verdict.tried(format!("{bots} bots, memory"), memory > MOST_MEMORY);
    let _ = kill(Pid::from_raw(process as i32), Signal::SIGTERM);
    let begun = Instant::now();
    let is_there = || {
        std::fs::read_to_string(format!("/proc/{process}/stat"))
            .is_ok_and(|stat| !stat.contains(") Z "))
    };
    while is_there() && begun.elapsed() < SOON {
        thread::sleep(Duration::from_millis(10));
    }
    verdict.tried(format!("{bots} bots, the end"), is_there());
    verdict
}

/// The most memory that a process had, in kB.
fn peak_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}
