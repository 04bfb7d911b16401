//! The file of a checkpoint. A new one replaces the old one only when it is complete.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write as _};
use std::path::Path;

use solver::CheckpointError;

use crate::cli::CliError;

/// Refuses to overwrite a file with a checkpoint: it may be the work of days.
pub(super) fn must_be_new(path: &Path) -> Result<(), CliError> {
    let about = match path.symlink_metadata() {
        Ok(_) => path.metadata(),
        Err(_) => return Ok(()),
    };
    let why = match about {
        Ok(about) if about.is_file() && about.len() == 0 => return Ok(()),
        Ok(about) if about.is_file() => {
            "is there already, and nothing was changed: go on from it with --resume, or choose another file"
        }
        _ => "is there, and no regular file: choose another one",
    };
    Err(CliError::Usage(format!(
        "--checkpoint: `{}` {why}",
        path.display()
    )))
}

/// Reads a checkpoint with this function.
pub(super) fn read(
    path: &Path,
    restore: impl FnOnce(BufReader<File>) -> Result<(), CheckpointError>,
) -> Result<(), CliError> {
    let opened = File::open(path).map_err(CheckpointError::Io);
    let read = opened.and_then(|file| restore(BufReader::with_capacity(1 << 20, file)));
    read.map_err(|error| {
        CliError::Usage(format!(
            "--resume: `{}` cannot be used: {error}",
            path.display()
        ))
    })
}

/// Writes a checkpoint with this function.
pub(super) fn write(
    path: &Path,
    save: impl FnOnce(&mut BufWriter<File>) -> Result<(), CheckpointError>,
) -> Result<(), CliError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    let part = Path::new(&name);
    let written = || -> Result<(), CheckpointError> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(part)?);
        save(&mut out)?;
        out.flush()?;
        out.get_ref().sync_all()?;
        Ok(fs::rename(part, path)?)
    };
    written().map_err(|error| {
        let message = format!(
            "--checkpoint: `{}` cannot be written: {error}",
            path.display()
        );
        CliError::Io(std::io::Error::other(message))
    })
}
