//! What can be wrong with a configuration.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::book::BookError;
use super::game::GameError;
use supervisor::CommandError;

/// A configuration that cannot be used: the file, and what is wrong.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct ConfigError {
    path: PathBuf,
    problem: Problem,
}

impl ConfigError {
    pub(super) fn new(path: &Path, problem: Problem) -> Self {
        ConfigError {
            path: path.to_owned(),
            problem,
        }
    }
}

/// What is wrong with a configuration.
#[derive(Debug, Error)]
pub enum Problem {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// It is not TOML, or a value has a wrong type.
    #[error("{}{message}", at_line(line))]
    Syntax {
        /// The line, from 1.
        line: Option<usize>,
        /// What is wrong.
        message: String,
    },
    /// A key that nothing knows.
    #[error("{}unknown key `{key}`{}; allowed here are {}", at_line(line), suggestion(near), allowed.join(", "))]
    UnknownKey {
        /// The line, from 1.
        line: Option<usize>,
        /// The key, with the tables that it is in.
        key: String,
        /// What was probably meant.
        near: Option<String>,
        /// What may stand there.
        allowed: Vec<String>,
    },
    /// A file that is included cannot be.
    #[error("`include`: {reason} ({chain})")]
    Include {
        /// Which file includes which, from the first one on.
        chain: String,
        /// What is wrong.
        reason: String,
    },
    /// A variable of the environment.
    #[error(
        "bot `{bot}`: `{key}`: there is no environment variable `{name}`; `${{{name}:-default}}` \
         would have a default, and `$${{` is a plain `${{`"
    )]
    Variable {
        /// The bot.
        bot: String,
        /// Where it is used.
        key: &'static str,
        /// The variable.
        name: String,
    },
    /// A value that cannot be.
    #[error("`{key}`: {message}")]
    Value {
        /// The key.
        key: &'static str,
        /// What is needed.
        message: String,
    },
    /// Times that do not go together.
    #[error("`time`: {0}")]
    Time(String),
    /// The same, for a bot.
    #[error("bot `{bot}`: `time`: {message}")]
    BotTime {
        /// The bot.
        bot: String,
        /// What is wrong.
        message: String,
    },
    /// A value of a bot's.
    #[error("bot `{bot}`: {message}")]
    Bot {
        /// The bot.
        bot: String,
        /// What is wrong.
        message: String,
    },
    /// A game that cannot be played.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A book of openings.
    #[error("`opening.book`: {0}")]
    Book(BookError),
    /// A name that does not fit a table.
    #[error(
        "bot name {0:?}: names have 1 to 60 characters, none of which controls a terminal or turns \
         the direction of writing"
    )]
    BotName(String),
    /// A name that is there twice.
    #[error("two bots have the name `{0}`; every bot needs a name of its own")]
    TwoBots(String),
    /// A command that cannot be run.
    #[error("bot `{bot}`: {error}")]
    Command {
        /// The bot.
        bot: String,
        /// Why not.
        error: CommandError,
    },
}

fn at_line(line: &Option<usize>) -> String {
    line.map_or(String::new(), |line| format!("line {line}: "))
}

fn suggestion(near: &Option<String>) -> String {
    near.as_ref()
        .map_or(String::new(), |near| format!(", did you mean `{near}`?"))
}
