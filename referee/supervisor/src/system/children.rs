//! All children of this process: the supervisors of its bots, and the orphans of bots that have
//! killed their supervisors.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use tokio::time::sleep;

use crate::system::process_tree;

/// The time that a supervisor has to end all processes below it. The kernel ends killed processes
/// soon; only one that hangs in a device can take longer.
pub(crate) const END_TIMEOUT: Duration = Duration::from_secs(10);
/// While children end, they are reaped at this interval.
const REAP_INTERVAL: Duration = Duration::from_millis(1);

/// The supervisors that this process waits for, of all factories together, and the children without
/// a supervisor. Any other child was left behind by a bot that killed its supervisor.
static KNOWN: Mutex<BTreeSet<Pid>> = Mutex::new(BTreeSet::new());

fn known() -> MutexGuard<'static, BTreeSet<Pid>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this process adopt the orphans of its children.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true)?;
    Ok(())
}

/// Starts a child by `start`, which also returns its id.
pub(crate) fn register<T, E>(start: impl FnOnce() -> Result<(T, Pid), E>) -> Result<(T, Pid), E> {
    // Held, so that `sweep` does not take the new process for a stray.
    let mut known = known();
    let (child, pid) = start()?;
    known.insert(pid);
    Ok((child, pid))
}

/// A child of this process that has nothing to do with bots. Its owner waits for it; it is not
/// swept away with the strays of bots. Every child that starts while bots may be there has to be
/// one: as a stray it would be killed, or reaped before its owner learns how it ended.
#[derive(Debug)]
pub struct OwnChild {
    pub child: Child,
    known: KnownChild,
}

impl OwnChild {
    /// # Errors
    /// If the machine refuses.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        let (child, pid) = register(|| {
            let child = command.spawn()?;
            let pid = process_tree::pid(child.id())?;
            io::Result::Ok((child, pid))
        })?;
        let known = KnownChild(pid);
        Ok(OwnChild { child, known })
    }

    /// Runs a command to its end, and collects what it prints.
    ///
    /// # Errors
    /// If the machine refuses.
    pub fn output(command: &mut Command) -> io::Result<Output> {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let OwnChild { child, known } = OwnChild::spawn(command)?;
        let output = child.wait_with_output();
        drop(known);
        output
    }

    /// Runs a command to its end; what it prints is lost.
    ///
    /// # Errors
    /// If the machine refuses.
    pub fn status(command: &mut Command) -> io::Result<ExitStatus> {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut own = OwnChild::spawn(command)?;
        own.child.wait()
    }
}

/// Is forgotten when it is dropped.
#[derive(Debug)]
struct KnownChild(Pid);

impl Drop for KnownChild {
    fn drop(&mut self) {
        forget(self.0);
    }
}

/// A child that still exists later counts as a stray.
pub(crate) fn forget(child: Pid) {
    known().remove(&child);
}

fn strays() -> Vec<Pid> {
    let children = process_tree::children(Pid::this());
    let known = known();
    children
        .into_iter()
        .filter(|pid| !known.contains(pid))
        .collect()
}

/// Waits until this process has no strays: all bots that were ended or dropped are gone then.
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
            // A task that still waits for it gets an error.
            let _ = waitpid(stray, Some(WaitPidFlag::WNOHANG));
        }
        sleep(REAP_INTERVAL).await;
    }
}

/// Kills the processes left behind by bots that have killed their supervisors.
pub(crate) fn sweep() {
    // Held, so that `register` starts no supervisor that would be taken for a stray.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `true` while this process waits for the strays of bots and sweeps them away, again and
    /// again.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_child_of_ones_own_is_no_stray() {
        let waiting = tokio::spawn(async {
            loop {
                all_gone().await;
                tokio::task::spawn_blocking(sweep).await.expect("it ends");
            }
        });
        let ran = tokio::task::spawn_blocking(|| {
            (0..100).all(|_| {
                let ran = OwnChild::output(Command::new("sh").args(["-c", "sleep 0.01; echo"]));
                ran.is_ok_and(|ran| ran.status.success() && ran.stdout == b"\n")
            })
        });
        assert!(ran.await.expect("it ends"));
        waiting.abort();
    }
}
