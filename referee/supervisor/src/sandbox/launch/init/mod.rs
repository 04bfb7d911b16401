//! The init: the first process in a strict sandbox. It starts the bot, reaps orphans, and stops and
//! continues all processes in the sandbox at once.
//!
//! No signal from inside can end or stop the first process of a PID namespace, and a signal to all
//! processes (`kill(-1, …)`) misses none there, not even those that are just being forked.
//! Processes could outrun a walk through `/proc` from outside.

#[cfg(target_os = "linux")]
mod linux;

use std::io;
use std::os::fd::{IntoRawFd, OwnedFd, RawFd};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use serde::{Deserialize, Serialize};

use crate::sandbox::file_identity::Identity;
use crate::sandbox::layers::seccomp::SyscallFilter;

#[cfg(target_os = "linux")]
pub(super) use linux::become_user;
#[cfg(target_os = "linux")]
pub use linux::run;

/// The first argument of a process that runs an init.
pub const SUBCOMMAND: &str = "init";
/// Stops all processes. The answer is the same byte, once they are stopped.
pub(crate) const STOP: u8 = b'S';
/// Continues all processes. The answer is the same byte.
pub(crate) const CONTINUE: u8 = b'G';

/// The restrictions that an init applies to itself, and the program that it starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Init {
    /// The descriptor of its connection to the referee, if it has one.
    pub control: Option<RawFd>,
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

/// Leaves the connection of an init open for what this process becomes.
pub(super) fn pass_control(control: OwnedFd) -> io::Result<RawFd> {
    fcntl(&control, FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(control.into_raw_fd())
}

/// Fails: only Linux has the namespaces that an init needs.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn run(_: &Init) -> Result<(), String> {
    Err("only Linux has the strict sandbox".to_owned())
}
