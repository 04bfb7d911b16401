//! Writes the folder of merged logs.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use config::Config;
use log::{LogFile, WriteError};

use crate::admission;
use crate::folder::Folder;
use crate::merge::error::MergeError;
use crate::merge::found::Found;
use crate::merge::part::Part;
use crate::playing::failures::FAILURES_NAME;

/// Matches a write.
const BATCH: usize = 256;

/// Writes everything to an empty folder. Its log is locked until the returned folder is dropped.
///
/// # Errors
/// If a part cannot be read any more, or something cannot be written.
pub(super) fn write(
    parts: &[Part],
    found: &HashMap<String, Found>,
    config: &Config,
    out: &Path,
) -> Result<Folder, MergeError> {
    let first = &parts[0];
    let mut folder = Folder::create(out, &first.text, None, config.deals())?;
    folder.adopt(first.version, &first.earlier)?;
    folder.note_origin(config)?;
    folder.keep_sheets(config.rules.sheets())?;
    admission::copy_notes(&first.path, out)?;
    for (at, part) in parts.iter().enumerate() {
        let mut batch = Vec::new();
        for record in LogFile::open(&part.log())? {
            let record = record?;
            let is_taken = found.get(&record.match_id).is_some_and(|it| it.part == at);
            if is_taken {
                batch.push(record);
            }
            if batch.len() == BATCH {
                folder.log.append(&batch)?;
                batch.clear();
            }
        }
        folder.log.append(&batch)?;
        copy_failures(&part.path, out)?;
    }
    folder.log.finish()?;
    Ok(folder)
}

/// Copies the folders about matches that bots lost by a fault.
fn copy_failures(from: &Path, out: &Path) -> Result<(), WriteError> {
    let copy = |from: &Path, to: &Path| -> io::Result<()> {
        for failure in fs::read_dir(from)? {
            let failure = failure?;
            let to = to.join(failure.file_name());
            fs::create_dir_all(&to)?;
            for file in fs::read_dir(failure.path())? {
                let file = file?;
                fs::copy(file.path(), to.join(file.file_name()))?;
            }
        }
        Ok(())
    };
    let (from, to) = (from.join(FAILURES_NAME), out.join(FAILURES_NAME));
    if !from.is_dir() {
        return Ok(());
    }
    copy(&from, &to).map_err(|error| WriteError::io(&to, error))
}
