//! What a match starts from.

use std::sync::Arc;
use std::time::Duration;

use games::{Limits, Rules, Session};
use protocol::{MoveText, TimeControl};

use crate::chance::DealKey;
use crate::early_end::EarlyEnds;

/// A match that is to be played.
pub struct Setup {
    /// The match's id.
    pub match_id: String,
    /// The game under its options.
    pub rules: Arc<dyn Rules>,
    /// The position at the start.
    pub start: Box<dyn Session>,
    /// Plies that the referee plays first; each must be legal.
    pub opening: Vec<String>,
    /// What the referee draws follows from it, unless there is a key.
    pub seed: u64,
    /// What it follows from in games with chance or hidden information; `None` for the seed.
    pub deal: Option<DealKey>,
    /// Where a match is played once more: what chance brought and which moves were forced then, by the
    /// number of the ply. Nothing is drawn for these.
    pub recorded: Vec<Option<MoveText>>,
    /// What ends the match besides the game.
    pub limits: Limits,
    /// What else may end it before the game does.
    pub early_ends: EarlyEnds,
    /// The players, in seat order.
    pub seats: Vec<SeatSetup>,
    /// How many cores a bot can use at a time, at least 1: that is how many times faster than
    /// wall-clock time its CPU time can pass.
    pub cores: u32,
}

/// The player of one seat.
#[derive(Clone, Debug)]
pub struct SeatSetup {
    /// The bot's name in the tournament.
    pub name: String,
    /// The player's time control.
    pub time: TimeControl,
    /// The CPU time that it may use in the match, including between its turns; `None` if that is
    /// not limited.
    pub cpu_time: Option<Duration>,
    /// How many bytes of `info` are kept with each move.
    pub info_bytes: u64,
}

/// Limits as the protocol writes them.
pub fn wire_limits(limits: Limits) -> protocol::Limits {
    protocol::Limits {
        max_plies: limits.max_plies,
        repetition: limits.repetition,
    }
}
