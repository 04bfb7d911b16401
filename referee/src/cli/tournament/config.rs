//! `referee config`: checks a configuration, explains its keys.

use std::fmt::Write as _;
use std::path::PathBuf;

use config::Config;
use config::schema::{self, Key};
use report::print_notice;
use supervisor::BotFactory;
use tournament::admission;

use crate::cli::common::format::{OutputFormat, print, print_json};
use crate::cli::tools::examples::configuration;
use crate::cli::tournament::dry_run;
use crate::cli::{CliError, block_on};

/// Checks configurations of tournaments, and explains their keys
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee config check evening.toml
  referee config explain time                       all keys that begin with `time`
  referee config explain --format json
  referee config schema > schema.json               for editors: `#:schema ./schema.json`")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Checks a configuration as `referee tournament` would, and prints what would be played
    Check {
        /// The configuration
        config: PathBuf,
        /// Set a key over the file, as in `--set time.per_move=1s`
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: OutputFormat,
    },
    /// Prints all keys, with types, defaults and what they mean
    Explain {
        /// Only keys that begin like this
        key: Option<String>,
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: OutputFormat,
    },
    /// Prints the JSON Schema that lets editors complete configurations
    Schema,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        match self.command {
            Command::Check {
                config,
                set,
                format,
            } => {
                let config = Config::load_with(&configuration(&config)?, &set)?;
                let config = block_on(dry_run::foreseen(config))??;
                let bots = admission::startable(&config);
                block_on(async { BotFactory::new(&bots, &[], None).map(drop) })??;
                for warning in config.warnings() {
                    print_notice(format_args!("warning: {warning}\n"));
                }
                dry_run::print_summary(&config, format)
            }
            Command::Explain { key, format } => explain(key.as_deref(), format),
            Command::Schema => print_json(&schema::schema()),
        }
    }
}

fn explain(begin: Option<&str>, format: OutputFormat) -> Result<(), CliError> {
    let mut keys = schema::keys();
    if let Some(begin) = begin {
        // Lists may also be written without brackets.
        let fits =
            |key: &Key| key.key.starts_with(begin) || key.key.replace("[]", "").starts_with(begin);
        keys.retain(fits);
        if keys.is_empty() {
            return Err(CliError::Usage(format!(
                "no key begins with `{begin}`; `referee config explain` prints all"
            )));
        }
    }
    if format == OutputFormat::Json {
        return print_json(&keys);
    }
    let mut text = String::new();
    for key in keys {
        let default = match (key.required, &key.default) {
            (true, _) => "; required".to_owned(),
            (false, Some(default)) => format!("; default {default}"),
            (false, None) => String::new(),
        };
        let _ = writeln!(text, "{}  ({}{default})", key.key, key.kind);
        for line in wrapped(&key.meaning, 90) {
            let _ = writeln!(text, "    {line}");
        }
    }
    print(&text)
}

/// Wraps a text; only single words may be wider than `width`.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
