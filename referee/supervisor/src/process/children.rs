//! All supervisors of this referee, and the orphans of bots that killed theirs.

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
pub(super) const END_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the children are checked while they end.
const REAP_INTERVAL: Duration = Duration::from_millis(1);

/// The supervisors of this referee. They are its only children: any other child was left behind by
/// a bot that killed its supervisor.
#[derive(Debug, Default)]
pub(crate) struct Supervisors {
    known: Mutex<BTreeSet<Pid>>,
}

impl Supervisors {
    /// None yet. From here on, this process adopts the orphans of its children.
    ///
    /// # Errors
    /// If the machine refuses that.
    pub(crate) fn new() -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        nix::sys::prctl::set_child_subreaper(true)?;
        Ok(Supervisors::default())
    }

    /// Starts a supervisor.
    ///
    /// # Errors
    /// If the machine refuses.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<(Child, Pid)> {
        // Held, so that `sweep` does not take the new process for a stray.
        let mut known = self.known();
        let supervisor = command.spawn()?;
        let id = supervisor.id().ok_or(io::ErrorKind::NotFound)?;
        let pid = process_tree::pid(id)?;
        known.insert(pid);
        Ok((supervisor, pid))
    }

    /// Takes note that a supervisor is gone, or is left to itself.
    pub(super) fn forget(&self, supervisor: Pid) {
        self.known().remove(&supervisor);
    }

    /// Waits until this process has no children, after all bots were ended or dropped.
    pub(crate) async fn all_gone(&self) {
        let end = Instant::now() + END_TIMEOUT;
        loop {
            let children = process_tree::children(Pid::this());
            if children.is_empty() {
                return;
            }
            if Instant::now() > end {
                return self.sweep();
            }
            for child in children {
                // Whoever still waits for it sees that it is gone.
                let _ = waitpid(child, Some(WaitPidFlag::WNOHANG));
            }
            sleep(REAP_INTERVAL).await;
        }
    }

    fn known(&self) -> MutexGuard<'_, BTreeSet<Pid>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends what bots left behind that killed their supervisors.
    pub(super) fn sweep(&self) {
        // Held, so that no supervisor starts meanwhile that would be taken for a stray.
        let known = self.known();
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
}
