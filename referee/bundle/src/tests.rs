//! Packing and unpacking of bundles, and refused archives.

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

use super::*;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A bot with a program, a module, a link to it, and what does not count.
fn bot(dir: &Path) {
    fs::create_dir_all(dir.join("lib/deep")).unwrap();
    fs::create_dir_all(dir.join("__pycache__")).unwrap();
    fs::create_dir_all(dir.join(".git")).unwrap();
    fs::write(dir.join("bot.sh"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(dir.join("bot.sh"), Permissions::from_mode(0o754)).unwrap();
    fs::write(dir.join("lib/deep/search"), "depth = 3").unwrap();
    fs::write(dir.join("lib-old"), "").unwrap();
    fs::write(dir.join(".hidden"), "x").unwrap();
    fs::write(dir.join("build.log"), "3 s").unwrap();
    fs::write(dir.join("x".repeat(200)), "a long name").unwrap();
    symlink("../bot.sh", dir.join("lib/start")).unwrap();
}

fn pack(dir: &Path, out: &Path) -> Result<Bundle, BundleError> {
    Bundle::pack(dir, &["build.log"], 1000, None, out)
}

/// All paths below a folder.
fn paths(dir: &Path) -> Vec<String> {
    let entries = tree::of(dir, &[], u64::MAX).expect("a folder").0;
    let paths = entries.iter().map(|entry| entry.path.display().to_string());
    paths.collect()
}

#[test]
fn the_same_folder_makes_the_same_archive() {
    let (one, other, out) = (folder(), folder(), folder());
    bot(one.path());
    bot(other.path());
    fs::remove_dir_all(other.path().join("__pycache__")).unwrap();
    let search = other.path().join("lib/deep/search");
    fs::set_permissions(&search, Permissions::from_mode(0o600)).unwrap();
    let file = fs::File::open(&search).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(7))
        .unwrap();
    let first = pack(one.path(), out.path()).unwrap();
    assert_eq!(pack(other.path(), out.path()).unwrap(), first);
    fs::write(other.path().join("build.log"), "4 s").unwrap();
    assert_eq!(pack(other.path(), out.path()).unwrap(), first);
    fs::write(search, "depth = 4").unwrap();
    assert_ne!(pack(other.path(), out.path()).unwrap(), first);
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 2);
}

#[test]
fn what_is_unpacked_is_what_was_packed() {
    let (dir, out, place) = (folder(), folder(), folder());
    bot(dir.path());
    let bundle = pack(dir.path(), out.path()).unwrap();
    let archive = out.path().join(bundle.archive_name());
    let cache = place.path().join("cache/of/bundles");
    let unpacked = bundle
        .unpack_once(&archive, &cache, bundle.bytes)
        .expect("unpacked");
    let long = "x".repeat(200);
    let expected = [
        ".hidden",
        "bot.sh",
        "lib",
        "lib-old",
        "lib/deep",
        "lib/deep/search",
        "lib/start",
        &long,
    ];
    assert_eq!(paths(&unpacked.dir()), expected);
    let at = |name: &str| unpacked.dir().join(name);
    let mode = |name: &str| at(name).metadata().unwrap().mode() & 0o777;
    assert_eq!(
        (mode("bot.sh"), mode(".hidden"), mode("lib")),
        (0o755, 0o644, 0o755)
    );
    assert_eq!(fs::read_to_string(at("lib/start")).unwrap(), "#!/bin/sh\n");
    assert!(unpacked.is_set_up());
    // Once is enough, also without the archive.
    fs::remove_file(&archive).unwrap();
    assert_eq!(bundle.unpack_once(&archive, &cache, 0).unwrap(), unpacked);
    // Another setup needs a folder of its own.
    let bundle = Bundle {
        setup: Some(vec!["make".to_owned()]),
        ..pack(dir.path(), out.path()).unwrap()
    };
    let other = bundle.unpack_once(&archive, &cache, 1000).unwrap();
    assert_ne!(other.dir(), unpacked.dir());
    assert!(!other.is_set_up());
    other.note_set_up().unwrap();
    assert!(other.is_set_up());
    let left = fs::read_dir(&cache).unwrap().count();
    assert_eq!(left, 2, "nothing is left beside");
}

