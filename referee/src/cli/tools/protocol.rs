//! `referee protocol`: the protocols' documents, for users who have only the program.

use std::ffi::OsString;

use clap::ValueEnum;

use crate::cli::text::markdown;
use crate::cli::{CliError, print};

/// Prints the protocol of bots, rules programs or game managers
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee protocol             messages between the referee and bots; also `referee help protocol`
  referee protocol rules       messages of rules programs; also `referee help rules-protocol`
  referee protocol ggp         how players of General Game Playing take a seat, and bots play there")]
pub(crate) struct Args {
    /// The protocol
    #[arg(value_enum, default_value_t, hide_default_value = true)]
    protocol: Protocol,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Protocol {
    /// Of bots (the default)
    #[default]
    Bots,
    /// Of rules programs
    Rules,
    /// Of General Game Playing over HTTP
    Ggp,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let guide = match self.protocol {
            Protocol::Bots => ::protocol::GUIDE,
            Protocol::Rules => ::protocol::RULES_GUIDE,
            Protocol::Ggp => ::protocol::GGP_GUIDE,
        };
        print(&markdown::for_terminal(guide))
    }
}

/// Replaces `help protocol` by `protocol` in the program's arguments, and `help rules-protocol` by
/// `protocol rules`: the documents help more than the options of the command that prints them.
pub(crate) fn document(args: Vec<OsString>) -> Vec<OsString> {
    let [program, help, topic] = &args[..] else {
        return args;
    };
    let words: &[&str] = match topic.to_str() {
        Some("protocol") if help == "help" => &["protocol"],
        Some("rules-protocol") if help == "help" => &["protocol", "rules"],
        _ => return args,
    };
    let words = words.iter().map(OsString::from);
    [program.clone()].into_iter().chain(words).collect()
}
