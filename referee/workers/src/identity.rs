//! The name of a tournament on the server, stored in its folder for --resume.

use std::collections::hash_map::RandomState;
use std::fs::{self, Permissions};
use std::hash::BuildHasher as _;
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use cluster::TournamentId;
use serde::Deserialize;
use tempfile::NamedTempFile;

use super::error::RemoteError;

const NAME: &str = "nats.toml";
const COMMENT: &str = "# What this tournament is called on the NATS server, for --resume.\n";

#[derive(Deserialize)]
struct IdentityFile {
    id: String,
}

/// The name of the tournament in this folder; makes one if there is none.
pub(super) fn of(folder: &Path, name: &str) -> Result<TournamentId, RemoteError> {
    if let Some(id) = noted(folder)? {
        return Ok(id);
    }
    // The keys of hash tables are a source of randomness.
    let id = TournamentId::of(name, RandomState::new().hash_one(std::process::id()));
    let path = folder.join(NAME);
    let write = || -> io::Result<()> {
        // Atomically: without it, --resume does not find the tournament on the server.
        let mut file = NamedTempFile::new_in(folder)?;
        writeln!(file, "{COMMENT}id = \"{id}\"")?;
        file.as_file()
            .set_permissions(Permissions::from_mode(0o644))?;
        file.persist(&path)?;
        Ok(())
    };
    write().map_err(|error| wrong(&path, error))?;
    Ok(id)
}

/// The name of the tournament in this folder, if it has one.
pub(super) fn noted(folder: &Path) -> Result<Option<TournamentId>, RemoteError> {
    let path = folder.join(NAME);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(&path, error)),
    };
    let file: IdentityFile =
        toml::from_str(&text).map_err(|error| wrong(&path, error.message()))?;
    file.id
        .parse()
        .map(Some)
        .map_err(|error| wrong(&path, error))
}

fn wrong(path: &Path, reason: impl ToString) -> RemoteError {
    RemoteError::Identity {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tournament_keeps_its_name_and_no_two_have_the_same() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [one, two] = folders
            .each_ref()
            .map(|folder| of(folder.path(), "An evening").unwrap());
        assert_ne!(one, two);
        assert!(one.to_string().starts_with("An-evening-"), "{one}");
        assert_eq!(of(folders[0].path(), "other").unwrap(), one);
        fs::write(folders[0].path().join(NAME), "id = \"a.b\"").unwrap();
        let error = noted(folders[0].path()).unwrap_err().to_string();
        assert!(
            error.contains("nats.toml") && error.contains("a.b"),
            "{error}"
        );
    }
}
