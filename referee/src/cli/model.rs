//! `referee model`: the forward model on stdin and stdout.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use super::CliError;
use crate::model::Model;

/// No request may be longer than this.
const MAX_REQUEST: u64 = 16 << 20;
/// So much is read at once.
const READ: usize = 64 << 10;

/// Answers questions about positions, one JSON request a line: a forward model for any bot
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  echo '{\"id\":1,\"op\":\"new\",\"game\":\"siam\",\"want\":[\"legal\"]}' | referee model")]
pub(super) struct Args {}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        let mut input = BufReader::with_capacity(READ, io::stdin().lock());
        let mut output = BufWriter::new(io::stdout().lock());
        let mut model = Model::default();
        let mut line = Vec::new();
        loop {
            line.clear();
            if input
                .by_ref()
                .take(MAX_REQUEST)
                .read_until(b'\n', &mut line)?
                == 0
            {
                return Ok(());
            }
            if line.len() as u64 == MAX_REQUEST && line.last() != Some(&b'\n') {
                return Err(CliError::Usage(format!(
                    "a request is longer than {MAX_REQUEST} bytes"
                )));
            }
            if !line.trim_ascii().is_empty() {
                output.write_all(model.answer(&line).as_bytes())?;
            }
            // Who sent several requests at once gets the answers together, and is woken up once.
            if !input.buffer().contains(&b'\n') {
                output.flush()?;
            }
        }
    }
}
