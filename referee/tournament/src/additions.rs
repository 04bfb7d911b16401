//! Bots that are added to a tournament later, and bots that have changed: both are built and
//! checked as at the start.

use std::path::Path;

use crate::admission::{self, AdmissionError, LeftOut};
use crate::folder::{self, CONFIG_NAME};
use crate::resume::{self, Allowed};
use crate::runner::{Tournament, TournamentError, folder_of, runtime};
use config::Config;
use protocol::Record;

/// A tournament's configuration with additions. New bots are built and checked, as in
/// [`Tournament::create`]; so are those that were left out before, as they may have been repaired.
pub struct Extension {
    pub(super) config: Config,
    pub(super) left_out: Vec<LeftOut>,
}

impl Extension {
    /// Prepares to extend the tournament in this folder (by default the newest of its name below
    /// `runs`) to this configuration. Only builds write anything yet. Blocks; in async code use
    /// [`Extension::prepare_reporting`].
    ///
    /// # Errors
    /// If more than bots, games and rounds was added, or a broken bot stops it.
    pub fn prepare(config: Config, folder: Option<&Path>) -> Result<Self, TournamentError> {
        let added = added(&config, folder)?;
        runtime()?.block_on(Self::admit(config, &added, folder, |_| {}))
    }

    /// Like [`Extension::prepare`], with a line for each build and for each bot that is left out.
    ///
    /// # Errors
    /// As those of [`Extension::prepare`].
    pub async fn prepare_reporting(
        config: Config,
        folder: Option<&Path>,
        report: impl FnMut(&str),
    ) -> Result<Self, TournamentError> {
        let added = added(&config, folder)?;
        Self::admit(config, &added, folder, report).await
    }

    async fn admit(
        config: Config,
        added: &[String],
        folder: Option<&Path>,
        report: impl FnMut(&str),
    ) -> Result<Self, TournamentError> {
        let path = folder_of(&config, folder)?;
        let (mut config, left_out) = admission::admit(config, Some(added), report).await?;
        config.admission.answered = admission::answers(&path)?;
        let config = admission::ask(config, Some(added)).await?;
        Ok(Extension { config, left_out })
    }

    /// The configuration, without the bots that are left out.
    pub fn config(&self) -> &Config {
        &self.config
    }
}

impl Tournament {
    /// Continues the tournament in this folder (by default the newest of its name below `runs`)
    /// with its additions: earlier matches come first and keep their numbers and results, new ones
    /// follow.
    ///
    /// # Errors
    /// As those of [`Tournament::resume`].
    pub fn extend(
        extension: Extension,
        folder: Option<&Path>,
        take: impl FnMut(&Record),
    ) -> Result<Self, TournamentError> {
        let Extension { config, left_out } = extension;
        let mut tournament = Self::reopen(config, folder, Allowed::Additions, take)?;
        // Last: if we crash before this, the user runs `extend` again.
        admission::note_answers(tournament.folder(), tournament.config())?;
        admission::note(tournament.folder(), &left_out)?;
        tournament.left_out = left_out;
        Ok(tournament)
    }

    /// Sets up the bots that were unpacked from bundles, unless that was done on this machine
    /// before. They cannot start until then, and neither [`Tournament::create`] nor
    /// [`Tournament::resume`] does it. `report` receives a line for each.
    ///
    /// # Errors
    /// If one of them cannot be set up.
    pub async fn set_up(config: &Config, report: impl FnMut(&str)) -> Result<(), TournamentError> {
        Ok(admission::set_up(config, report).await?)
    }

    /// Builds and checks these bots again, as when the tournament began. For bots that have
    /// changed, before [`Tournament::play_again`]. `report` receives a line for each build.
    ///
    /// # Errors
    /// If one of them is broken now, or another referee is playing in the folder.
    pub async fn renew(
        config: &Config,
        folder: Option<&Path>,
        bots: &[String],
        report: impl FnMut(&str),
    ) -> Result<(), TournamentError> {
        folder::must_be_idle(&folder_of(config, folder)?)?;
        let broken = admission::broken(config, Some(bots), report).await?;
        if broken.is_empty() {
            Ok(())
        } else {
            Err(AdmissionError::Broken(broken).into())
        }
    }
}

/// The bots that are new to the tournament in this folder.
fn added(config: &Config, folder: Option<&Path>) -> Result<Vec<String>, TournamentError> {
    let path = folder_of(config, folder)?;
    // A folder without a copy is diagnosed when it is opened.
    let Some(copy) = resume::read_copy(&path.join(CONFIG_NAME))? else {
        return Ok(Vec::new());
    };
    folder::must_be_idle(&path)?;
    // Before time is spent on builds.
    resume::differs(&copy.table, config, Allowed::Additions, &path)?;
    let names = config.bots.iter().map(|bot| bot.name.clone());
    let before = copy.bots();
    Ok(names.filter(|name| !before.contains(name)).collect())
}
