//! `referee new-bot`: a small project to begin a bot from.

use super::CliError;
use super::scaffold::ProjectArgs;
use crate::scaffold::BOTS;

/// Makes a small project to begin a bot from: a bot, its tests, a tournament against `random`
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee new-bot python mybot
  referee new-bot rust bots/second --name second
  referee new-bot                                   lists the languages")]
pub(super) struct Args {
    #[command(flatten)]
    project: ProjectArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        self.project.run(&BOTS)
    }
}
