//! Sources of rules.

use std::io::ErrorKind;
use std::path::Path;

use files::{self, MOST_TEXT};
use rules::{RulesError, RulesSet, RulesSource, SourceError, Surroundings, TIMEOUT};
use serde::Deserialize;

use crate::error::{ConfigError, Diagnostic, Problem};
use crate::tables::{BotCommand, ConfigFile, RulesEntry, RulesTable, Time};
use supervisor::CommandError;
use supervisor::spec;
use supervisor::spec::{Resources, Tier, Wanted};

/// More than anybody needs.
const MOST_SOURCES: usize = 100;

#[derive(Default, Deserialize)]
#[serde(default)]
struct RulesKeys {
    rules: Vec<RulesEntry>,
    rules_timeout: Option<Time>,
    sandbox: Option<Tier>,
    best_effort: bool,
}

/// The rules of the configuration in a tournament's folder, whose relative paths start at `origin`;
/// the built-in ones if there is no configuration.
///
/// # Errors
/// If the configuration cannot be read, or its rules cannot be used.
pub fn recorded_rules(config: &Path, origin: &Path) -> Result<RulesSet, ConfigError> {
    let text = match files::read(config, 4 * MOST_TEXT) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(RulesSet::default()),
        Err(error) => return Err(ConfigError::new(config, Problem::Read(error))),
    };
    let keys: RulesKeys = toml::from_str(&text)
        .map_err(|error| ConfigError::new(config, Problem::Syntax(error.message().to_owned())))?;
    open(&keys, origin).map_err(|wrong| ConfigError::new(config, wrong.problem))
}

/// Reads a source from the command line: a command line, or a table as in a configuration (`{
/// command = "…", prefix = "my" }`). Paths in it start at `folder`.
///
/// # Errors
/// The problem as a sentence.
pub fn source_of(text: &str, folder: &Path) -> Result<RulesSource, String> {
    if !text.trim_start().starts_with('{') {
        return RulesSource::parse(text, folder).map_err(|error| error.to_string());
    }
    let keys: RulesKeys = toml::from_str(&format!("rules = [{text}]"))
        .map_err(|error| format!("the rules `{text}`: {}", error.message()))?;
    match &keys.rules[..] {
        [RulesEntry::Table(table)] => {
            source(&keys, table, folder, "rules.0").map_err(|wrong| wrong.problem.to_string())
        }
        _ => Err(format!("the rules `{text}` are not one table")),
    }
}

/// The games of the configuration's rules; relative paths start at `folder`.
pub(crate) fn rules(file: &mut ConfigFile, folder: &Path) -> Result<RulesSet, Diagnostic> {
    let keys = RulesKeys {
        rules: std::mem::take(&mut file.rules),
        rules_timeout: file.rules_timeout,
        sandbox: file.sandbox,
        best_effort: file.best_effort,
    };
    open(&keys, folder)
}

fn open(file: &RulesKeys, folder: &Path) -> Result<RulesSet, Diagnostic> {
    let count = file.rules.len();
    if count > MOST_SOURCES {
        let message = format!("these are {count} sources; at most {MOST_SOURCES} are allowed");
        return Err(Diagnostic::value("rules", message));
    }
    let mut sources = Vec::new();
    for (index, entry) in file.rules.iter().enumerate() {
        let at = format!("rules.{index}");
        sources.push(match entry {
            // Like a table that has nothing else.
            RulesEntry::Line(line) => source(file, &RulesTable::of(line), folder, &at)?,
            RulesEntry::Table(table) => source(file, table, folder, &at)?,
        });
    }
    let surroundings = Surroundings {
        timeout: file.rules_timeout.map_or(TIMEOUT, |time| time.0),
        ..Surroundings::default()
    };
    RulesSet::open(sources, &surroundings)
        .map_err(|error| wrong("rules".to_owned(), "rules", error))
}

/// Rules at a place in the configuration that cannot be used because of this key.
fn wrong(at: String, key: &str, error: RulesError) -> Diagnostic {
    let (key, error) = (key.to_owned(), Box::new(error));
    Diagnostic::new(at, Problem::Rules { key, error })
}

/// The key of a table that caused an error.
fn key_of(error: &SourceError) -> &'static str {
    match error {
        SourceError::Prefix { .. } => "prefix",
        SourceError::Command { error, .. } => match error {
            CommandError::NoDirectory(_) => "dir",
            CommandError::Variable(_) | CommandError::Nul { key: "env", .. } => "env",
            _ => "command",
        },
        SourceError::File { .. } | SourceError::Sheet { .. } | SourceError::Variable(_) => {
            "command"
        }
    }
}

fn source(
    file: &RulesKeys,
    table: &RulesTable,
    folder: &Path,
    at: &str,
) -> Result<RulesSource, Diagnostic> {
    let wrong = |error: SourceError| {
        let key = key_of(&error);
        wrong(format!("{at}.{key}"), &format!("rules.{key}"), error.into())
    };
    let command = match &table.command {
        BotCommand::Words(words) => words.clone(),
        BotCommand::Line(line) => RulesSource::words(line).map_err(wrong)?,
    };
    let resources = Resources::DEFAULT.with(&table.resources);
    let resources = resources.map_err(|wrong| {
        let key = format!("rules.resources.{}", wrong.key);
        Diagnostic::new(
            format!("{at}.resources"),
            Problem::value(&key, wrong.message),
        )
    })?;
    let limited = table.resources.needs_kernel().is_some();
    let least = if limited { Tier::Limits } else { Tier::None };
    let source = RulesSource {
        command,
        dir: spec::resolved(match &table.dir {
            Some(dir) => folder.join(dir),
            None => folder.to_owned(),
        }),
        shows_dir: table.dir.is_some(),
        env: table.env.clone(),
        prefix: table.prefix.clone(),
        wanted: Wanted {
            tier: table.sandbox.or(file.sandbox).unwrap_or(least),
            resources,
            readable: Vec::new(),
            writable: Vec::new(),
            protected: Vec::new(),
            network: false,
            best_effort: file.best_effort,
        },
        timeout: None,
        grounding: None,
    };
    source.checked().map_err(wrong)
}
