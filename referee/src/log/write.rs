//! Writing the log: one match a line, whole lines a write, so that a crash cuts at most the last
//! line. Whoever writes holds a lock, and looks after each line whether the file is still the one that
//! its path means.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use protocol::Record;
use thiserror::Error;

use super::CutLine;

/// How often matches are handed on to the disk, at most.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// How long to wait for a lock: a referee that was killed a moment ago may still hold it.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// A log that cannot be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The operating system says no.
    #[error("`{}` cannot be written: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// Another referee has it open.
    #[error("another referee is writing to `{}`, and only one may", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The path does not mean the open file any more.
    #[error("`{}` was removed or replaced by another program", path.display())]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// Its length is not what this program made it.
    #[error(
        "`{}` was changed by another program: it has {found} bytes instead of {expected}",
        path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// What was written.
        expected: u64,
        /// What is there.
        found: u64,
    },
}

impl WriteError {
    /// An error of the operating system about a file.
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        WriteError::Io {
            path: path.to_owned(),
            error,
        }
    }
}

/// An open log that nobody else writes to.
#[derive(Debug)]
pub struct LogWriter {
    path: PathBuf,
    file: File,
    /// The bytes of its whole lines.
    whole: u64,
    /// Terminals, pipes and the like can neither be locked nor looked at.
    regular: bool,
    synced: Instant,
    /// What the file is compared with, if it is guarded.
    shadow: Option<Shadow>,
    /// It was put back since somebody asked.
    mended: bool,
}

/// A copy of the log that no path leads to.
#[derive(Debug)]
struct Shadow {
    file: File,
    /// When the log itself was last changed, as far as this program knows: seconds, nanoseconds.
    changed: (i64, i64),
}

