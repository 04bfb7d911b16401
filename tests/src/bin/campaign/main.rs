//! The long runs: `cargo run --profile campaign -p tests --bin campaign -- --help`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tests::campaign::{hostile, quick, redteam};

/// Long runs that show that the referee holds against any bot
#[derive(Debug, Parser)]
struct Args {
    #[command(subcommand)]
    campaign: Campaign,
}

#[derive(Debug, Subcommand)]
enum Campaign {
    /// A tournament in which half of the entrants are hostile
    Hostile {
        /// At least this many matches
        #[arg(long, default_value_t = 1000)]
        matches: usize,
        /// Selects the entrants
        #[arg(long, default_value_t = 1)]
        seed: usize,
    },
    /// Quick matches with new processes for each
    Quick {
        /// Number of matches
        #[arg(long, default_value_t = 10_000)]
        matches: u32,
    },
    /// Every trick against the sandbox, in every tier and by every user, beside the promises
    Redteam(redteam::Options),
    /// `mcts` against bots that take the CPU in the strict sandbox, beside a control
    RedteamDuels(redteam::duels::DuelOptions),
}

fn main() -> ExitCode {
    let findings = match Args::parse().campaign {
        Campaign::Hostile { matches, seed } => hostile::run(matches, seed),
        Campaign::Quick { matches } => quick::run(matches),
        Campaign::Redteam(options) => redteam::run(&options),
        Campaign::RedteamDuels(options) => redteam::duels::run(&options),
    };
    print!("{findings}");
    if findings.wrong.is_empty() && findings.slow.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
