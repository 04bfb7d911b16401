//! Files that the user names: only regular ones are opened, so that no FIFO is waited for and no
//! device is read without end, and only so much of them is read.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

pub mod output;
pub mod private_paths;

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use bytesize::ByteSize;
use nix::libc::{ELOOP, O_NOFOLLOW, O_NONBLOCK};

/// The first character of some files, which is skipped.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// No configuration, and no position, is longer, in bytes.
pub const MOST_TEXT: u64 = 16 << 20;

/// Opens a regular file for reading.
///
/// # Errors
/// If it cannot be opened, or is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // So that a FIFO is opened at once, also without a writer; regular files do not mind.
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(O_NONBLOCK).open(path)?;
    regular(&file)?;
    Ok(file)
}

/// The text of a regular file of at most `most` bytes.
///
/// # Errors
/// If it cannot be read, is no regular file, too long, or not UTF-8.
pub fn read(path: &Path, most: u64) -> io::Result<String> {
    text_of(open(path)?, most)
}

fn text_of(file: File, most: u64) -> io::Result<String> {
    let mut text = String::new();
    let read = file.take(most + 1).read_to_string(&mut text)?;
    // What some editors begin a file with says nothing about its text.
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len_utf8());
    }
    match read as u64 > most {
        true => {
            let message = format!("it has more than {}", ByteSize(most));
            Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
        }
        false => Ok(text),
    }
}

/// The same of a file that somebody else has put there: a link would lead to any other.
///
/// # Errors
/// Also if it is a link.
pub fn read_no_link(path: &Path, most: u64) -> io::Result<String> {
    let mut options = OpenOptions::new();
    let options = options.read(true).custom_flags(O_NONBLOCK | O_NOFOLLOW);
    let file = options
        .open(path)
        .map_err(|error| match error.raw_os_error() {
            Some(ELOOP) => io::Error::other("it is a link; it has to be a file"),
            _ => error,
        })?;
    regular(&file)?;
    text_of(file, most)
}

/// Refuses what is there but is no regular file; what is not there may be made.
///
/// # Errors
/// If it is no regular file.
pub fn check(path: &Path) -> io::Result<()> {
    match path.metadata() {
        Ok(_) => open(path).map(drop),
        Err(_) => Ok(()),
    }
}

fn regular(file: &File) -> io::Result<()> {
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let what = match kind {
        _ if kind.is_dir() => "a folder",
        _ if kind.is_fifo() => "a FIFO",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    };
    Err(io::Error::other(format!(
        "it is {what}, not a regular file"
    )))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let error = |path: &Path| read(path, 3).unwrap_err().to_string();
        fs::write(&path, "abc").unwrap();
        assert_eq!(read(&path, 3).unwrap(), "abc");
        fs::write(&path, "\u{feff}a\u{feff}").unwrap();
        assert_eq!(read(&path, 9).unwrap(), "a\u{feff}");
        fs::write(&path, "abcd").unwrap();
        assert_eq!(error(&path), "it has more than 3 B");
        let fifo = folder.path().join("fifo");
        mkfifo(&fifo, Mode::S_IRWXU).unwrap();
        assert_eq!(error(&fifo), "it is a FIFO, not a regular file");
        assert!(check(&fifo).is_err() && check(&path).is_ok());
        assert_eq!(error(folder.path()), "it is a folder, not a regular file");
        assert_eq!(
            error(Path::new("/dev/zero")),
            "it is a device, not a regular file"
        );
        let missing = folder.path().join("missing");
        assert_eq!(
            read(&missing, 3).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        assert!(check(&missing).is_ok());
    }
}
