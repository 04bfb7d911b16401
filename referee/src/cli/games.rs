//! `referee games`: which games there are, and what one has to know to play them.

use std::fmt::Write as _;

use games::options::OptionKind;
use games::registry::Entry;
use games::{GAMES, Limits};

use super::{CliError, input, print};
use crate::draw;

/// Lists the games, or shows one: options, roles, move notation, an example
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game to show
    id: Option<String>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        match self.id {
            None => print(&list()),
            Some(id) => print(&show(input::find(&id)?)?),
        }
    }
}

fn list() -> String {
    let lines = GAMES.iter().map(|entry| {
        let info = entry.info;
        let roles = info.roles.join(", ");
        format!("{:16} {}: {roles}\n", info.id, info.title)
    });
    lines.collect()
}

fn show(entry: &Entry) -> Result<String, CliError> {
    let info = entry.info;
    let mut text = format!("{} (`{}`)\n{}\n\n", info.title, info.id, info.summary);
    let symmetric = match info.symmetric {
        true => "all seats have the same rules and means",
        false => "asymmetric: seats differ in rules or means",
    };
    let _ = writeln!(text, "Seats: {} ({symmetric})", info.roles.join(", "));
    text += "\nOptions:";
    if info.options.is_empty() {
        text += " none";
    }
    text += "\n";
    for option in info.options {
        let default = match (&option.kind, option.kind.default()) {
            (OptionKind::Rows, _) | (_, None) => "absent".to_owned(),
            (_, Some(value)) => value.to_string(),
        };
        let allowed = option.kind.allowed();
        let _ = writeln!(text, "  {}: {allowed}; default {default}", option.name);
        let _ = writeln!(text, "      {}", option.help);
    }
    text += "\nMoves:\n";
    for (form, meaning) in info.notation {
        let _ = writeln!(text, "  {form:12} {meaning}");
    }
    let _ = writeln!(text, "\nLimits of a match: {}", limits(info.limits));
    text += &example(entry)?;
    Ok(text)
}

fn limits(limits: Limits) -> String {
    let plies = limits.max_plies.map(|n| format!("at most {n} plies"));
    let times = limits
        .repetition
        .map(|n| format!("ended by a position that is there {n} times"));
    let both: Vec<String> = [plies, times].into_iter().flatten().collect();
    match both.is_empty() {
        true => "none, every game ends".to_owned(),
        false => both.join(", "),
    }
}

/// The start, its state and its first moves.
fn example(entry: &Entry) -> Result<String, CliError> {
    let rules = entry
        .configure(&serde_json::Value::Null)
        .map_err(|error| CliError::Usage(error.to_string()))?;
    let mut session = rules.start(1);
    let legal = session.legal();
    let few: Vec<&str> = legal.iter().take(6).map(String::as_str).collect();
    Ok(format!(
        "\nExample, a start:\n\n{}\nIts state:\n  {}\nIts {} legal moves: {}{}\n",
        draw::board(&session.view(), &[]),
        session.state(),
        legal.len(),
        few.join(", "),
        if few.len() < legal.len() { ", …" } else { "" }
    ))
}
