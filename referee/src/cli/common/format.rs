//! Output formats of commands: for people and for programs.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use clap::ValueEnum;
use files::output;
use report::terminal;
use serde::Serialize;

use crate::cli::common::error::CliError;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct FormatArgs {
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
}

impl FormatArgs {
    pub(crate) fn json(&self) -> bool {
        self.format == OutputFormat::Json
    }
}

/// Prints a value as JSON, on many lines, while it is made: a schedule may have a million matches.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    let mut out = Fitted(BufWriter::new(io::stdout().lock()));
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Escapes what terminals would interpret. Each write has to end between two characters, as the pieces
/// of serialised JSON do.
struct Fitted<W>(W);

impl<W: Write> Write for Fitted<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let text = str::from_utf8(piece).map_err(io::Error::other)?;
        self.0.write_all(terminal::fit(text).as_bytes())?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes a file that can be generated again, replacing an older one.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), CliError> {
    output::replace(path, text).map_err(|error| CliError::Output {
        path: path.to_owned(),
        error,
    })
}

/// Prints to stdout, without colours if it is not a terminal.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
    out.write_all(terminal::fit(text).as_bytes())?;
    Ok(out.flush()?)
}
