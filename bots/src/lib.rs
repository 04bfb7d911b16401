//! Reference bots, and the loop that makes a bot of anything that chooses moves.
//!
//! [`sdk`] is for bots of any kind, [`engine`] for those that use the rules of the games. [`find`]
//! looks a reference bot up by its name, [`run_named`] runs it:
//!
//! ```
//! use bots::BotOptions;
//! use games::Catalog;
//!
//! let mut output = Vec::new();
//! let input = "{\"type\":\"hello\",\"protocol\":1,\"referee\":\"referee 0.1.0\"}\n";
//! let (options, games) = (BotOptions::default(), Catalog::built_in());
//! bots::run_named("greedy", &options, &games, input.as_bytes(), &mut output).unwrap();
//! assert!(String::from_utf8(output).unwrap().contains("\"name\":\"greedy\""));
//! ```
#![allow(missing_docs, reason = "strangers read the front door, `referee`")]

mod alphabeta;
mod any_game;
pub mod chat;
pub mod command_line;
pub mod engine;
pub mod evaluation;
mod mcts;
mod order;
pub mod sdk;
mod turn;

#[cfg(test)]
mod test_match;

use std::io::{BufRead, Write};

use games::Catalog;
use thiserror::Error;

use crate::alphabeta::AlphaBeta;
use crate::chat::Chat;
use crate::chat::options::ChatOptions;
use crate::engine::greedy::Greedy;
use crate::engine::level::{Level, Weakened};
use crate::engine::random::Random;
use crate::engine::{Engine, EngineBot};
use crate::mcts::Mcts;
use crate::sdk::Bot;

pub use crate::any_game::{Known, SessionDecision, SessionQuestion, SessionSearch};
pub use crate::engine::level;
pub use crate::turn::analysis::Analysis;
pub use crate::turn::clock;

/// The options of a reference bot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BotOptions {
    /// Seeds all random choices.
    pub seed: u64,
    /// For `mcts`: the number of playouts a move, regardless of the clock.
    pub playouts: Option<u32>,
    /// For `alphabeta`: the number of nodes a move, regardless of the clock.
    pub nodes: Option<u64>,
    /// For `mcts`: the number of threads; 0 means 1. With several, its moves are not reproducible.
    /// Games that are not compiled in are always searched by one thread.
    pub threads: usize,
    /// For all but `random`: how strong it plays; `None` is full strength. The clock applies as well.
    pub level: Option<Level>,
    /// For `chat`, which needs them.
    pub chat: Option<ChatOptions>,
}

impl BotOptions {
    /// A bot that plays the moves of the engine, but for the random ones of the level if there is one.
    fn bot<E: Engine + 'static>(
        &self,
        engine: E,
        random_percent: impl Fn(Level) -> u64,
        games: &Catalog,
    ) -> Box<dyn Bot> {
        let (seed, games) = (self.seed, games.clone());
        match self.level.map(random_percent) {
            Some(random_percent) => {
                let engine = Weakened {
                    engine,
                    random_percent,
                };
                Box::new(EngineBot::new(engine, seed, games))
            }
            None => Box::new(EngineBot::new(engine, seed, games)),
        }
    }

    /// The smaller of a limit that was asked for and that of the level.
    fn limit<N: Ord>(&self, own: Option<N>, of_level: impl Fn(Level) -> Option<N>) -> Option<N> {
        let of_level = self.level.and_then(of_level);
        own.into_iter().chain(of_level).min()
    }
}

/// A reference bot of the catalogue.
#[derive(Debug)]
pub struct ReferenceBot {
    /// The name by which [`find`] and the command line know it.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    make: Make,
}

/// How a reference bot is made.
#[derive(Clone, Copy, Debug)]
enum Make {
    Engine(fn(&BotOptions, &Catalog) -> Box<dyn Bot>),
    Chat,
}

impl ReferenceBot {
    /// True if the bot plays by itself; false if it asks a server.
    pub fn is_engine(&self) -> bool {
        matches!(self.make, Make::Engine(_))
    }

