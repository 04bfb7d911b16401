//! Writing the log: one match a line and whole lines in each write, so that a crash cuts at most the last
//! line. Each line has the hash of the one before. The writer holds a lock, and checks after each line
//! that its path still means the same file.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use protocol::Record;
use thiserror::Error;

use super::CutLine;
use super::backup::{Backup, Restored};
use super::chain::{self, LineHash};

/// The shortest interval between flushes to the disk.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// A referee that was just killed may still hold the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);
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
    /// The length differs from what this program wrote.
    #[error(
        "`{}` was changed by another program: it has {found} bytes instead of {expected}",
        path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// The length that was written.
        expected: u64,
        /// The length of the file.
        found: u64,
    },
    /// Another program wrote to it, and not all of it could be put back.
    #[error(
        "`{}` was changed by another program, perhaps a bot, and {} lost: neither the log nor the \
         referee's copy of it had {} as it was written any more; the log has the other {kept} \
         matches, each as it was written, and a resumed tournament plays the lost ones again",
        path.display(),
        lines_in_words(lost),
        if lost.len() == 1 { "it" } else { "them" }
    )]
    Lost {
        /// The file.
        path: PathBuf,
        /// The lines, from 1, as they were numbered before.
        lost: Vec<usize>,
        /// The number of lines now.
        kept: usize,
    },
}

/// "line 3 is", "lines 3, 4 and 17 are", "lines 3, 4, 5 and 97 more are".
fn lines_in_words(lines: &[usize]) -> String {
    /// At most this many are named.
    const NAMED: usize = 12;
    let named = &lines[..lines.len().min(NAMED)];
    let mut words: Vec<String> = named.iter().map(usize::to_string).collect();
    let more = lines.len() - named.len();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    match words.split_last() {
        None => "no line is".to_owned(),
        Some((only, [])) => format!("line {only} is"),
        Some((last, others)) => format!("lines {} and {last} are", others.join(", ")),
    }
}

