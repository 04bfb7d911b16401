//! The secret of a tournament's deals. Only the owner of the file may read it, and sandboxes hide
//! the folder.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use config::Config;
use deals::{Deals, Secret};
use log::WriteError;
use serde::Deserialize;

pub const SECRET_NAME: &str = "secret.toml";
/// Its name while it is written.
const PART_NAME: &str = "secret.toml.part";
/// In bytes.
const LONGEST: u64 = 4096;

#[derive(Deserialize)]
struct SecretFile {
    secret: String,
}

/// Reads the secret in a tournament's folder; `None` if it has none. Errors do not quote the file.
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

/// Writes the secret atomically.
///
/// # Errors
/// If it cannot be written.
pub fn write(folder: &Path, secret: &Secret) -> Result<(), WriteError> {
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

/// The source of deals for a new tournament: the secret of its configuration, or a new one.
///
/// # Errors
/// If the system has no random numbers.
pub(crate) fn new(config: &Config) -> Result<Deals, WriteError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_secret_comes_back_and_is_only_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()), Ok(None));
        // Left by a crash, with other permissions.
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
