//! The referee's own player, which moves at random.

use std::time::Duration;

use games::Rng;
use protocol::{Failure, MoveText, Turn, Wants, faults};

use super::prompt::{Chooser, Prompt};

/// Moves at random, and at once.
pub type Random = Prompt<RandomMoves>;

/// Chooses among the legal moves uniformly.
pub struct RandomMoves {
    rng: Rng,
    leaves_after: Option<LeavesAfter>,
}

struct LeavesAfter {
    /// The seat whose moves count.
    seat: usize,
    /// Remaining moves.
    moves: usize,
}

impl Random {
    pub fn new(rng: Rng) -> Self {
        Prompt::of(RandomMoves {
            rng,
            leaves_after: None,
        })
    }

    /// Crashes in its first turn after `moves` moves of another seat.
    pub fn leaving_after(mut self, seat: usize, moves: usize) -> Self {
        self.chooser.leaves_after = Some(LeavesAfter { seat, moves });
        self
    }
}

impl Chooser for RandomMoves {
    const NAME: &str = "random";
    const WANTS: Wants = Wants {
        state: false,
        legal: true,
    };

    fn choose(&mut self, turn: &Turn) -> Result<(MoveText, Duration), Failure> {
        if let Some(LeavesAfter { seat, moves }) = &mut self.leaves_after {
            let made = turn
                .moves
                .iter()
                .filter(|made| made.seat == Some(*seat))
                .count();
            *moves = moves.saturating_sub(made);
            if *moves == 0 {
                return Err(faults::crashed("exited with code 1"));
            }
        }
        let legal = turn.legal.as_ref().filter(|legal| !legal.is_empty());
        let Some(legal) = legal else {
            return Err(faults::crashed("there is no legal move"));
        };
        let mv = &legal[self.rng.index(legal.len())];
        Ok((MoveText::from(mv), Duration::ZERO))
    }
}
