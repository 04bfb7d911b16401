//! Memory and CPU of many matches at a time and one after another; starts of bots; logs.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::measure::{Cost, Tournament, instant, play};

pub(crate) fn run(tiny: bool) {
    at_a_time(tiny);
    one_after_another(tiny);
    starts(tiny);
    logs(tiny);
}

fn tournament(rounds: u32, concurrency: usize) -> Tournament {
    Tournament::of_instant_bots(&["none"], rounds, concurrency)
}

fn at_a_time(tiny: bool) {
    println!(
        "| matches at a time | matches | resident memory | without files | referee CPU a move |"
    );
    println!("|---|---|---|---|---|");
    for concurrency in [1, 16, 64] {
        let rounds = if tiny { concurrency as u32 } else { 1000 };
        let cost = play(&tournament(rounds, concurrency));
        println!(
            "| {concurrency} | {} | {:.1} MB | {:.1} MB | {:.1} µs |",
            cost.matches,
            megabytes(cost.most()),
            megabytes(cost.most_anonymous()),
            cost.cpu_a_move()
        );
    }
    println!();
}

fn megabytes(kilobytes: u64) -> f64 {
    kilobytes as f64 / 1024.0
}

fn one_after_another(tiny: bool) {
    let rounds = if tiny { 20 } else { 50_000 };
    let cost = play(&tournament(rounds, 2));
    let part = |from: usize, to: usize| {
        let samples =
            &cost.resident[cost.resident.len() * from / 10..cost.resident.len() * to / 10];
        megabytes(
            samples
                .iter()
                .map(|resident| resident.all)
                .max()
                .unwrap_or(0),
        )
    };
    println!(
        "{} matches in {:.1} s: {:.1} MB at most in the second tenth of the time, {:.1} MB in the last",
        cost.matches,
        cost.time.as_secs_f64(),
        part(1, 2),
        part(9, 10)
    );
    println!();
}

/// A match with new processes against one without, and a bare process as the yardstick.
fn starts(tiny: bool) {
    let rounds = if tiny { 5 } else { 300 };
    let restarts = |restart: &str| {
        let mut tournament = tournament(rounds, 1);
        tournament
            .more
            .push_str(&format!("\nrestart = \"{restart}\""));
        let cost = play(&tournament);
        cost.time / cost.matches as u32
    };
    let (with, without) = (restarts("each-match"), restarts("on-fault"));
    let bare = bare_process(if tiny { 5 } else { 300 });
    let each = with.saturating_sub(without) / 2;
    println!("| a process that says hello and quits | start and end | of a bare process |");
    println!("|---|---|---|");
    println!("| bare | {:.2} ms | 1.0 |", millis(bare));
    println!(
        "| a bot | {:.2} ms | {:.1} |",
        millis(each),
        each.as_secs_f64() / bare.as_secs_f64()
    );
    println!();
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn bare_process(times: u32) -> Duration {
    use std::io::{BufRead, BufReader, Write};
    let begin = Instant::now();
    for _ in 0..times {
        let mut child = Command::new(instant())
            .arg("none")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the instant bot");
        let mut to = child.stdin.take().expect("a pipe");
        let mut line = String::new();
        to.write_all(b"{\"type\":\"hello\",\"protocol\":1}\n")
            .expect("it reads");
        let mut from = BufReader::new(child.stdout.take().expect("a pipe"));
        from.read_line(&mut line).expect("it answers");
        to.write_all(b"{\"type\":\"quit\"}\n").expect("it reads");
        child.wait().expect("it ends");
    }
    begin.elapsed() / times
}

/// A log of a million plies, made of the matches of a short tournament.
fn logs(tiny: bool) {
    let wanted = if tiny { 10_000 } else { 1_000_000 };
    let cost: Cost = play(&tournament(if tiny { 20 } else { 300 }, 1));
    let text = fs::read_to_string(cost.log()).expect("a log");
    let records: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).expect("a match"))
        .collect();
    let path = cost.folder.path().join("long.jsonl");
    let (mut long, mut plies, mut number) = (String::new(), 0, 0);
    while plies < wanted {
        let mut record = records[number % records.len()].clone();
        number += 1;
        record["match"] = format!("m-{number:06}").into();
        // It is the hash of a line that is not the one before any more. Logs without are read, too.
        if let Some(fields) = record.as_object_mut() {
            fields.remove("prev");
        }
        plies += record["moves"].as_array().map_or(0, Vec::len);
        long.push_str(&format!("{record}\n"));
    }
    let begin = Instant::now();
    fs::write(&path, &long).expect("a log");
    println!(
        "a log of {plies} plies in {number} matches, {:.1} MB:",
        long.len() as f64 / 1e6
    );
    println!("- written at once: {:.2} s", begin.elapsed().as_secs_f64());
    let begin = Instant::now();
    let mut bytes = 0;
    for line in text_lines(&path) {
        bytes += line.len();
    }
    println!(
        "- read as lines ({bytes} bytes): {:.2} s",
        begin.elapsed().as_secs_f64()
    );
    for (words, cores) in [("one core", "0"), ("all cores", "")] {
        let mut command = match cores {
            "" => Command::new(tests::referee()),
            cores => {
                let mut command = Command::new("taskset");
                command.args(["-c", cores]).arg(tests::referee());
                command
            }
        };
        command.arg("replay").arg(&path).arg("--verify");
        let begin = Instant::now();
        let ran = command
            .stdout(Stdio::null())
            .status()
            .expect("referee runs");
        assert!(ran.success(), "the log does not verify");
        println!(
            "- verified on {words}: {:.2} s",
            begin.elapsed().as_secs_f64()
        );
    }
}

fn text_lines(path: &std::path::Path) -> impl Iterator<Item = String> {
    use std::io::{BufRead, BufReader};
    BufReader::new(fs::File::open(path).expect("a log"))
        .lines()
        .map(|line| line.expect("text"))
}
