//! Players inside the referee answer as soon as they are asked.

use std::task::Poll;

use protocol::{BotMove, FromBot, MoveText};
use supervisor::Failure;
use tokio::time::Instant;

use super::Heard;

/// What a player who answers at once has to say, if anything.
#[derive(Debug, Default)]
pub(super) struct Prompt(Option<Result<(FromBot, Instant), Failure>>);

impl Prompt {
    /// The player says this, as if at that time.
    pub(super) fn says(&mut self, message: FromBot, at: Instant) {
        self.0 = Some(Ok((message, at)));
    }

    /// The player makes a move, as if at that time.
    pub(super) fn moves(&mut self, mv: MoveText, at: Instant) {
        let (ply, info) = (None, None);
        self.says(FromBot::Move(BotMove { mv, ply, info }), at);
    }

    /// The player is gone.
    pub(super) fn fails(&mut self, failure: Failure) {
        self.0 = Some(Err(failure));
    }

    pub(super) fn poll(&mut self) -> Poll<Heard> {
        match self.0.take() {
            None => Poll::Pending,
            Some(Err(failure)) => Poll::Ready(Heard::Failed(failure)),
            Some(Ok((message, at))) => {
                self.says(message, at);
                Poll::Ready(Heard::Said(at))
            }
        }
    }

    /// The message that was just heard.
    pub(super) fn message(&mut self) -> FromBot {
        match self.0.take() {
            Some(Ok((message, _))) => message,
            _ => panic!("nothing was heard"),
        }
    }
}
