//! Stand-in for the command that needs the feature `mcp`, in programs built without it.

use crate::cli::CliError;

/// Serves agents by the Model Context Protocol: not in this build
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What the command would take
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<String>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        Err(CliError::without("a server for agents", "mcp"))
    }
}
