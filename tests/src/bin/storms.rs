//! Tournaments over NATS with all kinds of failures, for a number of rounds.

use clap::Parser;
use tests::cluster::storms::{Figures, Storm};

/// Plays tournaments by workers of a NATS server, kills, stops and cuts off workers, kills server and
/// coordinator, has a worker lie, and compares each log with that of one undisturbed machine
#[derive(Debug, Parser)]
struct Args {
    /// Number of tournaments
    #[arg(long, value_name = "N", default_value_t = 50)]
    rounds: u32,
    /// Matches of each tournament
    #[arg(long, value_name = "N", default_value_t = 2000)]
    matches: u32,
    /// The first round, to play a later one again
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Seed of the moments
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

fn main() {
    let args = Args::parse();
    let storm = Storm::of(args.matches, true);
    if !storm.has_cable() {
        tests::needs::skip("nobody is cut off: this user cannot make network namespaces");
    }
    let mut figures = Figures::default();
    for round in args.first..args.first + u64::from(args.rounds) {
        let seed = args.seed.wrapping_mul(1_000_003).wrapping_add(round);
        storm.play(&storm.plan(seed), seed, &mut figures);
        eprintln!("{figures}");
    }
    println!("{figures}: every log has each match once, and is that of an undisturbed run");
}
