//! The cores that a thread may use, for processes that another one starts on its behalf.

use serde::{Deserialize, Serialize};

/// Their numbers. Systems other than Linux do not report them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cores(Vec<usize>);

impl Cores {
    pub(crate) fn is_one(&self) -> bool {
        self.0.len() == 1
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;
    use tokio::process::Command;

    use super::Cores;

    const THIS_THREAD: Pid = Pid::from_raw(0);

    impl Cores {
        /// `None` if the machine does not report them.
        pub(crate) fn of_this_thread() -> Option<Self> {
            let set = sched_getaffinity(THIS_THREAD).ok()?;
            let is_set = |core: &usize| set.is_set(*core).unwrap_or(false);
            Some(Cores((0..CpuSet::count()).filter(is_set).collect()))
        }

        /// `None` if this thread has these cores already: a sandbox forbids the call that sets
        /// them, even where it would change nothing.
        fn to_set(&self) -> Option<CpuSet> {
            if Self::of_this_thread().as_ref() == Some(self) {
                return None;
            }
            let mut set = CpuSet::new();
            for core in &self.0 {
                let _ = set.set(*core);
            }
            Some(set)
        }

        /// Pins this thread, and what it starts from now on, to these cores, if the machine allows
        /// it.
        pub(crate) fn pin_this_thread(&self) {
            if let Some(set) = self.to_set() {
                let _ = sched_setaffinity(THIS_THREAD, &set);
            }
        }

        /// Pins a process that is about to start to these cores, if the machine allows it.
        pub(crate) fn pin(&self, command: &mut Command) {
            let Some(set) = self.to_set() else { return };
            // SAFETY: between fork and exec only what is safe in signal handlers may be called;
            // this is one system call, with memory that is copied into the closure.
            #[expect(unsafe_code, reason = "there is no safe way to set it for a child")]
            unsafe {
                command.pre_exec(move || {
                    let _ = sched_setaffinity(THIS_THREAD, &set);
                    Ok(())
                });
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Cores {
    pub(crate) fn of_this_thread() -> Option<Self> {
        None
    }

    pub(crate) fn pin_this_thread(&self) {}

    pub(crate) fn pin(&self, _: &mut tokio::process::Command) {}
}
