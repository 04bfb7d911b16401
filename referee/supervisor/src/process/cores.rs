//! The cores that a thread may use, for processes that another thread starts in its place.

use tokio::process::Command;

/// A set of cores.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cores(nix::sched::CpuSet);

/// A set of cores; this system does not say which.
#[cfg(not(target_os = "linux"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cores;

#[cfg(target_os = "linux")]
impl Cores {
    /// The cores of the current thread; `None` if the machine does not say.
    pub(crate) fn of_this_thread() -> Option<Self> {
        let this_thread = nix::unistd::Pid::from_raw(0);
        nix::sched::sched_getaffinity(this_thread).ok().map(Cores)
    }

    /// Keeps a process that is about to start to these cores, if the machine lets it.
    pub(crate) fn keep_to(self, command: &mut Command) {
        // A sandbox forbids the call, even where it would change nothing.
        if Self::of_this_thread() == Some(self) {
            return;
        }
        // SAFETY: between fork and exec only what is safe in signal handlers may be called; this is
        // one system call, with memory that is copied into the closure.
        #[expect(unsafe_code, reason = "there is no safe way to set it for a child")]
        unsafe {
            command.pre_exec(move || {
                let this_process = nix::unistd::Pid::from_raw(0);
                let _ = nix::sched::sched_setaffinity(this_process, &self.0);
                Ok(())
            });
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Cores {
    /// The cores of the current thread; `None` if the machine does not say.
    pub(crate) fn of_this_thread() -> Option<Self> {
        None
    }

    /// Keeps a process that is about to start to these cores, if the machine lets it.
    pub(crate) fn keep_to(self, _: &mut Command) {}
}
