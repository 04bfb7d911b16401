//! Rewrites history: swaps winners and losers in the log, and in the copies that the referee has
//! open. Only examines its own ancestors.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Forges all files within reach; prints how many files that were, and whether an ancestor's memory
/// can be written.
pub(crate) fn forge() -> Value {
    let mut log = 0;
    if let Some(path) = std::env::var_os("FORGE_LOG") {
        log += u32::from(swap(Path::new(&path)));
    }
    let (mut open, mut memory) = (0, 0);
    let mut pid = nix::unistd::getppid().as_raw();
    while pid > 1 {
        let process = PathBuf::from(format!("/proc/{pid}"));
        let files = fs::read_dir(process.join("fd")).into_iter().flatten();
        let paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        open += paths.iter().map(|path| u32::from(swap(path))).sum::<u32>();
        let memory_file = OpenOptions::new().write(true).open(process.join("mem"));
        memory += u32::from(is_referee(&process) && memory_file.is_ok());
        pid = parent(&process);
    }
    json!({"log": log, "open": open, "memory": memory})
}

/// True for a process that runs a tournament, not for one that starts bots.
fn is_referee(process: &Path) -> bool {
    let line = fs::read(process.join("cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0)
        .any(|word| word == b"tournament")
}

fn parent(process: &Path) -> i32 {
    let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let parent = fields.split_whitespace().nth(1);
    parent.and_then(|pid| pid.parse().ok()).unwrap_or(0)
}

/// Swaps the outcomes in a file that is a log; says whether that was done.
fn swap(path: &Path) -> bool {
    // A pipe would be waited for.
    if !fs::metadata(path).is_ok_and(|there| there.is_file()) {
        return false;
    }
    let Ok(text) = fs::read_to_string(path) else {
        return false;
    };
    if !text.starts_with("{\"format\":1,") {
        return false;
    }
    let (won, lost, kept) = ("[1.0,0.0]", "[0.0,1.0]", "[_._,_._]");
    let forged = text
        .replace(won, kept)
        .replace(lost, won)
        .replace(kept, lost);
    let open: Option<File> = OpenOptions::new().write(true).open(path).ok();
    open.is_some_and(|file| file.write_all_at(forged.as_bytes(), 0).is_ok())
}
