//! The bots' stderr, if it was kept beside the log.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use protocol::{Fault, Record, shown_lines};
use supervisor::{INDEX_EXTENSION, file_name};
use tournament::folder::STDERR_NAME;
use tournament::playing::failures::{FAILURES_NAME, folder_name};

use crate::state::site::Site;

/// Bytes before a fault that are sent.
const MOST: usize = 20_000;
/// Bytes of a turn that are sent.
const MOST_IN_TURN: u64 = 4 << 10;
/// Bytes of an index that are read.
const MOST_INDEX: u64 = 16 << 20;

fn folder_of<'s>(site: &'s Site, id: &str) -> Option<&'s Path> {
    let (log, _) = site.split_id(id);
    site.logs.get(usize::from(log))?.parent()
}

/// A bot's last lines before its fault, if they were kept.
pub(crate) fn printed_before(
    site: &Site,
    id: &str,
    record: &Record,
    fault: &Fault,
) -> Option<String> {
    let name = &record.players.get(fault.seat)?.name;
    let folder = folder_of(site, id)?.join(FAILURES_NAME);
    let folder = folder.join(folder_name(&record.match_id, fault.seat, name));
    text(&fs::read(folder.join("stderr.txt")).ok()?)
}

/// The output of a match's bots by turn.
#[derive(Debug, Default)]
pub(crate) struct PrintedByTurns {
    /// By seat and the ply of the turn.
    texts: BTreeMap<(usize, usize), String>,
}

/// A part of a file that was printed during a turn of the match.
struct Part {
    seat: usize,
    ply: usize,
    from: u64,
    /// `None` for the end of the file.
    to: Option<u64>,
}

impl PrintedByTurns {
    pub(crate) fn of(site: &Site, id: &str, record: &Record) -> Self {
        let mut printed = PrintedByTurns::default();
        let Some(folder) = folder_of(site, id) else {
            return printed;
        };
        let mut names: Vec<String> = record.players.iter().map(|p| file_name(&p.name)).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            for path in indexes(&folder.join(STDERR_NAME), &name) {
                printed.add(&path, record, &name);
            }
        }
        printed
    }

    /// The output of a seat in the turn whose move is at this index.
    pub(crate) fn before(&self, seat: usize, at: usize) -> Option<String> {
        // A turn of several seats at once begins before the others' moves.
        let turns = self.texts.range((seat, 0)..=(seat, at));
        let (&(_, ply), text) = turns.last()?;
        (at - ply <= 1).then(|| text.clone())
    }

    /// Adds the output of a process.
    fn add(&mut self, index: &Path, record: &Record, name: &str) {
        let Some(parts) = parts(index, &record.match_id) else {
            return;
        };
        let is_its = |part: &Part| {
            let player = record.players.get(part.seat);
            player.is_some_and(|player| file_name(&player.name) == name)
        };
        let parts: Vec<Part> = parts.into_iter().filter(is_its).collect();
        // An aborted match was replayed by a later process.
        self.texts
            .retain(|(seat, _), _| parts.iter().all(|part| part.seat != *seat));
        let Ok(mut file) = File::open(index.with_extension("log")) else {
            return;
        };
        for part in parts {
            if let Some(text) = read(&mut file, &part).as_deref().and_then(text) {
                self.texts.insert((part.seat, part.ply), text);
            }
        }
    }
}

/// The indexes of the processes of bots with this name, the oldest first.
fn indexes(folder: &Path, name: &str) -> Vec<PathBuf> {
    let number = |path: &Path| -> Option<u64> {
        let file = path.file_name()?.to_str()?;
        let rest = file.strip_prefix(name)?.strip_prefix('.')?;
        rest.strip_suffix(INDEX_EXTENSION)?
            .strip_suffix('.')?
            .parse()
            .ok()
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut paths: Vec<(u64, PathBuf)> = paths
        .filter_map(|path| Some((number(&path)?, path)))
        .collect();
    paths.sort_unstable();
    paths.into_iter().map(|(_, path)| path).collect()
}

/// The parts of a process's file that were printed in this match; `None` if there are none.
fn parts(index: &Path, match_id: &str) -> Option<Vec<Part>> {
    let mut text = String::new();
    let file = File::open(index).ok()?;
    file.take(MOST_INDEX).read_to_string(&mut text).ok()?;
    let mut parts: Vec<Part> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let mut words = line.split(' ');
        let from: u64 = words.next()?.parse().ok()?;
        if let Some(last) = parts.last_mut().filter(|_| is_open) {
            last.to = Some(from);
        }
        is_open = words.next()? == match_id;
        if is_open {
            parts.push(Part {
                seat: words.next()?.parse().ok()?,
                ply: words.next()?.parse().ok()?,
                from,
                to: None,
            });
        }
    }
    (!parts.is_empty()).then_some(parts)
}

/// The end of a part.
fn read(file: &mut File, part: &Part) -> Option<Vec<u8>> {
    let to = match part.to {
        Some(to) => to,
        None => file.metadata().ok()?.len(),
    };
    let from = part.from.max(to.saturating_sub(MOST_IN_TURN));
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    let length = to.checked_sub(from)?;
    file.take(length).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The end of the output, escaped; `None` if it is blank.
fn text(bytes: &[u8]) -> Option<String> {
    let end = &bytes[bytes.len().saturating_sub(MOST)..];
    let text = shown_lines(String::from_utf8_lossy(end).trim_end());
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_where_the_next_turn_begins_whatever_it_belongs_to() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("a.1.turns");
        let lines = "0 m-000001 0 0\n5 m-000001 0 2\n9 m-000002 1 1\n20 m-000001 1 3\n";
        fs::write(&index, lines).unwrap();
        let found = parts(&index, "m-000001").unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|p| (p.seat, p.ply, p.from, p.to))
            .collect();
        assert_eq!(
            found,
            [(0, 0, 0, Some(5)), (0, 2, 5, Some(9)), (1, 3, 20, None)]
        );
        assert!(parts(&index, "m-000003").is_none());
        fs::write(&index, "0 m-000001 0 0\nrubbish").unwrap();
        assert!(parts(&index, "m-000001").is_none());
    }

    #[test]
    fn indexes_are_those_of_the_bot_in_the_order_of_its_processes() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "a.10.turns",
            "a.9.turns",
            "a.9.log",
            "ab.1.turns",
            "a.x.turns",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = indexes(folder.path(), "a");
        let names = found
            .iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap());
        assert_eq!(names.collect::<Vec<_>>(), ["a.9.turns", "a.10.turns"]);
    }
}
