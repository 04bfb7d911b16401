//! Files that commands make of a log: tables, pages, pictures. They can be made again, so a new one replaces
//! the one before, when all of it is written. Nothing else is replaced: it may be somebody's work.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The extensions of tables, pages and pictures.
const EXTENSIONS: [&str; 10] = [
    "html", "htm", "md", "markdown", "txt", "text", "csv", "tsv", "svg", "json",
];
/// The first bytes of files that are expensive to make.
const WORK: [(&[u8], &str); 4] = [
    (b"{\"format\":", "it is a log of matches"),
    (b"referee solve ", "it is a checkpoint"),
    (b"elephant tiles", "it is a checkpoint"),
    (b"#!", "it is a program"),
];

/// Writes a file that can be made again. Special files, such as `/dev/stdout`, are written directly.
///
/// # Errors
/// With [`ErrorKind::AlreadyExists`] if the file that is there is not one of this kind; otherwise if it
/// cannot be written. Nothing was changed then.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let old = match path.metadata() {
        Ok(about) if !about.is_file() => return fs::write(path, text),
        Ok(about) => Some(about),
        Err(_) => None,
    };
    if let Some(old) = &old
        && let Some(why) = why_kept(path, old)?
    {
        let message = format!("{why}, which is not replaced; choose another name, or remove it");
        return Err(io::Error::new(ErrorKind::AlreadyExists, message));
    }
    // A link stays a link.
    let path = if old.is_some() {
        &fs::canonicalize(path)?
    } else {
        path
    };
    match write_beside(path, text.as_bytes(), old.as_ref()) {
        // Only the file itself may be written, not its folder.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && old.is_some() => {
            fs::write(path, text)
        }
        written => written,
    }
}

/// Writes a file in place of the one that is there: all of it or, after a crash or on a full disk, nothing.
///
/// # Errors
/// If it cannot be written; what was there is there then.
fn write_beside(path: &Path, contents: &[u8], old: Option<&fs::Metadata>) -> io::Result<()> {
    let part = part_of(path);
    let mut file = own(&part)?;
    let mut write = || {
        file.write_all(contents)?;
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        fs::rename(&part, path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&part);
    })
}

/// The same for a file that must be on the disk before anything else happens.
///
/// # Errors
/// If it cannot be written; what was there is there then.
pub fn keep(path: &Path, text: &str) -> io::Result<()> {
    let part = part_of(path);
    let mut file = own(&part)?;
    let mut write = || {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&part, path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&part);
    })
}

/// The name of a file while it is written. Always the same, so that no litter accumulates when this
/// program is killed again and again.
pub fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// The empty file of this name, which no other process writes to; one that was left behind is taken up.
pub fn own(part: &Path) -> io::Result<File> {
    loop {
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(part)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = "another process is writing it";
                return Err(io::Error::new(ErrorKind::ResourceBusy, message));
            }
            // Not every file system has locks.
            Err(TryLockError::Error(_)) => {}
        }
        // The process that had the lock may have renamed it meanwhile.
        let open = file.metadata()?;
        let same = |there: fs::Metadata| (there.dev(), there.ino()) == (open.dev(), open.ino());
        if part.metadata().is_ok_and(same) {
            file.set_len(0)?;
            return Ok(file);
        }
    }
}

/// The reason not to overwrite an existing regular file, if any.
fn why_kept(path: &Path, about: &fs::Metadata) -> io::Result<Option<String>> {
    if about.len() == 0 {
        return Ok(None);
    }
    if let Some(extension) = path.extension() {
        let is_known = |known: &&str| extension.eq_ignore_ascii_case(known);
        if !EXTENSIONS.iter().any(is_known) {
            let extension = extension.to_string_lossy();
            return Ok(Some(format!("it is a file `.{extension}`")));
        }
    }
    if about.permissions().mode() & 0o111 != 0 {
        return Ok(Some("it is a program".to_owned()));
    }
    let mut begin = Vec::new();
    crate::open(path)?.take(32).read_to_end(&mut begin)?;
    let work = WORK.iter().find(|(how, _)| begin.starts_with(how));
    Ok(work.map(|(_, why)| (*why).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_before_is_replaced_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a.html", "a.CSV", "a"] {
            replace(&at(name), "one").unwrap();
            replace(&at(name), "two").unwrap();
            assert_eq!(fs::read_to_string(at(name)).unwrap(), "two");
        }
        fs::write(at("empty.py"), "").unwrap();
        replace(&at("empty.py"), "text").unwrap();
        for (name, text) in [
            ("bot.py", "import sys"),
            ("t.toml", "name = 1"),
            ("log", "{\"format\":1,\"match\":\"m-000001\"}\n"),
            ("a.json", "{\"format\":1,\"match\":\"m-000001\"}\n"),
            ("kept", "referee solve 2\n"),
            ("tiles", "elephant tiles1\n"),
            ("script", "#!/bin/sh\n"),
        ] {
            fs::write(at(name), text).unwrap();
            let error = replace(&at(name), "new").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{name}");
            assert_eq!(fs::read_to_string(at(name)).unwrap(), text, "{name}");
        }
        fs::write(at("program"), "ELF").unwrap();
        fs::set_permissions(at("program"), fs::Permissions::from_mode(0o755)).unwrap();
        assert!(replace(&at("program"), "new").is_err());
        let left = fs::read_dir(folder.path()).unwrap().flatten();
        let parts = left.filter(|entry| entry.file_name().to_string_lossy().contains(".part"));
        assert_eq!(parts.count(), 0);
    }

    #[test]
    fn links_modes_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (page, link) = (folder.path().join("page.html"), folder.path().join("link"));
        replace(&page, "one").unwrap();
        fs::set_permissions(&page, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&page, &link).unwrap();
        replace(&link, "two").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&page).unwrap(), "two");
        assert_eq!(page.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        replace(Path::new("/dev/null"), "nothing").unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
    }

    #[test]
    fn what_a_killed_process_left_is_taken_up_and_what_another_one_writes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.html");
        fs::write(part_of(&page), "half a pa").unwrap();
        replace(&page, "all").unwrap();
        assert_eq!(fs::read_to_string(&page).unwrap(), "all");
        assert!(!part_of(&page).exists());
        let other = own(&part_of(&page)).unwrap();
        let error = replace(&page, "new").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ResourceBusy);
        drop(other);
        replace(&page, "new").unwrap();
        assert_eq!(fs::read_to_string(&page).unwrap(), "new");
    }
}
