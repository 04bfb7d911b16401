//! Exceeding limits of memory in all its forms, of processes, and of `/tmp`.
//!
//! Each takes more than the campaign's limit and holds it for longer than anybody who looks from
//! time to time takes to see it. Succeeded has who still has all of it then.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::id;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::sys::statfs::TMPFS_MAGIC;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::redteam::call::{Outcome, call, fork, in_child, look, map, shared, touch};
use crate::redteam::{Attempts, Later, Targets};

/// Allocated bytes.
const TAKEN: usize = 420 << 20;
/// More than the campaign allows.
const TOO_MUCH: u64 = 330 << 20;
/// Held long enough for periodic checks to see it.
pub(crate) const HELD: Duration = Duration::from_millis(400);
/// Roomy limit.
const WITHIN: Duration = Duration::from_secs(15);
/// Unlike that of any other segment.
pub(crate) const SEGMENT: usize = (50 << 20) + 0x7000;
const CHUNK: usize = 4 << 20;
const MIB: u64 = 1 << 20;
/// About how many bytes the kernel keeps for an empty file in memory: its inode and its entry.
const EMPTY_FILE: u64 = 1000;

/// Allocates memory in a child process, and holds it. Reports the bytes so far.
fn take(attempts: &mut Attempts, name: &str, body: impl FnOnce(&AtomicU64)) {
    let Ok(numbers) = shared() else { return };
    let taken = &numbers[0];
    let outcome = in_child(WITHIN, || {
        body(taken);
        sleep(HELD);
        true
    });
    let bytes = taken.load(Ordering::Relaxed);
    let whole = outcome == Outcome::Done(true) && bytes > TOO_MUCH;
    attempts.add(name, whole, format!("{} MiB; {outcome:?}", bytes / MIB));
}

pub(crate) fn heap(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    take(attempts, "heap", |taken| {
        let mut all = Vec::new();
        while all.len() * CHUNK < TAKEN {
            let mut chunk: Vec<u8> = Vec::new();
            if chunk.try_reserve_exact(CHUNK).is_err() {
                break;
            }
            chunk.resize(CHUNK, 1);
            all.push(chunk);
            taken.fetch_add(CHUNK as u64, Ordering::Relaxed);
        }
        sleep(HELD);
        drop(all);
    });
    // Many processes, each with little.
    take(attempts, "heap of many processes", |taken| {
        let share = TAKEN / 30;
        let Ok(grown) = shared() else { return };
        let children: Vec<(Pid, &AtomicU64)> = grown[..30]
            .iter()
            .filter_map(|grown| {
                let grow = || {
                    let private = libc::MAP_PRIVATE;
                    let both = libc::PROT_READ | libc::PROT_WRITE;
                    if let Ok(address) = map(share, both, private) {
                        touch(address, share, 4096);
                        grown.store(share as u64, Ordering::Relaxed);
                    }
                    // Until it is ended: all of it is held at the same time.
                    sleep(WITHIN);
                };
                Some((fork(grow).ok()?, grown))
            })
            .collect();
        sleep(HELD);
        let lives = |child: Pid| {
            matches!(
                waitpid(child, Some(WaitPidFlag::WNOHANG)),
                Ok(WaitStatus::StillAlive)
            )
        };
        // What a process had that was killed is not held any more.
        let held = children.iter().filter(|(child, _)| lives(*child));
        let held = held.map(|(_, grown)| grown.load(Ordering::Relaxed)).sum();
        taken.store(held, Ordering::Relaxed);
        let children: Vec<Pid> = children.iter().map(|(child, _)| *child).collect();
        end(&children);
    });
    None
}

pub(crate) fn memfds(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    for (name, number) in [
        ("memfd", libc::SYS_memfd_create),
        ("memfd_secret", libc::SYS_memfd_secret),
    ] {
        take(attempts, name, |taken| {
            let made = match number {
                libc::SYS_memfd_create => call(number, &[c"red".as_ptr() as usize, 0]),
                _ => call(number, &[0]),
            };
            let Ok(fd) = made else { return };
            if number == libc::SYS_memfd_create {
                let chunk = vec![1_u8; CHUNK];
                for _ in 0..TAKEN / CHUNK {
                    let Ok(written) = call(libc::SYS_write, &[fd, chunk.as_ptr() as usize, CHUNK])
                    else {
                        return;
                    };
                    taken.fetch_add(written as u64, Ordering::Relaxed);
                }
            } else if call(libc::SYS_ftruncate, &[fd, TAKEN]).is_ok() {
                let both = (libc::PROT_READ | libc::PROT_WRITE) as usize;
                let shared = libc::MAP_SHARED as usize;
                if let Ok(address) = call(libc::SYS_mmap, &[0, TAKEN, both, shared, fd, 0]) {
                    touch(address, TAKEN, 4096);
                    taken.fetch_add(TAKEN as u64, Ordering::Relaxed);
                }
            }
        });
    }
    None
}

