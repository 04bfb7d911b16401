//! Limits that the kernel does not enforce: the supervisor checks them at intervals.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use bytesize::ByteSize;
use nix::sys::statvfs::statvfs;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::system::process_tree::{self, Stat};

/// The minimal size of a file in memory, in bytes, if only for its name.
const EMPTY_FILE: u64 = 1 << 10;

/// The limits to check; `None` where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WatchedLimits {
    /// Bytes of memory, all processes together.
    pub(crate) memory: Option<u64>,
    /// Folders in the bot's sandbox whose files are in memory, and count as such.
    pub(crate) files: Vec<PathBuf>,
    /// Processes and threads.
    pub(crate) processes: Option<u64>,
}

impl WatchedLimits {
    /// The limit that the descendants of `root` exceed together, as part of a sentence.
    pub(crate) fn exceeded(&self, root: Pid) -> Option<String> {
        let below = process_tree::descendants(root);
        let stats = || {
            below
                .iter()
                .filter_map(|pid| Some((*pid, Stat::read(*pid)?)))
        };
        let files = self.in_files(&below);
        let memory: u64 = files + stats().map(|(_, stat)| stat.resident).sum::<u64>();
        if let Some(most) = self.memory.filter(|most| memory > *most) {
            // Only now, because counting shared memory right costs much more.
            let shared = stats().map(|(pid, stat)| share(pid).unwrap_or(stat.resident));
            let memory = files + shared.sum::<u64>();
            if memory > most {
                let (used, most) = (ByteSize(memory), ByteSize(most));
                return Some(format!("used {used} of memory (allowed: {most})"));
            }
        }
        let processes: u64 = stats().map(|(_, stat)| stat.threads).sum();
        let most = self.processes.filter(|most| processes > *most)?;
        Some(format!(
            "had {processes} processes and threads (allowed: {most})"
        ))
    }

    /// The size of files in memory, in bytes, as one of these processes sees them.
    fn in_files(&self, processes: &[Pid]) -> u64 {
        // The last one, because those before it may not be in the sandbox.
        let Some(pid) = processes.last().filter(|_| !self.files.is_empty()) else {
            return 0;
        };
        let taken = self.files.iter().filter_map(|folder| {
            let inside = folder.strip_prefix("/").unwrap_or(folder);
            let path = PathBuf::from(format!("/proc/{pid}/root")).join(inside);
            // A process that still sees the machine's own folder is not in the sandbox yet.
            if fs::metadata(&path).ok()?.dev() == fs::metadata(folder).ok()?.dev() {
                return None;
            }
            let seen = statvfs(&path).ok()?;
            let blocks = seen.blocks().saturating_sub(seen.blocks_free());
            let files = seen.files().saturating_sub(seen.files_free());
            Some(blocks as u64 * seen.fragment_size() as u64 + files as u64 * EMPTY_FILE)
        });
        taken.sum()
    }
}

/// The memory of a process in bytes, with shared memory divided among those that share it; `None`
/// if that is not visible.
fn share(pid: Pid) -> Option<u64> {
    let sums = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = sums.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}
