//! Quotas of builds: files and bytes are counted while a build runs, since no system lets an
//! ordinary user limit them beforehand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use config::Quota;
use nix::sys::statvfs::statvfs;
use supervisor::OwnChild;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::admission::census::Census;

/// Shortest interval between two counts.
const PATROL_INTERVAL: Duration = Duration::from_millis(100);
/// The pause between two counts, as a multiple of the time of a count.
const PAUSE: u32 = 5;
/// Ends a build if the disk has lost this many times the quota while it ran …
const DISK_LOSS: u64 = 2;
/// … and less than one part in this many is free: then most of it is in deleted files that are
/// still open, or somebody else wrote it; nothing distinguishes the two.
const NEARLY_FULL: u64 = 20;

/// Measures a build against its quota while it runs.
pub(super) struct Watch {
    shared: Arc<Shared>,
}

struct Shared {
    folder: PathBuf,
    /// The build's temporary folder, if it is on the disk.
    tmp: Option<PathBuf>,
    quota: Quota,
    before: Census,
    /// The disk's space before the build.
    disk: Option<Disk>,
}

impl Watch {
    /// Watches a build in this folder; `before` is its earlier census.
    pub(super) fn new(folder: &Path, tmp: Option<&Path>, quota: Quota, before: Census) -> Self {
        let shared = Shared {
            folder: folder.to_owned(),
            tmp: tmp.map(Path::to_owned),
            quota,
            before,
            disk: Disk::of(folder),
        };
        Watch {
            shared: Arc::new(shared),
        }
    }

    /// Waits until the quota is exceeded, and returns how, as a part of a sentence.
    pub(super) async fn exceeded(&self) -> String {
        loop {
            let began = Instant::now();
            if let Some(over) = self.exceeded_by_now().await {
                return over;
            }
            sleep(PATROL_INTERVAL.max(PAUSE * began.elapsed())).await;
        }
    }

    /// Describes how the quota is exceeded now, if it is.
    pub(super) async fn exceeded_by_now(&self) -> Option<String> {
        let shared = self.shared.clone();
        // The closure does not panic, and nothing cancels it.
        spawn_blocking(move || shared.over()).await.unwrap_or(None)
    }

    /// Removes what the build has added, except for this log, and reports it in a sentence.
    pub(super) fn clean_up(&self, log: &Path) -> String {
        let Shared { folder, before, .. } = &*self.shared;
        match remove_new(folder, before, log) {
            Ok(()) => "what it had added was removed".to_owned(),
            Err(why) => format!("what it had added is still there: {why}"),
        }
    }
}

impl Shared {
    fn over(&self) -> Option<String> {
        let Quota { bytes, files } = self.quota;
        let most = |limit: Option<u64>, before: u64| {
            limit.map_or(u64::MAX, |limit| before.saturating_add(limit))
        };
        let (most_files, most_bytes) = (
            most(files, self.before.entries),
            most(bytes, self.before.bytes),
        );
        let folders = [Some(&*self.folder), self.tmp.as_deref()];
        let now = Census::now(folders.into_iter().flatten(), most_files, most_bytes);
        if let Some(limit) = files.filter(|_| now.entries > most_files) {
            return Some(format!(
                "added more than {limit} files to its folder (`build.files`)"
            ));
        }
        if let Some(limit) = bytes.filter(|_| now.bytes > most_bytes) {
            let limit = ByteSize(limit);
            return Some(format!(
                "added more than {limit} to its folder (`build.disk`)"
            ));
        }
        if now.closed.is_some() && self.before.closed.is_none() && (bytes, files) != (None, None) {
            return Some("made a folder that nobody can look into".to_owned());
        }
        let lost = Disk::lost(self.disk?, Disk::of(&self.folder)?, bytes?)?;
        Some(format!(
            "ran while {} were written to a disk that is nearly full, more than twice what it may add \
             (`build.disk`, {})",
            ByteSize(lost),
            ByteSize(bytes?)
        ))
    }
}

#[derive(Clone, Copy, Debug)]
struct Disk {
    all: u64,
    free: u64,
}

impl Disk {
    fn of(folder: &Path) -> Option<Self> {
        let stat = statvfs(folder).ok()?;
        // The types differ between systems.
        #[allow(clippy::unnecessary_cast)]
        let bytes = |blocks| blocks as u64 * stat.fragment_size() as u64;
        Some(Disk {
            all: bytes(stat.blocks()),
            free: bytes(stat.blocks_available()),
        })
    }

    /// The bytes that a disk has lost, if that is too much for a build with this quota.
    fn lost(before: Self, now: Self, most: u64) -> Option<u64> {
        let lost = before.free.saturating_sub(now.free);
        let is_much = lost > DISK_LOSS.saturating_mul(most);
        (is_much && now.free < now.all / NEARLY_FULL).then_some(lost)
    }
}

/// Removes everything from a folder that was not there before.
fn remove_new(folder: &Path, before: &Census, log: &Path) -> Result<(), String> {
    let mut folders = vec![folder.to_owned()];
    let mut left = None;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path == log {
                continue;
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            match before.had(&path) {
                None => return Err("there were too many files to know which are new".to_owned()),
                Some(true) if is_folder => folders.push(path),
                Some(true) => {}
                Some(false) => {
                    let removed = match is_folder {
                        true => fs::remove_dir_all(&path),
                        false => fs::remove_file(&path),
                    };
                    // Nested too deeply, or without permission.
                    if removed.is_err() && !removed_by_program(&path) {
                        left = Some(entry.file_name().to_string_lossy().into_owned());
                    }
                }
            }
        }
    }
    left.map_or(Ok(()), |left| Err(format!("`{left}` cannot be removed")))
}

fn removed_by_program(path: &Path) -> bool {
    let run = |program: &str, options: &[&str]| {
        let mut command = Command::new(program);
        // Both print a line for each file that they cannot change.
        OwnChild::status(command.args(options).arg("--").arg(path))
    };
    let _ = run("chmod", &["-R", "u+rwX"]);
    run("rm", &["-rf"]).is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_is_nearly_full_ends_a_build() {
        let disk = |free| Disk { all: 1000, free };
        assert_eq!(Disk::lost(disk(300), disk(20), 100), Some(280));
        assert_eq!(Disk::lost(disk(300), disk(60), 100), None, "there is room");
        assert_eq!(Disk::lost(disk(100), disk(20), 100), None, "it is not much");
        assert_eq!(Disk::lost(disk(20), disk(30), 0), None);
    }
}
