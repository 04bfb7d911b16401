//! The promises of each sandbox, by the referee's user and the means of the machine. `referee
//! doctor`, the log's `missing`, SECURITY.md and the red team of the tests all use this table.

use serde::Serialize;

use crate::spec::Tier;

/// The means on which promises depend, besides the tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Means {
    /// The referee runs as root, and bots as another user.
    pub root: bool,
    /// The referee may mount file systems, and so hide the files of control groups from bots.
    pub mounts: bool,
    /// Control groups limit memory.
    pub memory: bool,
    /// Control groups limit the number of processes.
    pub processes: bool,
    /// Control groups count CPU time.
    pub cpu_time: bool,
    /// Control groups share the CPU out between bots, or the kernel does so between sessions.
    pub cpu_shares: bool,
    /// Control groups freeze processes.
    pub freezer: bool,
}

impl Means {
    /// Of root, on a machine with control groups.
    pub const ROOT: Means = Means {
        root: true,
        mounts: true,
        memory: true,
        processes: true,
        cpu_time: true,
        cpu_shares: true,
        freezer: true,
    };
    /// Of an ordinary user, without control groups, on a machine that shares the CPU out between
    /// sessions.
    pub const ORDINARY: Means = Means {
        root: false,
        mounts: false,
        memory: false,
        processes: false,
        cpu_time: false,
        cpu_shares: true,
        freezer: false,
    };
}

/// Something that a bot cannot do while the promise holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    ReadFiles,
    /// Write files outside its own temporary folder.
    WriteFiles,
    /// Change the mode, owner, times or attributes of files.
    ChangeMetadata,
    /// Reach any network or socket.
    Network,
    SeeProcesses,
    SignalProcesses,
    LimitProcesses,
    TraceProcesses,
    /// Open its opponent's pipes.
    OpponentPipes,
    /// Share memory, semaphores or queues with others by name.
    Ipc,
    /// Use keys of others.
    Keyrings,
    /// Change settings of the kernel.
    KernelSettings,
    /// Make calls for the administration of the machine.
    KernelCalls,
    /// Gain rights.
    Privileges,
    Environment,
    /// Find files open that are not its own.
    Descriptors,
    /// Use more memory than allowed, in its processes, or in files in memory.
    Memory,
    /// Hold more memory than allowed in the kernel: buffers of pipes and sockets, page tables.
    KernelMemory,
    /// Have more processes and threads than allowed.
    ProcessCount,
    /// Fill more than its temporary folder.
    TmpSize,
    /// Get more of the CPU by having more processes.
    CpuShare,
    /// Compute while it rests.
    Freezing,
    /// Use uncounted CPU time.
    CpuClock,
    Log,
    /// Change the files of its opponent.
    OpponentFiles,
    /// Signal to another bot through what both can read.
    Channels,
}

impl Promise {
    /// All promises, in the order in which they are shown.
    pub const ALL: [Promise; 26] = [
        Promise::ReadFiles,
        Promise::WriteFiles,
        Promise::ChangeMetadata,
        Promise::Log,
        Promise::OpponentFiles,
        Promise::OpponentPipes,
        Promise::Network,
        Promise::SeeProcesses,
        Promise::SignalProcesses,
        Promise::LimitProcesses,
        Promise::TraceProcesses,
        Promise::Ipc,
        Promise::Keyrings,
        Promise::KernelSettings,
        Promise::KernelCalls,
        Promise::Privileges,
        Promise::Environment,
        Promise::Descriptors,
        Promise::Memory,
        Promise::KernelMemory,
        Promise::ProcessCount,
        Promise::TmpSize,
        Promise::CpuShare,
        Promise::Freezing,
        Promise::CpuClock,
        Promise::Channels,
    ];

