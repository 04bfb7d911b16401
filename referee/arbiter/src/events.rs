//! Events that drivers report to the arbiter, and actions that they carry out for it.

use std::time::Duration;

use games::settlement::Settlement;
use protocol::{BadMessage, BotHello, FaultCode, FromBot, ToBot};
use smallvec::SmallVec;

use crate::clock::Used;

/// A point in time, as the duration since the match began.
pub type At = Duration;

/// A reading of the clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub at: At,
    /// The CPU time that the processes of the seat in question have used so far, in this match and
    /// before it; `None` if the machine does not say.
    pub cpu: Option<Duration>,
}

impl Reading {
    /// The time used since an earlier reading.
    pub(crate) fn since(self, begin: Reading) -> Used {
        let cpu = self.cpu.zip(begin.cpu);
        Used {
            wall: self.at.saturating_sub(begin.at),
            cpu: cpu.map(|(now, then)| now.saturating_sub(then)),
        }
    }
}

/// Reported by the driver.
#[derive(Debug)]
pub enum Event {
    /// A seat's process runs and has introduced itself.
    Joined { seat: usize, hello: Box<BotHello> },
    /// The last message to a seat is written, and its time runs.
    Sent {
        seat: usize,
        /// When the write began.
        now: Reading,
    },
    /// A seat's bot printed a line.
    Line {
        seat: usize,
        message: Result<FromBot, BadMessage>,
        /// When the end of the line arrived.
        now: Reading,
    },
    /// A seat's bot cannot be reached any more.
    Failed {
        seat: usize,
        code: FaultCode,
        /// As part of a sentence whose subject is the bot.
        message: String,
    },
    /// The driver has found a possible reason why a bot is late.
    Stalled {
        seat: usize,
        /// As part of a sentence.
        what: String,
    },
    /// The load of the machine, for the losses on time that follow.
    Busy {
        /// The average number of processes that ran or waited for a core.
        load: f64,
    },
    /// The driver has just noticed that the referee itself did not run for a while. No clock ran.
    Suspended { gap: Duration, now: At },
    /// The driver has carried out [`Action::Settle`].
    Settled {
        /// The result of best play, if it was proven.
        settlement: Option<Settlement>,
        /// The number of positions counted.
        positions: u32,
        took: Duration,
    },
    /// Time has passed. One event for each seat whose answer is awaited.
    Tick { seat: usize, now: Reading },
}

/// To be carried out by the driver.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Send a message to a seat's bot, and report [`Event::Sent`] or [`Event::Failed`].
    Send { seat: usize, message: ToBot },
    /// Find out by [`Session::settlement`](games::Session::settlement) whether the position can be
    /// settled, and report [`Event::Settled`]. No clock runs meanwhile.
    Settle {
        /// The number of positions that this may take.
        budget: u32,
    },
    /// End a seat's process: it may answer messages of the next match with those of this one.
    Dismiss { seat: usize },
}

/// Actions in their order: nearly always one.
pub type Actions = SmallVec<[Action; 2]>;
