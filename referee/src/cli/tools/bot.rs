//! `referee bot`: a reference bot as a process.

use std::io::{self, BufWriter};

use bots::chat::shown_prompt;
use bots::command_line::ReferenceBotArgs;
use rules::RulesSet;
use serde_json::{Value, json};

use crate::cli::common::args::{self, RulesArgs};
use crate::cli::common::format::{FormatArgs, print_json};
use crate::cli::{CliError, print};

/// Runs a reference bot, which speaks the protocol on stdin, stdout
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example, in a configuration: command = [\"referee\", \"bot\", \"mcts\"]

  referee bot chat --url http://127.0.0.1:8080/v1 --model NAME
  referee bot chat --show-prompt siam")]
pub(crate) struct Args {
    #[command(flatten)]
    bot: ReferenceBotArgs,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    format: FormatArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let Some(name) = &self.bot.name else {
            return self.list();
        };
        let usage = |error: &dyn ToString| CliError::Usage(error.to_string());
        let options = self.bot.options(name).map_err(|error| usage(&error))?;
        if let (Some(game), Some(options)) = (&self.bot.chat.show_prompt, &options.chat) {
            let catalog = self.rules.open()?.catalog;
            let entry = args::find(&catalog, game)?;
            let text = shown_prompt(options, entry).map_err(|error| usage(&error))?;
            return print(&text);
        }
        if self.rules.are_given() {
            let message = "--rules goes with --show-prompt; a bot has its rules from the referee";
            return Err(CliError::Usage(message.to_owned()));
        }
        let output = BufWriter::new(io::stdout().lock());
        let set = RulesSet::inherited()?;
        bots::run_named(name, &options, &set.catalog, io::stdin().lock(), output)
            .map_err(|error| usage(&error))
    }

    fn list(&self) -> Result<(), CliError> {
        if self.format.json() {
            let bots = bots::BOTS.iter();
            let bots = bots.map(|bot| json!({"name": bot.name, "summary": bot.summary}));
            return print_json(&bots.collect::<Vec<Value>>());
        }
        let lines = bots::BOTS
            .iter()
            .map(|bot| format!("{:9} {}\n", bot.name, bot.summary));
        print(&lines.collect::<String>())
    }
}