    /// The end of a sentence that begins with "a bot cannot".
    pub fn in_words(self) -> &'static str {
        match self {
            Promise::ReadFiles => "read files but the system's, its own and what is `readable`",
            Promise::WriteFiles => "write files outside its own temporary folder",
            Promise::ChangeMetadata => "change modes, owners, times or attributes of files",
            Promise::Log => "change the log",
            Promise::OpponentFiles => "change its opponent's files",
            Promise::OpponentPipes => "speak or read in its opponent's place",
            Promise::Network => "reach a network, or a socket of another program",
            Promise::SeeProcesses => "see other processes",
            Promise::SignalProcesses => "signal other processes",
            Promise::LimitProcesses => "set limits or priorities of other processes",
            Promise::TraceProcesses => "look into other processes",
            Promise::Ipc => "share memory, semaphores or queues with others",
            Promise::Keyrings => "use keys that others have stored in the kernel",
            Promise::KernelSettings => "change settings of the kernel",
            Promise::KernelCalls => "mount, trace the kernel, load programs into it, or the like",
            Promise::Privileges => "be root, or gain any right",
            Promise::Environment => "see the referee's environment",
            Promise::Descriptors => "find files open that are not its own",
            Promise::Memory => "use more memory than allowed",
            Promise::KernelMemory => "hold more of the kernel's memory: buffers, page tables",
            Promise::ProcessCount => "have more processes and threads than allowed",
            Promise::TmpSize => "write more into its temporary folder than allowed",
            Promise::CpuShare => "take CPU time from others by having many processes",
            Promise::Freezing => "compute while it is not its turn",
            Promise::CpuClock => "use CPU time that is not counted",
            Promise::Channels => "signal to another bot through files that both may read",
        }
    }

    /// True if the promise holds in this tier, with these means.
    pub fn holds(self, tier: Tier, means: Means) -> bool {
        // A bot that can write to the files of its control groups can leave them.
        let grouped = match tier {
            Tier::None => false,
            Tier::Limits => means.mounts,
            Tier::Restricted | Tier::Strict => true,
        };
        let strict = tier == Tier::Strict;
        match self {
            Promise::Channels => false,
            Promise::Descriptors => true,
            Promise::Memory => grouped && means.memory || strict,
            Promise::KernelMemory => grouped && means.memory,
            Promise::ProcessCount => grouped && means.processes || strict,
            Promise::CpuClock => grouped && means.cpu_time,
            Promise::Freezing => grouped && means.freezer || strict,
            Promise::CpuShare => grouped && means.cpu_shares,
            Promise::TmpSize | Promise::SeeProcesses => strict,
            _ => tier >= Tier::Restricted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stricter_sandbox_promises_no_less() {
        for means in [Means::ROOT, Means::ORDINARY] {
            for promise in Promise::ALL {
                let held = Tier::ALL.map(|tier| promise.holds(tier, means));
                assert!(held.is_sorted(), "{promise:?}: {held:?}");
            }
        }
        let all = Promise::ALL
            .iter()
            .filter(|p| p.holds(Tier::Strict, Means::ROOT));
        assert_eq!(all.count(), Promise::ALL.len() - 1, "all but channels");
    }

    #[test]
    fn every_promise_is_listed_once() {
        let mut all = Promise::ALL.to_vec();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), Promise::ALL.len());
        let last = Promise::Channels as usize;
        assert_eq!(all.len(), last + 1);
    }

    /// The "held" entries in SECURITY.md are exactly the promises, by sandbox and user.
    #[test]
    fn the_document_says_the_same() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../SECURITY.md");
        let text = std::fs::read_to_string(path).expect("SECURITY.md");
        let rows = text
            .lines()
            .skip_while(|line| !line.starts_with('|'))
            .take_while(|line| line.starts_with('|'));
        let rows: Vec<Vec<&str>> = rows
            .map(|row| {
                row.split(" | ")
                    .map(|cell| cell.trim_matches([' ', '|']))
                    .collect()
            })
            .collect();
        assert_eq!(rows.len(), 2 + Promise::ALL.len());
        for (row, promise) in rows[2..].iter().zip(Promise::ALL) {
            let id = serde_json::to_value(promise).expect("a name");
            let id = id.as_str().expect("a name");
            assert_eq!(row[0], format!("{} (`{id}`)", promise.in_words()));
            let columns = Tier::ALL.into_iter().flat_map(|tier| {
                [("root", Means::ROOT), ("ordinary", Means::ORDINARY)]
                    .map(|(user, means)| (tier, user, means))
            });
            for (column, (tier, user, means)) in (1..).zip(columns) {
                assert_eq!(rows[0][column], format!("{}, {user}", tier.name()));
                let held = promise.holds(tier, means);
                let cell = if held { "held" } else { "not promised" };
                assert_eq!(row[column], cell, "{id}: {}, {user}", tier.name());
            }
        }
    }
}
