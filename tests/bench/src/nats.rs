//! Cost of workers over a NATS server: the same tournament on this machine alone, two matches at a
//! time, and by one worker with two slots, with server, worker and coordinator on this machine,
//! too.

use tests::cluster::nats::NatsServer;

use crate::measure::{Tournament, median, play, play_by_worker};

/// Each figure is the median of this many pairs of runs.
const PAIRS: usize = 3;
/// Matches at a time.
const SLOTS: usize = 2;

pub(crate) fn run(tiny: bool) {
    println!("| a move takes | matches | alone, moves/s | by a worker, moves/s | ratio |");
    println!("|---|---|---|---|---|");
    for (think, rounds) in [("1ms", 500), ("0ms", 2_000)] {
        let (rounds, pairs) = if tiny { (2, 1) } else { (rounds, PAIRS) };
        row(think, rounds, pairs);
    }
}

fn row(think: &str, rounds: u32, pairs: usize) {
    let tournament = Tournament::of_instant_bots(&["none", think], rounds, SLOTS);
    let server = NatsServer::start();
    let by_worker = || play_by_worker(&tournament, &server, SLOTS);
    let (mut here, mut there, mut matches) = (Vec::new(), Vec::new(), 0);
    for pair in 0..pairs {
        // In turn, so that a machine that changes its pace treats both alike.
        let (one, other) = if pair % 2 == 0 {
            let one = play(&tournament);
            (one, by_worker())
        } else {
            let other = by_worker();
            (play(&tournament), other)
        };
        assert_eq!(one.matches, other.matches);
        matches = one.matches;
        here.push(one.rate());
        there.push(other.rate());
    }
    let (here, there) = (median(here), median(there));
    println!(
        "| {think} | {matches} | {here:.0} | {there:.0} | {:.2} |",
        there / here
    );
}
