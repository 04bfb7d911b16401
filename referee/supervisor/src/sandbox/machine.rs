//! The means of this machine to confine bots.

use super::account::{self, Account};
use super::layers::bubblewrap::Bubblewrap;
use super::layers::cgroup::Cgroups;
use super::layers::landlock;
use super::promises::Means;
use crate::spec::BotSpec;
use crate::spec::Tier;
use crate::system::process_tree::{self, measures_cpu_time};

/// The findings of an examination of this machine.
#[derive(Clone, Debug)]
pub struct Machine {
    pub account: Account,
    /// The control groups that this user may make.
    pub cgroups: Cgroups,
    /// Bubblewrap, or why it cannot be used.
    pub bubblewrap: Result<Bubblewrap, String>,
    /// The error says why Landlock cannot be used.
    pub landlock: Result<(), String>,
    /// Parents of processes are known.
    pub process_trees: bool,
    /// CPU times of other processes are known.
    pub cpu_times: bool,
}

impl Machine {
    /// Examines the machine by trying things out.
    pub fn examine() -> Self {
        let account = Account::find();
        Machine {
            bubblewrap: Bubblewrap::find(&account),
            account,
            cgroups: Cgroups::find(),
            landlock: landlock::check(),
            process_trees: process_tree::is_visible(),
            cpu_times: measures_cpu_time(),
        }
    }

    /// Examines the machine only if these bots need that: it takes time.
    pub(crate) fn for_bots<'a>(mut specs: impl Iterator<Item = &'a BotSpec>) -> Self {
        if specs.any(|spec| spec.wanted.tier != Tier::None) {
            Machine::examine()
        } else {
            Machine::unexamined()
        }
    }

    /// For bots without a sandbox.
    fn unexamined() -> Self {
        Machine {
            account: Account::Ordinary,
            cgroups: Cgroups::default(),
            bubblewrap: Err("not looked for".to_owned()),
            landlock: Err("not looked for".to_owned()),
            process_trees: process_tree::is_visible(),
            cpu_times: measures_cpu_time(),
        }
    }

    /// The means on which the promises of sandboxes depend.
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

/// True if the kernel divides the CPU between sessions, of which each bot has one.
fn shares_by_session() -> bool {
    let enabled = std::fs::read_to_string("/proc/sys/kernel/sched_autogroup_enabled");
    enabled.is_ok_and(|text| text.trim() == "1")
}
