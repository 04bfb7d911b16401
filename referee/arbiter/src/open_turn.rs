//! The turn of one seat while its answer is awaited.

use std::time::Duration;

use protocol::{Failure, MoveText, Offer};
use serde_json::Value;

use crate::clock::Used;
use crate::events::Reading;
use crate::info::TurnInfo;

/// A seat that is asked for a move.
pub(crate) struct OpenTurn {
    pub(crate) seat: usize,
    /// When the write of the request began; `None` until it is complete.
    pub(crate) asked: Option<Reading>,
    /// The last reading since then.
    pub(crate) last: Reading,
    /// What `info` messages have said.
    pub(crate) info: TurnInfo,
    /// What it has offered.
    pub(crate) offer: Option<Offer>,
    /// For how long the referee did not run.
    pub(crate) suspended: Duration,
    /// What the seat did, once it did something: it waits for the others of the step then.
    pub(crate) answer: Option<Answer>,
}

impl OpenTurn {
    pub(crate) fn new(seat: usize, answer: Option<Answer>) -> Self {
        OpenTurn {
            seat,
            asked: None,
            last: Reading::default(),
            info: TurnInfo::default(),
            offer: None,
            suspended: Duration::ZERO,
            answer,
        }
    }
}

/// How a turn ended.
pub(crate) enum Answer {
    /// With a move. That of a seat that moves alone may still be illegal.
    Move(MadeMove),
    /// With a fault, or the seat resigned.
    Fault(Failure),
    /// It took too long, so much; true if an answer had come by then.
    Late(Failure, Used, bool),
}

/// A bot's move.
pub(crate) struct MadeMove {
    pub(crate) mv: MoveText,
    pub(crate) used: Used,
    /// What the bot says about it.
    pub(crate) info: Option<Value>,
    /// What the bot offers with it.
    pub(crate) offer: Option<Offer>,
}
