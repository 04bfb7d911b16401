//! The turn of one seat, from the request to the end of the step, as data; `step.rs` decides.

use std::time::Duration;

use protocol::{Failure, MoveText, Offer};
use serde_json::Value;

use super::info::TurnInfo;
use crate::clock::Used;
use crate::events::Reading;

/// A seat's part in a step.
pub(super) struct OpenTurn {
    /// When the write of the request began; `None` until it is complete.
    pub(super) asked: Option<Reading>,
    /// The last reading since then.
    pub(super) last: Reading,
    /// Collected from `info` messages.
    pub(super) info: TurnInfo,
    pub(super) offer: Option<Offer>,
    /// The time during which the referee did not run.
    pub(super) suspended: Duration,
    /// `None` until the seat has answered. It then waits for the other seats of the step.
    pub(super) answer: Option<Answer>,
}

impl OpenTurn {
    /// A turn that is about to be requested, or that a failure has answered already.
    pub(super) fn new(failed: Option<Failure>) -> Self {
        OpenTurn {
            asked: None,
            last: Reading::default(),
            info: TurnInfo::default(),
            offer: None,
            suspended: Duration::ZERO,
            answer: failed.map(Answer::fault),
        }
    }
}

/// The end of a turn.
pub(super) enum Answer {
    /// The move of a seat that moves alone may still be illegal.
    Move {
        mv: MoveText,
        used: Used,
        /// The `info` of the `move` message itself.
        info: Option<Value>,
    },
    /// A fault, or a resignation.
    Fault {
        failure: Failure,
        /// The time that the turn took, if it took too long.
        late: Option<Late>,
    },
}

impl Answer {
    pub(super) fn fault(failure: Failure) -> Self {
        Answer::Fault {
            failure,
            late: None,
        }
    }
}

/// A turn that took too long.
#[derive(Clone, Copy)]
pub(super) struct Late {
    pub(super) used: Used,
    /// An answer had come by the time at which the seat was found to be late.
    pub(super) answered: bool,
}

/// A fault, and the seat that committed it.
pub(super) struct SeatFault {
    pub(super) seat: usize,
    pub(super) failure: Failure,
    pub(super) late: Option<Late>,
    pub(super) info: Option<Value>,
}

/// A bot's move, as it is logged.
pub(super) struct MadeMove {
    pub(super) seat: usize,
    pub(super) mv: MoveText,
    pub(super) used: Used,
    pub(super) suspended: Duration,
    pub(super) info: Option<Value>,
    pub(super) offer: Option<Offer>,
}
