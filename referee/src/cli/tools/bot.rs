//! `referee bot`: a reference bot as a process.

use std::io::{self, BufWriter};

use rules::RulesSet;
use serde_json::{Value, json};

use crate::cli::common::format::{FormatArgs, print_json};
use crate::cli::{CliError, print};
use bots::command_line::ReferenceBotArgs;

/// Runs a reference bot, which speaks the protocol on stdin, stdout
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, in a configuration: command = [\"referee\", \"bot\", \"mcts\"]")]
pub(crate) struct Args {
    #[command(flatten)]
    bot: ReferenceBotArgs,
    #[command(flatten)]
    format: FormatArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let Some(name) = &self.bot.name else {
            if self.format.json() {
                let bots = bots::BOTS.iter();
                let bots = bots.map(|bot| json!({"name": bot.name, "summary": bot.summary}));
                return print_json(&bots.collect::<Vec<Value>>());
            }
            let lines = bots::BOTS
                .iter()
                .map(|bot| format!("{:9} {}\n", bot.name, bot.summary));
            return print(&lines.collect::<String>());
        };
        let options = self.bot.options(name);
        let options = options.map_err(|error| CliError::Usage(error.to_string()))?;
        let output = BufWriter::new(io::stdout().lock());
        let set = RulesSet::inherited()?;
        bots::run_named(name, &options, &set.catalog, io::stdin().lock(), output)
            .map_err(|error| CliError::Usage(error.to_string()))
    }
}
