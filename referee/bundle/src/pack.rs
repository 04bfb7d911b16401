//! Makes archives: the same folder, regardless of times, owners and order on the disk, makes the same
//! bytes.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
use tar::{Builder, EntryType, Header};
use tempfile::NamedTempFile;

use super::digest::{Digest, Hashing};
use super::error::BundleError;
use super::identity::Bundle;
use super::tree::{self, Entry, Kind};

impl Bundle {
    /// Makes the bundle of a folder, and writes its archive to the folder `out`, unless it is there
    /// already. `but` names entries of the folder itself that are left out, besides those that say
    /// nothing about a bot: folders of version control, and what Python keeps compiled.
    ///
    /// # Errors
    /// If the folder cannot be read, has more than `most` bytes, or anything in it that is no file,
    /// folder or link to one of those; or the archive cannot be written.
    pub fn pack(
        dir: &Path,
        but: &[&str],
        most: u64,
        setup: Option<Vec<String>>,
        out: &Path,
    ) -> Result<Self, BundleError> {
        let (sha256, bytes) = to_folder(dir, but, most, out)?;
        Ok(Bundle {
            sha256,
            bytes,
            setup,
        })
    }
}

/// Writes the archive of a folder to the folder `out`; returns its hash, and how many bytes the files in
/// it have.
fn to_folder(
    dir: &Path,
    but: &[&str],
    most: u64,
    out: &Path,
) -> Result<(Digest, u64), BundleError> {
    let (entries, bytes) = tree::of(dir, but, most)?;
    fs::create_dir_all(out).map_err(BundleError::io(out))?;
    let file = NamedTempFile::new_in(out).map_err(BundleError::io(out))?;
    let mut compressed = GzEncoder::new(Hashing::new(file), Compression::default());
    write(dir, &entries, &mut compressed)?;
    let finished = compressed.finish().map_err(BundleError::io(out))?;
    let (file, digest) = finished.finish();
    let path = out.join(digest.archive_name());
    let persist = || {
        let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        file.as_file().set_permissions(everybody)?;
        file.as_file().sync_all()?;
        file.persist(&path)?;
        Ok(())
    };
    persist().map_err(BundleError::io(&path))?;
    Ok((digest, bytes))
}

fn write(dir: &Path, entries: &[Entry], out: impl Write) -> Result<(), BundleError> {
    let mut archive = Builder::new(out);
    for entry in entries {
        let whole = dir.join(&entry.path);
        append(&mut archive, &whole, entry).map_err(BundleError::io(&whole))?;
    }
    archive.finish().map_err(BundleError::io(dir))
}

fn append(archive: &mut Builder<impl Write>, whole: &Path, entry: &Entry) -> io::Result<()> {
    // Everything that is not set is zero: times, owners, groups.
    let mut header = Header::new_gnu();
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mode(0o755);
    match &entry.kind {
        Kind::Folder => {
            header.set_entry_type(EntryType::Directory);
            header.set_size(0);
            archive.append_data(&mut header, &entry.path, io::empty())
        }
        Kind::Link(target) => {
            header.set_entry_type(EntryType::Symlink);
            header.set_size(0);
            archive.append_link(&mut header, &entry.path, target)
        }
        Kind::File { size, executable } => {
            header.set_entry_type(EntryType::Regular);
            header.set_size(*size);
            header.set_mode(if *executable { 0o755 } else { 0o644 });
            // What was a file may be something else by now.
            let mut options = OpenOptions::new();
            let file = options
                .read(true)
                .custom_flags(O_NOFOLLOW | O_NONBLOCK)
                .open(whole)?;
            let mut contents = Exactly { file, left: *size };
            archive.append_data(&mut header, &entry.path, &mut contents)?;
            contents.end()
        }
    }
}

/// A file that should have as many bytes as it had before.
struct Exactly {
    file: fs::File,
    left: u64,
}

impl Read for Exactly {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Ok(0);
        }
        let read = (&self.file).take(self.left).read(into)?;
        if read == 0 && !into.is_empty() {
            return Err(changed());
        }
        self.left -= read as u64;
        Ok(read)
    }
}

impl Exactly {
    fn end(mut self) -> io::Result<()> {
        match self.file.read(&mut [0])? {
            0 if self.left == 0 => Ok(()),
            _ => Err(changed()),
        }
    }
}

fn changed() -> io::Error {
    io::Error::other("it changed while it was read")
}
