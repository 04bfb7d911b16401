//! The command line of reference bots, `referee bot`. Configurations are checked against it, too.

use clap::Parser;
use thiserror::Error;

use crate::chat::options::{ChatArgs, ChatError};
use crate::engine::level::Level;
use crate::{BotOptions, RunError};

/// The arguments of `referee bot`.
#[derive(Debug, clap::Args)]
pub struct ReferenceBotArgs {
    /// The bot; without a name the bots are listed
    pub name: Option<String>,
    /// The seed of all random choices, together with the match's id [default: 1]; for chat, the seed that
    /// the server is asked to use
    #[arg(long)]
    seed: Option<u64>,
    /// For mcts: think for N playouts per move, whatever the clock says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    playouts: Option<u32>,
    /// For alphabeta: think for N nodes per move, whatever the clock says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// How strong it plays, from 1 to 10 (full strength); all bots but random and chat have
    /// levels
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u8).range(1..=10))]
    level: Option<u8>,
    /// For mcts: think with N threads [default: 1]; with more than one, the same --playouts need not
    /// give the same moves; games that are not compiled in are always searched with one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    #[command(flatten)]
    pub chat: ChatArgs,
}

impl ReferenceBotArgs {
    /// The options for this bot.
    ///
    /// # Errors
    /// If there is no such bot, or one of the options means nothing to it.
    pub fn options(&self, name: &str) -> Result<BotOptions, ArgumentsError> {
        let bot = crate::find(name)?;
        let own = [
            ("--level", self.level.is_some()),
            ("--nodes", self.nodes.is_some()),
            ("--playouts", self.playouts.is_some()),
            ("--threads", self.threads.is_some()),
        ];
        let of_chat = self.chat.given();
        let known: Vec<&str> = match name {
            "random" => Vec::new(),
            "alphabeta" => vec!["--level", "--nodes"],
            "mcts" => vec!["--level", "--playouts", "--threads"],
            _ if bot.is_engine() => vec!["--level"],
            _ => of_chat.iter().map(|(flag, _)| *flag).collect(),
        };
        for (flag, is_given) in own.into_iter().chain(of_chat) {
            if is_given && !known.contains(&flag) {
                return Err(ArgumentsError::Flag {
                    flag,
                    bot: name.to_owned(),
                    known: [&["--seed"], &known[..]].concat().join(", "),
                });
            }
        }
        let chat = (!bot.is_engine()).then(|| self.chat.options(self.seed));
        Ok(BotOptions {
            seed: self.seed.unwrap_or(1),
            playouts: self.playouts,
            nodes: self.nodes,
            threads: self.threads.unwrap_or(1).into(),
            level: self.level.and_then(Level::new),
            chat: chat.transpose()?,
        })
    }
}

/// The command that the words of a bot mean: if the first one is a reference bot's name, `referee bot`
/// and these words, else the words themselves.
///
/// ```
/// let words = ["mcts", "--playouts", "100"].map(str::to_owned).to_vec();
/// let command = bots::command_line::as_command(words);
/// assert_eq!(command, ["referee", "bot", "mcts", "--playouts", "100"]);
/// ```
pub fn as_command(words: Vec<String>) -> Vec<String> {
    match words.first() {
        Some(first) if crate::find(first).is_ok() => {
            let start = ["referee", "bot"].map(str::to_owned).into_iter();
            start.chain(words).collect()
        }
        _ => words,
    }
}

/// True if `referee bot` with these arguments asks a server, so that it needs a network.
pub fn needs_network(arguments: &[String]) -> bool {
    let name = Alone::try_parse_from(arguments)
        .ok()
        .and_then(|alone| alone.args.name);
    name.is_some_and(|name| crate::find(&name).is_ok_and(|bot| !bot.is_engine()))
}

/// The arguments alone, as in a configuration.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Alone {
    #[command(flatten)]
    args: ReferenceBotArgs,
}

/// Checks that `referee bot` with these arguments is a bot.
///
/// # Errors
/// The fault in them.
pub fn check(arguments: &[String]) -> Result<(), ArgumentsError> {
    let Alone { args } = Alone::try_parse_from(arguments)?;
    match &args.name {
        Some(name) if args.chat.show_prompt.is_some() => {
            Err(ArgumentsError::Shows { bot: name.clone() })
        }
        Some(name) => args.options(name).map(drop),
        None => Err(ArgumentsError::NoName),
    }
}

/// The fault in the arguments of `referee bot`.
#[derive(Debug, Error)]
pub enum ArgumentsError {
    /// No reference bot has the name.
    #[error(transparent)]
    Unknown(#[from] RunError),
    #[error("{flag} means nothing to the bot `{bot}`, which takes {known}")]
    Flag {
        flag: &'static str,
        bot: String,
        /// The flags of this bot, with commas.
        known: String,
    },
    #[error(transparent)]
    Chat(#[from] ChatError),
    #[error("--show-prompt only prints: `{bot}` with it is no bot")]
    Shows { bot: String },
    #[error("{}", first_line(.0))]
    Unreadable(#[from] clap::Error),
    #[error("`referee bot` needs the name of a bot: {}", names())]
    NoName,
}

/// The fault alone, without the usage that follows it.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    first.trim_start_matches("error: ").to_owned()
}

fn names() -> String {
    let names: Vec<&str> = crate::BOTS.iter().map(|bot| bot.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    fn check(line: &str) -> Result<(), String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        super::check(&words).map_err(|error| error.to_string())
    }

    #[test]
    fn options_that_mean_nothing_to_a_bot_are_refused() {
        for line in [
            "random --seed 7",
            "greedy --level 3",
            "alphabeta --nodes 100 --level 10",
            "mcts --playouts 10 --threads 2 --level 1",
            "chat --url http://127.0.0.1:8080/v1 --model m --legal grammar --rethink 0 --seed 3",
        ] {
            assert_eq!(check(line), Ok(()), "{line}");
        }
        let refused = |line: &str, part: &str| {
            let message = check(line).expect_err(line);
            assert!(message.contains(part), "`{part}` in `{message}`");
            assert_eq!(message.lines().count(), 1, "{message}");
        };
        refused(
            "random --level 3",
            "--level means nothing to the bot `random`",
        );
        refused("greedy --playouts 10", "which takes --seed, --level");
        refused("mcts --nodes 10", "--nodes means nothing");
        refused("mcts --level 33", "33 is not in 1..=10");
        refused("mtcs", "did you mean");
        refused("mcts --playout 3", "--playout");
        refused("", "needs the name of a bot");
        refused(
            "mcts --url http://host",
            "--url means nothing to the bot `mcts`",
        );
        refused("chat --playouts 3", "which takes --seed, --url, --model");
        refused("chat --model m", "needs --url");
        refused("chat --url http://host", "needs --model");
        refused("chat --url host --model m", "--url: `host`");
        refused(
            "chat --url http://h --model m --temperature 3",
            "not from 0 to 2",
        );
        refused("chat --url http://h --model m --timeout 60", "--timeout");
        refused("chat --show-prompt siam", "--show-prompt only prints");
    }

    #[test]
    fn only_chat_needs_a_network() {
        let needs = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            super::needs_network(&words)
        };
        assert!(needs("chat --url http://127.0.0.1:8080/v1 --model m"));
        assert!(!needs("mcts --playouts 10"));
        assert!(!needs("nobody"));
    }
}
