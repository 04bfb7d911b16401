//! The referee's own player, who moves at random.

use std::task::{Context, Poll};
use std::time::Duration;

use games::{Rng, Session};
use protocol::{BadMessage, BotHello, FaultCode, FromBot, MoveText, ToBot, Turn};
use supervisor::Failure;
use tokio::time::Instant;

use super::prompt::Prompt;
use super::{Heard, Player, insider};

/// A player who moves at random, and at once.
pub(crate) struct Random {
    /// The position, as far as it was told.
    session: Box<dyn Session>,
    rng: Rng,
    leaves_after: Option<LeavesAfter>,
    prompt: Prompt,
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
        Random {
            session: start,
            rng,
            leaves_after: None,
            prompt: Prompt::default(),
        }
    }

    /// The same, but it crashes in its first turn after `moves` moves of another seat.
    pub(crate) fn leaving_after(mut self, seat: usize, moves: usize) -> Self {
        self.leaves_after = Some(LeavesAfter { seat, moves });
        self
    }

    fn answer(&mut self, turn: &Turn) -> Result<MoveText, Failure> {
        let crash = |message: String| Failure::new(FaultCode::Crash, message);
        for made in &turn.moves {
            let played = self.session.play(&made.mv);
            played.map_err(|error| crash(error.to_string()))?;
        }
        if let Some(LeavesAfter { seat, moves }) = &mut self.leaves_after {
            let made = turn.moves.iter().filter(|made| made.seat == *seat).count();
            *moves = moves.saturating_sub(made);
            if *moves == 0 {
                return Err(crash("exited with code 1".to_owned()));
            }
        }
        let mv = self.session.random_move(&mut self.rng);
        mv.map(MoveText::from)
            .ok_or_else(|| crash("there is no legal move".to_owned()))
    }
}

impl Player for Random {
    fn join(&mut self) -> Result<Box<BotHello>, Failure> {
        Ok(insider("random"))
    }

    fn poll(&mut self, _cx: &mut Context<'_>) -> Poll<Heard> {
        self.prompt.poll()
    }

    fn message(&mut self) -> Result<FromBot, BadMessage> {
        Ok(self.prompt.message())
    }

    async fn send(
        &mut self,
        message: &ToBot,
        _limit: Duration,
        now: Instant,
    ) -> Result<(), Failure> {
        match message {
            ToBot::Start(_) => self.prompt.says(FromBot::Ready {}, now),
            ToBot::Turn(turn) => match self.answer(turn) {
                Ok(mv) => self.prompt.moves(mv, now),
                Err(failure) => self.prompt.fails(failure),
            },
            _ => {}
        }
        Ok(())
    }
}
