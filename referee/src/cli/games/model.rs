//! `referee model`: the forward model on stdin and stdout.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::fd::AsFd;

use model::{MAX_REQUEST, Model};
use rules::RulesSet;

use crate::cli::CliError;
use crate::cli::common::args::RulesArgs;

/// Bytes a read.
const READ: usize = 64 << 10;

/// Serves the forward model: questions about positions, as JSON
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every line is answered with one line. Lines that are no requests, even empty ones, get `bad_request`.
Requests that would take minutes get `too_much`: a perft of more than 10,000,000 positions, random
games of more than 20,000,000 plies in total, or `children` with an answer of more than 16 MiB.

Example:
  echo '{\"id\":1,\"op\":\"new\",\"game\":\"siam\",\"want\":[\"legal\"]}' | referee model")]
pub(crate) struct Args {
    #[command(flatten)]
    rules: RulesArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        // Not through the library's own buffers, which would copy each line once more.
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        let mut input = BufReader::with_capacity(READ, File::from(input));
        let mut output = BufWriter::new(File::from(io::stdout().as_fd().try_clone_to_owned()?));
        let set = if self.rules.are_given() {
            self.rules.open()?
        } else {
            RulesSet::inherited()?
        };
        let mut model = Model::of(set.catalog);
        let mut line = Vec::new();
        while read(&mut input, &mut line)? {
            let answer = if line.len() > MAX_REQUEST {
                model.refuse_long()
            } else {
                model.answer(&line)
            };
            output.write_all(answer.as_bytes())?;
            // A bot that sent several requests at once receives the answers together and wakes up
            // once.
            if !input.buffer().contains(&b'\n') {
                output.flush()?;
            }
        }
        Ok(output.flush()?)
    }
}

/// Reads a line without its end; of a line that is too long, only enough to recognise that. False
/// at the end of the input.
fn read(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let most = MAX_REQUEST as u64 + 1;
    if input.by_ref().take(most).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    match line.last() {
        Some(b'\n') => {
            line.pop();
        }
        _ if line.len() > MAX_REQUEST => {
            input.skip_until(b'\n')?;
        }
        _ => {}
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_too_long_cost_nothing_but_themselves() {
        let long = |bytes: usize| "x".repeat(bytes) + "\n";
        let text = long(MAX_REQUEST) + &long(MAX_REQUEST + 1) + &long(3 * MAX_REQUEST) + "a\n\nb";
        let mut input = BufReader::new(text.as_bytes());
        let mut line = Vec::new();
        let mut lengths = Vec::new();
        while read(&mut input, &mut line).expect("memory") {
            lengths.push(line.len());
        }
        assert_eq!(
            lengths,
            [MAX_REQUEST, MAX_REQUEST + 1, MAX_REQUEST + 1, 1, 0, 1]
        );
    }
}
