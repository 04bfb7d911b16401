//! Measures the CPU time of a bot's processes.

use std::time::Duration;

use nix::unistd::Pid;
use tokio::time::Instant;

use crate::system::process_tree::{self, CpuClock, Stat};

/// The list of processes is read again after this time: that costs much more than reading the
/// clocks of known processes.
const LIST_LIFETIME: Duration = Duration::from_millis(20);

/// Adds up the CPU time of all descendants of a supervisor.
#[derive(Debug)]
pub(crate) struct CpuMeter {
    supervisor: Pid,
    /// The clock of each process on the list, with its last reading.
    known: Vec<(CpuClock, Duration)>,
    /// The CPU time of processes that had been reaped when the list was made.
    waited: Duration,
    /// The time of the list.
    listed: Option<Instant>,
    total: Duration,
}

impl CpuMeter {
    pub(crate) fn new(supervisor: Pid) -> Self {
        CpuMeter {
            supervisor,
            known: Vec::new(),
            waited: Duration::ZERO,
            listed: None,
            total: Duration::ZERO,
        }
    }

    /// The CPU time used so far, which never decreases; `None` if the machine does not report it.
    pub(crate) fn read(&mut self, now: Instant) -> Option<Duration> {
        let outdated = |listed| now.saturating_duration_since(listed) > LIST_LIFETIME;
        if self.listed.is_none_or(outdated) {
            self.list(now);
        }
        let mut sum = self.waited;
        for (clock, last) in &mut self.known {
            *last = clock.now().unwrap_or(*last);
            sum += *last;
        }
        // The next list counts the time of a process that has just ended with its parent.
        self.total = self.total.max(sum);
        (self.total > Duration::ZERO).then_some(self.total)
    }

    fn list(&mut self, now: Instant) {
        let below = process_tree::descendants(self.supervisor);
        let parents = below.iter().chain([&self.supervisor]);
        let waited = parents.filter_map(|pid| Some(Stat::read(*pid)?.waited_cpu));
        self.waited = waited.sum();
        let clocks = below.into_iter().filter_map(CpuClock::of);
        self.known = clocks.map(|clock| (clock, Duration::ZERO)).collect();
        self.listed = Some(now);
    }
}
