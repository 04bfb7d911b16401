//! `referee supervise`, which the referee starts: the process between it and one bot.

use supervisor::process::supervisor;

use crate::cli::CliError;

/// Runs one bot, and ends it with all its processes (started by the referee itself)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to start, as JSON
    plan: String,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let plan = serde_json::from_str(&self.plan)
            .map_err(|error| CliError::Usage(format!("the supervisor's plan: {error}")))?;
        Ok(supervisor::run(&plan)?)
    }
}
