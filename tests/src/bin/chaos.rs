//! Kills and resumes referees at random moments, for a number of rounds.

use clap::Parser;

/// Starts tournaments, kills the referee at random moments with SIGKILL, resumes, and compares the
/// log with that of an undisturbed run
#[derive(Debug, Parser)]
struct Args {
    /// Number of tournaments
    #[arg(long, value_name = "N", default_value_t = 200)]
    rounds: u32,
    /// Seed of the moments
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

fn main() {
    let args = Args::parse();
    let figures = tests::chaos::run(args.rounds, args.seed, |round, figures| {
        if round % 10 == 0 {
            eprintln!("{figures}");
        }
    });
    println!("{figures}: every log has each match once, and is that of an undisturbed run");
}
