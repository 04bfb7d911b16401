//! The backup of a log that bots without a sandbox could write to: the hashes of its lines, in this
//! process's memory, and an anonymous copy. The hashes verify the copy: a line that was changed in
//! the copy, too, is lost, but never put into the log.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::chain::{self, LineHash};

/// The hashes to compare a log with: 32 bytes per line.
#[derive(Debug)]
pub(super) struct Backup {
    /// Folder for copies.
    folder: PathBuf,
    copy: File,
    /// Of each line that is not empty.
    hashes: Vec<LineHash>,
    /// When the log itself was last changed, as far as this program knows: seconds, nanoseconds.
    changed: (i64, i64),
}

/// The outcome of restoring a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Restored {
    /// The bytes of the log now.
    pub(super) whole: u64,
    /// The number of lines.
    pub(super) lines: usize,
    /// Lines, from 1, of which no intact copy is left.
    pub(super) lost: Vec<usize>,
}

/// Place of a line: which of the two files, first byte, last byte.
type Place = (usize, u64, usize);

impl Backup {
    /// Of a log whose first `whole` bytes are whole lines.
    pub(super) fn new(folder: &Path, log: &File, whole: u64) -> io::Result<Self> {
        let mut backup = Backup {
            folder: folder.to_owned(),
            copy: tempfile::tempfile_in(folder)?,
            hashes: Vec::new(),
            changed: changed(&log.metadata()?),
        };
        let mut copy = BufWriter::new(&backup.copy);
        each_line(log, |line, at| {
            if at < whole {
                backup.hashes.push(LineHash::of(line));
                copy.write_all(line)?;
            }
            Ok(())
        })?;
        copy.flush()?;
        drop(copy);
        Ok(backup)
    }

    /// True if the log seems unchanged since the last [`Backup::note`].
    pub(super) fn seems_whole(&self, log: &Metadata, whole: u64) -> bool {
        log.len() == whole && changed(log) == self.changed
    }

    /// Takes in lines that were appended to the log.
    pub(super) fn note(
        &mut self,
        lines: &[u8],
        hashes: &[LineHash],
        log: &Metadata,
    ) -> io::Result<()> {
        self.copy.seek(SeekFrom::End(0))?;
        self.copy.write_all(lines)?;
        self.hashes.extend(hashes);
        self.changed = changed(log);
        Ok(())
    }

    /// True if the log has exactly the lines that were written.
    pub(super) fn holds(&self, log: &File) -> io::Result<bool> {
        let mut expected = self.hashes.iter();
        let mut same = true;
        each_line(log, |line, _| {
            same &= line.ends_with(b"\n") && expected.next() == Some(&LineHash::of(line));
            Ok(())
        })?;
        Ok(same && expected.next().is_none())
    }

    /// Rewrites the log, of all lines that either file still has as they were written. Where one
    /// is lost, the chain of the others is closed, so that the log can be read and resumed.
    pub(super) fn restore(&mut self, log: &mut File) -> io::Result<Restored> {
        let files = [self.copy.try_clone()?, log.try_clone()?];
        let places = self.places(&files)?;
        // The folder may be gone.
        let fresh = tempfile::tempfile_in(&self.folder);
        let mut fresh = fresh.or_else(|_| tempfile::tempfile())?;
        let mut done = Restored::default();
        let mut hashes = Vec::with_capacity(self.hashes.len());
        let mut out = BufWriter::new(&mut fresh);
        for (at, hash) in self.hashes.iter().enumerate() {
            let mut line = match places[hash] {
                Some(place) => read(&files, place)?,
                None => Vec::new(),
            };
            // Read again, as it may have changed again.
            if line.is_empty() || LineHash::of(&line) != *hash {
                done.lost.push(at + 1);
                continue;
            }
            if !done.lost.is_empty() {
                chain::relink(&mut line, hashes.last().copied().unwrap_or(LineHash::NONE));
            }
            hashes.push(LineHash::of(&line));
            out.write_all(&line)?;
        }
        out.flush()?;
        drop(out);
        self.hashes = hashes;
        self.copy = fresh;
        log.set_len(0)?;
        // Others might reach the new copy as they reached the old one: what is written is checked.
        let mut written = Vec::new();
        let mut out = BufWriter::new(&mut *log);
        each_line(&self.copy, |line, _| {
            let hash = LineHash::of(line);
            if self.hashes.get(written.len()) == Some(&hash) {
                out.write_all(line)?;
                written.push(hash);
                done.whole += line.len() as u64;
            }
            Ok(())
        })?;
        out.flush()?;
        drop(out);
        done.lost.extend(written.len() + 1..=self.hashes.len());
        self.hashes = written;
        done.lines = self.hashes.len();
        self.changed = changed(&log.metadata()?);
        Ok(done)
    }

    /// Places of lines that can still be read as they were written.
    fn places(&self, files: &[File; 2]) -> io::Result<HashMap<LineHash, Option<Place>>> {
        let mut places: HashMap<LineHash, Option<Place>> =
            self.hashes.iter().map(|hash| (*hash, None)).collect();
        for (which, file) in files.iter().enumerate() {
            each_line(file, |line, at| {
                if line.ends_with(b"\n")
                    && let Some(place @ None) = places.get_mut(&LineHash::of(line))
                {
                    *place = Some((which, at, line.len()));
                }
                Ok(())
            })?;
        }
        Ok(places)
    }

    /// Another handle of the copy.
    #[cfg(test)]
    pub(super) fn copy(&self) -> io::Result<File> {
        self.copy.try_clone()
    }

    /// The hash of the last line.
    pub(super) fn last(&self) -> Option<LineHash> {
        self.hashes.last().copied()
    }
}

fn read(files: &[File; 2], (which, at, length): Place) -> io::Result<Vec<u8>> {
    let mut line = vec![0; length];
    match files[which].read_exact_at(&mut line, at) {
        Ok(()) => Ok(line),
        // It was just cut off.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Reads a file from its first byte on, line by line, with the place where each begins; empty lines are
/// left out.
pub(super) fn each_line(
    mut file: &File,
    mut take: impl FnMut(&[u8], u64) -> io::Result<()>,
) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (mut line, mut at) = (Vec::new(), 0);
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        if !line.trim_ascii().is_empty() {
            take(&line, at)?;
        }
        at += read as u64;
    }
}

/// When a file was last changed, by the clock that no program can set back.
fn changed(file: &Metadata) -> (i64, i64) {
    (file.ctime(), file.ctime_nsec())
}