    /// Makes a bot with these options that knows the rules of these games. Games that are compiled in
    /// are played by their types, with evaluations made for them, whatever their ids in the catalog;
    /// others through their [`Rules`](games::Rules).
    ///
    /// # Errors
    /// If a bot that asks a server cannot: its options, its key or its prompts are not there.
    pub fn make(&self, options: &BotOptions, games: &Catalog) -> Result<Box<dyn Bot>, RunError> {
        match self.make {
            Make::Engine(make) => Ok(make(options, games)),
            Make::Chat => {
                let options = options.chat.clone().ok_or(RunError::NoOptions(self.name))?;
                let chat = Chat::new(options, games.clone()).map_err(RunError::Make)?;
                Ok(Box::new(chat))
            }
        }
    }
}

/// All reference bots: engines, the weakest first, then what asks a server.
pub static BOTS: &[ReferenceBot] = &[
    ReferenceBot {
        name: "random",
        summary: "plays any legal move, each equally likely",
        make: Make::Engine(|options, games| {
            Box::new(EngineBot::new(Random, options.seed, games.clone()))
        }),
    },
    ReferenceBot {
        name: "greedy",
        summary: "one ply ahead: most points, then most mobility",
        make: Make::Engine(|options, games| options.bot(Greedy, Level::greedy_percent, games)),
    },
    ReferenceBot {
        name: "alphabeta",
        summary: "alpha-beta search with an evaluation for each game",
        make: Make::Engine(|options, games| {
            let engine = AlphaBeta {
                nodes: options.limit(options.nodes, Level::nodes),
                untimed: options.nodes.is_some(),
            };
            options.bot(engine, Level::random_percent, games)
        }),
    },
    ReferenceBot {
        name: "mcts",
        summary: "Monte Carlo tree search with evaluations and proofs",
        make: Make::Engine(|options, games| {
            let engine = Mcts {
                playouts: options.limit(options.playouts, Level::playouts),
                untimed: options.playouts.is_some(),
                threads: options.threads,
            };
            options.bot(engine, Level::random_percent, games)
        }),
    },
    ReferenceBot {
        name: "chat",
        summary: "asks a language model, over a server's chat-completions interface",
        make: Make::Chat,
    },
];

/// The reason why a reference bot could not run.
#[derive(Debug, Error)]
pub enum RunError {
    /// No reference bot has this name.
    #[error("unknown bot `{name}`{hint}; known are {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// ` (did you mean …?)` if a known name is close, else empty.
        hint: String,
        /// The names of all reference bots, quoted.
        known: String,
    },
    /// The bot needs options of its own.
    #[error("the bot `{0}` needs options: a server and a model")]
    NoOptions(&'static str),
    /// The bot cannot be made.
    #[error("{0}")]
    Make(sdk::BotError),
    /// The bot ran and failed.
    #[error(transparent)]
    Run(#[from] sdk::Error),
}

/// The reference bot with this name.
///
/// # Errors
/// If there is no such bot; the error lists the names that exist.
pub fn find(name: &str) -> Result<&'static ReferenceBot, RunError> {
    BOTS.iter().find(|bot| bot.name == name).ok_or_else(|| {
        let names: Vec<&str> = BOTS.iter().map(|bot| bot.name).collect();
        let nearest = games::kit::text::nearest(name, &names);
        RunError::Unknown {
            name: name.chars().take(40).collect(),
            hint: nearest.map_or(String::new(), |n| format!(" (did you mean `{n}`?)")),
            known: games::kit::text::quoted(&names),
        }
    })
}

/// Runs the reference bot with this name, which knows the rules of these games, until the referee ends
/// it.
///
/// # Errors
/// If there is no such bot, the input breaks the protocol, or reading or writing fails.
pub fn run_named(
    name: &str,
    options: &BotOptions,
    games: &Catalog,
    input: impl BufRead,
    output: impl Write,
) -> Result<(), RunError> {
    let mut bot = find(name)?.make(options, games)?;
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
