//! Foreign files: reading, writing, and metadata.

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, symlink};
use std::path::Path;

use nix::libc;
use nix::sys::stat::UtimensatFlags;
use nix::sys::time::TimeSpec;

use crate::redteam::call::call;
use crate::redteam::{Attempts, Later, Targets};

/// Private folders on every machine.
const HOMES: [&str; 3] = ["/root", "/home", "/etc/ssl/private"];
/// Files that only root reads, and the whole disk and memory.
const SECRETS: [&str; 6] = [
    "/etc/shadow",
    "/dev/mem",
    "/dev/kmem",
    "/proc/kcore",
    "/dev/sda",
    "/dev/vda",
];

/// Prefix of files that tricks create outside of the campaign's folder.
pub(crate) const OWN_FILES: &[u8] = b"redteam-";

pub(crate) fn read(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    for path in targets.paths("secrets") {
        tried_to_read(attempts, "read", &path);
        let Ok(inside) = path.strip_prefix("/") else {
            continue;
        };
        // The same by other ways.
        let mut roots = vec!["/proc/self/root".to_owned(), "/proc/1/root".to_owned()];
        let others = targets.processes();
        roots.extend(
            others
                .iter()
                .map(|other| format!("/proc/{}/root", other.pid)),
        );
        for root in roots {
            let way = Path::new(&root).join(inside);
            attempts.io("read through a process's root", File::open(way), &root);
        }
        let link = own(&format!("redteam-link-{}", std::process::id()));
        if symlink(&path, &link).is_ok() {
            attempts.io("read through a link", File::open(&link), "a symbolic link");
            let _ = fs::remove_file(&link);
        }
        if fs::hard_link(&path, &link).is_ok() {
            attempts.io("read through a hard link", File::open(&link), "a link");
            let _ = fs::remove_file(&link);
        }
    }
    for path in SECRETS.map(Path::new) {
        attempts.io(
            "open what is root's",
            File::open(path),
            &path.display().to_string(),
        );
    }
    for path in HOMES.map(Path::new) {
        let first = fs::read_dir(path)
            .and_then(|mut entries| entries.next().ok_or(io::ErrorKind::NotFound)?);
        attempts.io("list a home", first, &path.display().to_string());
    }
    None
}

fn tried_to_read(attempts: &mut Attempts, name: &str, path: &Path) {
    let read = if path.is_dir() {
        fs::read_dir(path).map(|entries| entries.count())
    } else {
        fs::read(path).map(|bytes| bytes.len())
    };
    // Something empty may stand in its place.
    let read = read.and_then(|length| match length {
        0 => Err(io::Error::other("nothing in it")),
        length => Ok(length),
    });
    attempts.io(name, read, &path.display().to_string());
}

pub(crate) fn write(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    for path in targets.paths("protected") {
        let shown = path.display().to_string();
        if path.is_dir() {
            let new = path.join(format!("redteam-{}", std::process::id()));
            attempts.io("create a file", File::create_new(&new), &shown);
            let _ = fs::remove_file(&new);
            attempts.io("create a folder", fs::create_dir(&new), &shown);
            let _ = fs::remove_dir(&new);
            continue;
        }
        let opened = File::options().append(true).open(&path);
        attempts.io("open for writing", opened, &shown);
        // To the length that it has.
        if let (Ok(known), Some(name)) = (path.metadata(), c_string(&path)) {
            let arguments = [name.as_ptr() as usize, known.len() as usize];
            let cut = call(libc::SYS_truncate, &arguments);
            attempts.call("truncate", cut, &shown);
        }
    }
    let victim = targets.path("removable");
    let aside = victim.with_extension("aside");
    let moved = fs::rename(&victim, &aside);
    let _ = fs::rename(&aside, &victim);
    attempts.io("rename", moved, &victim.display().to_string());
    attempts.io(
        "remove",
        fs::remove_file(&victim),
        &victim.display().to_string(),
    );
    None
}

/// Sets all metadata to their present values.
pub(crate) fn change_metadata(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    for path in targets
        .paths("protected")
        .into_iter()
        .chain(targets.paths("shown"))
    {
        let (Ok(known), Some(name)) = (path.symlink_metadata(), c_string(&path)) else {
            continue;
        };
        let shown = path.display().to_string();
        let pointer = name.as_ptr() as usize;
        let here = libc::AT_FDCWD as usize;
        let mode = (known.mode() & 0o777) as usize;
        let ids = [known.uid() as usize, known.gid() as usize];
        attempts.io(
            "chmod",
            fs::set_permissions(&path, known.permissions()),
            &shown,
        );
        let changed = call(libc::SYS_fchmodat2, &[here, pointer, mode, 0]);
        attempts.call("fchmodat2", changed, &shown);
        let changed = call(libc::SYS_fchownat, &[here, pointer, ids[0], ids[1], 0]);
        attempts.call("chown", changed, &shown);
        let changed = nix::sys::stat::utimensat(
            nix::fcntl::AT_FDCWD,
            &path,
            &TimeSpec::new(known.atime(), known.atime_nsec()),
            &TimeSpec::new(known.mtime(), known.mtime_nsec()),
            UtimensatFlags::NoFollowSymlink,
        );
        attempts.call("utime", changed, &shown);
        let changed = call(
            libc::SYS_setxattr,
            &[
                pointer,
                c"user.red".as_ptr() as usize,
                c"x".as_ptr() as usize,
                1,
                0,
            ],
        );
        if changed.is_ok() {
            let arguments = [pointer, c"user.red".as_ptr() as usize];
            let _ = call(libc::SYS_removexattr, &arguments);
        }
        attempts.call("setxattr", changed, &shown);
        through_descriptor(attempts, &path, mode, ids);
    }
    None
}

/// A reader of a file still has a descriptor of it.
fn through_descriptor(attempts: &mut Attempts, path: &Path, mode: usize, ids: [usize; 2]) {
    const GET_FLAGS: usize = 0x8008_6601;
    const SET_FLAGS: usize = 0x4008_6602;
    let shown = path.display().to_string();
    let Ok(file) = File::options()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)
    else {
        return;
    };
    let fd = file.as_raw_fd() as usize;
    attempts.call("fchmod", call(libc::SYS_fchmod, &[fd, mode]), &shown);
    attempts.call(
        "fchown",
        call(libc::SYS_fchown, &[fd, ids[0], ids[1]]),
        &shown,
    );
    let flags = [0_u64];
    let pointer = flags.as_ptr() as usize;
    if call(libc::SYS_ioctl, &[fd, GET_FLAGS, pointer]).is_ok() {
        let set = call(libc::SYS_ioctl, &[fd, SET_FLAGS, pointer]);
        attempts.call("set flags of the file system", set, &shown);
    }
    let again = format!("/proc/self/fd/{fd}");
    let opened = File::options().append(true).open(&again);
    attempts.io("open a descriptor again for writing", opened, &shown);
}

/// A path in the folder where this bot may write, if anywhere.
pub(crate) fn own(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(name)
}

pub(crate) fn c_string(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_bytes()).ok()
}
