//! `referee bot`: a reference bot as a process.

use std::io::{self, BufWriter};

use bots::BotOptions;
use bots::level::Level;

use serde_json::{Value, json};

use super::format::{FormatArgs, print_json};
use super::{CliError, print};

/// Runs a reference bot, which speaks the bot protocol on stdin and stdout
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, in a configuration: command = [\"referee\", \"bot\", \"mcts\"]")]
pub(super) struct Args {
    /// The bot; without a name the bots are listed
    name: Option<String>,
    /// The seed of all random choices, together with the match's id
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// For mcts: think for N playouts per move, whatever the clock says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    playouts: Option<u32>,
    /// For alphabeta: think for N nodes per move, whatever the clock says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// How strong it plays, from 1 (almost at random) to 10 (full strength); all bots but random have
    /// levels
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u8).range(1..=10))]
    level: Option<u8>,
    /// For mcts: think with N threads; with more than one, the same --playouts need not give the same
    /// moves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    #[command(flatten)]
    format: FormatArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        let Some(name) = self.name else {
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
        let options = BotOptions {
            seed: self.seed,
            playouts: self.playouts,
            nodes: self.nodes,
            threads: self.threads.into(),
            level: self.level.and_then(Level::new),
        };
        let output = BufWriter::new(io::stdout().lock());
        bots::run_named(&name, &options, io::stdin().lock(), output)
            .map_err(|error| CliError::Usage(error.to_string()))
    }
}
