//! `referee init`, the first process in a strict sandbox: starts a bot and reaps processes.

use report::print_notice;
use supervisor::sandbox::launch::EXIT_NOT_STARTED;
use supervisor::sandbox::launch::init;

use crate::cli::CliError;

/// Starts a bot in a sandbox, and watches it (started by the referee itself)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to do, as JSON
    init: String,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let init = serde_json::from_str(&self.init)
            .map_err(|error| CliError::Usage(format!("the init's plan: {error}")))?;
        if let Err(error) = init::run(&init) {
            print_notice(format_args!("{error}\n"));
        }
        std::process::exit(i32::from(EXIT_NOT_STARTED))
    }
}
