//! `referee protocol`: PROTOCOL.md, for users who have only the program.

use std::ffi::OsString;

use crate::cli::text::markdown;
use crate::cli::{CliError, print};

/// Prints the protocol that bots and the referee speak; the same as `referee help protocol`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        print(&markdown::for_terminal(::protocol::GUIDE))
    }
}

/// Replaces `help protocol` by `protocol` in the program's arguments: the document helps more than
/// the options of the command that prints it.
pub(crate) fn document(mut args: Vec<OsString>) -> Vec<OsString> {
    if args
        .get(1..)
        .is_some_and(|args| args == ["help", "protocol"])
    {
        args.remove(1);
    }
    args
}
