//! Unpacks untrusted archives: regardless of their content, nothing is written but files,
//! folders and links in a folder of their own, and no more than is allowed.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use bytesize::ByteSize;
use flate2::read::GzDecoder;
use tar::{Archive, EntryType};

use super::digest::{Digest, Hashing};
use super::error::BundleError;
use super::identity::Bundle;
use super::limits::{MAX_ENTRIES, MAX_PATH};
use super::tree::{bytes, stays_inside};
use super::unpacked::{FILES, Unpacked};

/// Characters shown of a reason.
const LONGEST_REASON: usize = 300;

impl Bundle {
    /// Unpacks its archive below the folder `cache`, unless that was done before: into a folder beside,
    /// which then gets its name, so that what is there is always whole. The archive may come from
    /// anybody: it has to have the hash of the bundle and no more than `most` bytes of files; and nothing
    /// outside the folder is written, or linked to.
    ///
    /// # Errors
    /// If the archive cannot be read or is not as it should be, or the cache cannot be written or belongs
    /// to somebody else.
    pub fn unpack_once(
        &self,
        archive: &Path,
        cache: &Path,
        most: u64,
    ) -> Result<Unpacked, BundleError> {
        once(self, archive, cache, most)
    }

    /// The unpacked bundle below the folder `cache`, if it is there; creates that folder.
    ///
    /// # Errors
    /// If the cache cannot be made or belongs to somebody else.
    pub fn unpacked_before(&self, cache: &Path) -> Result<Option<Unpacked>, BundleError> {
        prepare(cache)?;
        let folder = cache.join(self.folder_name());
        let is_there = folder.join(FILES).is_dir();
        Ok(is_there.then(|| Unpacked::new(self.clone(), folder)))
    }
}

/// The default folder of unpacked bundles: the system's cache folder. Not root's own, because bots
/// run as other users then.
pub fn default_cache() -> PathBuf {
    let own = || {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let cache = set("XDG_CACHE_HOME").map(PathBuf::from);
        cache.or_else(|| Some(Path::new(&set("HOME")?).join(".cache")))
    };
    let base = if nix::unistd::geteuid().is_root() {
        None
    } else {
        own()
    };
    let base = base.unwrap_or_else(|| PathBuf::from("/var/cache"));
    base.join("referee").join("bundles")
}

/// See [`Bundle::unpack_once`].
fn once(bundle: &Bundle, archive: &Path, cache: &Path, most: u64) -> Result<Unpacked, BundleError> {
    if let Some(before) = bundle.unpacked_before(cache)? {
        return Ok(before);
    }
    let folder = cache.join(bundle.folder_name());
    let part = tempfile::Builder::new().prefix(".part-").tempdir_in(cache);
    let part = part.map_err(BundleError::io(cache))?;
    everybody_enters(part.path()).map_err(BundleError::io(part.path()))?;
    into(bundle, archive, &part.path().join(FILES), most)?;
    if let Err(error) = fs::rename(part.path(), &folder) {
        // Somebody else may have been faster.
        if !folder.join(FILES).is_dir() {
            return Err(BundleError::Io {
                path: folder,
                error,
            });
        }
    }
    Ok(Unpacked::new(bundle.clone(), folder))
}

/// Makes the cache, or checks that nobody else can write to it.
fn prepare(cache: &Path) -> Result<(), BundleError> {
    if cache.symlink_metadata().is_err() {
        fs::create_dir_all(cache).map_err(BundleError::io(cache))?;
        return everybody_enters(cache).map_err(BundleError::io(cache));
    }
    let about = cache.metadata().map_err(BundleError::io(cache))?;
    let refused = |why| {
        let path = cache.to_owned();
        Err(BundleError::Cache { path, why })
    };
    if about.uid() != nix::unistd::geteuid().as_raw() {
        return refused("it belongs to another user");
    }
    if about.mode() & 0o022 != 0 {
        return refused("other users may write to it");
    }
    Ok(())
}

/// Bots may be other users.
fn everybody_enters(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o755))
}

/// Unpacks an archive into a folder that is not there yet.
pub(super) fn into(
    bundle: &Bundle,
    archive: &Path,
    folder: &Path,
    most: u64,
) -> Result<(), BundleError> {
    // All of it is read before the first file is made: nothing is made of what is refused.
    let file = read(
        bundle,
        archive,
        opened(archive)?,
        folder,
        most,
        Doing::Looking,
    )?;
    read(bundle, archive, file, folder, most, Doing::Making)?;
    Ok(())
}

