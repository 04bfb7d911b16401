//! Errors of configurations.

use std::io;
use std::path::{Path, PathBuf};

use rules::RulesError;
use thiserror::Error;

use crate::setup::book::BookError;
use crate::setup::game::GameError;
use supervisor::CommandError;

/// Counts bytes over all texts, one after the other.
pub(crate) type Place = usize;

/// A configuration that cannot be used: the place and the problem.
#[derive(Debug, Error)]
#[error("{}{problem}", self.place())]
pub struct ConfigError {
    /// The file, or the argument of the command line; `None` for a text.
    path: Option<PathBuf>,
    /// From 1; `None` if something is missing.
    line: Option<usize>,
    problem: Box<Problem>,
}

impl ConfigError {
    pub(crate) fn new(path: &Path, problem: Problem) -> Self {
        ConfigError {
            path: Some(path.to_owned()),
            line: None,
            problem: Box::new(problem),
        }
    }

    /// A problem of the configuration as a whole, in a text that is not a file.
    pub(crate) fn of_text(problem: Problem) -> Self {
        ConfigError {
            path: None,
            line: None,
            problem: Box::new(problem),
        }
    }

    pub(crate) fn at_line(self, line: Option<usize>) -> Self {
        ConfigError { line, ..self }
    }

    /// Removes the path, for a text that is not a file.
    pub(crate) fn without_path(self) -> Self {
        ConfigError { path: None, ..self }
    }

    pub(crate) fn in_file(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// The problem without the bot and the file, as a part of a sentence about the bot.
    pub(crate) fn reason(&self, bot: &str, file: &Path) -> String {
        let line = self
            .line
            .map_or(String::new(), |line| format!("line {line}: "));
        let problem = self.problem.to_string();
        let problem = problem
            .strip_prefix(&format!("bot `{bot}`: "))
            .unwrap_or(&problem);
        format!("{}: {line}{problem}", file.display())
    }

    /// True if rules that the configuration names do not work, and nothing else is wrong.
    pub fn is_broken_rules(&self) -> bool {
        match &*self.problem {
            Problem::Rules { error, .. } => matches!(**error, RulesError::Broken(_)),
            Problem::Game { error, .. } => matches!(**error, GameError::Broken(_)),
            Problem::Book(error) => matches!(error, BookError::Broken { .. }),
            _ => false,
        }
    }

    fn place(&self) -> String {
        let path = self.path.as_ref();
        let path = path.map_or(String::new(), |path| format!("{}: ", path.display()));
        let line = self.line.map(|line| format!("line {line}: "));
        path + &line.unwrap_or_default()
    }
}

/// A problem and its place, before that is known as a file and a line.
#[derive(Debug)]
pub(crate) struct Diagnostic {
    pub(crate) at: At,
    pub(crate) problem: Problem,
}

#[derive(Debug)]
pub(crate) enum At {
    Place(Place),
    /// Keys joined by dots, and in lists numbers from 0.
    Key(String),
}

impl Diagnostic {
    /// A problem with the value of this key.
    pub(crate) fn new(key: impl Into<String>, problem: Problem) -> Self {
        let at = At::Key(key.into());
        Diagnostic { at, problem }
    }

    /// A wrong value of a key that is in no list.
    pub(crate) fn value(key: &str, message: impl Into<String>) -> Self {
        Self::new(key, Problem::value(key, message))
    }

    /// True if it is about a bot.
    pub(crate) fn is_of_bot(&self) -> bool {
        matches!(&self.at, At::Key(key) if key.starts_with("bots."))
    }

    /// Adds the bots that were left out, if too few are left.
    pub(crate) fn because_of(mut self, left_out: &[String]) -> Self {
        if let Problem::Value { key, message } = &mut self.problem
            && key == "bots"
            && !left_out.is_empty()
        {
            message.push_str(&format!("; left out: {}", left_out.join("; ")));
        }
        self
    }
}

/// A problem with a key of one table, wherever that table is.
#[derive(Debug)]
pub(crate) struct KeyProblem {
    pub(crate) key: &'static str,
    pub(crate) message: String,
}

impl KeyProblem {
    pub(crate) fn new(key: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        KeyProblem { key, message }
    }
}

/// Problems of configurations.
#[derive(Debug, Error)]
pub enum Problem {
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// It is not TOML, or something is missing.
    #[error("{0}")]
    Syntax(String),
    #[error("unknown key `{key}`{}; allowed here are {}", suggestion(near), allowed.join(", "))]
    UnknownKey {
        /// With the tables that it is in.
        key: String,
        /// The closest known key.
        near: Option<String>,
        allowed: Vec<String>,
    },
    #[error("`include`: {reason} ({chain})")]
    Include {
        /// The files that include each other, from the first one on.
        chain: String,
        reason: String,
    },
    #[error("`{key}`: {error}")]
    Rules { key: String, error: Box<RulesError> },
    /// An environment variable is not set.
    #[error(
        "bot `{bot}`: `{key}`: there is no environment variable `{name}`; `${{{name}:-default}}` \
         would have a default, and `$${{` is a plain `${{`"
    )]
    Variable {
        bot: String,
        key: &'static str,
        name: String,
    },
    #[error("`{key}`: {message}")]
    Value {
        /// With the tables that it is in.
        key: String,
        /// The problem, and what is allowed.
        message: String,
    },
    /// A value of a bot that is not allowed.
    #[error("bot `{bot}`: `{key}`: {message}")]
    Bot {
        bot: String,
        key: String,
        /// The problem, and what is allowed.
        message: String,
    },
    /// A game that cannot be played.
    #[error("`{key}`: {error}")]
    Game { key: String, error: Box<GameError> },
    #[error("`opening.book`: {0}")]
    Book(BookError),
    /// A name that does not fit a table.
    #[error(
        "`bots.name`: {0:?} is not a name of a bot; names have 1 to 60 characters, none of which controls a terminal or turns \
         the direction of writing"
    )]
    BotName(String),
    #[error("`bots.name`: two bots have the name `{0}`; every bot needs a name of its own")]
    TwoBots(String),
    /// A command that cannot be run.
    #[error("bot `{bot}`: {}{error}", named(key, error))]
    Command {
        bot: String,
        key: &'static str,
        error: CommandError,
    },
}

impl Problem {
    pub(crate) fn value(key: impl Into<String>, message: impl Into<String>) -> Self {
        Problem::Value {
            key: key.into(),
            message: message.into(),
        }
    }
}

/// The key, if the error does not name it.
fn named(key: &str, error: &CommandError) -> String {
    match error {
        CommandError::Nul { .. } | CommandError::Variable(_) => String::new(),
        _ => format!("`{key}`: "),
    }
}

fn suggestion(near: &Option<String>) -> String {
    near.as_ref()
        .map_or(String::new(), |near| format!(", did you mean `{near}`?"))
}
