//! Notes about bots in a tournament's folder.

use std::io::{
    self,
    ErrorKind::{NotADirectory, NotFound},
};
use std::path::Path;

use files::output;
use files::{self, MOST_TEXT};
use log::WriteError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::admission::error::AdmissionError;

/// Writes a note below a comment, in place of an earlier one. An empty note is written only to
/// replace one.
pub(super) fn write_note(
    folder: &Path,
    name: &str,
    is_empty: bool,
    comment: &str,
    note: &impl Serialize,
) -> Result<(), WriteError> {
    let path = folder.join(name);
    if is_empty && path.symlink_metadata().is_err() {
        return Ok(());
    }
    let text = toml::to_string(note).map_err(io::Error::other);
    let written = text.and_then(|text| output::keep(&path, &format!("{comment}{text}")));
    written.map_err(|error| WriteError::io(&path, error))
}

/// Reads a note of this name; `None` if there is none.
pub(super) fn read_note<T: DeserializeOwned>(
    folder: &Path,
    name: &str,
) -> Result<Option<T>, AdmissionError> {
    let path = folder.join(name);
    let unreadable = |why: String| AdmissionError::Unreadable {
        path: path.clone(),
        why,
    };
    let text = match files::read(&path, MOST_TEXT) {
        Ok(text) => text,
        Err(error) if [NotFound, NotADirectory].contains(&error.kind()) => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    toml::from_str(&text).map_err(|error| unreadable(error.message().to_owned()))
}