/// Reads the whole archive, and makes what is in it, or only looks at it.
fn read(
    bundle: &Bundle,
    archive: &Path,
    mut file: File,
    folder: &Path,
    most: u64,
    doing: Doing,
) -> Result<File, BundleError> {
    file.rewind().map_err(BundleError::io(archive))?;
    let mut packed = Hashing::new(file);
    let unpacked = unpack(&mut packed, folder, most, doing);
    // Data after the end counts, too.
    let rest = io::copy(&mut packed, &mut io::sink());
    let (file, found) = packed.finish();
    rest.map_err(BundleError::io(archive))?;
    // A wrong hash explains all other errors.
    bundle.has_hash(archive, found)?;
    unpacked.map_err(|error| BundleError::Refused {
        bundle: bundle.sha256.clone(),
        // Names in an archive may be anything.
        why: protocol::excerpt(error.to_string().as_bytes(), LONGEST_REASON),
    })?;
    Ok(file)
}

/// The use of an archive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// It is checked, and nothing is written.
    Looking,
    /// Unpack it.
    Making,
}

fn opened(archive: &Path) -> Result<File, BundleError> {
    files::open(archive).map_err(BundleError::io(archive))
}

impl Bundle {
    /// Opens its archive, if it is that.
    ///
    /// # Errors
    /// If it cannot be read, or has another hash.
    pub fn open(&self, archive: &Path) -> Result<File, BundleError> {
        let mut hashing = Hashing::new(opened(archive)?);
        io::copy(&mut hashing, &mut io::sink()).map_err(BundleError::io(archive))?;
        let (mut file, found) = hashing.finish();
        self.has_hash(archive, found)?;
        file.rewind().map_err(BundleError::io(archive))?;
        Ok(file)
    }

    fn has_hash(&self, archive: &Path, found: Digest) -> Result<(), BundleError> {
        if found == self.sha256 {
            return Ok(());
        }
        Err(BundleError::OtherHash {
            path: archive.to_owned(),
            expected: self.sha256.clone(),
            found,
        })
    }
}

fn unpack(packed: impl Read, folder: &Path, most: u64, doing: Doing) -> io::Result<()> {
    if doing == Doing::Making {
        fs::create_dir(folder)?;
        everybody_enters(folder)?;
    }
    let mut archive = Archive::new(GzDecoder::new(packed));
    let mut unpacking = Unpacking::new(folder, most, doing);
    // Raw: otherwise long names would be read into memory, however long they are.
    for entry in archive.entries()?.raw(true) {
        unpacking.take(entry?)?;
    }
    unpacking.end()
}

/// An archive as it is unpacked.
struct Unpacking<'a> {
    root: &'a Path,
    doing: Doing,
    /// The remaining bytes.
    left: u64,
    most: u64,
    entries: usize,
    /// The folders that were made: nothing is written elsewhere, least of all through a link.
    folders: HashSet<PathBuf>,
    /// The path of the entry before: they are sorted, so that none comes twice.
    last: PathBuf,
    /// The path, and the target, of the next entry, if they are long.
    long_path: Option<PathBuf>,
    long_target: Option<PathBuf>,
}

fn refusal(why: impl Into<String>) -> io::Error {
    io::Error::other(why.into())
}

impl<'a> Unpacking<'a> {
    fn new(root: &'a Path, most: u64, doing: Doing) -> Self {
        Unpacking {
            root,
            doing,
            left: most,
            most,
            entries: 0,
            folders: HashSet::from([PathBuf::new()]),
            last: PathBuf::new(),
            long_path: None,
            long_target: None,
        }
    }

    fn take(&mut self, mut entry: tar::Entry<'_, impl Read>) -> io::Result<()> {
        let kind = entry.header().entry_type();
        match kind {
            EntryType::GNULongName => self.long_path = Some(long(&mut entry)?),
            EntryType::GNULongLink => self.long_target = Some(long(&mut entry)?),
            EntryType::Regular | EntryType::Directory | EntryType::Symlink => {
                let path = self.path(&entry)?;
                self.make(&mut entry, kind, &path)
                    .map_err(|error| refusal(format!("`{}`: {error}", path.display())))?;
                self.last = path;
            }
            other => {
                let what = match other {
                    EntryType::Link => "a hard link",
                    EntryType::Block | EntryType::Char => "a device",
                    EntryType::Fifo => "a FIFO",
                    _ => "an entry of a kind that no bundle has",
                };
                let name = protocol::excerpt(&entry.path_bytes(), 80);
                return Err(refusal(format!("`{name}` is {what}")));
            }
        }
        Ok(())
    }

