//! What this machine can enforce.

use super::bubblewrap::Bubblewrap;
use super::cgroup::Cgroups;
use super::{tells_cpu_time, walls};
use crate::bot::tree;

/// What was found on this machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Control groups that this user may make.
    pub cgroups: Cgroups,
    /// Bubblewrap, or why it cannot be used.
    pub bubblewrap: Result<Bubblewrap, String>,
    /// What Landlock and seccomp lack, if anything.
    pub walls: Option<String>,
    /// Whether it shows which process started which.
    pub trees: bool,
    /// Whether it tells the CPU time of other processes.
    pub cpu_times: bool,
}

impl Machine {
    /// Looks and tries out.
    pub fn look() -> Self {
        Machine {
            cgroups: Cgroups::find(),
            bubblewrap: Bubblewrap::find(),
            walls: walls::lacking(),
            trees: tree::visible(),
            cpu_times: tells_cpu_time(),
        }
    }

    /// A machine of which nothing is asked, for bots without a sandbox.
    pub fn unasked() -> Self {
        Machine {
            cgroups: Cgroups::default(),
            bubblewrap: Err("not looked for".to_owned()),
            walls: Some("not looked for".to_owned()),
            trees: tree::visible(),
            cpu_times: tells_cpu_time(),
        }
    }
}
