//! The compliance check: starts a bot again and again, and asks it everything that the protocol allows
//! a referee to ask. Each check has a stable name, and its report says what is wrong and how to fix it.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

pub mod capabilities;
mod checked_match;
mod encodings;
mod environment;
mod finding;
pub mod ggp;

mod lifecycle;
mod list;
mod matches;
pub mod rules_check;
mod selection;
mod session;

use std::time::{Duration, Instant};

use protocol::BotHello;

pub use environment::{Extent, Lab};
pub use finding::{CheckOutcome, CheckReport, ExchangedLine, Finding};
use finding::{Diagnostic, Note};
pub use list::{Check, checks};
pub use selection::{Selection, Variant};
use session::with_session;
use supervisor::CommandError;
use supervisor::spec::shebang::ShebangError;

/// The remaining checks are skipped after this many without any answer.
const MOST_SILENT: u32 = 3;

/// The report about a bot whose command cannot be run: it fails the first check.
pub fn unstartable(error: &CommandError) -> CheckReport {
    let handshake = Check::handshake();
    let fix = match error {
        CommandError::NotExecutable(_) => "make the script executable, or name its interpreter",
        CommandError::Shebang(ShebangError::NoInterpreter { .. }) => {
            "write the first line so that it names an interpreter that exists"
        }
        CommandError::Shebang(ShebangError::WindowsLineEnds(_)) => {
            "save the script with Unix line endings"
        }
        CommandError::NoFile { program, .. } | CommandError::NotOnPath { program }
            if program.contains(' ') =>
        {
            "give the program and each argument as a word of its own, without quotes around all"
        }
        CommandError::NoFile { .. } => {
            "build the bot first, and run this in the bot's folder or name that with --dir"
        }
        CommandError::NotOnPath { .. } => {
            "give a program that is there; one in the bot's folder needs `./` before it"
        }
        _ => "give the bot's program and its arguments after `--`",
    };
    CheckReport {
        name: handshake.name,
        about: handshake.about,
        outcome: CheckOutcome::failed(error.to_string(), Some(fix)),
        took: Duration::ZERO,
    }
}

pub fn not_built(label: &str, why: String) -> CheckReport {
    CheckReport {
        name: format!("{label}build"),
        about: "is built by the command of its configuration",
        outcome: CheckOutcome::failed(why, Some("run the build by hand in the bot's folder")),
        took: Duration::ZERO,
    }
}

/// The report about a bot that the configuration leaves out. `label` precedes its name.
pub fn left_out(label: &str, why: String, advice: Option<String>) -> CheckReport {
    CheckReport {
        name: format!("{label}configuration"),
        about: "is described by a `bot.toml` that can be used",
        outcome: CheckOutcome::failed(why, advice.as_deref()),
        took: Duration::ZERO,
    }
}

/// Runs all checks one after another, and reports each when it is done.
pub async fn run(lab: &Lab, selection: &Selection, mut report: impl FnMut(CheckReport)) {
    let mut variants = selection.variants();
    let mut silent = 0;
    let mut stop = None;
    let mut hello = None;
    let mut done = |check: &Check, outcome, began: Instant| {
        report(CheckReport {
            name: check.name.clone(),
            about: check.about,
            outcome,
            took: began.elapsed(),
        });
    };
    // The bot's `hello` determines the remaining checks.
    let handshake = Check::handshake();
    let began = Instant::now();
    let introduced = with_session(lab, async |bot| {
        let (answer, note) = lifecycle::handshake(bot, &variants, selection).await?;
        hello = Some(answer);
        Ok(note)
    });
    let introduced = introduced.await;
    if let Some(games) = hello.as_ref().and_then(|hello| hello.games.as_ref()) {
        variants.retain(|variant| games.contains(&variant.rules.info().id));
    }
    if introduced.is_err() {
        stop = Some("the handshake failed".to_owned());
    }
    done(&handshake, outcome(&handshake, introduced), began);
    let hello = hello.unwrap_or_else(unknown_bot);
    for check in checks(&variants).iter().filter(|c| selection.has(&c.name)) {
        let began = Instant::now();
        if let Some(why) = &stop {
            done(check, CheckOutcome::Skipped(why.clone()), began);
            continue;
        }
        let result = check.run(lab, &variants, &hello).await;
        if result
            .as_ref()
            .is_err_and(|(_, diagnostic)| diagnostic.silent)
        {
            silent += 1;
            if silent >= MOST_SILENT {
                stop = Some(format!("the bot did not answer in {silent} checks"));
            }
        }
        done(check, outcome(check, result), began);
    }
    lab.factory.all_gone().await;
}

/// Stands for a bot without a `hello`. It has no wishes.
fn unknown_bot() -> BotHello {
    BotHello {
        protocol: protocol::PROTOCOL,
        name: String::new(),
        version: None,
        author: None,
        games: None,
        wants: protocol::Wants::default(),
        sdk: None,
    }
}

fn outcome(check: &Check, result: Result<Note, (Box<Finding>, Diagnostic)>) -> CheckOutcome {
    match result {
        Ok(note) => CheckOutcome::Passed(note),
        Err((mut finding, diagnostic)) => {
            let usual = check.fix.filter(|_| !diagnostic.known);
            finding.fixes.extend(usual.map(str::to_owned));
            CheckOutcome::Failed(finding)
        }
    }
}
