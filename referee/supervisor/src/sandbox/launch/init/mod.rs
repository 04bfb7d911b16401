//! The init: the first process in a strict sandbox. It starts the bot, reaps orphans, and stops and
//! continues all processes in the sandbox at once.
//!
//! The kernel lets no signal from inside end or stop the first process of a PID namespace, and a
//! signal to all processes (`kill(-1, …)`) misses none there, not even those that are just being
//! born. A walk through `/proc` from outside could be outrun.

#[cfg(target_os = "linux")]
mod linux;

use serde::{Deserialize, Serialize};

use super::guard::Identity;
use super::layers::seccomp::SyscallFilter;

#[cfg(target_os = "linux")]
pub(super) use linux::become_user;
#[cfg(target_os = "linux")]
pub use linux::run;

/// The hidden subcommand that runs an init.
pub const SUBCOMMAND: &str = "init";
/// The descriptor at which an init finds its connection to the referee.
pub(crate) const CONTROL_FD: i32 = 4;
/// The command that stops all processes. The answer is the same byte, once they are stopped.
pub(crate) const STOP: u8 = b'S';
/// The command that lets all processes go on. The answer is the same byte.
pub(crate) const GO_ON: u8 = b'G';

/// What an init applies to itself, and what it starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Init {
    /// The user that it becomes; only root can.
    pub user: Option<u32>,
    /// How many processes and threads the bot may have.
    pub processes: Option<u64>,
    /// The system calls that the bot is refused.
    pub filter: SyscallFilter,
    /// What it has to find in the sandbox, or it starts nothing.
    pub guarded: Vec<Identity>,
    /// The bot's program and arguments.
    pub command: Vec<String>,
}

/// Says that there are no inits on this system: only Linux has the namespaces that they need.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn run(_: &Init) -> Result<(), String> {
    Err("only Linux has the strict sandbox".to_owned())
}
