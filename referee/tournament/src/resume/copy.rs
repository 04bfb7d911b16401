//! Copies of configurations in a tournament's folder, compared with the present configuration.

use std::io::ErrorKind;
use std::path::Path;

use config::{Config, difference};
use files::{self, MOST_TEXT};
use toml::Table;

use crate::folder::CONFIG_NAME;
use crate::resume::error::ResumeError;

/// Differences that are allowed between the configuration and its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    Nothing,
    /// New bots, games and rounds. Earlier matches come first and keep their numbers and results,
    /// new ones follow.
    Additions,
}

/// The copy of a configuration in a tournament's folder.
pub(crate) struct ConfigCopy {
    pub(super) text: String,
    /// The text, parsed.
    pub(crate) table: Table,
}

impl ConfigCopy {
    pub(crate) fn bots(&self) -> Vec<String> {
        difference::names(&self.table)
    }
}

/// `None` if the file is missing.
pub(crate) fn read_copy(path: &Path) -> Result<Option<ConfigCopy>, ResumeError> {
    match files::read(path, 4 * MOST_TEXT) {
        Ok(text) => {
            let table = parsed(&text, path)?;
            Ok(Some(ConfigCopy { text, table }))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ResumeError::unreadable(path.to_owned(), error)),
    }
}

/// Parses copies of configurations; `copy` is the file of the newest one, for messages.
pub(crate) fn all_parsed(texts: &[String], copy: &Path) -> Result<Vec<Table>, ResumeError> {
    texts.iter().map(|text| parsed(text, copy)).collect()
}

/// Parses a copy of a configuration.
pub(crate) fn parsed(text: &str, path: &Path) -> Result<Table, ResumeError> {
    let parsed: Result<Table, toml::de::Error> = text.parse();
    parsed.map_err(|error| ResumeError::unreadable(path.to_owned(), error.message()))
}

/// True if there are differences, and all of them are allowed.
pub(crate) fn differs(
    copy: &Table,
    config: &Config,
    allowed: Allowed,
    folder: &Path,
) -> Result<bool, ResumeError> {
    let current = &config.source.table;
    let all = difference::differences(copy, current);
    if all.is_empty() {
        return Ok(false);
    }
    let beyond = difference::beyond_additions(copy, current);
    let fixed = !config.schedule.format.is_of_pairings();
    let copy = folder.join(CONFIG_NAME);
    match allowed {
        Allowed::Nothing => Err(ResumeError::Changed {
            differences: difference::in_words(&all),
            added: beyond.is_empty() && fixed,
            copy,
        }),
        Allowed::Additions if !beyond.is_empty() => Err(ResumeError::NotExtended {
            differences: difference::in_words(&beyond),
            copy,
        }),
        Allowed::Additions if !fixed => Err(ResumeError::Format),
        Allowed::Additions => Ok(true),
    }
}
