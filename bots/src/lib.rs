//! Reference bots, and the loop that makes a bot out of anything that chooses moves.
//!
//! [`sdk`] is for bots of all kinds, [`thinker`] for those that use the rules of the games. The
//! bots themselves are found by name:
//!
//! ```
//! use bots::BotOptions;
//!
//! let mut output = Vec::new();
//! let input = "{\"type\":\"hello\",\"protocol\":1,\"referee\":\"referee 0.1.0\"}\n";
//! bots::run_named("greedy", &BotOptions::default(), input.as_bytes(), &mut output).unwrap();
//! assert!(String::from_utf8(output).unwrap().contains("\"name\":\"greedy\""));
//! ```

pub mod alphabeta;
pub mod clock;
pub mod evaluate;
pub mod greedy;
pub mod level;
pub mod mcts;
pub mod random;
mod rating;
pub mod sdk;
pub mod thinker;

#[cfg(test)]
mod arena;

use std::io::{BufRead, Write};

use thiserror::Error;

use crate::alphabeta::AlphaBeta;
use crate::greedy::Greedy;
use crate::level::{Eased, Level};
use crate::mcts::Mcts;
use crate::random::Random;
use crate::sdk::Bot;
use crate::thinker::{Player, Thinker};

/// What can be set for a reference bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BotOptions {
    /// The seed of all random choices.
    pub seed: u64,
    /// For `mcts`: so many playouts a move, whatever the clock says.
    pub playouts: Option<u32>,
    /// For `alphabeta`: so many nodes a move, whatever the clock says.
    pub nodes: Option<u64>,
    /// For `mcts`: so many threads; with more than one, moves depend on chance. 0 is 1.
    pub threads: usize,
    /// For all but `random`: how strong it plays; `None` is full strength. The clock counts, too.
    pub level: Option<Level>,
}

impl BotOptions {
    /// A bot that plays like the thinker, at the level.
    fn player<T: Thinker + 'static>(&self, thinker: T) -> Box<dyn Bot> {
        match self.level {
            Some(level) => Box::new(Player::new(Eased { thinker, level }, self.seed)),
            None => Box::new(Player::new(thinker, self.seed)),
        }
    }

    /// The smaller one of a number that was asked for and that of the level.
    fn limit<N: Ord>(&self, own: Option<N>, of_level: impl Fn(Level) -> Option<N>) -> Option<N> {
        let of_level = self.level.and_then(of_level);
        own.into_iter().chain(of_level).min()
    }
}

/// A reference bot.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    make: fn(&BotOptions) -> Box<dyn Bot>,
}

impl Entry {
    /// A bot with these options.
    pub fn make(&self, options: &BotOptions) -> Box<dyn Bot> {
        (self.make)(options)
    }
}

/// All reference bots, the weakest first.
pub static BOTS: &[Entry] = &[
    Entry {
        name: "random",
        summary: "plays any legal move, each equally likely",
        make: |options| Box::new(Player::new(Random, options.seed)),
    },
    Entry {
        name: "greedy",
        summary: "looks one ply ahead: most points, then most mobility",
        make: |options| options.player(Greedy),
    },
    Entry {
        name: "alphabeta",
        summary: "searches: alpha-beta with an evaluation for each game",
        make: |options| {
            options.player(AlphaBeta {
                nodes: options.limit(options.nodes, Level::nodes),
                untimed: options.nodes.is_some(),
            })
        },
    },
    Entry {
        name: "mcts",
        summary: "searches: Monte Carlo tree search with evaluations and proofs",
        make: |options| {
            options.player(Mcts {
                playouts: options.limit(options.playouts, Level::playouts),
                untimed: options.playouts.is_some(),
                threads: options.threads,
            })
        },
    },
];

/// Why a reference bot did not run to its end.
#[derive(Debug, Error)]
pub enum Error {
    /// There is no such bot.
    #[error("there is no bot `{name}`{hint}; there are {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// A name that is much like it.
        hint: String,
        /// The names that there are.
        known: String,
    },
    /// It ran and failed.
    #[error(transparent)]
    Run(#[from] sdk::Error),
}

/// The reference bot with this name.
///
/// # Errors
/// If there is none; the error lists the names.
pub fn find(name: &str) -> Result<&'static Entry, Error> {
    BOTS.iter().find(|bot| bot.name == name).ok_or_else(|| {
        let names: Vec<&str> = BOTS.iter().map(|bot| bot.name).collect();
        let nearest = games::options::nearest(name, &names);
        Error::Unknown {
            name: name.chars().take(40).collect(),
            hint: nearest.map_or(String::new(), |n| format!(" (did you mean `{n}`?)")),
            known: games::options::quoted(&names),
        }
    })
}

/// Runs the reference bot with this name until the referee ends it.
///
/// # Errors
/// If there is no such bot, the input breaks the protocol, or reading or writing fails.
pub fn run_named(
    name: &str,
    options: &BotOptions,
    input: impl BufRead,
    output: impl Write,
) -> Result<(), Error> {
    let mut bot = find(name)?.make(options);
    Ok(sdk::run(&mut *bot, input, output)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_answered_with_the_names() {
        let error = |name| find(name).unwrap_err().to_string();
        assert!(error("gredy").contains("did you mean `greedy`?"));
        assert!(error("stockfish").contains("`random`, `greedy`"));
    }
}
