//! Limits on numbers and sizes, and behaviour within them.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::id;
use std::sync::atomic::AtomicU64;
use std::thread::sleep;

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::kill;
use nix::unistd::Pid;

use super::memory::{HELD, end, fill};
use crate::redteam::call::{call, fork};
use crate::redteam::{Attempts, Later, Targets};

/// Within the limits: processes that share their memory. Must not count against a bot.
pub(crate) fn idle_forks(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let shared = vec![1_u8; 12 << 20];
    let children: Vec<Pid> = (0..40)
        .filter_map(|_| fork(|| sleep(2 * HELD)).ok())
        .collect();
    sleep(HELD);
    let alive = children
        .iter()
        .filter(|child| kill(**child, None).is_ok())
        .count();
    end(&children);
    attempts.number("idle forks", alive as u64);
    attempts.number("shared bytes", shared.len() as u64);
    None
}

pub(crate) fn processes(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    const MOST: usize = 400;
    let allowed = targets.number("processes");
    let mut children = Vec::new();
    let mut refused = None;
    while children.len() < MOST && refused.is_none() {
        // Each in a session of its own, where it can.
        let body = || {
            let _ = nix::unistd::setsid();
            sleep(2 * HELD);
        };
        match fork(body) {
            Ok(child) => children.push(child),
            Err(error) => refused = Some(error),
        }
    }
    sleep(HELD);
    let alive = children.iter().filter(|child| is_running(**child)).count();
    end(&children);
    let how = match refused {
        Some(Errno::EAGAIN) | None => format!("{alive} at a time"),
        Some(error) => format!("{alive} at a time; {error}"),
    };
    // This process is one of them.
    attempts.add("more processes", alive + 1 > allowed, how);
    None
}

fn is_running(child: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest.chars().next());
    // Where other processes cannot be seen, signals still reach them.
    match state {
        Some(state) => !matches!(state, Some('Z' | 'X')),
        None => kill(child, None).is_ok(),
    }
}

pub(crate) fn tmp_size(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let allowed = targets.number("tmp") as u64;
    let most = 3 * allowed;
    let mut folders: Vec<PathBuf> = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run"]
        .map(PathBuf::from)
        .into();
    folders.extend([std::env::temp_dir(), ".".into()]);
    folders.extend(targets.paths("masked"));
    let ignored = AtomicU64::new(0);
    let file = format!("redteam-tmp-{}", id());
    for folder in &folders {
        let path = folder.join(&file);
        let bytes = fill(&path, most, &ignored);
        // It is really there, not only taken.
        let there = File::open(&path).and_then(|open| {
            let _ = call(libc::SYS_fsync, &[open.as_raw_fd() as usize]);
            open.metadata()
        });
        let there = there.map_or(0, |known| known.len()).min(bytes);
        let _ = fs::remove_file(&path);
        // A little more than it says is no breach: sizes are rounded up to pages.
        let too_much = there > allowed + allowed / 4;
        let how = format!("{}: {} KiB", folder.display(), there >> 10);
        attempts.add("fill a folder", too_much, how);
    }
    None
}
