//! Options of a worker.

use std::path::PathBuf;

use cluster::{Server, WorkerName};
use tournament::Yardstick;

#[derive(Clone, Debug)]
pub struct WorkerOptions {
    pub server: Server,
    /// Groups played at a time; by default one per core.
    pub slots: Option<usize>,
    /// By default made of the machine's name and the process id.
    pub name: Option<WorkerName>,
    /// The base of relative paths in configurations; by default the same as on the coordinator's machine.
    pub folder: Option<PathBuf>,
    /// Run bots in the sandbox of the configuration, which may be none.
    pub trust: bool,
    pub bundle_cache: PathBuf,
    /// The most bytes of a bundle's files.
    pub max_bundle: u64,
    /// A folder for the bots' stderr and reports of their failures.
    pub keep: Option<PathBuf>,
    /// Measures the machine at the start. Without it, the worker declines tournaments whose time limits depend
    /// on its speed.
    pub yardstick: Yardstick,
}

/// The end of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leave {
    Stay,
    /// When its current groups are finished.
    AfterGroups,
    /// At once: its current groups return to the queue.
    Now,
}
