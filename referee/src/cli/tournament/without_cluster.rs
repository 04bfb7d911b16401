//! Stand-ins for commands that need the feature `cluster`, in programs built without it.

use crate::cli::CliError;

/// Plays by workers on other machines, over a NATS server: not in this build
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What the command would take
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<String>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        Err(CliError::without_cluster())
    }
}
