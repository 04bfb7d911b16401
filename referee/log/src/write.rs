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
mod tests;
