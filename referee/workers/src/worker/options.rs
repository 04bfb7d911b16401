//! What a worker is told, when it begins and when it is to end.

use std::path::PathBuf;

use cluster::{Server, WorkerName};
use tournament::Yardstick;

/// What a worker is told when it begins.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// The server.
    pub server: Server,
    /// How many groups are played at a time; one for each core if it is not given.
    pub slots: Option<usize>,
    /// What it is called; by the machine's name and its process if that is not given.
    pub name: Option<WorkerName>,
    /// Where relative paths in configurations start; where they do on the coordinator's machine if it is
    /// not given.
    pub folder: Option<PathBuf>,
    /// Whether bots run in the sandbox of the configuration, which may be none.
    pub trust: bool,
    /// Where bundles are unpacked.
    pub bundle_cache: PathBuf,
    /// How many bytes the files of a bundle may have together.
    pub max_bundle: u64,
    /// Where to keep what bots print on stderr, and what there is to know about their failures.
    pub keep: Option<PathBuf>,
    /// Whether the speed of the machine is measured when the worker begins. Without it, the worker plays no
    /// matches whose time limits depend on it.
    pub yardstick: Yardstick,
}

/// How soon a worker is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leave {
    /// Not at all.
    Stay,
    /// When the groups are finished that it is playing.
    AfterGroups,
    /// At once: groups that it is playing go back to the queue.
    Now,
}
