//! A tournament of many workers over NATS, simulated: messages, bytes, memory of the coordinator, lost work.

use std::time::Duration;

use clap::Parser;
use peak_alloc::PeakAlloc;
use tests::cluster::simulation::{Options, simulate};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Simulates a tournament of workers that are killed, stopped and cut off, and a server and a coordinator
/// that are restarted; checks that each match is in the log once, and prints figures
#[derive(Debug, Parser)]
struct Args {
    /// Number of workers
    #[arg(long, value_name = "N", default_value_t = 1000)]
    workers: usize,
    /// Groups of matches that each worker plays at a time
    #[arg(long, value_name = "N", default_value_t = 4)]
    slots: usize,
    /// Number of matches, at most 999,999
    #[arg(long, value_name = "N", default_value_t = 999_980)]
    matches: u64,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The seconds that a match takes on average
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0)]
    match_time: f64,
    /// The milliseconds that a message takes there and back
    #[arg(long, value_name = "MS", default_value_t = 1.0)]
    round_trip: f64,
    /// The milliseconds that the coordinator replays a match
    #[arg(long, value_name = "MS", default_value_t = 1.0)]
    replay: f64,
    /// Rate of failures: with 1, one of ten workers is killed each hour, as many stopped and cut
    /// off, and server and coordinator restart twice an hour; 0 for none
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    failures: f64,
}

fn main() {
    let args = Args::parse();
    let report = simulate(&Options {
        workers: args.workers,
        slots: args.slots,
        matches: args.matches,
        seed: args.seed,
        match_time: Duration::from_secs_f64(args.match_time),
        round_trip: Duration::from_secs_f64(args.round_trip / 1e3),
        replay: Duration::from_secs_f64(args.replay / 1e3),
        failures: args.failures,
        heap: || HEAP.current_usage(),
    });
    print!("{report}");
}