pub(crate) fn shared_folder(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    files(attempts, "files in /dev/shm", &["/dev/shm".into()]);
    take(attempts, "shared memory without a file", |taken| {
        let both = libc::PROT_READ | libc::PROT_WRITE;
        if let Ok(address) = map(TAKEN, both, libc::MAP_SHARED) {
            touch(address, TAKEN, 4096);
            taken.fetch_add(TAKEN as u64, Ordering::Relaxed);
        }
    });
    None
}

pub(crate) fn tmp(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let folders = in_memory(vec!["/tmp".into(), "/var/tmp".into(), std::env::temp_dir()]);
    files(attempts, "files in /tmp", &folders);
    None
}

/// Folders in memory that are none of those made for it.
pub(crate) fn masked_folders(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let mut folders = targets.paths("masked");
    let top = fs::read_dir("/").into_iter().flatten().flatten();
    for entry in top {
        let name = entry.file_name();
        if ["proc", "sys", "dev", "tmp"]
            .iter()
            .any(|other| name == *other)
        {
            continue;
        }
        folders.push(entry.path());
        let below = fs::read_dir(entry.path()).into_iter().flatten().flatten();
        folders.extend(below.map(|entry| entry.path()));
    }
    folders.extend(["/dev", "/dev/pts", "/dev/mqueue", "/dev/hugepages"].map(PathBuf::from));
    folders.extend(std::env::current_dir());
    folders.retain(|folder| {
        folder
            .canonicalize()
            .is_ok_and(|real| !real.starts_with("/tmp"))
    });
    files(
        attempts,
        "files in other folders in memory",
        &in_memory(folders),
    );
    None
}

/// Those in memory.
fn in_memory(mut folders: Vec<PathBuf>) -> Vec<PathBuf> {
    folders.retain(|folder| {
        folder.is_dir()
            && nix::sys::statfs::statfs(folder)
                .is_ok_and(|found| found.filesystem_type() == TMPFS_MAGIC)
    });
    folders
}

/// Fills files in these folders, as far as that goes; they are removed after.
fn files(attempts: &mut Attempts, name: &str, folders: &[PathBuf]) {
    let file = format!("redteam-memory-{}", id());
    take(attempts, name, |taken| {
        let mut left = TAKEN as u64;
        for folder in folders {
            let bytes = fill(&folder.join(&file), left, taken);
            left -= bytes.min(left);
        }
    });
    for folder in folders {
        let _ = fs::remove_file(folder.join(&file));
    }
}

pub(crate) fn fill(path: &Path, most: u64, taken: &AtomicU64) -> u64 {
    let Ok(mut file) = File::create(path) else {
        return 0;
    };
    let chunk = vec![1; 1 << 16];
    let mut written = 0;
    while written < most && file.write_all(&chunk).is_ok() {
        written += chunk.len() as u64;
        taken.fetch_add(chunk.len() as u64, Ordering::Relaxed);
    }
    written
}

pub(crate) fn empty_files(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let folders = in_memory(vec!["/tmp".into(), "/dev/shm".into()]);
    let names: Vec<PathBuf> = folders
        .iter()
        .map(|top| top.join(format!("redteam-{}", id())))
        .collect();
    // A kernel makes some ten thousand a second for each process.
    take(attempts, "empty files", |taken| {
        let end = Instant::now() + Duration::from_secs(8);
        let makers: Vec<Pid> = names
            .iter()
            .flat_map(|folder| {
                let _ = fs::create_dir(folder);
                (0..2).filter_map(|maker| fork(|| make_files(folder, maker, taken, end)).ok())
            })
            .collect();
        for maker in makers {
            let _ = waitpid(maker, None);
        }
    });
    for folder in &names {
        let _ = fs::remove_dir_all(folder);
    }
    None
}

