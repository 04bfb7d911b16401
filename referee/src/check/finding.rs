//! What comes of a check, and what is wrong with a bot.

use std::time::Duration;

use serde::Serialize;

/// What came of a check.
#[derive(Debug)]
pub enum Outcome {
    /// All is well; perhaps there is something to tell.
    Passed(Option<String>),
    /// Something is wrong.
    Failed(Box<Finding>),
    /// It was not tried, for this reason.
    Skipped(String),
}

/// What is wrong with a bot.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// What, in a sentence.
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

/// A check with what came of it.
#[derive(Debug)]
pub struct CheckReport {
    /// The check's name.
    pub name: String,
    /// What is checked.
    pub about: &'static str,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took.
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

/// What a check gives: something to tell, perhaps.
pub(super) type Note = Option<String>;

/// What is wrong with a bot.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) what: String,
    /// How to fix it; what the check says about that comes besides.
    pub(super) fix: Option<String>,
    /// It did not answer at all.
    pub(super) silent: bool,
    /// It answered, but too late.
    pub(super) slow: bool,
    /// The mistake is known, so what usually goes wrong is beside the point.
    pub(super) known: bool,
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
