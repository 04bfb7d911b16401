//! Bots that a tournament gets later, and those that have changed: built and checked as at its start.

use std::path::Path;

use crate::admission::{self, AdmissionError, LeftOut};
use crate::folder::{self, CONFIG_NAME};
use crate::resume::{self, Allowed};
use crate::runner::{Tournament, TournamentError, folder_of, runtime};
use config::Config;
use protocol::Record;

/// What a tournament is extended to. The bots that it has not had yet were built and checked, as in
/// [`Tournament::create`], also those that were left out before: they may have been repaired.
pub struct Extension {
    pub(super) config: Config,
    pub(super) left_out: Vec<LeftOut>,
}

impl Extension {
    /// Extends the tournament in this folder, by default in the newest one of its name below `runs`, to
    /// this configuration. Nothing is written yet but by builds. Builds and checks take their time, and
    /// must not happen within an asynchronous runtime: there, use [`Extension::prepare_reporting`].
    ///
    /// # Errors
    /// If more than bots, games and rounds was added, or a broken bot stops it.
    pub fn prepare(config: Config, folder: Option<&Path>) -> Result<Self, TournamentError> {
        let added = added(&config, folder)?;
        runtime()?.block_on(Self::admit(config, &added, folder, |_| {}))
    }

    /// The same, with a line for each build and for each bot that is left out.
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
        config.answered = admission::answers(&path)?;
        let config = admission::ask(config, Some(added)).await?;
        Ok(Extension { config, left_out })
    }

    /// The configuration, without the bots that are left out.
    pub fn config(&self) -> &Config {
        &self.config
    }
}

impl Tournament {
    /// Goes on with the tournament in this folder, by default in the newest one of its name below
    /// `runs`, with what is added to it: what was played stays what it is, the matches of
    /// the tournament before come first and keep their numbers, and new ones follow.
    ///
    /// # Errors
    /// As those of [`Tournament::resume`].
    pub fn extend(
        extension: Extension,
        folder: Option<&Path>,
        take: impl FnMut(&Record),
    ) -> Result<Self, TournamentError> {
        let Extension { config, left_out } = extension;
        let mut tournament = Self::go_on(config, folder, Allowed::Additions, take)?;
        // Last: without it, or with the one before, `extend` is asked for again.
        admission::note_answers(tournament.folder(), tournament.config())?;
        admission::note(tournament.folder(), &left_out)?;
        tournament.left_out = left_out;
        Ok(tournament)
    }

    /// Sets up the bots of the configuration that were unpacked from bundles, unless that was done on this
    /// machine before. Until then they cannot be started: neither [`Tournament::create`] nor
    /// [`Tournament::resume`] does it. `report` gets a line for each.
    ///
    /// # Errors
    /// If one of them cannot be set up.
    pub async fn set_up(config: &Config, report: impl FnMut(&str)) -> Result<(), TournamentError> {
        Ok(admission::set_up(config, report).await?)
    }

    /// Builds and checks these bots again, as when the tournament began; `report` gets a line for each
    /// build. For bots that have changed, before [`Tournament::play_again`].
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

/// The bots that the tournament in a folder has not had yet.
fn added(config: &Config, folder: Option<&Path>) -> Result<Vec<String>, TournamentError> {
    let path = folder_of(config, folder)?;
    // What is wrong with a folder without a copy is found when it is opened.
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
