//! `referee games`: lists games, and describes each for players.

use std::fmt::Write as _;
use std::io;

use games::registry::Entry;
use games::{Catalog, Limits, Session};
use report::sheet;
use rules::Sheet;

use serde_json::{Value, json};

use crate::cli::common::args::{self, RulesArgs};
use crate::cli::common::format::{FormatArgs, print_json};
use crate::cli::text::board;
use crate::cli::text::markdown;
use crate::cli::{CliError, print};

/// Lists the games, or shows one: options, roles, move notation
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee games
  referee games siam
  referee games siam --format json")]
pub(crate) struct Args {
    #[command(flatten)]
    rules: RulesArgs,
    /// The game to show
    id: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let json = self.format.json();
        let set = self.rules.open()?;
        let catalog = &set.catalog;
        match &self.id {
            None if json => {
                let all: Vec<Value> = catalog.iter().map(|entry| heading(entry)).collect();
                print_json(&all)
            }
            None => print(&(list(catalog) + &sheets(set.sheets()))),
            Some(id) => {
                let entry = args::find(catalog, id)?;
                let sheet = set.sheets().iter().find(|sheet| sheet.id == *id);
                match sheet {
                    _ if json => print_json(&all(entry, sheet)?),
                    Some(sheet) => print(&(sheets(std::slice::from_ref(sheet)) + &show(entry)?)),
                    None => print(&show(entry)?),
                }
            }
        }
    }
}

/// The entry of a game in a list.
fn heading(entry: &Entry) -> Value {
    let info = &entry.info;
    json!({
        "id": info.id, "title": info.title, "summary": info.summary, "roles": info.roles,
        "symmetric": info.symmetric,
    })
}

/// How sheets are played, a line for each.
fn sheets(sheets: &[Sheet]) -> String {
    let lines = sheets.iter().map(|sheet| {
        let seconds = sheet.report.took.as_secs_f64();
        let how = match &sheet.report.network {
            Ok(sizes) => format!(
                "a network of {} facts, {} moves and {} gates",
                sizes.facts, sizes.moves, sizes.gates
            ),
            Err(reason) => format!("interpreted, since it does not ground: {reason}"),
        };
        let notes = sheet.report.notes.iter();
        let notes: String = notes.map(|note| format!("  note: {note}\n")).collect();
        format!(
            "{}: a sheet of {} rules; {how}; {seconds:.2} s\n{notes}",
            sheet.file, sheet.report.rules
        )
    });
    lines.collect()
}

/// Like [`sheets`], as JSON.
fn sheet_json(sheet: &Sheet) -> Value {
    let report = &sheet.report;
    let network = report
        .network
        .as_ref()
        .ok()
        .map(|sizes| json!({"facts": sizes.facts, "moves": sizes.moves, "gates": sizes.gates}));
    json!({
        "file": sheet.file, "rules": report.rules, "network": network,
        "interpreted": report.network.as_ref().err().map(ToString::to_string),
        "notes": report.notes, "seconds": report.took.as_secs_f64(),
    })
}

/// The description of one game.
fn all(entry: &Entry, sheet: Option<&Sheet>) -> Result<Value, CliError> {
    let info = &entry.info;
    let options = info.options.iter().map(|option| {
        json!({
            "name": option.name, "allowed": option.kind.allowed(),
            "default": option.kind.default(), "help": option.help,
        })
    });
    let notation = info.notation.iter();
    let notation = notation.map(|(form, meaning)| json!({"form": form, "meaning": meaning}));
    let mut session = example_session(entry)?;
    let mut legal = String::new();
    session.write_legal(&mut legal)?;
    let legal: Value = serde_json::from_str(&legal).map_err(io::Error::from)?;
    let mut value = heading(entry);
    value["options"] = options.collect();
    value["notation"] = notation.collect();
    let Limits {
        max_plies,
        repetition,
    } = info.limits;
    value["limits"] = json!({"max_plies": max_plies, "repetition": repetition});
    value["rules"] = entry.guide.clone().into();
    if let Some(sheet) = sheet {
        value["sheet"] = sheet_json(sheet);
    }
    value["example"] = json!({"state": session.state()?, "legal": legal});
    Ok(value)
}

fn list(catalog: &Catalog) -> String {
    let lines = catalog.iter().map(|entry| {
        let info = &entry.info;
        let roles = info.roles.join(", ");
        format!("{:16} {}: {roles}\n", info.id, info.title)
    });
    lines.collect()
}

fn show(entry: &Entry) -> Result<String, CliError> {
    let info = &entry.info;
    let mut text = format!("{} (`{}`)\n{}\n\n", info.title, info.id, info.summary);
    let symmetric = if info.symmetric {
        "all seats have the same rules and means"
    } else {
        "asymmetric: seats differ in rules or means"
    };
    let _ = writeln!(text, "Seats: {} ({symmetric})", info.roles.join(", "));
    text += "\nOptions:";
    if info.options.is_empty() {
        text += " none";
    }
    text += "\n";
    for option in &info.options {
        let default = match option.kind.default() {
            None => "absent".to_owned(),
            Some(value) => value.to_string(),
        };
        let allowed = option.kind.allowed();
        let _ = writeln!(text, "  {}: {allowed}; default {default}", option.name);
        let _ = writeln!(text, "      {}", option.help);
    }
    text += "\nMoves:\n";
    for (form, meaning) in &info.notation {
        let _ = writeln!(text, "  {form:12} {meaning}");
    }
    let _ = writeln!(text, "\nLimits of a match: {}", limits(info.limits));
    text += &example(entry)?;
    text += "\n";
    text += &markdown::for_terminal(&entry.guide);
    Ok(text)
}

fn limits(limits: Limits) -> String {
    let plies = limits
        .max_plies
        .map(|n| format!("at most {}", sheet::count(n.into(), "ply", "plies")));
    let times = limits
        .repetition
        .map(|n| format!("ended by a position that is there {n} times"));
    let both: Vec<String> = [plies, times].into_iter().flatten().collect();
    if both.is_empty() {
        "none, every game ends".to_owned()
    } else {
        both.join(", ")
    }
}

/// A start of the game with its default options.
fn example_session(entry: &Entry) -> Result<Box<dyn Session>, CliError> {
    let rules = entry.configure(&Value::Null);
    let rules = rules.map_err(|error| CliError::Usage(error.to_string()))?;
    Ok(rules.start(1)?)
}

/// The start, its state and its first moves.
fn example(entry: &Entry) -> Result<String, CliError> {
    let mut session = example_session(entry)?;
    let legal = session.legal()?;
    let few: Vec<&str> = legal.iter().take(6).map(String::as_str).collect();
    Ok(format!(
        "\nExample, a start:\n\n{}\nIts state:\n  {}\nIts {} legal moves: {}{}\n",
        board::position(&*session, &[]),
        session.state()?,
        legal.len(),
        few.join(", "),
        if few.len() < legal.len() { ", …" } else { "" }
    ))
}
