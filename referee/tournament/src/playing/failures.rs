//! Reports about matches that a bot lost by its own fault, a folder each: the messages, stderr, the
//! exit of the process, and a way to rerun the bot's side.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use bytesize::ByteSize;
use protocol::{Fault, LoggedMove, Player, Record, TimeControl};
use serde::Serialize;
use supervisor::{BotSpec, Evidence, file_name};

pub const FAILURES_NAME: &str = "failures";
/// The file that counts dropped reports.
const DROPPED_NAME: &str = "dropped.txt";

/// The failure reports of a tournament: the newest ones, within a limit of disk space.
#[derive(Debug)]
pub struct Failures {
    folder: PathBuf,
    /// Bytes on the disk, for all reports.
    most: u64,
    kept: Mutex<FailureFolders>,
}

#[derive(Debug, Default)]
struct FailureFolders {
    /// The folders with their sizes, oldest first.
    folders: VecDeque<(PathBuf, u64)>,
    /// Their total size.
    bytes: u64,
    /// Dropped reports, also by earlier runs of the referee.
    dropped: u64,
    /// True once the user was warned about that.
    warned: bool,
}

impl Failures {
    /// Opens the reports of the tournament in this folder.
    pub fn of(folder: &Path, most: u64) -> Self {
        let top = folder.join(FAILURES_NAME);
        let entries = fs::read_dir(&top).into_iter().flatten().flatten();
        let mut found: Vec<_> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| {
                let written = entry.metadata().and_then(|meta| meta.modified());
                (written.unwrap_or(SystemTime::UNIX_EPOCH), entry.path())
            })
            .collect();
        found.sort();
        let folders: VecDeque<_> = found
            .into_iter()
            .map(|(_, path)| {
                let bytes = taken(&path);
                (path, bytes)
            })
            .collect();
        let note = files::read(&top.join(DROPPED_NAME), 1 << 10).unwrap_or_default();
        let number = note.split_whitespace().next();
        Failures {
            folder: folder.to_owned(),
            most,
            kept: Mutex::new(FailureFolders {
                bytes: folders.iter().map(|(_, bytes)| bytes).sum(),
                folders,
                dropped: number.and_then(|n| n.parse().ok()).unwrap_or(0),
                warned: false,
            }),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a report, and drops the oldest ones to make room. A failed write is no reason to
    /// stop. Returns a message for the user, if there is one.
    pub(crate) fn add(&self, failure: FailureReport, evidence: Option<Evidence>) -> Option<String> {
        let path = self.folder.join(FAILURES_NAME).join(failure.name());
        failure.write(&path, evidence);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // A rerun of a match replaces its earlier report.
        if let Some(at) = kept.folders.iter().position(|(other, _)| *other == path)
            && let Some((_, bytes)) = kept.folders.remove(at)
        {
            kept.bytes -= bytes;
        }
        let bytes = taken(&path);
        kept.folders.push_back((path, bytes));
        kept.bytes += bytes;
        let mut dropped = false;
        while kept.bytes > self.most
            && let Some((path, bytes)) = kept.folders.pop_front()
        {
            kept.bytes -= bytes;
            kept.dropped += 1;
            dropped = true;
            if let Err(error) = fs::remove_dir_all(&path) {
                tracing::warn!("{} cannot be removed: {error}", path.display());
            }
        }
        if !dropped {
            return None;
        }
        let most = ByteSize(self.most);
        let note = format!(
            "{} folders about the oldest failures were dropped: `keep.failures` allows {most} in all. \
             The log has what each fault was.\n",
            kept.dropped
        );
        let path = self.folder.join(FAILURES_NAME).join(DROPPED_NAME);
        if let Err(error) = fs::write(&path, note) {
            tracing::warn!("{} cannot be written: {error}", path.display());
        }
        let warned = std::mem::replace(&mut kept.warned, true);
        (!warned).then(|| {
            format!(
                "the folder `{FAILURES_NAME}` has reached its {most} (`keep.failures`): from here on \
                 the oldest failures in it are dropped"
            )
        })
    }
}

/// The size of a folder on the disk, with everything in it.
fn taken(path: &Path) -> u64 {
    let blocks = |path: &Path| {
        path.symlink_metadata()
            .map_or(0, |meta| meta.blocks() * 512)
    };
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    blocks(path) + entries.map(|entry| blocks(&entry.path())).sum::<u64>()
}

/// A match that a bot lost by its own fault.
#[derive(Debug, Serialize)]
pub(crate) struct FailureReport {
    #[serde(rename = "match")]
    match_id: String,
    game: String,
    player: Player,
    fault: Fault,
    /// The meaning of the fault's code.
    meaning: &'static str,
    /// Used when nothing more specific is known.
    advice: Option<&'static str>,
    /// Exit status; null if the process was still running.
    exit: Option<String>,
    time: TimeControl,
    /// Its last moves with their times.
    last_moves: Vec<LoggedMove>,
    started: String,
    dir: PathBuf,
    /// Added to its environment.
    env: BTreeMap<String, String>,
    /// The command that reruns its side; null for a player that is not a process of ours.
    play_again: Option<String>,
}

const LAST_MOVES: usize = 10;

/// The name of the folder of a bot's failure in a match.
pub fn folder_name(match_id: &str, seat: usize, bot: &str) -> String {
    format!("{match_id}-seat{seat}-{}", file_name(bot))
}

impl FailureReport {
    /// The failure of a seat, if it had one.
    pub(crate) fn of(record: &Record, seat: usize, spec: &BotSpec, folder: &Path) -> Option<Self> {
        let mut faults = record.result.faults.iter();
        let fault = faults.find(|fault| fault.seat == seat && fault.code.is_fault())?;
        let mut last_moves: Vec<LoggedMove> = record.moves[record.opening as usize..]
            .iter()
            .rev()
            .filter(|played| played.seat == Some(seat) && !played.forced)
            .take(LAST_MOVES)
            .cloned()
            .collect();
        last_moves.reverse();
        Some(FailureReport {
            match_id: record.match_id.clone(),
            game: record.game.clone(),
            player: record.players[seat].clone(),
            meaning: fault.code.meaning(),
            advice: fault.advice(),
            fault: fault.clone(),
            exit: None,
            time: spec.time.clone(),
            last_moves,
            started: record.started.clone(),
            dir: spec.dir.clone(),
            env: spec.env.clone(),
            play_again: spec.ggp.is_none().then(|| {
                shell_words::join([
                    "referee",
                    "replay",
                    &folder.to_string_lossy(),
                    "--match",
                    &record.match_id,
                    "--bot",
                    &spec.name,
                    "--dir",
                    &spec.dir.to_string_lossy(),
                ])
            }),
        })
    }

