//! What this machine can enforce.

use super::account::{self, Account};
use super::bubblewrap::Bubblewrap;
use super::cgroup::Cgroups;
use super::promises::Means;
use super::{tells_cpu_time, walls};
use crate::tree;

/// What was found on this machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Who runs the referee.
    pub account: Account,
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
        let account = Account::find();
        Machine {
            bubblewrap: Bubblewrap::find(&account),
            account,
            cgroups: Cgroups::find(),
            walls: walls::lacking(),
            trees: tree::visible(),
            cpu_times: tells_cpu_time(),
        }
    }

    /// A machine of which nothing is asked, for bots without a sandbox.
    pub fn unasked() -> Self {
        Machine {
            account: Account::Ordinary,
            cgroups: Cgroups::default(),
            bubblewrap: Err("not looked for".to_owned()),
            walls: Some("not looked for".to_owned()),
            trees: tree::visible(),
            cpu_times: tells_cpu_time(),
        }
    }

    /// What the promises of sandboxes depend on.
    pub fn means(&self) -> Means {
        Means {
            root: self.account.ids().is_some(),
            mounts: self.account.ids().is_some() && account::may_mount(),
            memory: self.cgroups.memory(),
            processes: self.cgroups.pids(),
            cpu_time: self.cgroups.cpu(),
            cpu_shares: self.cgroups.weight() || shares_by_session(),
            freezer: self.cgroups.freezer(),
        }
    }
}

/// Whether the kernel shares the CPU out between sessions, of which a bot has one.
fn shares_by_session() -> bool {
    let enabled = std::fs::read_to_string("/proc/sys/kernel/sched_autogroup_enabled");
    enabled.is_ok_and(|text| text.trim() == "1")
}
