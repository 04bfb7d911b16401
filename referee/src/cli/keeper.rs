//! `referee keeper`, which the referee starts by itself: keeps one bot, and ends it.

use super::CliError;
use crate::bot::keeper;

/// Keeps one bot, and ends it with all that it started (started by the referee itself)
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to start, as JSON
    plan: String,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        let plan = serde_json::from_str(&self.plan)
            .map_err(|error| CliError::Usage(format!("the keeper's plan: {error}")))?;
        Ok(keeper::run(&plan)?)
    }
}
