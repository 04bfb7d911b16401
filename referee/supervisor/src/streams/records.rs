//! What is kept of the processes of factories: their stderr, and traces. Files are numbered by
//! process. Clones have the numbers and the limit in common.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::stderr::Stderr;
use super::trace::{Trace, Tracer};
use crate::bot::spec::file_name;

/// Where factories keep what its processes print and say.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    /// The folder in which stderr is kept; `None` to pass it on.
    stderr: Option<PathBuf>,
    /// How many bytes of stderr may still be kept, of all processes together.
    stderr_left: Arc<AtomicU64>,
    /// Where everything that is said is traced, if that is wanted.
    pub(crate) tracer: Option<Tracer>,
    /// How many processes were started so far.
    started: Arc<AtomicUsize>,
}

impl Records {
    /// Keeps stderr in this folder, or passes it on.
    pub(crate) fn new(stderr: Option<PathBuf>) -> Self {
        Records {
            stderr,
            stderr_left: Arc::new(AtomicU64::new(u64::MAX)),
            tracer: None,
            started: Arc::default(),
        }
    }

    /// Goes on with the number after this one.
    pub(crate) fn set_last(&self, number: usize) {
        self.started.store(number, Ordering::Relaxed);
    }

    /// Keeps at most this many bytes of stderr, including what is in the folder already.
    pub(crate) fn limit_stderr(&self, max_bytes: u64) {
        let kept = self.stderr.as_deref().map_or(0, size_of_files);
        let left = max_bytes.saturating_sub(kept);
        self.stderr_left.store(left, Ordering::Relaxed);
    }

    /// Where the next process's stderr and trace go. `left` is how many bytes of stderr all
    /// processes of this name may still write.
    pub(crate) fn of_next(&self, name: &str, left: &Arc<AtomicU64>) -> (Stderr, Option<Trace>) {
        let number = self.started.fetch_add(1, Ordering::Relaxed) + 1;
        let stderr = match &self.stderr {
            Some(folder) => Stderr::Keep {
                path: folder.join(format!("{}.{number}.log", file_name(name))),
                left: left.clone(),
                all_left: self.stderr_left.clone(),
            },
            None => Stderr::PassOn,
        };
        let tracer = self.tracer.as_ref();
        (
            stderr,
            tracer.and_then(|tracer| tracer.process(name, number)),
        )
    }
}

/// The size of the files in a folder, in bytes; those that cannot be examined count nothing.
fn size_of_files(folder: &Path) -> u64 {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| Some(entry.metadata().ok()?.len()));
    sizes.sum()
}
