//! The init: the first process in a strict sandbox. It starts the bot, reaps orphans, and stops and
//! continues all processes in the sandbox at once.
//!
//! No signal from inside can end or stop the first process of a PID namespace, and a signal to all
//! processes (`kill(-1, …)`) misses none there, not even those that are just being forked.
//! Processes could outrun a walk through `/proc` from outside.

#[cfg(target_os = "linux")]
mod linux;

use serde::{Deserialize, Serialize};

use crate::sandbox::file_identity::Identity;
use crate::sandbox::layers::seccomp::SyscallFilter;

#[cfg(target_os = "linux")]
pub(super) use linux::become_user;
#[cfg(target_os = "linux")]
pub use linux::run;

/// The first argument of a process that runs an init.
pub const SUBCOMMAND: &str = "init";
/// The descriptor at which an init finds its connection to the referee.
pub(crate) const CONTROL_FD: i32 = 4;
/// Stops all processes. The answer is the same byte, once they are stopped.
pub(crate) const STOP: u8 = b'S';
/// Continues all processes. The answer is the same byte.
pub(crate) const CONTINUE: u8 = b'G';

/// The restrictions that an init applies to itself, and the program that it starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Init {
    /// The user that it becomes; only root can.
    pub user: Option<u32>,
    /// The limit on the bot's processes and threads.
    pub processes: Option<u64>,
    pub filter: SyscallFilter,
    /// Files that it must see in the sandbox, or it starts nothing.
    pub guarded: Vec<Identity>,
    /// The bot's program and arguments.
    pub command: Vec<String>,
}

/// Fails: only Linux has the namespaces that an init needs.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn run(_: &Init) -> Result<(), String> {
    Err("only Linux has the strict sandbox".to_owned())
}
