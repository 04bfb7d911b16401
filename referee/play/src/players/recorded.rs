//! A player of a logged match, which makes the moves of the log again.

use std::collections::VecDeque;
use std::time::Duration;

use protocol::{Failure, MoveText, Record, Turn, faults};

use super::prompt::{Chooser, Prompt};

/// A player of a logged match. It answers at once, and says that it took as long as it did then.
pub type Recorded = Prompt<LoggedMoves>;

/// The moves of one seat in a log.
#[derive(Debug)]
pub struct LoggedMoves {
    /// The moves that the player chose and has not made again yet, with the time that each took.
    moves: VecDeque<(MoveText, Duration)>,
    /// What happens when it is asked for one more.
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
