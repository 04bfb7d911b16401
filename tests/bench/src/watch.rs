//! The cost of spectators in the browser, and the time until a large log is shown.

use std::fmt::Write as _;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::web::Server;

use crate::measure::{Cost, LONG, Tournament, Watched, median, play_watched};

/// Each figure is the median of this many runs.
const RUNS: usize = 5;

pub(crate) fn run(tiny: bool) {
    tournaments(tiny);
    println!();
    large_log(if tiny { 1000 } else { 100_000 });
}

/// Tournaments in turn without a server, with a server without pages, with one page and with many.
fn tournaments(tiny: bool) {
    let tournament = Tournament::of_instant_bots(&["none"], if tiny { 200 } else { 5000 }, 1);
    let many = if tiny { 2 } else { 200 };
    let ways = [
        ("without `--watch`", Watched::Not),
        ("`--watch`, no page", Watched::By(0)),
        ("`--watch`, one page", Watched::By(1)),
        ("`--watch`, many pages", Watched::By(many)),
    ];
    let runs = if tiny { 1 } else { RUNS };
    let mut shares = vec![Vec::new(); ways.len()];
    let mut rates = vec![Vec::new(); ways.len()];
    for _ in 0..runs {
        let costs = ways.map(|(_, watched)| play_watched(&tournament, watched));
        for (at, cost) in costs.iter().enumerate() {
            rates[at].push(cost.rate());
            shares[at].push(costs[0].cpu_a_move() / cost.cpu_a_move());
        }
    }
    println!("| instant bots, one match at a time | moves/s | beside without | CPU, 1 / beside |");
    println!("|---|---|---|---|");
    let without = median(rates[0].clone());
    for (at, (name, _)) in ways.iter().enumerate() {
        let rate = median(rates[at].clone());
        let share = median(shares[at].clone());
        println!(
            "| {name} | {rate:.0} | {:.2} | {share:.2} |",
            rate / without
        );
    }
}

/// The first page of a log of this many matches, until all are there, and memory.
fn large_log(matches: usize) {
    let cost: Cost = play_watched(&played(), Watched::Not);
    let text = fs::read_to_string(cost.log()).expect("a log");
    let lines: Vec<&str> = text.lines().collect();
    let mut long = String::new();
    for number in 0..matches {
        let line = lines[number % lines.len()];
        let (_, rest) = line.split_once("\"match\":\"").expect("an id");
        let (_, rest) = rest.split_once('"').expect("its end");
        let _ = writeln!(
            long,
            "{{\"format\":1,\"match\":\"m-{:06}\"{rest}",
            number + 1
        );
    }
    let path = cost.folder.path().join("long.jsonl");
    fs::write(&path, &long).expect("a log");
    let megabytes = long.len() as f64 / 1e6;
    drop(long);
    let begin = Instant::now();
    let server = Server::start(["watch".into(), path], 1);
    // On a busy machine the first answer may come before 100 matches are read.
    while server.json("/api/matches?limit=100")["matches"]
        .as_array()
        .map(Vec::len)
        != Some(100)
    {
        thread::sleep(Duration::from_millis(1));
    }
    let first_page = begin.elapsed();
    while server.json("/api/matches?limit=1")["total"] != json!(matches) {
        thread::sleep(Duration::from_millis(20));
    }
    let whole = begin.elapsed();
    let overview = server.json("/api/overview");
    assert!(!overview["standings"].is_null());
    let begin = Instant::now();
    server.json("/api/matches?bot=a&result=win&sort=plies&desc=1&offset=500&limit=100");
    println!("a log of {matches} matches, {megabytes:.0} MB, by `referee watch`:");
    println!(
        "- first page after {:.2} s, all of it after {:.2} s",
        first_page.as_secs_f64(),
        whole.as_secs_f64()
    );
    println!(
        "- a page that is filtered and sorted: {:.0} ms",
        begin.elapsed().as_secs_f64() * 1e3
    );
    println!("- memory: {:.1} MB at most", most_memory(server.id()));
}

/// A tournament that supplies the matches of the large log.
fn played() -> Tournament {
    Tournament {
        games: "\"paper-penguins\"".to_owned(),
        rounds: 20,
        concurrency: 1,
        command: "['referee', 'bot', 'random']".to_owned(),
        time: LONG.to_owned(),
        more: "[opening]\nrandom_plies = 2".to_owned(),
    }
}

/// The most memory that a process had, in MB.
fn most_memory(id: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1e3
}