#[test]
fn unfit_folders_are_refused() {
    let out = folder();
    let error = |spoil: &dyn Fn(&Path)| {
        let dir = folder();
        bot(dir.path());
        spoil(dir.path());
        let message = pack(dir.path(), out.path()).unwrap_err().to_string();
        message.replace(&format!("{}/", dir.path().display()), "")
    };
    for target in ["/etc/passwd", "..", "lib/../../x", "../x"] {
        let message = error(&|dir| symlink(target, dir.join("link")).unwrap());
        assert!(message.starts_with("`link` is a link to"), "{message}");
    }
    let message = error(&|dir| symlink("../../x", dir.join("lib/link")).unwrap());
    assert!(message.starts_with("`lib/link` is a link to"), "{message}");
    let message = error(&|dir| {
        nix::unistd::mkfifo(&dir.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    });
    assert!(message.starts_with("`pipe` is neither a file"), "{message}");
    let message = error(&|dir| fs::write(dir.join("lib/data"), [0; 1000]).unwrap());
    assert!(
        message.contains("more than 1000 B together (the largest: `lib` 1009 B, `"),
        "{message}"
    );
}

/// An archive with these entries, named by its hash, as nobody but an attacker makes it.
fn forged(out: &Path, fill: impl FnOnce(&mut Builder<GzEncoder<Vec<u8>>>)) -> Bundle {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    fill(&mut archive);
    let bytes = archive.into_inner().unwrap().finish().unwrap();
    let bundle = Bundle {
        sha256: Digest::of(&bytes),
        bytes: 0,
        setup: None,
    };
    fs::write(out.join(bundle.archive_name()), bytes).unwrap();
    bundle
}

/// Adds an entry with this very path, which the library would refuse.
fn add(
    archive: &mut Builder<impl std::io::Write>,
    kind: EntryType,
    path: &str,
    target: &str,
    contents: &[u8],
) {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(contents.len() as u64);
    header.set_mode(0o644);
    let gnu = header.as_gnu_mut().expect("a header of this kind");
    gnu.name[..path.len()].copy_from_slice(path.as_bytes());
    gnu.linkname[..target.len()].copy_from_slice(target.as_bytes());
    header.set_cksum();
    archive.append(&header, contents).unwrap();
}

#[test]
fn hostile_archives_are_refused() {
    use EntryType::{Block, Directory, Fifo, GNULongName, Link, Regular, Symlink};

    let place = folder();
    let cache = place.path().join("cache");
    let refused = |entries: &[(EntryType, &str, &str, &[u8])], part: &str| {
        let bundle = forged(place.path(), |archive| {
            for (kind, path, target, contents) in entries {
                add(archive, *kind, path, target, contents);
            }
        });
        let archive = place.path().join(bundle.archive_name());
        let message = bundle.unpack_once(&archive, &cache, 100);
        let message = message.expect_err(part).to_string();
        let begin = format!("the bundle {:.12} cannot be unpacked: ", bundle.sha256);
        assert!(
            message.starts_with(&begin) && message.contains(part),
            "{message}"
        );
    };
    refused(&[(Regular, "../evil", "", b"x")], "not a path inside");
    refused(&[(Regular, "/tmp/evil", "", b"x")], "not a path inside");
    refused(&[(Regular, "a/../b", "", b"x")], "not a path inside");
    refused(&[(Regular, "./a", "", b"x")], "not a path inside");
    refused(&[(Regular, "", "", b"x")], "not a path inside");
    refused(&[(Regular, "a/b", "", b"x")], "is in no folder");
    let twice: [(EntryType, &str, &str, &[u8]); 2] =
        [(Regular, "a", "", b"x"), (Regular, "a", "", b"y")];
    refused(&twice, "comes twice");
    // A link, and then something behind it.
    refused(&[(Symlink, "a", "/etc", b"")], "lead out");
    refused(&[(Symlink, "a", "b/../..", b"")], "lead out");
    refused(
        &[(Symlink, "a", "b", b""), (Regular, "a/x", "", b"x")],
        "is in no folder",
    );
    refused(&[(Link, "a", "/etc/passwd", b"")], "is a hard link");
    refused(&[(Block, "a", "", b"")], "is a device");
    refused(&[(Fifo, "a", "", b"")], "is a FIFO");
    refused(&[(Directory, "a", "", b"x")], "only files have contents");
    refused(&[(Regular, "a", "", &[0; 101])], "more than 100 B of files");
    let two: [(EntryType, &str, &str, &[u8]); 2] =
        [(Regular, "a", "", &[0; 60]), (Regular, "b", "", &[0; 60])];
    refused(&two, "more than 100 B of files");
    refused(&[(GNULongName, "a", "", &[b'x'; 5000])], "too long");
    // Only the cache is there, and nothing in it.
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 0);
    assert!(!place.path().join("evil").exists());
}

