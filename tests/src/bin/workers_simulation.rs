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
    /// How many workers there are
    #[arg(long, value_name = "N", default_value_t = 1000)]
    workers: usize,
    /// How many groups of matches each plays at a time
    #[arg(long, value_name = "N", default_value_t = 4)]
    slots: usize,
    /// How many matches are played; a tournament has at most 999,999
    #[arg(long, value_name = "N", default_value_t = 999_980)]
    matches: u64,
    /// What everything random is made from
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
    /// How often things fail: 1 for one of ten workers an hour killed, as many stopped and cut off, and two
    /// restarts an hour of the server and of the coordinator; 0 for never
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
