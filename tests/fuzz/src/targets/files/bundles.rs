//! Archives of bots: all files and links stay in the archive's own folder, within the limits.
//! Inputs are the uncompressed content.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use games::Rng;
use referee::bundle::{Bundle, Digest};
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

/// Limit of the bytes of files in an archive.
const MOST: u64 = 4096;
/// The block size of archives, in bytes.
const BLOCK: usize = 512;

pub(crate) fn seeds(_: &mut Rng) -> Vec<Vec<u8>> {
    let long = "long/".repeat(30) + "name";
    let folders: Vec<String> = (1..=30).map(|depth| "long/".repeat(depth)).collect();
    let mut deep: Vec<(EntryType, &str, &str)> = Vec::new();
    for folder in &folders {
        deep.push((EntryType::Directory, folder.trim_end_matches('/'), ""));
    }
    deep.push((EntryType::Regular, &long, "contents"));
    let bot = [
        (EntryType::Regular, "bot.py", "import search"),
        (EntryType::Directory, "lib", ""),
        (EntryType::Regular, "lib/search.py", "depth = 3"),
        (EntryType::Symlink, "lib/start", "../bot.py"),
        (EntryType::Symlink, "link", "lib"),
    ];
    vec![archive(&bot), archive(&deep)]
}

/// An uncompressed archive; the third element is the content of a file, or the target of a link.
fn archive(entries: &[(EntryType, &str, &str)]) -> Vec<u8> {
    let mut archive = Builder::new(Vec::new());
    for (kind, path, text) in entries {
        let mut header = Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_mode(0o755);
        header.set_size(0);
        let added = if *kind == EntryType::Regular {
            header.set_size(text.len() as u64);
            archive.append_data(&mut header, path, text.as_bytes())
        } else if text.is_empty() {
            archive.append_data(&mut header, path, io::empty())
        } else {
            archive.append_link(&mut header, path, text)
        };
        added.expect("an archive in memory");
    }
    archive.into_inner().expect("an archive in memory")
}

pub(crate) fn run(input: &[u8]) -> bool {
    let place = folder();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&with_sums(input)).expect("memory");
    let packed = packed.finish().expect("memory");
    let bundle = Bundle {
        sha256: Digest::of(&packed),
        bytes: 0,
        setup: None,
    };
    let archive = place.path().join(bundle.archive_name());
    fs::write(&archive, packed).expect("a file");
    let cache = place.path().join("cache");
    let unpacked = bundle.unpack_once(&archive, &cache, MOST);
    let beside = fs::read_dir(place.path()).expect("a folder").count();
    assert_eq!(beside, 2, "something was written outside");
    let unpacked = match unpacked {
        Ok(unpacked) => unpacked,
        Err(error) => {
            assert!(!error.to_string().contains(char::is_control), "{error}");
            let left = fs::read_dir(&cache).expect("a cache").count();
            assert_eq!(left, 0, "something is left of what was refused");
            return false;
        }
    };
    let root = unpacked.dir().canonicalize().expect("a folder");
    let bytes = sum(&root, &root);
    assert!(bytes <= MOST, "{bytes} bytes");
    // What can be unpacked can be packed again.
    let again = Bundle::pack(&root, &[], MOST, None, &place.path().join("out"));
    assert!(again.is_ok_and(|again| again.bytes <= bytes));
    true
}

/// The same with the right sums in the headers: otherwise no input would get beyond them.
fn with_sums(input: &[u8]) -> Vec<u8> {
    let mut input = input.to_vec();
    let mut at = 0;
    while let Some(block) = input.get_mut(at..at + BLOCK) {
        let mut header = Header::new_old();
        header.as_mut_bytes().copy_from_slice(block);
        if header.as_bytes().iter().any(|byte| *byte != 0) {
            header.set_cksum();
        }
        block.copy_from_slice(header.as_bytes());
        let size = header.entry_size().unwrap_or(0).min(MOST) as usize;
        at += BLOCK + size.next_multiple_of(BLOCK);
    }
    input
}

/// In memory, if possible.
fn folder() -> TempDir {
    let memory = tempfile::tempdir_in("/dev/shm");
    memory.or_else(|_| tempfile::tempdir()).expect("a folder")
}

/// How many bytes the files in a folder have; all links lead to something in `root`, or nowhere.
fn sum(folder: &Path, root: &Path) -> u64 {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path: PathBuf = entry.expect("an entry").path();
        let about = path.symlink_metadata().expect("an entry");
        if about.is_dir() {
            bytes += sum(&path, root);
        } else if about.is_symlink() {
            let target = path.canonicalize();
            assert!(target.is_ok_and(|target| target.starts_with(root)) || !path.exists());
        } else {
            bytes += about.len();
        }
    }
    bytes
}
