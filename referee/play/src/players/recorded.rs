//! A player of a logged match, which repeats the moves of the log.

use std::collections::VecDeque;
use std::time::Duration;

use protocol::{Failure, MoveText, Record, Turn, faults};

use super::prompt::{Chooser, Prompt};

/// Answers at once, with the times of the log.
pub type Recorded = Prompt<LoggedMoves>;

/// The moves of one seat in a log.
#[derive(Debug)]
pub struct LoggedMoves {
    /// The player's remaining moves with their times.
    moves: VecDeque<(MoveText, Duration)>,
    /// The answer to any further request.
    fault: Failure,
}

impl Recorded {
    /// The player in this seat of a match.
    pub(crate) fn new(record: &Record, seat: usize) -> Self {
        let made = record.moves.iter().skip(record.opening as usize);
        let own = made.filter(|made| made.seat == Some(seat) && !made.forced);
        let mut faults = record.result.faults.iter();
        let fault = faults.find(|fault| fault.seat == seat);
        Prompt::of(LoggedMoves {
            moves: own.map(|made| (made.mv.clone(), made.ms.0)).collect(),
            fault: match fault {
                Some(fault) => Failure::new(fault.code, &*fault.message),
                None => faults::crashed("the log has no more moves"),
            },
        })
    }
}

impl Chooser for LoggedMoves {
    const NAME: &str = "recorded";

    fn choose(&mut self, _turn: &Turn) -> Result<(MoveText, Duration), Failure> {
        self.moves.pop_front().ok_or_else(|| self.fault.clone())
    }
}
