//! Broken bots that do not play.

use std::path::Path;

use files::private_paths;
use serde::{Deserialize, Serialize};

use crate::error::Diagnostic;
use crate::reading::layers::{Locate, Read};
use crate::reading::submissions::{BOT_FILE, BrokenSubmission, Reason};

/// Advice if there is no file.
const NEEDS_FILE: &str = "hand in one folder that has a `bot.toml` and all that the bot needs, with nothing \
                          around it; `command = \"python3 bot.py\"` is a whole `bot.toml`";
/// Advice if the file is wrong.
const CORRECT_FILE: &str =
    "correct the `bot.toml` as it says, and try it with `referee config check`";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub bot: String,
    pub why: String,
    /// For its author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The end of its build's output, if the build failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// True if its folder holds no bot at all, which stops no tournament.
    #[serde(skip)]
    pub is_missing: bool,
}

impl LeftOut {
    pub fn new(bot: impl Into<String>, why: impl Into<String>) -> Self {
        LeftOut {
            bot: bot.into(),
            why: why.into(),
            advice: None,
            log: None,
            is_missing: false,
        }
    }

    pub fn in_words(&self) -> String {
        format!("bot `{}`: {}", self.bot, self.why)
    }
}

/// Removes broken submissions from a configuration; returns them, and all notes.
pub(crate) fn left_out(
    read: &mut Read,
    broken: Vec<(usize, Diagnostic)>,
    folder: &Path,
    locate: Locate<'_>,
) -> (Vec<LeftOut>, Vec<String>) {
    let Some(submissions) = read.submissions.take() else {
        return (Vec::new(), Vec::new());
    };
    let mut left_out = Vec::new();
    let folders = submissions.left_out.into_iter();
    left_out.extend(folders.map(
        |BrokenSubmission {
             name,
             folder: inner,
             why,
         }| {
            let file = inner.join(BOT_FILE);
            let label = inner.to_string_lossy().into_owned();
            let (why, is_missing, advice) = match why {
                Reason::NoBot(why) => (why, true, NEEDS_FILE),
                Reason::Invalid(error) => (error.reason(&name, &file), false, CORRECT_FILE),
            };
            let why = private_paths::hide(&why, &[folder]);
            let left_out = LeftOut {
                advice: Some(advice.to_owned()),
                is_missing,
                ..LeftOut::new(name, why)
            };
            (label, left_out)
        },
    ));
    let mut at = Vec::new();
    for (index, wrong) in broken {
        let table = &read.file.bots[index];
        let name = table.name.trim().to_owned();
        let dir = table.dir.clone().unwrap_or_default();
        let why = locate(wrong).reason(&name, &dir.join(BOT_FILE));
        let why = private_paths::hide(&why, &[folder]);
        let left_out_bot = LeftOut {
            advice: Some(CORRECT_FILE.to_owned()),
            ..LeftOut::new(name, why)
        };
        left_out.push((dir.to_string_lossy().into_owned(), left_out_bot));
        at.push(index);
    }
    if !at.is_empty() {
        read.leave_out(&at);
    }
    // A name that is left out must not be taken for a bot that plays, or for another one that is
    // left out.
    let mut taken: Vec<String> = read
        .file
        .bots
        .iter()
        .map(|bot| bot.name.trim().to_owned())
        .collect();
    let left_out = left_out.into_iter().map(|(label, left_out)| {
        let bot = match taken.contains(&left_out.bot) {
            true => label,
            false => left_out.bot.clone(),
        };
        taken.push(bot.clone());
        LeftOut { bot, ..left_out }
    });
    (left_out.collect(), submissions.notes)
}
