//! The file in a tournament's folder that has the secret which deals follow from. Only its owner may read
//! it; sandboxes hide the folder.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use serde::Deserialize;

use super::folder;
use super::resume::ResumeError;
use crate::config::Config;
use crate::deals::{Deals, Secret};
use crate::files;
use crate::log::{LOG_NAME, LogFile, WriteError};

/// The file.
pub(crate) const SECRET_NAME: &str = "secret.toml";
/// What it is called while it is written.
const PART_NAME: &str = "secret.toml.part";
/// It is not longer than this, in bytes.
const LONGEST: u64 = 4096;

#[derive(Deserialize)]
struct SecretFile {
    secret: String,
}

/// The secret in a tournament's folder; `None` if it has none.
///
/// # Errors
/// Why the file cannot be used; nothing of it is quoted.
pub(crate) fn read(folder: &Path) -> Result<Option<Secret>, String> {
    let text = match files::read(&folder.join(SECRET_NAME), LONGEST) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let file: Option<SecretFile> = toml::from_str(&text).ok();
    let secret = file.and_then(|file| Secret::parse(&file.secret));
    let wrong = "there is no `secret` of 64 hexadecimal digits in it";
    secret.map(Some).ok_or_else(|| wrong.to_owned())
}

/// Writes the secret: all of it or, after a crash, nothing.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn write(folder: &Path, secret: &Secret) -> Result<(), WriteError> {
    let (part, path) = (folder.join(PART_NAME), folder.join(SECRET_NAME));
    let write = || {
        let _ = fs::remove_file(&part);
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&part)?;
        file.write_all(format!("secret = \"{}\"\n", secret.digits()).as_bytes())?;
        file.sync_all()?;
        fs::rename(&part, &path)?;
        let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&part);
        WriteError::io(&path, error)
    })
}

/// What a new tournament deals from: the secret of its configuration, or a new one.
///
/// # Errors
/// If the system has no random numbers.
pub(super) fn new(config: &Config) -> Result<Deals, WriteError> {
    if !config.has_deals() {
        return Ok(Deals::BySeed);
    }
    let secret = match &config.secret {
        Some(secret) => secret.clone(),
        None => {
            Secret::random().map_err(|error| WriteError::io(Path::new("/dev/urandom"), error))?
        }
    };
    Ok(Deals::Secret(secret))
}

/// What the tournament in this folder deals from. `is_new` says that nothing with a deal was ever to be
/// played there: it has not begun, or was without such games until it is extended now.
///
/// # Errors
/// If the secret is lost, is not that of the configuration, or is not that of the log.
pub(super) fn of_folder(
    folder: &Path,
    config: &Config,
    is_new: impl FnOnce() -> bool,
) -> Result<Deals, ResumeError> {
    if !config.has_deals() {
        return Ok(Deals::BySeed);
    }
    let path = folder.join(SECRET_NAME);
    let kept = read(folder).map_err(|reason| ResumeError::Copy {
        path: path.clone(),
        reason,
    })?;
    let given = &config.secret;
    if let Some(kept) = kept {
        return match given {
            Some(given) if *given != kept => Err(ResumeError::OtherSecret { path }),
            _ => Ok(Deals::Secret(kept)),
        };
    }
    match (logged(folder), given) {
        (Some(deal), Some(given)) if given.commitment() == deal => Ok(Deals::Secret(given.clone())),
        (Some(_), Some(_)) => Err(ResumeError::OtherSecret {
            path: folder.join(LOG_NAME),
        }),
        (Some(deal), None) => Err(ResumeError::LostSecret { path, deal }),
        (None, _) if is_new() => Ok(new(config)?),
        (None, Some(_)) => Err(ResumeError::DealtBySeed {
            path: folder.to_owned(),
        }),
        (None, None) => Ok(Deals::BySeed),
    }
}

/// What the log in a folder says of the secret: the first `deal` in it.
fn logged(folder: &Path) -> Option<String> {
    // Whatever is wrong with it is said when the tournament is resumed.
    let file = LogFile::open(&folder.join(LOG_NAME)).ok()?;
    file.map_while(Result::ok).find_map(|record| record.deal)
}

/// Whether a tournament's folder has not got as far as a copy of the configuration.
pub(super) fn has_not_begun(folder: &Path) -> bool {
    folder.join(folder::CONFIG_NAME).symlink_metadata().is_err()
}

/// The secret for checking the log at this path, if its folder has one that can be read.
pub(crate) fn beside(log: &Path) -> Option<Secret> {
    read(crate::log::locate(log).parent()?).ok()?
}

/// Whether matches of the log at this path may start from a book, as far as its folder says.
pub(crate) fn may_have_book(log: &Path) -> bool {
    let copy = crate::log::locate(log).with_file_name(folder::CONFIG_NAME);
    let text = files::read(&copy, 4 * files::MOST_TEXT).ok();
    let table = text.and_then(|text| text.parse::<toml::Table>().ok());
    table.is_none_or(|table| {
        let opening = table.get("opening");
        opening.is_some_and(|opening| opening.get("book").is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_secret_comes_back_and_is_only_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()), Ok(None));
        // What a crash has left, with other rights.
        fs::write(folder.path().join(PART_NAME), "x").unwrap();
        let secret = Secret::random().unwrap();
        write(folder.path(), &secret).unwrap();
        assert_eq!(read(folder.path()), Ok(Some(secret.clone())));
        let path = folder.path().join(SECRET_NAME);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, format!("secret = \"{}\"\n", secret.digits()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::write(&path, text.replace("secret = \"", "secret = \"0")).unwrap();
        let wrong = read(folder.path()).unwrap_err();
        assert!(!wrong.contains(&secret.digits()[..4]), "{wrong}");
    }
}
