//! `referee guard`, which the referee starts by itself: ends bots if the referee dies.

use super::CliError;
use crate::bot::guard;

/// Ends bots if the referee dies (started by the referee itself)
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        guard::run(std::io::stdin().lock());
        Ok(())
    }
}