    /// The path of an entry, if it is a new one in a folder that was made.
    fn path(&mut self, entry: &tar::Entry<'_, impl Read>) -> io::Result<PathBuf> {
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(refusal(format!(
                "it has more than {MAX_ENTRIES} files and folders"
            )));
        }
        let short = || PathBuf::from(OsStr::from_bytes(&entry.path_bytes()));
        let path = self.long_path.take().unwrap_or_else(short);
        let named = |what: &str| {
            let path = protocol::excerpt(bytes(&path), 80);
            refusal(format!("`{path}` {what}"))
        };
        let mut parts = path.components();
        let is_plain = parts.all(|part| matches!(part, Component::Normal(_)));
        // Written in one way only: no `//`, no `/` at the end.
        let same: PathBuf = path.components().collect();
        if !is_plain || bytes(&same) != bytes(&path) || bytes(&path).is_empty() {
            return Err(named("is not a path inside the bundle"));
        }
        if bytes(&path) <= bytes(&self.last) {
            return Err(named("comes twice, or not in order"));
        }
        if !path
            .parent()
            .is_some_and(|folder| self.folders.contains(folder))
        {
            return Err(named("is in no folder of the bundle"));
        }
        Ok(path)
    }

    fn make(
        &mut self,
        entry: &mut tar::Entry<'_, impl Read>,
        kind: EntryType,
        path: &Path,
    ) -> io::Result<()> {
        let target = self.long_target.take();
        let size = entry.size();
        if kind != EntryType::Regular && size != 0 {
            return Err(refusal("only files have contents"));
        }
        self.left = self.left.checked_sub(size).ok_or_else(|| {
            let most = ByteSize(self.most);
            refusal(format!("the bundle has more than {most} of files"))
        })?;
        let whole = self.root.join(path);
        let makes = self.doing == Doing::Making;
        match kind {
            EntryType::Directory => {
                if makes {
                    fs::create_dir(&whole)?;
                    everybody_enters(&whole)?;
                }
                self.folders.insert(path.to_owned());
                Ok(())
            }
            EntryType::Symlink => {
                let short = || {
                    let name = entry.header().link_name_bytes().unwrap_or_default();
                    PathBuf::from(OsStr::from_bytes(&name))
                };
                let target = target.unwrap_or_else(short);
                if !stays_inside(path, &target) {
                    return Err(refusal("it is a link that may lead out of the bundle"));
                }
                match makes {
                    true => symlink(target, whole),
                    false => Ok(()),
                }
            }
            _ if !makes => match io::copy(entry, &mut io::sink())? == size {
                true => Ok(()),
                false => Err(refusal("it is cut off")),
            },
            _ => {
                let mut options = OpenOptions::new();
                let options = options.write(true).create_new(true).mode(0o600);
                let mut file = options.open(whole)?;
                if io::copy(entry, &mut file)? != size {
                    return Err(refusal("it is cut off"));
                }
                let executable = entry.header().mode()? & 0o100 != 0;
                let mode = if executable { 0o755 } else { 0o644 };
                file.set_permissions(Permissions::from_mode(mode))
            }
        }
    }

    /// Everything is there; now also on the disk, before the folder gets its name.
    fn end(self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if self.doing == Doing::Making {
            rustix::fs::syncfs(File::open(self.root)?)?;
        }
        Ok(())
    }
}

/// A path that is too long for a header.
fn long(entry: &mut tar::Entry<'_, impl Read>) -> io::Result<PathBuf> {
    let most = MAX_PATH as u64 + 1;
    if entry.size() > most {
        return Err(refusal("the path of a file is too long"));
    }
    let mut name = Vec::new();
    entry.take(most).read_to_end(&mut name)?;
    if name.last() == Some(&0) {
        name.pop();
    }
    Ok(PathBuf::from(OsStr::from_bytes(&name)))
}
