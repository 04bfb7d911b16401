//! All children of this process: the supervisors of its bots, and the orphans of bots that have
//! killed their supervisors.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use tokio::time::sleep;

use crate::system::process_tree;

/// The time that a supervisor has to end all processes below it. The kernel ends killed processes
/// soon; only one that hangs in a device can take longer.
pub(crate) const END_TIMEOUT: Duration = Duration::from_secs(10);
/// While children end, they are reaped at this interval.
const REAP_INTERVAL: Duration = Duration::from_millis(1);

static CHILDREN: Mutex<Children> = Mutex::new(Children {
    known: BTreeSet::new(),
    dropped: Vec::new(),
});
/// Held while a child starts that is not known yet; exclusively while strays are looked for.
static STARTING: RwLock<()> = RwLock::new(());

#[derive(Debug)]
struct Children {
    /// The supervisors that this process waits for, of all factories together, and the children
    /// without a supervisor. Any other child was left behind by a bot that killed its supervisor.
    known: BTreeSet<Pid>,
    /// Supervisors that nobody waits for any more.
    dropped: Vec<Pid>,
}

impl Children {
    /// Reaps supervisors that were dropped and have ended.
    fn reap_dropped(&mut self) {
        let Children { known, dropped } = self;
        // What was reaped elsewhere may have given its id to a child that is known.
        dropped.retain(|pid| {
            let status = || waitpid(*pid, Some(WaitPidFlag::WNOHANG));
            !known.contains(pid) && matches!(status(), Ok(WaitStatus::StillAlive))
        });
    }
}

fn children() -> MutexGuard<'static, Children> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn looking_for_strays() -> RwLockWriteGuard<'static, ()> {
    STARTING.write().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this process adopt the orphans of its children.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true)?;
    Ok(())
}

/// Starts a child by `start`, which also returns its id.
pub(crate) fn register<T, E>(start: impl FnOnce() -> Result<(T, Pid), E>) -> Result<(T, Pid), E> {
    // Not the lock of the set: what starts may take long, and others end their children meanwhile.
    let _starting = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    let (child, pid) = start()?;
    let mut children = children();
    children.known.insert(pid);
    children.reap_dropped();
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

    pub(crate) fn pid(&self) -> Pid {
        self.known.0
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
    children().known.remove(&child);
}

/// Forgets a supervisor that ends by itself: it is reaped sooner or later.
pub(crate) fn drop_supervisor(child: Pid) {
    let mut children = children();
    children.known.remove(&child);
    children.dropped.push(child);
    children.reap_dropped();
}

fn strays() -> Vec<Pid> {
    let _no_other_starts = looking_for_strays();
    strays_now()
}

fn strays_now() -> Vec<Pid> {
    let mut strays = process_tree::children(Pid::this());
    let known = &children().known;
    strays.retain(|pid| !known.contains(pid));
    strays
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
    let _no_other_starts = looking_for_strays();
    let end = Instant::now() + END_TIMEOUT;
    while Instant::now() < end {
        let strays = strays_now();
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
