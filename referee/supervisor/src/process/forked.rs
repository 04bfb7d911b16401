//! A supervisor as a child of this process, forked by the spawner.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use tokio::time::sleep;

use crate::system::children;
use crate::system::spawner::{self, ForkError};

/// Where the kernel does not tell of its end, it is looked for at this interval.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(crate) struct SupervisorProcess {
    pid: Pid,
    /// Once it was reaped; `None` inside if its exit code is lost, or it had none.
    ended: Option<Option<i32>>,
}

impl SupervisorProcess {
    /// See [`spawner::fork`].
    pub(crate) fn fork(order: &[u8], descriptors: &[BorrowedFd<'_>]) -> Result<Self, ForkError> {
        let pid = spawner::fork(order, descriptors)?;
        Ok(SupervisorProcess { pid, ended: None })
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Reaps it if it has ended; true if it has.
    pub(crate) fn has_ended(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = match waitpid(self.pid, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) | Err(nix::errno::Errno::EINTR) => None,
                Ok(WaitStatus::Exited(_, code)) => Some(Some(code)),
                // Something else has reaped it, or a signal has ended it.
                Ok(_) | Err(_) => Some(None),
            };
        }
        self.ended.is_some()
    }

    /// Its exit code, if it has ended and had one.
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        self.has_ended();
        self.ended.flatten()
    }

    /// Sends a signal, unless it was reaped: another process may have its id then.
    pub(crate) fn signal(&self, signal: Signal) {
        if self.ended.is_none() {
            let _ = kill(self.pid, signal);
        }
    }

    /// Waits for its end. Dropping the future changes nothing.
    pub(crate) async fn wait(&mut self) {
        if self.has_ended() {
            return;
        }
        // Where the kernel knows no such files, or has no more of them, the end is looked for.
        let _ = end_of(self.pid).await;
        while !self.has_ended() {
            sleep(POLL_INTERVAL).await;
        }
    }
}

impl Drop for SupervisorProcess {
    fn drop(&mut self) {
        // It notices that its connection is closed, and ends the bot. Nothing waits for that.
        match self.ended {
            Some(_) => children::forget(self.pid),
            None => children::drop_supervisor(self.pid),
        }
    }
}

/// Waits for the end of a child of this process that was not reaped yet.
#[cfg(target_os = "linux")]
async fn end_of(pid: Pid) -> io::Result<()> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    let pid = Pid::from_raw(pid.as_raw()).ok_or(io::ErrorKind::NotFound)?;
    let file = pidfd_open(pid, PidfdFlags::empty())?;
    // SAFETY: this owns its descriptor, so it stays the same and open until it is dropped.
    #[expect(unsafe_code, reason = "the runtime has to rely on that")]
    let file = unsafe { AsyncFd::register_with_interest(file, Interest::READABLE) }?;
    file.readable().await?.retain_ready();
    Ok(())
}

#[cfg(not(target_os = "linux"))]
async fn end_of(_: Pid) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