fn make_files(folder: &Path, maker: u32, taken: &AtomicU64, end: Instant) {
    let mut number = 0;
    while taken.load(Ordering::Relaxed) < TAKEN as u64 && Instant::now() < end {
        if File::create_new(folder.join(format!("{maker}-{number}"))).is_err() {
            break;
        }
        number += 1;
        taken.fetch_add(EMPTY_FILE, Ordering::Relaxed);
    }
}

/// Data in flight is memory of the kernel.
pub(crate) fn sockets(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    take(attempts, "unread bytes in sockets", |taken| {
        in_many_processes(taken, || {
            let pair = [0_i32; 2];
            let kinds = [
                libc::AF_UNIX as usize,
                libc::SOCK_STREAM as usize | 0x800,
                0,
            ];
            let arguments = [kinds[0], kinds[1], kinds[2], pair.as_ptr() as usize];
            call(libc::SYS_socketpair, &arguments)?;
            Ok(pair.map(|fd| fd as usize))
        });
    });
    None
}

pub(crate) fn pipes(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    take(attempts, "unread bytes in pipes", |taken| {
        in_many_processes(taken, || {
            let pair = [0_i32; 2];
            let flags = libc::O_NONBLOCK as usize;
            call(libc::SYS_pipe2, &[pair.as_ptr() as usize, flags])?;
            let [reader, writer] = pair.map(|fd| fd as usize);
            let larger = libc::F_SETPIPE_SZ as usize;
            let _ = call(libc::SYS_fcntl, &[writer, larger, 1 << 20]);
            Ok([writer, reader])
        });
    });
    None
}

/// Fills pairs of descriptors until there are no more, in one process after another, until it is
/// enough.
fn in_many_processes(taken: &AtomicU64, pair: impl Fn() -> nix::Result<[usize; 2]>) {
    let chunk = vec![1_u8; 64 << 10];
    let mut children = Vec::new();
    for _ in 0..20 {
        let body = || {
            while taken.load(Ordering::Relaxed) < TAKEN as u64 {
                let Ok(pair) = pair() else { break };
                for fd in pair {
                    let write =
                        || call(libc::SYS_write, &[fd, chunk.as_ptr() as usize, chunk.len()]);
                    while let Ok(written) = write() {
                        taken.fetch_add(written as u64, Ordering::Relaxed);
                    }
                }
            }
            sleep(2 * HELD);
        };
        children.extend(fork(body));
        sleep(Duration::from_millis(50));
    }
    sleep(HELD);
    end(&children);
}

/// The tables by which the kernel finds pages that all are the same page of zeros.
pub(crate) fn page_tables(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    const COVERED: usize = 2 << 20;
    const PAGE: usize = 4096;
    take(attempts, "page tables", |taken| {
        let bytes = TAKEN / PAGE * COVERED;
        if let Ok(address) = map(bytes, libc::PROT_READ, libc::MAP_PRIVATE) {
            // Pages of two megabytes would need none.
            let _ = call(
                libc::SYS_madvise,
                &[address, bytes, libc::MADV_NOHUGEPAGE as usize],
            );
            look(address, bytes, COVERED, || {
                taken.fetch_add(PAGE as u64, Ordering::Relaxed);
            });
        }
    });
    None
}

/// Shared memory of System V that no process has in its memory.
pub(crate) fn segments(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let made = |taken: &AtomicU64, ids: &[AtomicU64]| {
        for place in &ids[..TAKEN / SEGMENT] {
            let create = libc::IPC_CREAT as usize | 0o600;
            let Ok(id) = call(libc::SYS_shmget, &[0, SEGMENT, create]) else {
                return;
            };
            place.store(id as u64 + 1, Ordering::Relaxed);
            let Ok(address) = call(libc::SYS_shmat, &[id, 0, 0]) else {
                return;
            };
            touch(address, SEGMENT, 4096);
            let _ = call(libc::SYS_shmdt, &[address]);
            taken.fetch_add(SEGMENT as u64, Ordering::Relaxed);
        }
    };
    let Ok(ids) = shared() else { return None };
    take(attempts, "detached segments", |taken| made(taken, ids));
    for id in ids
        .iter()
        .map(|id| id.load(Ordering::Relaxed))
        .filter(|id| *id > 0)
    {
        let remove = libc::IPC_RMID as usize;
        let _ = call(libc::SYS_shmctl, &[id as usize - 1, remove, 0]);
    }
    None
}

pub(crate) fn end(children: &[Pid]) {
    for child in children {
        let _ = kill(*child, Signal::SIGKILL);
    }
    for child in children {
        let _ = waitpid(*child, None);
    }
}
