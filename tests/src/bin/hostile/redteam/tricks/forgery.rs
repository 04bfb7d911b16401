//! Forging the past and the future: the log, its copies, and the opponent's program.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::libc;

use crate::redteam::{Attempts, Later, Targets};

/// Longer files are left alone.
const MOST: u64 = 16 << 20;

/// Replaces a word by another one of the same length wherever the log, its copies and its
/// companions are writable: directly, and through descriptors of the referee and the supervisors.
pub(crate) fn log(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let words = (targets.text("true word"), targets.text("forged word"));
    for path in targets.paths("records") {
        forge_all(attempts, &path, &words);
    }
    for process in targets.processes() {
        let folder = format!("/proc/{}/fd", process.pid);
        let listed = fs::read_dir(&folder);
        let name = format!("list the files that the {} has open", process.role);
        attempts.io(&name, listed, &folder);
        // Also without a list of them.
        for fd in 0..64 {
            let path = PathBuf::from(format!("{folder}/{fd}"));
            let Ok(known) = path.metadata() else { continue };
            if known.is_file() {
                let name = format!("forge a file that the {} has open", process.role);
                forge(attempts, &name, &path, &words);
            }
        }
    }
    // A second time, when the referee had time to put things right.
    let records = targets.paths("records");
    Some(Box::new(move |attempts| {
        for path in &records {
            forge_all(attempts, path, &words);
        }
    }))
}

fn forge_all(attempts: &mut Attempts, path: &Path, words: &(String, String)) {
    if !path.is_dir() {
        return forge(attempts, "forge a record", path, words);
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten().take(100) {
        forge_all(attempts, &entry.path(), words);
    }
}

fn forge(attempts: &mut Attempts, name: &str, path: &Path, (word, forged): &(String, String)) {
    let open = File::options()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path);
    let write = || {
        let mut file = open?;
        let mut bytes = Vec::new();
        io::Read::by_ref(&mut file)
            .take(MOST)
            .read_to_end(&mut bytes)?;
        let places: Vec<usize> = (0..bytes.len())
            .filter(|place| bytes[*place..].starts_with(word.as_bytes()))
            .collect();
        for place in &places {
            file.seek(SeekFrom::Start(*place as u64))?;
            file.write_all(forged.as_bytes())?;
        }
        Ok(places.len())
    };
    attempts.io(name, write(), &path.display().to_string());
}

/// Appends a harmless line to the opponent's script.
pub(crate) fn opponents_script(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let script = targets.path("script");
    let append = || {
        let mut file = File::options().append(true).open(&script)?;
        file.write_all(b"# replaced\n")
    };
    attempts.io(
        "append to the script",
        append(),
        &script.display().to_string(),
    );
    let copy = script.with_extension("new");
    let replace = || {
        let mut text = fs::read(&script)?;
        text.extend(b"# replaced\n");
        fs::write(&copy, text)?;
        fs::set_permissions(&copy, script.metadata()?.permissions())?;
        fs::rename(&copy, &script)
    };
    let replaced = replace();
    let _ = fs::remove_file(&copy);
    attempts.io(
        "replace the script",
        replaced,
        &script.display().to_string(),
    );
    None
}
