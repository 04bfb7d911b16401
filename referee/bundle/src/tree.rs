//! The content of a bot's folder, in the order of an archive.

use std::fs::{self, DirEntry};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use super::error::BundleError;
use super::limits::{MAX_ENTRIES, MAX_PATH};

/// Folders that say nothing about a bot, and change by themselves.
const LEFT_OUT: [&str; 4] = [".git", ".hg", ".svn", "__pycache__"];
/// Entries named in an error.
const MOST_NAMED: usize = 3;

/// An entry of a folder, with its path in there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File {
        size: u64,
        /// True if its owner may execute it; other permissions are dropped.
        executable: bool,
    },
    /// A symbolic link to this path, which does not lead out of the folder.
    Link(PathBuf),
}

/// All entries of a folder by their paths, so that folders come before what is in them, and how many
/// bytes the files have together.
///
/// # Errors
/// If it cannot be read, has too much in it, or anything but files, folders and links inside.
pub(super) fn of(dir: &Path, but: &[&str], most: u64) -> Result<(Vec<Entry>, u64), BundleError> {
    let mut entries = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let whole = dir.join(&folder);
        for entry in fs::read_dir(&whole).map_err(BundleError::io(&whole))? {
            let entry = entry.map_err(BundleError::io(&whole))?;
            let name = entry.file_name();
            let is_named = |left_out: &&str| **left_out == *name;
            let is_top = folder == Path::new("");
            if LEFT_OUT.iter().any(is_named) || is_top && but.iter().any(is_named) {
                continue;
            }
            let path = folder.join(&name);
            let kind = kind(&entry, &path)?;
            if kind == Kind::Folder {
                folders.push(path.clone());
            }
            entries.push(Entry { path, kind });
            if entries.len() > MAX_ENTRIES {
                let why = format!("has more than {MAX_ENTRIES} files and folders in it");
                return Err(unfit(dir, why));
            }
        }
    }
    entries.sort_by(|one, other| bytes(&one.path).cmp(bytes(&other.path)));
    let total = entries.iter().map(size).sum();
    if total > most {
        let (path, largest) = (dir.to_owned(), largest(&entries));
        return Err(BundleError::TooLarge {
            path,
            most,
            largest,
        });
    }
    Ok((entries, total))
}

/// The bytes of a path, by which archives are sorted.
pub(super) fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

fn unfit(path: &Path, why: impl Into<String>) -> BundleError {
    let (path, why) = (path.to_owned(), why.into());
    BundleError::Unfit { path, why }
}

fn kind(entry: &DirEntry, path: &Path) -> Result<Kind, BundleError> {
    let whole = entry.path();
    if bytes(path).len() > MAX_PATH {
        return Err(unfit(&whole, "is nested too deeply"));
    }
    // Of the entry itself, not of what a link leads to.
    let about = entry.metadata().map_err(BundleError::io(&whole))?;
    if about.is_dir() {
        return Ok(Kind::Folder);
    }
    if about.is_file() {
        return Ok(Kind::File {
            size: about.len(),
            executable: about.permissions().mode() & 0o100 != 0,
        });
    }
    if !about.is_symlink() {
        let why = "is neither a file nor a folder nor a link, so it cannot be in a bundle";
        return Err(unfit(&whole, why));
    }
    let target = fs::read_link(&whole).map_err(BundleError::io(&whole))?;
    if !stays_inside(path, &target) {
        let why = format!(
            "is a link to `{}`, which may lead out of the bot's folder; make it a file, or a link \
             relative to its own folder",
            target.display()
        );
        return Err(unfit(&whole, why));
    }
    Ok(Kind::Link(target))
}

/// True if a link at this path of a folder, with this target, stays in the folder. Names may be
/// other links, for which the same holds; so `..` may only come first, where it cannot lead back
/// from one of those.
pub(super) fn stays_inside(link: &Path, target: &Path) -> bool {
    let mut depth = link.components().count() - 1;
    let mut is_down = false;
    let mut parts = target.components();
    let inside = parts.all(|part| match part {
        Component::Normal(_) => {
            is_down = true;
            true
        }
        Component::CurDir => true,
        Component::ParentDir if is_down || depth == 0 => false,
        Component::ParentDir => {
            depth -= 1;
            true
        }
        Component::RootDir | Component::Prefix(_) => false,
    });
    inside && !bytes(target).is_empty() && bytes(target).len() <= MAX_PATH
}

fn size(entry: &Entry) -> u64 {
    match entry.kind {
        Kind::File { size, .. } => size,
        Kind::Folder | Kind::Link(_) => 0,
    }
}

/// The entries of the folder itself that hold most.
fn largest(entries: &[Entry]) -> Vec<(PathBuf, u64)> {
    let mut sums: Vec<(PathBuf, u64)> = Vec::new();
    for entry in entries {
        let Some(top) = entry.path.components().next() else {
            continue;
        };
        let top = Path::new(&top);
        match sums.iter_mut().find(|(path, _)| path == top) {
            Some((_, sum)) => *sum += size(entry),
            None => sums.push((top.to_owned(), size(entry))),
        }
    }
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
    sums.truncate(MOST_NAMED);
    sums
}
