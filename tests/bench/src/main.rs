//! Overhead of the referee beyond two processes and a pipe: every figure is a ratio to a bare
//! ping-pong through a pipe in the same run.
//!
//!     cargo run --profile dist -p bench -- games    # perft and playouts of the games, without a referee
//!     cargo run --profile dist -p bench -- pipe     # moves a second, CPU a move
//!     cargo run --profile dist -p bench -- scale    # memory, starts, logs
//!     cargo run --profile dist -p bench -- model    # requests to the forward model a second
//!     cargo run --profile dist -p bench -- rules    # a move through a rules program
//!     cargo run --profile dist -p bench -- gdl      # random playouts of sheets
//!     cargo run --profile dist -p bench -- watch    # what looking on costs, a large log in the browser
//!     cargo run --profile dist -p bench -- nats     # a worker over a NATS server, beside none
//!     cargo run --profile dist -p bench -- load     # matches lost on time, also on a busy machine: two hours
//!
//!     cargo run --profile dist -p bench -- all      # all but `load`, compared with the tables of BENCHMARKS.md
//!
//! `--tiny` does a little of everything, to see that it still works.

mod all;
mod gdl;
mod load;
mod measure;
mod model;
mod nats;
mod pingpong;
mod pipe;
mod rules;
mod scale;
mod speed;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(about = "What the referee costs, compared with what a pipe costs")]
struct Cli {
    /// A little of everything; the figures mean nothing
    #[arg(long, global = true)]
    tiny: bool,
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Perft nodes and random playouts a second of these games, or of all
    Games { games: Vec<String> },
    /// Moves a second and CPU a move, as ratios to a ping-pong
    Pipe,
    /// Memory and CPU of many matches, starts of bots, logs
    Scale,
    /// Requests to the forward model a second, from this program on the same core
    Model,
    /// Cost of a move through a rules program, beside the same game compiled in
    Rules,
    /// Random playouts a second of every sheet, beside a plain interpreter
    Gdl,
    /// Cost of `--watch`, without and with an open page, and the first page of a large log
    Watch,
    /// A tournament by a worker over a NATS server, beside the same on this machine alone
    Nats,
    /// Matches lost on time by bots that are fast enough, on a quiet and on a busy machine
    Load {
        /// Matches of each row, in swapped pairs
        #[arg(long, default_value_t = 20_000)]
        matches: u32,
    },
    /// All but `load`, and what is worse by a fifth than the tables of BENCHMARKS.md
    All,
    /// The other end of the ping-pong (started by the benchmark itself)
    #[command(hide = true)]
    Pong,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.what {
        What::All => return all::run(cli.tiny),
        What::Games { games } => speed::run(&games, cli.tiny),
        What::Pipe => pipe::run(cli.tiny),
        What::Scale => scale::run(cli.tiny),
        What::Model => model::run(cli.tiny),
        What::Rules => rules::run(cli.tiny),
        What::Gdl => gdl::run(cli.tiny),
        What::Watch => watch::run(cli.tiny),
        What::Nats => nats::run(cli.tiny),
        What::Load { matches } => return load::run(if cli.tiny { 4 } else { matches }),
        What::Pong => pingpong::pong(),
    }
    ExitCode::SUCCESS
}
