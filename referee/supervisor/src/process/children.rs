//! All children of this process: the supervisors of its bots, and the orphans of bots that killed
//! theirs.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use tokio::process::{Child, Command};
use tokio::time::sleep;

use super::process_tree;

/// How long a supervisor may take to end everything below it before it is given up. The kernel ends
/// whatever was killed; only a process that hangs in a device can take longer.
pub(crate) const END_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the children are checked while they end.
const REAP_INTERVAL: Duration = Duration::from_millis(1);

/// The supervisors that this process waits for, of all factories together, and the children that
/// have none. This process has no other children, so any other was left behind by a bot that killed
/// its supervisor.
static KNOWN: Mutex<BTreeSet<Pid>> = Mutex::new(BTreeSet::new());

fn known() -> MutexGuard<'static, BTreeSet<Pid>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets this process adopt the orphans of its children from here on.
///
/// # Errors
/// If the machine refuses that.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true)?;
    Ok(())
}

/// Starts a child, normally a supervisor.
///
/// # Errors
/// If the machine refuses.
pub(crate) fn spawn(command: &mut Command) -> io::Result<(Child, Pid)> {
    // Held, so that `sweep` does not take the new process for a stray.
    let mut known = known();
    let child = command.spawn()?;
    let id = child.id().ok_or(io::ErrorKind::NotFound)?;
    let pid = process_tree::pid(id)?;
    known.insert(pid);
    Ok((child, pid))
}

/// A child of this process that is no bot's: it is neither waited for nor swept away with those of
/// bots. Whoever has it waits for it.
#[derive(Debug)]
pub struct OwnChild {
    /// The process.
    pub child: std::process::Child,
    pid: Pid,
}

impl OwnChild {
    /// Starts it.
    ///
    /// # Errors
    /// If the machine refuses.
    pub fn spawn(command: &mut std::process::Command) -> io::Result<Self> {
        let mut known = known();
        let child = command.spawn()?;
        let pid = process_tree::pid(child.id())?;
        known.insert(pid);
        Ok(OwnChild { child, pid })
    }
}

impl Drop for OwnChild {
    fn drop(&mut self) {
        forget(self.pid);
    }
}

/// Takes note that a child is gone, or is left to itself.
pub(crate) fn forget(child: Pid) {
    known().remove(&child);
}

/// The children that nobody waits for.
fn strays() -> Vec<Pid> {
    let children = process_tree::children(Pid::this());
    let known = known();
    children
        .into_iter()
        .filter(|pid| !known.contains(pid))
        .collect()
}

/// Waits until this process has no children but those that somebody still waits for: all bots that
/// were ended or dropped are gone then.
pub(crate) async fn all_gone() {
    let end = Instant::now() + END_TIMEOUT;
    loop {
        let strays = strays();
        if strays.is_empty() {
            return;
        }
        if Instant::now() > end {
            return sweep();
        }
        for stray in strays {
            // Whoever still waits for it sees that it is gone.
            let _ = waitpid(stray, Some(WaitPidFlag::WNOHANG));
        }
        sleep(REAP_INTERVAL).await;
    }
}

/// Ends what bots left behind that killed their supervisors.
pub(super) fn sweep() {
    // Held, so that no supervisor starts meanwhile that would be taken for a stray.
    let known = known();
    let end = Instant::now() + END_TIMEOUT;
    while Instant::now() < end {
        let mut strays = process_tree::children(Pid::this());
        strays.retain(|pid| !known.contains(pid));
        if strays.is_empty() {
            return;
        }
        for stray in &strays {
            process_tree::signal(&process_tree::descendants(*stray), Signal::SIGKILL);
        }
        process_tree::signal(&strays, Signal::SIGKILL);
        for stray in strays {
            let _ = waitpid(stray, Some(WaitPidFlag::WNOHANG));
        }
        std::thread::sleep(REAP_INTERVAL);
    }
    tracing::error!("a process that a bot left behind cannot be ended");
}
