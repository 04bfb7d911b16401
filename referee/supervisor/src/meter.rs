//! What a bot's processes use of the CPU.

use std::time::Duration;

use nix::unistd::Pid;
use tokio::time::Instant;

use super::tree::{self, CpuClock, Stat};

/// The tree is looked through anew when the last look is older than this: that costs much more
/// than reading the clocks of known processes.
const FRESH: Duration = Duration::from_millis(20);

/// Adds up the CPU time of all processes below a keeper.
#[derive(Debug)]
pub(super) struct Meter {
    keeper: Pid,
    /// The processes that were there at the last look, with what each had used when last asked.
    known: Vec<(CpuClock, Duration)>,
    /// What processes had used that were waited for by then.
    waited: Duration,
    looked: Option<Instant>,
    total: Duration,
}

impl Meter {
    /// For the bot of this keeper.
    pub(super) fn new(keeper: Pid) -> Self {
        Meter {
            keeper,
            known: Vec::new(),
            waited: Duration::ZERO,
            looked: None,
            total: Duration::ZERO,
        }
    }

    /// What was used so far; it never goes down. `None` where the machine does not tell.
    pub(super) fn read(&mut self, now: Instant) -> Option<Duration> {
        let old = |looked| now.saturating_duration_since(looked) > FRESH;
        if self.looked.is_none_or(old) {
            self.look(now);
        }
        let mut sum = self.waited;
        for (clock, last) in &mut self.known {
            *last = clock.now().unwrap_or(*last);
            sum += *last;
        }
        // What an ended process used counts for its parent only from the next look on.
        self.total = self.total.max(sum);
        (self.total > Duration::ZERO).then_some(self.total)
    }

    fn look(&mut self, now: Instant) {
        let below = tree::descendants(self.keeper);
        let parents = below.iter().chain([&self.keeper]);
        let waited = parents.filter_map(|pid| Some(Stat::read(*pid)?.waited_cpu));
        self.waited = waited.sum();
        let clocks = below.into_iter().filter_map(CpuClock::of);
        self.known = clocks.map(|clock| (clock, Duration::ZERO)).collect();
        self.looked = Some(now);
    }
}
