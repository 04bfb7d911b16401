//! The cores that a thread may use, for processes that another thread starts on its behalf.

use tokio::process::Command;

#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cores(nix::sched::CpuSet);

/// Systems other than Linux do not report cores.
#[cfg(not(target_os = "linux"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cores;

#[cfg(target_os = "linux")]
impl Cores {
    /// True if it is a single one.
    pub(crate) fn is_one(self) -> bool {
        let cores = 0..nix::sched::CpuSet::count();
        cores
            .filter(|core| self.0.is_set(*core).unwrap_or(false))
            .count()
            == 1
    }

    /// `None` if the machine does not report them.
    pub(crate) fn of_this_thread() -> Option<Self> {
        let this_thread = nix::unistd::Pid::from_raw(0);
        nix::sched::sched_getaffinity(this_thread).ok().map(Cores)
    }

    /// Pins a process that is about to start to these cores, if the machine allows it.
    pub(crate) fn pin(self, command: &mut Command) {
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
    pub(crate) fn of_this_thread() -> Option<Self> {
        None
    }

    pub(crate) fn is_one(self) -> bool {
        false
    }

    pub(crate) fn pin(self, _: &mut Command) {}
}
