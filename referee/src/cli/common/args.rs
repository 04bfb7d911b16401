//! Arguments that several subcommands share: games, options, positions.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use config::{recorded_rules, source_of};
use files::{self, MOST_TEXT};
use games::registry::Entry;
use games::session::LoadError;
use games::{Catalog, ConfigureError, Rules, Session};
use rules::{RulesSet, Surroundings};
use serde_json::Value;
use supervisor::spec::Tier;
use tournament::folder::{self, CONFIG_NAME};

use crate::cli::CliError;

#[derive(Debug, Default, Args)]
pub(crate) struct RulesArgs {
    /// Also take games from these rules: the command line of a rules program, the file of a GDL sheet
    /// (*.kif), or a table as in a configuration, '{ command = "…", prefix = "my" }'; may be given
    /// several times
    #[arg(long, value_name = "SOURCE")]
    rules: Vec<String>,
}

impl RulesArgs {
    pub(crate) fn are_given(&self) -> bool {
        !self.rules.is_empty()
    }

    /// The sources as they were given.
    #[cfg(feature = "mcp")]
    pub(crate) fn sources(&self) -> &[String] {
        &self.rules
    }

    /// Also take games from these rules: the command line of a rules program, the file of a GDL
    /// sheet (*.kif), or a table as in a configuration, '{ command = "…", prefix = "my" }'; may be
    /// given several times
    pub(crate) fn open(&self) -> Result<RulesSet, CliError> {
        let here = std::env::current_dir()?;
        let sources = self.rules.iter().map(|source| source_of(source, &here));
        let sources = sources.collect::<Result<_, _>>();
        let sources = sources.map_err(|wrong| CliError::Usage(format!("--rules: {wrong}")))?;
        Ok(RulesSet::open(sources, &Surroundings::default())?)
    }

    /// The games of a log: from the given rules, or else from the log's own configuration.
    pub(crate) fn open_for(&self, log: &Path) -> Result<RulesSet, CliError> {
        if self.are_given() {
            return self.open();
        }
        let log = log::locate(log);
        let config = log.with_file_name(CONFIG_NAME);
        let folder = log.parent().unwrap_or(Path::new("."));
        let origin = folder::origin(folder).unwrap_or_else(|| folder.to_owned());
        Ok(recorded_rules(&config, &origin)?)
    }
}

/// Opens rules for a comparison. They get a prefix if they have none: both may have games of the
/// same id, and built-in games have one, too.
pub(crate) fn open_others(source: &str) -> Result<RulesSet, CliError> {
    let source = source_of(source, &std::env::current_dir()?);
    let mut source = source.map_err(|wrong| CliError::Usage(format!("--against: {wrong}")))?;
    source.prefix.get_or_insert_with(|| "other".to_owned());
    Ok(RulesSet::open(vec![source], &Surroundings::default())?)
}

#[derive(Debug, Args)]
pub(crate) struct GameArgs {
    /// The game's id; `referee games` lists them
    game: String,
    /// The game's options, as JSON: '{"size":6}'
    #[arg(long, value_name = "JSON")]
    options: Option<String>,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
}

#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    /// The position to start from, as JSON, or @FILE to read it from a file
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) state: Option<String>,
    /// The seed of a random start
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

impl GameArgs {
    pub(crate) fn id(&self) -> &str {
        &self.game
    }

    /// `null` if no options were given.
    pub(crate) fn options_json(&self) -> Result<Value, CliError> {
        match &self.options {
            Some(text) => json(text, "--options"),
            None => Ok(Value::Null),
        }
    }

    /// The rules of the game in this catalog.
    pub(crate) fn rules(&self, catalog: &Catalog) -> Result<Arc<dyn Rules>, CliError> {
        configured(catalog, &self.game, self.options.as_deref())
    }
}

/// The rules of a game in this catalog with these options.
pub(crate) fn configured(
    catalog: &Catalog,
    game: &str,
    options: Option<&str>,
) -> Result<Arc<dyn Rules>, CliError> {
    let options = match options {
        Some(text) => json(text, "--options")?,
        None => Value::Null,
    };
    find(catalog, game)?
        .configure(&options)
        .map_err(|error| match error {
            ConfigureError::Option(error) => CliError::Usage(error.to_string()),
            ConfigureError::Broken(broken) => CliError::Rules(broken),
        })
}

impl StartArgs {
    /// The given position, if there is one.
    pub(crate) fn given(&self, rules: &dyn Rules) -> Result<Option<Box<dyn Session>>, CliError> {
        let Some(state) = &self.state else {
            return Ok(None);
        };
        let value = match state.strip_prefix('@') {
            Some(path) => {
                let text = files::read(Path::new(path), MOST_TEXT).map_err(|error| {
                    CliError::Usage(format!("--state: `{path}` cannot be read: {error}"))
                })?;
                json(&text, &format!("--state: `{path}`"))?
            }
            None => json(state, "--state")?,
        };
        let loaded = rules.load(&value);
        loaded.map(Some).map_err(|error| match error {
            LoadError::State(error) => CliError::Usage(format!("--state: {error}")),
            LoadError::Broken(broken) => CliError::Rules(broken),
        })
    }

    /// The given position, or else the start from the seed.
    pub(crate) fn open(&self, rules: &dyn Rules) -> Result<Box<dyn Session>, CliError> {
        let given = self.given(rules)?;
        match given {
            Some(start) => Ok(start),
            None => Ok(rules.start(self.seed)?),
        }
    }
}

pub(crate) fn find<'c>(catalog: &'c Catalog, id: &str) -> Result<&'c Arc<Entry>, CliError> {
    catalog
        .find(id)
        .map_err(|unknown| CliError::Usage(unknown.to_string()))
}

/// Repairs JSON whose keys or words have no quotes, or single ones: shells remove quotes, and
/// JavaScript needs none. `None` if it cannot be repaired.
fn quoted_keys(text: &str) -> Option<String> {
    /// Longest text to repair, in bytes.
    const MOST: usize = 500;
    if text.len() > MOST || text.contains('"') {
        return None;
    }
    let mut meant = String::new();
    let is_word = |c: char| c.is_alphanumeric() || "_-.+".contains(c);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        match (first, length) {
            ('\'', _) => rest = &rest[1..],
            (_, 0) => {
                meant.push(first);
                rest = &rest[first.len_utf8()..];
            }
            _ => {
                let (word, after) = rest.split_at(length);
                let is_value = serde_json::from_str::<Value>(word).is_ok();
                match is_value && !after.trim_start().starts_with(':') {
                    true => meant.push_str(word),
                    false => meant.push_str(&format!("\"{word}\"")),
                }
                rest = after;
            }
        }
    }
    serde_json::from_str::<Value>(&meant)
        .is_ok()
        .then_some(meant)
}

fn json(text: &str, what: &str) -> Result<Value, CliError> {
    serde_json::from_str(text).map_err(|error| {
        let meant = quoted_keys(text)
            .map_or_else(String::new, |meant| format!("; did you mean '{meant}'?"));
        CliError::Usage(format!("{what}: not JSON: {error}{meant}"))
    })
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct SandboxArgs {
    /// The bots' sandbox, as in a configuration: "none", "limits", "restricted" or "strict"
    #[arg(long, value_name = "TIER", default_value = "none", value_parser = tier)]
    pub(crate) sandbox: Tier,
}

fn tier(text: &str) -> Result<Tier, String> {
    let found = Tier::ALL.into_iter().find(|tier| tier.name() == text);
    found.ok_or_else(|| {
        let known = Tier::ALL.map(Tier::name).join(", ");
        format!("there are {known}")
    })
}
