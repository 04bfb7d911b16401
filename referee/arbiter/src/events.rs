//! What drivers report to the arbiter, and what it has them do.

use std::time::Duration;

use games::settlement::Settlement;
use protocol::{BadMessage, BotHello, FaultCode, FromBot, ToBot};
use smallvec::SmallVec;

use crate::clock::Used;

/// A point in time, as the duration since the match began.
pub type At = Duration;

/// What the clocks show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The time now.
    pub at: At,
    /// The CPU time that the processes of the seat in question have used until now, in this match
    /// and before it; `None` if the machine does not say.
    pub cpu: Option<Duration>,
}

impl Reading {
    /// What was used since another reading.
    pub(crate) fn since(self, begin: Reading) -> Used {
        let cpu = self.cpu.zip(begin.cpu);
        Used {
            wall: self.at.saturating_sub(begin.at),
            cpu: cpu.map(|(now, then)| now.saturating_sub(then)),
        }
    }
}

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// A seat's process runs and has introduced itself.
    Joined {
        /// The seat.
        seat: usize,
        /// What the bot said about itself.
        hello: Box<BotHello>,
    },
    /// The last message to a seat is written, and its time runs.
    Sent {
        /// The seat.
        seat: usize,
        /// When the write began.
        now: Reading,
    },
    /// A seat's bot printed a line.
    Line {
        /// The seat.
        seat: usize,
        /// The message, or what is wrong with the line.
        message: Result<FromBot, BadMessage>,
        /// When the end of the line arrived.
        now: Reading,
    },
    /// A seat's bot cannot be talked to any more.
    Failed {
        /// The seat.
        seat: usize,
        /// The kind of fault.
        code: FaultCode,
        /// What happened, in words.
        message: String,
    },
    /// The driver has found out what a late bot seems to be doing.
    Stalled {
        /// The seat.
        seat: usize,
        /// What it seems to be doing, as part of a sentence.
        what: String,
    },
    /// How busy the machine is at this moment, for the losses on time that follow.
    Busy {
        /// How many processes ran or waited for a core, on average.
        load: f64,
    },
    /// The driver has just noticed that the referee itself did not run for a while. No clock ran.
    Suspended {
        /// For how long.
        gap: Duration,
        /// The time now.
        now: At,
    },
    /// The driver has carried out [`Action::Settle`].
    Settled {
        /// The result of best play, if it was proven.
        settlement: Option<Settlement>,
        /// How many positions that took.
        positions: u32,
        /// How long it took.
        took: Duration,
    },
    /// Time has passed.
    Tick {
        /// A seat that is asked for something. There is one event for each of them.
        seat: usize,
        /// The time now.
        now: Reading,
    },
}

/// What a driver is to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Send a message to a seat's bot, and report [`Event::Sent`] or [`Event::Failed`].
    Send {
        /// The seat.
        seat: usize,
        /// The message.
        message: ToBot,
    },
    /// Find out by [`Session::settlement`](games::Session::settlement) whether the position can be settled,
    /// and report [`Event::Settled`]. No clock runs meanwhile.
    Settle {
        /// How many positions this may take.
        budget: u32,
    },
    /// End a seat's process: it may answer messages of the next match with those of this one.
    Dismiss {
        /// The seat.
        seat: usize,
    },
}

/// What a driver is to do, in this order. It is nearly always one action.
pub type Actions = SmallVec<[Action; 2]>;
