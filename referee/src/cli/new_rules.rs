//! `referee new-rules`: a small project to begin a game of one's own from.

use super::CliError;
use super::scaffold::ProjectArgs;
use crate::scaffold::RULES;

/// Makes a small project to begin a game from: a rules program, its tests, a tournament of it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee new-rules python mygame
  referee new-rules c games/second --name second
  referee new-rules                                 lists the languages")]
pub(super) struct Args {
    #[command(flatten)]
    project: ProjectArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        self.project.run(&RULES)
    }
}