#[test]
fn nothing_is_made_of_what_is_refused() {
    let place = folder();
    let target = place.path().join("target");
    let refused = |entries: usize, last: &str, part: &str| {
        let bundle = forged(place.path(), |archive| {
            for number in 0..entries {
                let name = format!("{number:06}");
                add(archive, EntryType::Directory, &name, "", b"");
            }
            add(archive, EntryType::Regular, last, "", b"x");
        });
        let archive = place.path().join(bundle.archive_name());
        let message = unpack::into(&bundle, &archive, &target, 100).unwrap_err();
        assert!(message.to_string().contains(part), "{message}");
        assert!(!target.exists(), "{part}");
    };
    refused(3, "../evil", "not a path inside");
    refused(100_000, "last", "more than 100000 files");
    let bundle = forged(place.path(), |archive| {
        add(archive, EntryType::Regular, "a", "", b"x");
    });
    let archive = place.path().join(bundle.archive_name());
    unpack::into(&bundle, &archive, &target, 100).unwrap();
    assert_eq!(paths(&target), ["a"]);
}

#[test]
fn archives_that_are_not_the_bundle_are_refused() {
    let place = folder();
    let cache = place.path().join("cache");
    let mut bundle = forged(place.path(), |archive| {
        add(archive, EntryType::Regular, "a", "", b"x");
    });
    let archive = place.path().join(bundle.archive_name());
    let mut more = fs::OpenOptions::new().append(true).open(&archive).unwrap();
    more.write_all(b"more").unwrap();
    let message = bundle.unpack_once(&archive, &cache, 100).unwrap_err();
    let message = message.to_string();
    let name = format!("so it is not the bundle {:.12}", bundle.sha256);
    assert!(message.ends_with(&name), "{message}");
    bundle.sha256 = Digest::of(b"something else");
    assert!(bundle.unpack_once(&archive, &cache, 100).is_err());
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 0);
}

#[test]
fn a_cache_that_others_write_to_is_refused() {
    let place = folder();
    let bundle = forged(place.path(), |_| ());
    let archive = place.path().join(bundle.archive_name());
    let cache = place.path().join("cache");
    fs::create_dir(&cache).unwrap();
    fs::set_permissions(&cache, Permissions::from_mode(0o777)).unwrap();
    let message = bundle.unpack_once(&archive, &cache, 100).unwrap_err();
    assert!(
        message.to_string().contains("other users may write to it"),
        "{message}"
    );
}

#[test]
fn a_list_is_read_as_it_was_written() {
    let place = folder();
    let bundle = forged(place.path(), |_| ());
    let setup = Some(vec!["pip".to_owned(), "install".to_owned()]);
    let bots = [("anna".to_owned(), Bundle { setup, ..bundle })].into();
    let manifest = Manifest::new(bots);
    manifest.write(place.path()).unwrap();
    assert_eq!(Manifest::read(place.path()).unwrap(), manifest);
    let path = place.path().join(MANIFEST_NAME);
    let text = fs::read_to_string(&path).unwrap();
    let error = |from: &str, to: &str| {
        fs::write(&path, text.replace(from, to)).unwrap();
        Manifest::read(place.path()).unwrap_err().to_string()
    };
    assert!(error("\"format\": 1", "\"format\": 2").contains("it has the format 2"));
    let hash = manifest.bots["anna"].sha256.to_string();
    let message = error(&hash, "../../etc");
    assert!(
        message.contains("`../../etc` is not a SHA-256"),
        "{message}"
    );
}
