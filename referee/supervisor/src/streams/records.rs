//! Files with the stderr and the traces of the processes of factories, numbered by process.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::stderr::Stderr;
use super::trace::{Trace, Tracer};
use crate::spec::file_name;

/// Opens the files for new processes. Clones share the numbers and the limit.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    /// The folder for stderr; `None` to pass it on.
    stderr: Option<PathBuf>,
    /// The bytes of stderr that all processes together may still write.
    stderr_left: Arc<AtomicU64>,
    pub(crate) tracer: Option<Tracer>,
    /// The number of processes so far.
    started: Arc<AtomicUsize>,
}

impl Records {
    /// Stderr goes to this folder, or is passed on.
    pub(crate) fn new(stderr: Option<PathBuf>) -> Self {
        Records {
            stderr,
            stderr_left: Arc::new(AtomicU64::new(u64::MAX)),
            tracer: None,
            started: Arc::default(),
        }
    }

    /// The next process has the number after this one.
    pub(crate) fn set_last(&self, number: usize) {
        self.started.store(number, Ordering::Relaxed);
    }

    /// Limits the size of the folder for stderr, including the files that it already has.
    pub(crate) fn limit_stderr(&self, max_bytes: u64) {
        let taken = self.stderr.as_deref().map_or(0, size_of_files);
        let left = max_bytes.saturating_sub(taken);
        self.stderr_left.store(left, Ordering::Relaxed);
    }

    /// The destinations of the next process's stderr and trace. All processes of this name may
    /// still write `left` bytes of stderr.
    pub(crate) fn of_next(&self, name: &str, left: &Arc<AtomicU64>) -> (Stderr, Option<Trace>) {
        let number = self.started.fetch_add(1, Ordering::Relaxed) + 1;
        let stderr = match &self.stderr {
            Some(folder) => Stderr::File {
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

/// The size of the files in a folder, in bytes, without those that cannot be examined.
fn size_of_files(folder: &Path) -> u64 {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| Some(entry.metadata().ok()?.len()));
    sizes.sum()
}
