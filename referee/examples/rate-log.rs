//! Time and memory of statistics of a big log: `make FILE MATCHES BOTS [PLIES]` writes a log of
//! made-up matches, short ones by default; `ladder` instead of `make` pairs only bots that are
//! close in the list; `rate PATH` reads a log and rates it.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

use games::{Rng, registry::GAMES};
use ratings::store::Account;
use ratings::{MatchStore, MatchSummary, Request};
use referee::log::LogFile;

/// Plies of a match.
const PLIES: usize = 10;

type Failure = Box<dyn std::error::Error>;

#[derive(Clone, Copy)]
enum Meet {
    /// Any two bots.
    All,
    /// Those at most five places apart.
    Neighbours,
}

/// Swapped pairs of bots in all games in turn. A bot's number is its strength.
fn make(path: &Path, matches: usize, bots: usize, plies: usize, meet: Meet) -> Result<(), Failure> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut rng = Rng::new(1);
    let games: Vec<&str> = GAMES.iter().map(|entry| entry.info.id.as_str()).collect();
    for pair in 0..matches / 2 {
        let seed = rng.below(1 << 53);
        let first = rng.index(bots);
        let apart = match meet {
            Meet::All => bots - 1,
            Meet::Neighbours => 5.min(bots - 1),
        };
        let second = (first + 1 + rng.index(apart)) % bots;
        for (swap, seats) in [[first, second], [second, first]].into_iter().enumerate() {
            let game = games[pair % games.len()];
            let lead = (seats[0] as f64 - seats[1] as f64) / 40.0 + 0.2;
            let chance = 1.0 / (1.0 + (-lead).exp());
            let luck = rng.below(1_000_000) as f64 / 1e6;
            let points = match luck {
                luck if luck < 0.9 * chance => 2,
                luck if luck < 0.9 * chance + 0.1 => 1,
                _ => 0,
            };
            let moves: Vec<String> = (0..plies)
                .map(|ply| {
                    let (seat, mv) = (ply % 2, rng.below(1 << 30));
                    format!(
                        r#"{{"seat":{seat},"move":"m{mv}","ms":12.345,"info":{{"depth":5,"nodes":{mv},"pv":["a1-b2"]}}}}"#
                    )
                })
                .collect();
            writeln!(
                out,
                r#"{{"format":1,"match":"m-{:06}","game":"{game}","options":{{}},"seed":{seed},"start":{{"ply":0,"to_move":0,"cells":["a1","b2"],"scores":[0,0]}},"players":[{{"name":"bot{}","role":"first","version":"1","command":["bot"]}},{{"name":"bot{}","role":"second","command":["bot"]}}],"time":{{"per_move_ms":100,"startup_ms":10000,"margin_ms":20}},"limits":{{"max_plies":300,"repetition":3}},"opening":2,"moves":[{}],"result":{{"scores":[{points},{}],"outcome":[{},{}],"reason":"end","faults":[]}},"started":"2026-01-02T03:04:05.678Z","duration_ms":2345.6,"referee":"referee 0.1.0"}}"#,
                2 * pair + swap + 1,
                seats[0],
                seats[1],
                moves.join(","),
                2 - points,
                f64::from(points) / 2.0,
                1.0 - f64::from(points) / 2.0,
            )?;
        }
    }
    out.flush()?;
    Ok(())
}

/// The most memory that this process ever had, in MB, where the system knows it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1000)
}

fn show_memory(what: &str) {
    if let Some(peak) = peak_memory() {
        println!("{what}: at most {peak} MB so far");
    }
}

fn rate(path: &Path) -> Result<(), Failure> {
    let start = Instant::now();
    let mut matches = MatchStore::new();
    let mut log = LogFile::open(path)?;
    let sum_up = |played: MatchSummary, _: &mut _| (Account::of(&played), played);
    log.each(sum_up, |(summary, played)| {
        matches.add_summary(played, summary);
        Ok::<_, Failure>(())
    })?;
    println!("{} matches read in {:.2?}", matches.len(), start.elapsed());
    show_memory("reading");
    let start = Instant::now();
    let report = matches.report(&Request::default())?;
    println!(
        "{} bots, {} games, {} units, {} duplicates: report in {:.2?}",
        report.bots.len(),
        report.games.len(),
        report.units,
        report.duplicates,
        start.elapsed()
    );
    show_memory("report");
    for &bot in report.ranking.iter().take(5) {
        if let Some(rating) = report.ratings.bots[bot] {
            let (name, reach) = (&report.bots[bot].name, rating.high - rating.elo);
            println!("{name:>12} {:7.1} ± {reach:.1}", rating.elo);
        }
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(|a| &**a).collect();
    let meet = |how: &str| match how {
        "ladder" => Meet::Neighbours,
        _ => Meet::All,
    };
    match arguments[..] {
        [how @ ("make" | "ladder"), path, matches, bots] => {
            let (matches, bots) = (matches.parse()?, bots.parse()?);
            make(Path::new(path), matches, bots, PLIES, meet(how))
        }
        [how @ ("make" | "ladder"), path, matches, bots, plies] => {
            let (matches, bots) = (matches.parse()?, bots.parse()?);
            make(Path::new(path), matches, bots, plies.parse()?, meet(how))
        }
        ["rate", path] => rate(Path::new(path)),
        _ => Err("make or ladder FILE MATCHES BOTS [PLIES], or rate PATH".into()),
    }
}
