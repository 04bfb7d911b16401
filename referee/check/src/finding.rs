//! The results of checks, and what is wrong with a bot.

use std::time::Duration;

use games::BrokenRules;
use serde::Serialize;

/// The result of a check.
#[derive(Debug)]
pub enum CheckOutcome {
    /// The bot passed, perhaps with a note.
    Passed(Option<String>),
    /// The bot failed.
    Failed(Box<Finding>),
    /// The check did not run, for this reason.
    Skipped(String),
}

/// What is wrong with a bot.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// What it did, in a sentence.
    pub what: String,
    /// The lines that were said last, both ways.
    pub said: Vec<Spoken>,
    /// The end of what it printed on stderr, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// How to fix it.
    #[serde(rename = "mend")]
    pub fixes: Vec<String>,
}

/// A check with its result.
#[derive(Debug)]
pub struct CheckReport {
    /// The check's name.
    pub name: String,
    /// What a bot does that passes it.
    pub about: &'static str,
    /// The result.
    pub outcome: CheckOutcome,
    /// How long the check took.
    pub took: Duration,
}

/// A line that was said, cut where it is long.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Spoken {
    /// By the referee.
    ToBot(String),
    /// By the bot.
    FromBot(String),
}

/// What a passed check has to say.
pub(super) type Note = Option<String>;

/// What is wrong with a bot.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) what: String,
    /// How to fix it. The usual fix of the check is added unless the mistake is `known`.
    pub(super) fix: Option<String>,
    /// It did not answer at all.
    pub(super) silent: bool,
    /// It answered, but too late.
    pub(super) slow: bool,
    /// The mistake is known, so what usually goes wrong is beside the point.
    pub(super) known: bool,
}

/// Not the bot is to blame then.
impl From<BrokenRules> for Trouble {
    fn from(broken: BrokenRules) -> Self {
        Trouble {
            known: true,
            ..Trouble::new(broken.to_string()).fix("repair the rules: the bot is not to blame")
        }
    }
}

impl Trouble {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Trouble {
            what: what.into(),
            fix: None,
            silent: false,
            slow: false,
            known: false,
        }
    }

    pub(super) fn fix(mut self, how: impl Into<String>) -> Self {
        self.fix = Some(how.into());
        self
    }
}
