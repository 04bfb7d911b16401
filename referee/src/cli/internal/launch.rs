//! `referee launch`, which a supervisor starts: applies limits to itself and becomes a bot.

use report::print_notice;
use supervisor::sandbox::launch;
use supervisor::sandbox::launch::EXIT_NOT_STARTED;

use crate::cli::CliError;

/// Applies limits to itself and becomes a bot (started by the referee itself)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to do, as JSON
    launch: String,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let launch = serde_json::from_str(&self.launch)
            .map_err(|error| CliError::Usage(format!("the launcher's plan: {error}")))?;
        let error = launch::run(&launch);
        print_notice(format_args!("{error}\n"));
        std::process::exit(i32::from(EXIT_NOT_STARTED))
    }
}