impl LogWriter {
    /// Starts a new log; the file must not be there yet.
    ///
    /// # Errors
    /// If the file is there or cannot be made.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        Self::open(path, OpenOptions::new().create_new(true))
    }

    /// Goes on with a log that is there.
    ///
    /// # Errors
    /// If the file cannot be opened, or somebody else writes to it.
    pub fn go_on(path: &Path) -> Result<Self, WriteError> {
        Self::open(path, &mut OpenOptions::new())
    }

    /// Appends to a log, which is made if it is not there.
    ///
    /// # Errors
    /// If the file cannot be opened, or somebody else writes to it.
    pub fn append_to(path: &Path) -> Result<Self, WriteError> {
        Self::open(path, OpenOptions::new().create(true))
    }

    fn open(path: &Path, options: &mut OpenOptions) -> Result<Self, WriteError> {
        let io = |error| WriteError::io(path, error);
        let file = options.read(true).append(true).open(path).map_err(io)?;
        let regular = file.metadata().map_err(io)?.is_file();
        if regular {
            lock(path, &file)?;
        }
        Ok(LogWriter {
            path: path.to_owned(),
            // Asked for under the lock: before, somebody else might have made it longer.
            whole: file.metadata().map_err(io)?.len(),
            file,
            regular,
            synced: Instant::now(),
            shadow: None,
            mended: false,
        })
    }

    /// From here on the log is put back as it was when another program changes it: bots without
    /// a sandbox can do whatever this user can.
    ///
    /// # Errors
    /// If there is no room for a copy.
    pub fn guard(&mut self) -> Result<(), WriteError> {
        if !self.regular {
            return Ok(());
        }
        let io = |error| WriteError::io(&self.path, error);
        let folder = self.path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new("."));
        let mut file = tempfile::tempfile_in(folder).map_err(io)?;
        self.copy_to(&mut file).map_err(io)?;
        let changed = changed(&self.file.metadata().map_err(io)?);
        self.shadow = Some(Shadow { file, changed });
        Ok(())
    }

    /// Whether the log was put back since this was last asked.
    pub fn take_mended(&mut self) -> bool {
        std::mem::take(&mut self.mended)
    }

    /// Puts the log back if its length or the time of its last change is not what it should be.
    fn mend_if_changed(&mut self) -> Result<(), WriteError> {
        let Some(shadow) = &self.shadow else {
            return Ok(());
        };
        let there = self.file.metadata();
        let there = there.map_err(|error| WriteError::io(&self.path, error))?;
        match there.len() == self.whole && changed(&there) == shadow.changed {
            true => Ok(()),
            false => self.mend(),
        }
    }

    fn mend(&mut self) -> Result<(), WriteError> {
        let Some(shadow) = &mut self.shadow else {
            return Ok(());
        };
        let put_back = |log: &mut File, shadow: &mut Shadow| {
            log.set_len(0)?;
            shadow.file.seek(SeekFrom::Start(0))?;
            io::copy(&mut shadow.file, log)?;
            shadow.changed = changed(&log.metadata()?);
            io::Result::Ok(())
        };
        self.mended = true;
        put_back(&mut self.file, shadow).map_err(|error| WriteError::io(&self.path, error))
    }

    /// Compares all of the log with what was written, puts it back if need be, and waits until
    /// all is on the disk.
    ///
    /// # Errors
    /// As for [`LogWriter::sync`].
    pub fn finish(&mut self) -> Result<(), WriteError> {
        if let Some(shadow) = &mut self.shadow {
            let compared = same_contents(&mut self.file, &mut shadow.file);
            if !compared.map_err(|error| WriteError::io(&self.path, error))? {
                self.mend()?;
            }
        }
        self.sync()
    }

    /// Whether nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.whole == 0
    }

    /// Removes a last line that was cut off, so that new matches can follow.
    ///
    /// # Errors
    /// If the log cannot be written.
    pub fn drop_cut(&mut self, cut: &CutLine) -> Result<(), WriteError> {
        let whole = self.whole.saturating_sub(cut.bytes as u64);
        self.done(|file| file.set_len(whole))?;
        self.whole = whole;
        Ok(())
    }

    /// Appends matches. When this returns, the operating system has all of their lines; if they
    /// cannot all be written, the log ends with the last match that could.
    ///
    /// # Errors
    /// If they cannot be written, or the file is not the log any more.
    pub fn append<'a>(
        &mut self,
        records: impl IntoIterator<Item = &'a Record>,
    ) -> Result<(), WriteError> {
        let mut lines = Vec::new();
        for record in records {
            record.write_line(&mut lines);
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.mend_if_changed()?;
        if let Err(error) = self.file.write_all(&lines) {
            let there = self.file.metadata().map_or(0, |there| there.len());
            self.whole += whole_lines(&lines, there.saturating_sub(self.whole));
            // If this fails, too, a line is cut off, and whoever reads the log drops it.
            let _ = self.file.set_len(self.whole);
            return Err(WriteError::io(&self.path, error));
        }
        self.whole += lines.len() as u64;
        if let Some(shadow) = &mut self.shadow {
            let io = |error| WriteError::io(&self.path, error);
            shadow.file.write_all(&lines).map_err(io)?;
            let there = self.file.metadata().map_err(io)?;
            shadow.changed = changed(&there);
            if there.len() != self.whole {
                self.mend()?;
            }
        }
        self.check_place()?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Waits until all is on the disk.
    ///
    /// # Errors
    /// If the disk does not take it, or the file is not the log any more.
    pub fn sync(&mut self) -> Result<(), WriteError> {
        if self.regular {
            self.done(|file| file.sync_data())?;
            self.synced = Instant::now();
        }
        self.check_place()
    }

    /// Whether the path still means this file, and nobody else wrote to it.
    fn check_place(&self) -> Result<(), WriteError> {
        if !self.regular {
            return Ok(());
        }
        let open = self.file.metadata();
        let open = open.map_err(|error| WriteError::io(&self.path, error))?;
        let same = |there: &Metadata| (there.dev(), there.ino()) == (open.dev(), open.ino());
        match fs::metadata(&self.path) {
            Ok(there) if same(&there) && there.len() == self.whole => Ok(()),
            Ok(there) if same(&there) => Err(WriteError::Changed {
                path: self.path.clone(),
                expected: self.whole,
                found: there.len(),
            }),
            Err(error) if !absent(&error) => Err(WriteError::io(&self.path, error)),
            _ => Err(WriteError::Gone {
                path: self.path.clone(),
            }),
        }
    }

    /// Where the open file is, if its path does not mean it any more but another one does; `None`
    /// if there is none, or this machine does not tell.
    pub fn moved_to(&self) -> Option<PathBuf> {
        let open = self.file.metadata().ok()?;
        let path = fs::read_link(format!("/proc/self/fd/{}", self.file.as_raw_fd())).ok()?;
        let there = fs::metadata(&path).ok()?;
        ((there.dev(), there.ino()) == (open.dev(), open.ino())).then_some(path)
    }

    /// Copies all of the log, which works also when its path is gone.
    ///
    /// # Errors
    /// If reading or writing fails.
    pub fn copy_to(&self, to: &mut impl Write) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        io::copy(&mut file.take(self.whole), to).map(|_| ())
    }

    fn done(&mut self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), WriteError> {
        write(&mut self.file).map_err(|error| WriteError::io(&self.path, error))
    }
}