impl WriteError {
    /// An error of the operating system about a file.
    pub fn io(path: &Path, error: io::Error) -> Self {
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
    /// The hash of the last whole line, once it is known.
    last: Option<LineHash>,
    /// `Some` if the file is guarded.
    backup: Option<Backup>,
    /// The number of lines at the last restoration that was not reported yet.
    put_back: Option<usize>,
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
            last: None,
            backup: None,
            put_back: None,
        })
    }

    /// From here on the log is put back as it was when another program changes it: bots without
    /// a sandbox can do everything that this user can. Restored data is proved line by line, by hashes
    /// that this process keeps to itself.
    ///
    /// # Errors
    /// If there is no room for a copy.
    pub fn guard(&mut self) -> Result<(), WriteError> {
        if !self.regular {
            return Ok(());
        }
        let folder = self.path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new("."));
        let backup = Backup::new(folder, &self.file, self.whole);
        let backup = backup.map_err(|error| WriteError::io(&self.path, error))?;
        self.last = backup.last();
        self.backup = Some(backup);
        Ok(())
    }

    /// The number of lines if the log was restored since the last call.
    pub fn take_put_back(&mut self) -> Option<usize> {
        self.put_back.take()
    }

    /// Restores the log if its length or modification time is unexpected.
    fn put_back_if_changed(&mut self) -> Result<(), WriteError> {
        let Some(backup) = &mut self.backup else {
            return Ok(());
        };
        let io = |error| WriteError::io(&self.path, error);
        let there = self.file.metadata().map_err(io)?;
        if backup.seems_whole(&there, self.whole) {
            return Ok(());
        }
        // It may only have another name, or none any more.
        if backup.holds(&self.file).map_err(io)? {
            return backup.note(&[], &[], &there).map_err(io);
        }
        self.put_back()
    }

    fn put_back(&mut self) -> Result<(), WriteError> {
        let Some(backup) = &mut self.backup else {
            return Ok(());
        };
        let done = backup.restore(&mut self.file);
        let done = done.map_err(|error| WriteError::io(&self.path, error))?;
        let Restored { whole, lines, lost } = done;
        self.whole = whole;
        self.last = backup.last();
        if lost.is_empty() {
            self.put_back = Some(lines);
            return Ok(());
        }
        Err(WriteError::Lost {
            path: self.path.clone(),
            lost,
            kept: lines,
        })
    }

    /// Puts the log back if any line of it is not the one that was written.
    ///
    /// # Errors
    /// If it cannot be read or written, or lines are lost.
    pub fn check(&mut self) -> Result<(), WriteError> {
        let Some(backup) = &self.backup else {
            return Ok(());
        };
        let holds = backup.holds(&self.file);
        if holds.map_err(|error| WriteError::io(&self.path, error))? {
            Ok(())
        } else {
            self.put_back()
        }
    }

    /// Compares all of the log with what was written, puts it back if need be, and waits until
    /// all is on the disk.
    ///
    /// # Errors
    /// As for [`LogWriter::sync`] and [`LogWriter::check`].
    pub fn finish(&mut self) -> Result<(), WriteError> {
        self.check()?;
        self.sync()
    }

    /// True if nothing was written yet.
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
        let mut records = records.into_iter().peekable();
        if records.peek().is_none() {
            return Ok(());
        }
        self.put_back_if_changed()?;
        let (mut lines, mut hashes) = (Vec::new(), Vec::new());
        let mut last = self.last()?;
        for record in records {
            last = chain::write_line(record, last, &mut lines);
            hashes.push(last);
        }
        if let Err(error) = self.file.write_all(&lines) {
            let there = self.file.metadata().map_or(0, |there| there.len());
            self.whole += whole_lines(&lines, there.saturating_sub(self.whole));
            self.last = None;
            // If this fails, too, a line is cut off, and readers of the log drop it.
            let _ = self.file.set_len(self.whole);
            return Err(WriteError::io(&self.path, error));
        }
        self.whole += lines.len() as u64;
        self.last = Some(last);
        if let Some(backup) = &mut self.backup {
            let io = |error| WriteError::io(&self.path, error);
            let there = self.file.metadata().map_err(io)?;
            backup.note(&lines, &hashes, &there).map_err(io)?;
            if there.len() != self.whole {
                self.put_back()?;
            }
        }
        self.check_place()?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// The hash of the last line.
    fn last(&mut self) -> Result<LineHash, WriteError> {
        let last = match self.last {
            Some(last) => last,
            None if !self.regular => LineHash::NONE,
            None => last_line(&self.file, self.whole)
                .map_err(|error| WriteError::io(&self.path, error))?
                .map_or(LineHash::NONE, |line| LineHash::of(&line)),
        };
        self.last = Some(last);
        Ok(last)
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

    /// Checks that the path still refers to this file, and that it is unchanged.
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

    /// The new path of the open file, if its old path belongs to another one now; `None` if there
    /// is none, or this machine does not say.
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

/// The number of written bytes that are complete lines.
fn whole_lines(lines: &[u8], written: u64) -> u64 {
    let written = usize::try_from(written).unwrap_or(usize::MAX);
    let there = &lines[..written.min(lines.len())];
    let end = there.iter().rposition(|byte| *byte == b'\n');
    end.map_or(0, |end| end as u64 + 1)
}

/// The last line that is not empty of the first `whole` bytes of a file, which end with a whole
/// line.
fn last_line(file: &File, whole: u64) -> io::Result<Option<Vec<u8>>> {
    /// The initial size of a read.
    const BLOCK: u64 = 64 << 10;
    let mut size = BLOCK;
    loop {
        let start = whole.saturating_sub(size);
        let mut tail = vec![0; (whole - start) as usize];
        file.read_exact_at(&mut tail, start)?;
        let tail = tail.trim_ascii_end();
        let begin = tail.iter().rposition(|byte| *byte == b'\n');
        if begin.is_some() || start == 0 {
            let line = &tail[begin.map_or(0, |begin| begin + 1)..];
            return Ok((!line.is_empty()).then(|| line.to_vec()));
        }
        size *= 4;
    }
}

/// True if there is no such file.
fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Takes the lock, which the operating system takes back when the process ends, however it does.
fn lock(path: &Path, file: &File) -> Result<(), WriteError> {
    let end = Instant::now() + LOCK_TIMEOUT;
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
    fn a_line_follows_the_last_one_whatever_came_in_between() {
        let (_folder, path, mut log) = started();
        log.append([&record("m-2"), &record("m-3")]).unwrap();
        drop(log);
        let mut log = LogWriter::append_to(&path).unwrap();
        log.append([&record("m-4")]).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let mut before = LineHash::NONE;
        for line in text.lines() {
            assert!(
                line.ends_with(&format!(",\"prev\":\"{before}\"}}")),
                "{line}"
            );
            before = LineHash::of(line.as_bytes());
        }
        assert_eq!(text.lines().count(), 4);
    }

    #[test]
    fn the_last_line_is_found_however_long_it_is() {
        let mut file = tempfile::tempfile().unwrap();
        assert_eq!(last_line(&file, 0).unwrap(), None);
        let long = "x".repeat(200_000);
        for line in ["ab", &long, "c", &long] {
            writeln!(file, "{line}\n").unwrap();
            let whole = file.metadata().unwrap().len();
            assert_eq!(last_line(&file, whole).unwrap().unwrap(), line.as_bytes());
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
        let mut expected = whole.clone().into_bytes();
        let last = LineHash::of(whole.as_bytes());
        chain::write_line(&record("m-2"), last, &mut expected);
        assert_eq!(fs::read(&path).unwrap(), expected);
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
        for (number, mischief) in ["appended", "cut", "overwritten"].into_iter().enumerate() {
            let expected = fs::read_to_string(&path).unwrap();
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
            assert_eq!(log.take_put_back(), Some(number + 1), "{mischief}");
            assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{mischief}");
            log.append([&record(&format!("m-{}", number + 2))]).unwrap();
            assert_eq!(log.take_put_back(), None);
        }
        let expected = fs::read_to_string(&path).unwrap();
        let mut other = OpenOptions::new().append(true).open(&path).unwrap();
        other.write_all(b"half a li").unwrap();
        log.append([&record("m-9")]).unwrap();
        assert_eq!(log.take_put_back(), Some(4));
        let now = fs::read_to_string(&path).unwrap();
        assert!(now.starts_with(&expected) && now.lines().count() == 5);
        assert!(broken(&path).is_empty());
    }

    /// The breaks of a log's chain.
    fn broken(path: &Path) -> Vec<crate::ChainBreak> {
        let mut file = crate::LogFile::open(path).unwrap().checking_chain();
        for record in file.by_ref() {
            record.unwrap();
        }
        file.breaks().to_vec()
    }

    /// A log of five matches that is guarded, and a handle of the backup's copy: what a program finds
    /// that can look into this process.
    fn guarded() -> (tempfile::TempDir, PathBuf, LogWriter, File) {
        let (folder, path, mut log) = started();
        log.guard().unwrap();
        let more: Vec<Record> = (2..=5).map(|n| record(&format!("m-{n}"))).collect();
        log.append(&more).unwrap();
        let copy = log.backup.as_ref().unwrap().copy().unwrap();
        (folder, path, log, copy)
    }

    /// Makes another winner of one match: by this text, of the same length.
    fn forge(file: &File, from: &str, to: &str) {
        let length = file.metadata().unwrap().len() as usize;
        let mut text = vec![0; length];
        file.read_exact_at(&mut text, 0).unwrap();
        let text = String::from_utf8(text).unwrap();
        let at = text.find(from).unwrap();
        let writable = OpenOptions::new()
            .write(true)
            .open(format!("/proc/self/fd/{}", file.as_raw_fd()));
        writable
            .unwrap()
            .write_all_at(to.as_bytes(), at as u64)
            .unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_forged_copy_is_not_put_back() {
        // Each line is still true somewhere.
        let (_folder, path, mut log, copy) = guarded();
        let expected = fs::read_to_string(&path).unwrap();
        forge(&copy, "\"m-2\"", "\"m-X\"");
        forge(&File::open(&path).unwrap(), "\"m-4\"", "\"m-Y\"");
        log.finish().unwrap();
        assert_eq!(log.take_put_back(), Some(5));
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);

        // One is forged everywhere.
        let (_folder, path, mut log, copy) = guarded();
        for file in [&copy, &File::open(&path).unwrap()] {
            forge(file, "\"m-2\"", "\"m-X\"");
        }
        let error = log.finish().unwrap_err();
        assert!(
            matches!(&error, WriteError::Lost { lost, kept: 4, .. } if *lost == [2]),
            "{error}"
        );
        assert!(error.to_string().contains("line 2 is lost"), "{error}");
        let left = fs::read_to_string(&path).unwrap();
        let ids = ["m-1", "m-3", "m-4", "m-5"];
        assert!(
            left.lines().zip(ids).all(|(line, id)| line.contains(id)),
            "{left}"
        );
        assert!(left.lines().count() == 4 && broken(&path).is_empty());
        // What follows, follows.
        log.append([&record("m-6")]).unwrap();
        assert!(broken(&path).is_empty());

        // Nothing is left in either.
        let (_folder, path, mut log, copy) = guarded();
        for file in [&copy, &File::open(&path).unwrap()] {
            let path = format!("/proc/self/fd/{}", file.as_raw_fd());
            OpenOptions::new()
                .write(true)
                .open(path)
                .unwrap()
                .set_len(0)
                .unwrap();
        }
        let error = log.append([&record("m-6")]).unwrap_err().to_string();
        assert!(error.contains("lines 1, 2, 3, 4 and 5 are lost"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }

    #[test]
    fn what_is_no_file_is_written_without_ado() {
        let mut log = LogWriter::append_to(Path::new("/dev/null")).unwrap();
        log.append([&record("m-1")]).unwrap();
        log.sync().unwrap();
    }
}
