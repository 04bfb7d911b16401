//! Analyses of matches by `referee analyse --each-ply --out`: copies of the matches' lines, in the log
//! itself, in the folder `analysis` beside it, or beside the log of a tournament.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use memchr::memmem;
use protocol::Record;

use crate::state::site::Site;

/// The folder of analyses, beside a log.
pub(crate) const ANALYSIS_NAME: &str = "analysis";
/// The extension of analyses.
const EXTENSION: &str = "jsonl";
/// The newest files are read, at most this many.
const MOST_FILES: usize = 1000;
/// Larger files are no analyses.
const MOST_BYTES: u64 = 64 << 20;

/// Adds stored analyses to a match.
pub(crate) fn add(site: &Site, log: u16, record: &mut Record) {
    if has_analysis(record) {
        return;
    }
    let mut files = files_beside(&site.logs[usize::from(log)]);
    // Another log on this site may have analyses, too.
    files.extend(
        site.logs
            .iter()
            .filter(|other| **other != site.logs[usize::from(log)])
            .cloned(),
    );
    for file in files {
        if let Some(copy) = find(&file, record) {
            for (played, analysed) in record.moves.iter_mut().zip(copy.moves) {
                played.analysis = analysed.analysis;
            }
            return;
        }
    }
}

fn has_analysis(record: &Record) -> bool {
    record
        .moves
        .iter()
        .any(|played| !played.analysis.is_empty())
}

/// Files that may hold analyses of matches of a log, the newest first.
fn files_beside(log: &Path) -> Vec<PathBuf> {
    let folder = log.parent().unwrap_or(Path::new("."));
    let mut folders = vec![folder.join(ANALYSIS_NAME)];
    if log.file_name() == Some(log::LOG_NAME.as_ref()) {
        folders.push(folder.to_owned());
    }
    let entries = folders.iter().flat_map(fs::read_dir).flatten().flatten();
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let (path, meta) = (entry.path(), entry.metadata().ok()?);
            let is_one = meta.is_file() && meta.len() <= MOST_BYTES && path != log;
            let is_one = is_one && path.extension() == Some(EXTENSION.as_ref());
            is_one.then(|| (std::cmp::Reverse(meta.modified().ok()), path))
        })
        .collect();
    files.sort();
    files.truncate(MOST_FILES);
    files.into_iter().map(|(_, path)| path).collect()
}

fn find(path: &Path, record: &Record) -> Option<Record> {
    let id = serde_json::to_string(&record.match_id).ok()?;
    let named = format!("\"match\":{id}");
    let mut lines = BufReader::new(File::open(path).ok()?);
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let may_be = memmem::find(&line, named.as_bytes()).is_some()
            && memmem::find(&line, b"\"analysis\":").is_some();
        if may_be
            && let Ok(copy) = serde_json::from_slice::<Record>(&line)
            && is_copy(&copy, record)
        {
            return Some(copy);
        }
    }
}

/// True if it is the same match, with an analysis.
fn is_copy(copy: &Record, record: &Record) -> bool {
    let plies = || copy.moves.iter().zip(&record.moves);
    copy.match_id == record.match_id
        && (&copy.game, copy.seed, &copy.started) == (&record.game, record.seed, &record.started)
        && copy.moves.len() == record.moves.len()
        && plies().all(|(one, other)| (one.seat, &one.mv) == (other.seat, &other.mv))
        && has_analysis(copy)
}
