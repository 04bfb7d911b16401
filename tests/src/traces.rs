//! Traces that a referee or a bot may have left behind: processes, control groups, temporary files.

use std::fs;
use std::path::{Path, PathBuf};

/// The variable of the environment that marks processes.
pub const MARK: &str = "HOSTILE_MARK";

/// The processes with this mark in their environment: all that a marked bot starts, and what starts
/// it in a strict sandbox. Zombies have none.
pub fn marked(mark: &str) -> Vec<u32> {
    let wanted = format!("{MARK}={mark}");
    let has_mark = |pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        // On the way to a bot, its variables have other names.
        let own = |variable: &[u8]| {
            let carried = variable.strip_prefix(b"REFEREE_FOR_BOT_");
            carried.unwrap_or(variable) == wanted.as_bytes()
        };
        variables.any(own)
    };
    numbers_in("/proc").into_iter().filter(has_mark).collect()
}

/// The direct children of a process, zombies included.
pub fn children(pid: u32) -> Vec<u32> {
    let is_child = |child: &u32| {
        let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        // The name comes second, in brackets.
        let fields = stat.rsplit_once(')').map(|(_, rest)| rest);
        let parent = fields.and_then(|rest| rest.split_whitespace().nth(1));
        parent.is_some_and(|parent| parent == pid.to_string())
    };
    numbers_in("/proc").into_iter().filter(is_child).collect()
}

/// The supervisors of a referee's bots. What forks them stays as long as the referee.
pub fn supervisors(pid: u32) -> Vec<u32> {
    let name = |pid: &u32| fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let mut found = children(pid);
    found.retain(|child| name(child).trim() != "spawner");
    found
}

pub fn open_files(pid: u32) -> usize {
    numbers_in(&format!("/proc/{pid}/fd")).len()
}

/// The memory that a process has resident, in KiB.
pub fn resident_kib(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The control groups of a referee that is gone.
pub fn control_groups(referee: u32) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let start = format!("referee-{referee}-");
    look(Path::new("/sys/fs/cgroup"), &start, 4, &mut found);
    found
}

/// The temporary folders of bots.
pub fn temporary(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    look(folder, "referee-", 1, &mut found);
    found
}

fn look(folder: &Path, start: &str, deep: u32, found: &mut Vec<PathBuf>) {
    if deep == 0 {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        if entry.file_name().to_string_lossy().starts_with(start) {
            found.push(entry.path());
        }
        look(&entry.path(), start, deep - 1, found);
    }
}

fn numbers_in(folder: &str) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}
