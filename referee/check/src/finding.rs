//! Outcomes of checks.

use std::time::Duration;

use games::BrokenRules;
use serde::Serialize;

#[derive(Debug)]
pub enum CheckOutcome {
    /// With a note, if there is more to report.
    Passed(Option<String>),
    Failed(Box<Finding>),
    /// With the reason.
    Skipped(String),
}

impl CheckOutcome {
    /// A failure without an exchange of lines.
    pub(super) fn failed(what: String, fix: Option<&str>) -> Self {
        CheckOutcome::Failed(Box::new(Finding {
            what,
            said: Vec::new(),
            stderr: None,
            fixes: fix.map(str::to_owned).into_iter().collect(),
        }))
    }
}

/// A bot's fault, with its evidence.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// One sentence about the bot.
    pub what: String,
    /// The last lines exchanged.
    pub said: Vec<ExchangedLine>,
    /// The last lines on stderr, unless there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// Advice, the likeliest first.
    #[serde(rename = "mend")]
    pub fixes: Vec<String>,
}

#[derive(Debug)]
pub struct CheckReport {
    pub name: String,
    /// Completes the sentence "The bot …" for a bot that passes.
    pub about: &'static str,
    pub outcome: CheckOutcome,
    pub took: Duration,
}

/// A line of the exchange, cut if it is long.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExchangedLine {
    ToBot(String),
    FromBot(String),
}

/// The note of a passed check.
pub(super) type Note = Option<String>;

/// A bot's fault, without the evidence.
#[derive(Debug)]
pub(super) struct Diagnostic {
    pub(super) what: String,
    /// Advice. The check's usual advice is added unless the cause is `known`.
    pub(super) fix: Option<String>,
    /// The bot did not answer at all.
    pub(super) silent: bool,
    /// The bot answered, but too late.
    pub(super) slow: bool,
    /// The cause is certain, so the check's usual advice does not apply.
    pub(super) known: bool,
}

/// Here the bot is not to blame.
impl From<BrokenRules> for Diagnostic {
    fn from(broken: BrokenRules) -> Self {
        Diagnostic {
            known: true,
            ..Diagnostic::new(broken.to_string()).fix("repair the rules: the bot is not to blame")
        }
    }
}

impl Diagnostic {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Diagnostic {
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
