//! The two ways in which most commands print: for people and for programs.

use clap::ValueEnum;
use serde::Serialize;

use super::{CliError, print};

/// What `--format` takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// `--format`, for commands that print for people.
#[derive(Debug, clap::Args)]
pub(super) struct FormatArgs {
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

impl FormatArgs {
    /// Whether programs read it.
    pub(super) fn json(&self) -> bool {
        self.format == Format::Json
    }
}

/// Prints a value as JSON, on many lines.
pub(super) fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value).map_err(std::io::Error::other)?;
    print(&format!("{text}\n"))
}