/// How many bytes are whole lines, where so many were written.
fn whole_lines(lines: &[u8], written: u64) -> u64 {
    let written = usize::try_from(written).unwrap_or(usize::MAX);
    let there = &lines[..written.min(lines.len())];
    let end = there.iter().rposition(|byte| *byte == b'\n');
    end.map_or(0, |end| end as u64 + 1)
}

/// When a file was last changed, by the clock that no program can set back.
fn changed(file: &Metadata) -> (i64, i64) {
    (file.ctime(), file.ctime_nsec())
}

fn same_contents(one: &mut File, other: &mut File) -> io::Result<bool> {
    let length = one.metadata()?.len();
    if length != other.metadata()?.len() {
        return Ok(false);
    }
    one.seek(SeekFrom::Start(0))?;
    other.seek(SeekFrom::Start(0))?;
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let most = left.len().min(right.len());
        if left[..most] != right[..most] {
            return Ok(false);
        }
        if most == 0 {
            return Ok(true);
        }
        one.consume(most);
        other.consume(most);
    }
}

/// Whether nothing is there.
fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Takes the lock, which the operating system takes back when the process ends, however it does.
fn lock(path: &Path, file: &File) -> Result<(), WriteError> {
    let end = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => {
                let path = path.to_owned();
                return Err(WriteError::Busy { path });
            }
            Err(TryLockError::Error(error)) => {
                // Some network file systems have no locks; a tournament is better than none.
                tracing::warn!("`{}` cannot be locked: {error}", path.display());
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(id: &str) -> Record {
        serde_json::from_value(json!({
            "format": 1, "match": id, "game": "amazons", "options": {}, "seed": 1,
            "start": {}, "players": [], "time": {"startup_ms": 1, "margin_ms": 1},
            "limits": {"max_plies": null, "repetition": null}, "opening": 0, "moves": [],
            "result": {"scores": [], "outcome": [], "reason": "x", "faults": []},
            "started": "", "duration_ms": 1, "referee": ""
        }))
        .unwrap()
    }

    fn started() -> (tempfile::TempDir, PathBuf, LogWriter) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.jsonl");
        let mut log = LogWriter::create(&path).unwrap();
        log.append([&record("m-1")]).unwrap();
        (folder, path, log)
    }

    #[test]
    fn only_one_writes() {
        let (_folder, path, log) = started();
        let second = LogWriter::go_on(&path);
        assert!(matches!(second, Err(WriteError::Busy { .. })));
        assert!(matches!(
            LogWriter::append_to(&path),
            Err(WriteError::Busy { .. })
        ));
        drop(log);
        LogWriter::go_on(&path).unwrap();
    }

    #[test]
    fn whole_lines_of_a_write_that_failed_stay() {
        for (written, kept) in [
            (0, 0),
            (2, 0),
            (3, 3),
            (5, 3),
            (6, 6),
            (7, 6),
            (u64::MAX, 6),
        ] {
            assert_eq!(whole_lines(b"ab\ncd\n", written), kept);
        }
    }

    #[test]
    fn a_cut_line_is_dropped_and_the_next_match_follows() {
        let (_folder, path, log) = started();
        drop(log);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{whole}{}", &whole[..9])).unwrap();
        let mut log = LogWriter::go_on(&path).unwrap();
        log.drop_cut(&CutLine { line: 2, bytes: 9 }).unwrap();
        log.append([&record("m-2")]).unwrap();
        let expected = whole.clone() + &whole.replace("m-1", "m-2");
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    }

    #[test]
    fn a_file_that_vanished_is_noticed_and_can_still_be_copied() {
        let (_folder, path, mut log) = started();
        fs::remove_file(&path).unwrap();
        let gone = log.append([&record("m-2")]);
        assert!(matches!(gone, Err(WriteError::Gone { .. })), "{gone:?}");
        assert_eq!(log.moved_to(), None);
        let mut copy = Vec::new();
        log.copy_to(&mut copy).unwrap();
        assert_eq!(copy.iter().filter(|byte| **byte == b'\n').count(), 2);
    }

    #[test]
    fn a_file_that_was_replaced_is_noticed_and_found() {
        let (folder, path, mut log) = started();
        let elsewhere = folder.path().join("elsewhere.jsonl");
        fs::rename(&path, &elsewhere).unwrap();
        fs::write(&path, "").unwrap();
        assert!(matches!(log.sync(), Err(WriteError::Gone { .. })));
        if cfg!(target_os = "linux") {
            let elsewhere = fs::canonicalize(elsewhere).unwrap();
            assert_eq!(log.moved_to(), Some(elsewhere));
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }

    #[test]
    fn what_others_write_into_it_is_noticed() {
        let (_folder, path, mut log) = started();
        let mut other = OpenOptions::new().append(true).open(&path).unwrap();
        other.write_all(b"mischief\n").unwrap();
        let error = log.append([&record("m-2")]).unwrap_err();
        assert!(matches!(error, WriteError::Changed { .. }), "{error}");
    }

    #[test]
    fn a_guarded_log_is_put_back() {
        let (_folder, path, mut log) = started();
        log.guard().unwrap();
        let mut expected = fs::read_to_string(&path).unwrap();
        for (number, mischief) in ["appended", "cut", "overwritten"].into_iter().enumerate() {
            let mut other = OpenOptions::new().write(true).open(&path).unwrap();
            match mischief {
                "cut" => other.set_len(7).unwrap(),
                "overwritten" => other.write_all(b"{\"format\":9").unwrap(),
                _ => {
                    other.seek(SeekFrom::End(0)).unwrap();
                    other.write_all(b"{}\n").unwrap();
                }
            }
            // At the end, as there the contents are compared: the clock of file systems is slow.
            log.finish().unwrap();
            assert!(log.take_mended(), "{mischief}");
            assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{mischief}");
            let next = record(&format!("m-{}", number + 2));
            log.append([&next]).unwrap();
            expected += &next.to_line();
            assert!(!log.take_mended());
            assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        }
        let mut other = OpenOptions::new().append(true).open(&path).unwrap();
        other.write_all(b"half a li").unwrap();
        log.append([&record("m-9")]).unwrap();
        assert!(log.take_mended());
        expected += &record("m-9").to_line();
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    }

    #[test]
    fn what_is_no_file_is_written_without_ado() {
        let mut log = LogWriter::append_to(Path::new("/dev/null")).unwrap();
        log.append([&record("m-1")]).unwrap();
        log.sync().unwrap();
    }
}
