//! Moves a second and CPU a move of matches between instant bots, beside the ping-pong.

use std::time::Duration;

use crate::measure::{Cost, Tournament, instant, median, play};
use crate::pingpong::{self, RoundTrip};

/// Each figure is the median of this many runs.
const RUNS: usize = 3;

pub(crate) fn run(tiny: bool) {
    let (time, runs) = match tiny {
        true => (Duration::from_millis(20), 1),
        false => (Duration::from_millis(700), RUNS),
    };
    let limit = |measure: &dyn Fn() -> RoundTrip| {
        let rates = (0..runs).map(|_| measure().rate());
        median(rates.collect())
    };
    let same = limit(&|| pingpong::side_by_side(1, time));
    let two = limit(&|| pingpong::across(time));
    println!(
        "ping-pong on one core: {:.2} µs a round trip, {same:.0} a second",
        1e6 / same
    );
    println!(
        "ping-pong on two cores: {:.2} µs a round trip, {two:.0} a second",
        1e6 / two
    );
    println!();
    println!(
        "| bots | matches at a time | moves/s | of the limit | referee CPU a move | charged a move |"
    );
    println!("|---|---|---|---|---|---|");
    let cores = pingpong::cores().len();
    for (name, wants, rounds) in [
        ("nothing", "none", 1500),
        ("legal", "legal", 600),
        ("everything", "all", 400),
    ] {
        for concurrency in [1, 2] {
            let command = format!("['{}', '{wants}']", instant().display());
            let label = format!("instant, wants {name}");
            let rounds = if tiny { 2 } else { rounds * concurrency as u32 };
            row(&label, command, concurrency, rounds, runs, time, cores);
        }
    }
    let python = tests::root().join("bots/examples/python/random_bot.py");
    let command = format!("['python3', '{}']", python.display());
    row(
        "Python, wants everything",
        command,
        1,
        if tiny { 1 } else { 40 },
        runs,
        time,
        cores,
    );
}

/// Measures one line of the table. The limit is measured again beside each run, since the machine
/// changes its pace; that of several matches at a time is that of as many ping-pongs, one on each core.
fn row(
    label: &str,
    command: String,
    concurrency: usize,
    rounds: u32,
    runs: usize,
    time: Duration,
    cores: usize,
) {
    let tournament = Tournament {
        command,
        ..Tournament::of_instant_bots(&[], rounds, concurrency)
    };
    let mut shares = Vec::new();
    let mut costs: Vec<Cost> = Vec::new();
    for _ in 0..runs {
        let pairs = concurrency.min(cores);
        let before = pingpong::side_by_side(pairs, time).rate();
        let cost = play(&tournament);
        let after = pingpong::side_by_side(pairs, time).rate();
        let limit = (before + after) / 2.0 * pairs as f64;
        shares.push(cost.rate() / limit);
        costs.push(cost);
    }
    let middle = |figure: fn(&Cost) -> f64| median(costs.iter().map(figure).collect());
    println!(
        "| {label} | {concurrency} | {:.0} | {:.2} | {:.1} µs | {:.0} µs |",
        middle(Cost::rate),
        median(shares),
        middle(Cost::cpu_a_move),
        middle(|cost| cost.charged_ms) * 1e3,
    );
}
