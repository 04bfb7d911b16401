//! The referee's own player, which moves at random.

use std::time::Duration;

use games::{Rng, Session};
use protocol::{Failure, MoveText, Turn, faults};

use super::prompt::{Chooser, Prompt};

/// A player that moves at random, and at once.
pub(crate) type Random = Prompt<RandomMoves>;

/// Chooses among the legal moves, each with the same chance.
pub(crate) struct RandomMoves {
    /// The position after the moves that the player was sent.
    session: Box<dyn Session>,
    rng: Rng,
    leaves_after: Option<LeavesAfter>,
}

/// When a player leaves.
struct LeavesAfter {
    /// Whose moves count.
    seat: usize,
    /// How many of them are still to come.
    moves: usize,
}

impl Random {
    /// A player of a match that starts in this position.
    pub(crate) fn new(start: Box<dyn Session>, rng: Rng) -> Self {
        Prompt::of(RandomMoves {
            session: start,
            rng,
            leaves_after: None,
        })
    }

    /// The same, but it crashes in its first turn after `moves` moves of another seat.
    pub(crate) fn leaving_after(mut self, seat: usize, moves: usize) -> Self {
        self.chooser.leaves_after = Some(LeavesAfter { seat, moves });
        self
    }
}

impl Chooser for RandomMoves {
    const NAME: &str = "random";

    fn choose(&mut self, turn: &Turn) -> Result<(MoveText, Duration), Failure> {
        for made in &turn.moves {
            let played = self.session.play(&made.mv);
            played.map_err(|error| faults::crashed(error.to_string()))?;
        }
        if let Some(LeavesAfter { seat, moves }) = &mut self.leaves_after {
            let made = turn.moves.iter().filter(|made| made.seat == *seat).count();
            *moves = moves.saturating_sub(made);
            if *moves == 0 {
                return Err(faults::crashed("exited with code 1"));
            }
        }
        match self.session.random_move(&mut self.rng) {
            Some(mv) => Ok((MoveText::from(mv), Duration::ZERO)),
            None => Err(faults::crashed("there is no legal move")),
        }
    }
}
