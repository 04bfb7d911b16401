//! `referee tournament`: plays a tournament from a configuration file.

use std::path::PathBuf;
use std::sync::Arc;

use super::{CliError, block_on, on_interrupt, print};
use crate::bot::Nursery;
use crate::log::LOG_NAME;
use crate::report::progress::Display;
use crate::report::standings::Standings;
use crate::report::tables;
use crate::report::tell;
use crate::tournament::folder::{Folder, STDERR_NAME};
use crate::tournament::run::{self, Ran};
use crate::tournament::{Config, schedule};

/// Plays a tournament: every pairing in every seat order
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: referee tournament tournaments/quickstart.toml")]
pub(super) struct Args {
    /// The configuration
    config: PathBuf,
    /// The folder of the log, which must not hold a tournament yet; by default a new one below
    /// `runs`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Show no progress, only the standings at the end
    #[arg(long, short)]
    quiet: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        let config = Config::load(&self.config)?;
        let folder = match &self.out {
            Some(path) => Folder::create(path, &config.text)?,
            None => Folder::create_numbered(&config.name, &config.text)?,
        };
        block_on(self.play(config, folder))?
    }

    async fn play(self, config: Config, mut folder: Folder) -> Result<(), CliError> {
        let config = Arc::new(config);
        let seats: Vec<usize> = config.games.iter().map(|game| game.rules.seats()).collect();
        let schedule = schedule::round_robin(&seats, config.bots.len(), config.rounds);
        let total = schedule.len();
        if !self.quiet {
            tell(format_args!(
                "{}: {total} matches of {} bots, {} at a time; the log is {}\n",
                config.name,
                config.bots.len(),
                config.concurrency.min(total),
                folder.path.join(LOG_NAME).display()
            ));
        }
        let names = config.bots.iter().map(|bot| &*bot.name);
        let mut display = Display::new(Standings::new(names), total, self.quiet);
        let nursery = Nursery::new(
            &config.bots,
            Some(&folder.path),
            Some(folder.path.join(STDERR_NAME)),
        )?;
        let stop = on_interrupt()?;
        let show = |progress: run::Progress<'_>| display.show(progress);
        let ran = run::run(config, schedule, nursery, &mut folder, stop, show).await?;
        print(&tables::report(&display.finish()))?;
        match ran {
            Ran::Complete => Ok(()),
            Ran::Interrupted => {
                let log = folder.path.join(LOG_NAME);
                tell(format_args!("what was finished is in {}\n", log.display()));
                Err(CliError::Interrupted)
            }
        }
    }
}
