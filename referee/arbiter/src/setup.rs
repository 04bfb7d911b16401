//! The input of a match.

use std::sync::Arc;
use std::time::Duration;

use games::{Limits, Rules, Session};
use protocol::{MoveText, TimeControl};

use crate::chance::DealKey;
use crate::early_end::EarlyEnds;

/// A match that is to be played.
pub struct Setup {
    pub match_id: String,
    /// The game under its options.
    pub rules: Arc<dyn Rules>,
    /// The position at the start.
    pub start: Box<dyn Session>,
    /// Plies that the referee plays first; each must be legal.
    pub opening: Vec<String>,
    /// The referee's draws follow from it, unless there is a key.
    pub seed: u64,
    /// The key that the draws follow from in games with chance or hidden information; `None` for
    /// the seed.
    pub deal: Option<DealKey>,
    /// The draws of an earlier match, if this is a rerun of it: outcomes of chance and forced
    /// moves, by the number of the ply. These are not drawn again.
    pub recorded: Vec<Option<MoveText>>,
    /// Limits that end the match besides the game.
    pub limits: Limits,
    pub early_ends: EarlyEnds,
    /// The players, in seat order.
    pub seats: Vec<SeatSetup>,
    /// The number of cores that a bot can use at a time, at least 1: its CPU time can pass this many
    /// times faster than wall-clock time.
    pub cores: u32,
}

/// The player of one seat.
#[derive(Clone, Debug)]
pub struct SeatSetup {
    /// The bot's name in the tournament.
    pub name: String,
    pub time: TimeControl,
    /// The CPU time that it may use in the match, including between its turns; `None` if that is
    /// not limited.
    pub cpu_time: Option<Duration>,
    /// The bytes of `info` that are logged with each move.
    pub info_bytes: u64,
}

/// Limits as the protocol writes them.
pub fn wire_limits(limits: Limits) -> protocol::Limits {
    protocol::Limits {
        max_plies: limits.max_plies,
        repetition: limits.repetition,
    }
}
