//! The source of deals for the tournament in a folder: a secret or the seed.

use std::path::{Path, PathBuf};

use config::Config;
use deals::{Deals, Secret};
use log::{LOG_NAME, LogFile, WriteError};
use thiserror::Error;

use crate::folder;
use crate::folder::secret_file::{self, SECRET_NAME};

/// The reason why the source of a tournament's deals is unknown.
#[derive(Debug, Error)]
pub enum DealingError {
    #[error("`{}` cannot be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error(
        "the `secret` of the configuration is not the one that this tournament deals from (`{}`); nothing \
         was changed, resume without `secret`, or start again in another folder",
        path.display()
    )]
    OtherSecret {
        /// The file with the other secret.
        path: PathBuf,
    },
    #[error(
        "`{}` is missing: this tournament deals from the secret in it, whose SHA-256 is {deal}; nothing \
         was changed, put it back, or give the secret as `secret` in the configuration",
        path.display()
    )]
    LostSecret {
        path: PathBuf,
        /// The commitment in the log.
        deal: String,
    },
    /// The configuration has a secret, but the tournament began without one.
    #[error(
        "the tournament in `{}` began without a secret and deals from `seed`, but the configuration has \
         `secret`; nothing was changed, resume without it, or start again in another folder",
        path.display()
    )]
    DealtBySeed { path: PathBuf },
    /// The system has no random numbers for a new secret.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Finds the source of deals for the tournament in this folder. `is_new` is true if no game with
/// deals was ever scheduled there: the tournament has not begun, or gets its first such game by
/// this extension.
///
/// # Errors
/// If the secret is lost, is not that of the configuration, or is not that of the log.
pub(crate) fn of_folder(
    folder: &Path,
    config: &Config,
    is_new: impl FnOnce() -> bool,
) -> Result<Deals, DealingError> {
    if !config.has_deals() {
        return Ok(Deals::BySeed);
    }
    let path = folder.join(SECRET_NAME);
    let kept = secret_file::read(folder).map_err(|reason| DealingError::Unreadable {
        path: path.clone(),
        reason,
    })?;
    let given = &config.secret;
    if let Some(kept) = kept {
        return match given {
            Some(given) if *given != kept => Err(DealingError::OtherSecret { path }),
            _ => Ok(Deals::Secret(kept)),
        };
    }
    match (logged(folder), given) {
        (Some(deal), Some(given)) if given.commitment() == deal => Ok(Deals::Secret(given.clone())),
        (Some(_), Some(_)) => Err(DealingError::OtherSecret {
            path: folder.join(LOG_NAME),
        }),
        (Some(deal), None) => Err(DealingError::LostSecret { path, deal }),
        (None, _) if is_new() => Ok(secret_file::new(config)?),
        (None, Some(_)) => Err(DealingError::DealtBySeed {
            path: folder.to_owned(),
        }),
        (None, None) => Ok(Deals::BySeed),
    }
}

/// The commitment to the secret in a folder's log: the first `deal` in it.
fn logged(folder: &Path) -> Option<String> {
    // An unreadable log is reported when the tournament is resumed.
    let file = LogFile::open(&folder.join(LOG_NAME)).ok()?;
    file.map_while(Result::ok).find_map(|record| record.deal)
}

/// True if the folder has no copy of the configuration yet.
pub(crate) fn has_not_begun(folder: &Path) -> bool {
    folder.join(folder::CONFIG_NAME).symlink_metadata().is_err()
}

/// The secret for checking the log at this path, if its folder has a readable one.
pub fn beside(log: &Path) -> Option<Secret> {
    secret_file::read(log::locate(log).parent()?).ok()?
}

/// True if matches of the log at this path may start from a book, as far as its folder shows.
pub fn may_have_book(log: &Path) -> bool {
    let copy = log::locate(log).with_file_name(folder::CONFIG_NAME);
    let text = files::read(&copy, 4 * files::MOST_TEXT).ok();
    let table = text.and_then(|text| text.parse::<toml::Table>().ok());
    table.is_none_or(|table| {
        let opening = table.get("opening");
        opening.is_some_and(|opening| opening.get("book").is_some())
    })
}