    fn name(&self) -> String {
        folder_name(&self.match_id, self.fault.seat, &self.player.name)
    }

    fn write(mut self, folder: &Path, evidence: Option<Evidence>) {
        if let Err(error) = self.try_write(folder, evidence) {
            tracing::warn!("{}: {error}", folder.display());
        }
    }

    fn try_write(&mut self, folder: &Path, evidence: Option<Evidence>) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let lines = match evidence {
            Some(evidence) => {
                self.exit = evidence.exit.clone();
                if let Some(stderr) = &evidence.stderr {
                    fs::write(folder.join("stderr.txt"), stderr)?;
                }
                let file = File::create(folder.join("lines.jsonl"))?;
                evidence.write_lines(BufWriter::new(file))
            }
            // The bot was never started for this match.
            None => Ok(()),
        };
        let file = File::create(folder.join("failure.json"))?;
        serde_json::to_writer_pretty(BufWriter::new(file), self)?;
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(number: usize) -> FailureReport {
        let player = serde_json::json!({"name": "x", "role": "r", "command": ["sh"]});
        let fault = serde_json::json!({"seat": 0, "code": "crash", "ply": 1, "message": "m"});
        FailureReport {
            match_id: format!("m-{number:06}"),
            game: "siam".to_owned(),
            player: serde_json::from_value(player).unwrap(),
            fault: serde_json::from_value(fault).unwrap(),
            meaning: "",
            advice: None,
            exit: None,
            time: TimeControl::default(),
            last_moves: Vec::new(),
            started: String::new(),
            dir: PathBuf::from("/"),
            env: BTreeMap::new(),
            play_again: Some("x".repeat(100_000)),
        }
    }

    fn there(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder.join(FAILURES_NAME)).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_oldest_are_dropped_and_that_is_said_once() {
        let folder = tempfile::tempdir().unwrap();
        let failures = Failures::of(folder.path(), 350_000);
        let news: Vec<String> = (1..=6)
            .filter_map(|n| failures.add(failure(n), None))
            .collect();
        let [news] = &news[..] else {
            panic!("{news:?}")
        };
        assert!(news.contains("341.8 KiB (`keep.failures`)"), "{news}");
        let left = there(folder.path());
        assert_eq!(left.len(), 4, "three and a note: {left:?}");
        assert_eq!(left[1], "m-000004-seat0-x");
        let note = fs::read_to_string(folder.path().join("failures/dropped.txt")).unwrap();
        assert!(
            note.starts_with("3 folders about the oldest failures"),
            "{note}"
        );
        // The next run continues from there.
        let failures = Failures::of(folder.path(), 350_000);
        assert!(failures.add(failure(7), None).is_some());
        let note = fs::read_to_string(folder.path().join("failures/dropped.txt")).unwrap();
        assert!(note.starts_with("4 folders"), "{note}");
        assert!(!there(folder.path()).contains(&"m-000004-seat0-x".to_owned()));
    }

    #[test]
    fn nothing_is_kept_where_nothing_may_be() {
        let folder = tempfile::tempdir().unwrap();
        let failures = Failures::of(folder.path(), 0);
        assert!(failures.add(failure(1), None).is_some());
        assert_eq!(there(folder.path()), ["dropped.txt"]);
    }
}
