//! A slow and obvious second implementation of the eight games, written straight from the rule
//! files. The fast one is compared with it, position by position; so it trades all speed for
//! closeness to the wording of the rules.

#![allow(missing_docs, reason = "only tests read this")]

mod board;
mod games;
pub mod gdl;
mod ice;
pub mod minimax;
mod oracle;
mod outcome;
pub mod random;
#[cfg(test)]
mod random_games;
pub mod scattered;
pub mod sets;

use serde_json::Value;

use games::{
    amazon_penguins, amazons, elephant_run, giantslayer, paper_penguins, penguins, run, siam,
};
pub use oracle::Oracle;
pub use outcome::Outcome;

pub const GAMES: [&str; 8] = [
    "amazons",
    "amazon-penguins",
    "elephant-run",
    "giantslayer",
    "paper-penguins",
    "penguins",
    "run",
    "siam",
];

/// Opens a position from a (possibly partial) options object and a state, which it does not check against the
/// rules.
pub fn open(game: &str, options: &Value, state: &Value) -> Box<dyn Oracle> {
    match game {
        "amazons" => Box::new(amazons::Amazons::open(options, state)),
        "amazon-penguins" => Box::new(amazon_penguins::AmazonPenguins::open(options, state)),
        "elephant-run" => Box::new(elephant_run::ElephantRun::open(options, state)),
        "giantslayer" => Box::new(giantslayer::Giantslayer::open(options, state)),
        "paper-penguins" => Box::new(paper_penguins::PaperPenguins::open(options, state)),
        "penguins" => Box::new(penguins::Penguins::open(options, state)),
        "run" => Box::new(run::Run::open(options, state)),
        "siam" => Box::new(siam::Siam::open(options, state)),
        _ => panic!("no game {game}"),
    }
}

/// The start of a game. A random start is made from the seed by a shuffle of this
/// crate's own.
pub fn start(game: &str, options: &Value, seed: u64) -> Box<dyn Oracle> {
    let state = match game {
        "amazons" => amazons::start(options),
        "amazon-penguins" => amazon_penguins::start(options, seed),
        "elephant-run" => elephant_run::start(options),
        "giantslayer" => giantslayer::start(options),
        "paper-penguins" => paper_penguins::start(options, seed),
        "penguins" => penguins::start(options, seed),
        "run" => run::start(options),
        "siam" => siam::start(options),
        _ => panic!("no game {game}"),
    };
    open(game, options, &state)
}

/// The positions after exactly `depth` plies, counted by paths.
pub fn perft(position: &dyn Oracle, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let legal = position.legal();
    if depth == 1 {
        return legal.len() as u64;
    }
    let mut nodes = 0;
    for mv in &legal {
        let mut next = position.clone_box();
        next.play(mv);
        nodes += perft(next.as_ref(), depth - 1);
    }
    nodes
}
