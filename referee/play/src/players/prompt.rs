//! Players inside the referee, which answer as soon as they are asked.

use std::task::{Context, Poll};
use std::time::Duration;

use protocol::{BadMessage, BotHello, BotMove, Failure, FromBot, MoveText, ToBot, Turn, Wants};
use tokio::time::Instant;

use super::{Player, PlayerEvent, insider};

/// Chooses the moves of a prompt player.
pub(crate) trait Chooser {
    /// The name in its `hello`.
    const NAME: &str;
    /// The fields that it wants in each turn.
    const WANTS: Wants = Wants {
        state: false,
        legal: false,
    };

    /// The move for this turn and its nominal time.
    ///
    /// # Errors
    /// The player leaves instead of moving.
    fn choose(&mut self, turn: &Turn) -> Result<(MoveText, Duration), Failure>;
}

/// A player that answers at once.
#[derive(Debug)]
pub struct Prompt<C> {
    pub(super) chooser: C,
    /// The pending message with its time.
    answer: Option<Result<(FromBot, Instant), Failure>>,
}

impl<C> Prompt<C> {
    /// A player that has not been asked yet.
    pub(super) fn of(chooser: C) -> Self {
        Prompt {
            chooser,
            answer: None,
        }
    }
}

impl<C: Chooser> Player for Prompt<C> {
    fn join(&mut self) -> Result<Box<BotHello>, Failure> {
        Ok(insider(C::NAME, C::WANTS))
    }

    fn poll(&mut self, _cx: &mut Context<'_>) -> Poll<PlayerEvent> {
        match &self.answer {
            None => Poll::Pending,
            Some(Ok((_, at))) => Poll::Ready(PlayerEvent::Message(*at)),
            Some(Err(failure)) => {
                let failure = failure.clone();
                self.answer = None;
                Poll::Ready(PlayerEvent::Failed(failure))
            }
        }
    }

    fn message(&mut self) -> Result<FromBot, BadMessage> {
        match self.answer.take() {
            Some(Ok((message, _))) => Ok(message),
            _ => panic!("no message has arrived"),
        }
    }

    async fn send(
        &mut self,
        message: &ToBot,
        _limit: Duration,
        now: Instant,
    ) -> Result<(), Failure> {
        match message {
            ToBot::Start(_) => self.answer = Some(Ok((FromBot::Ready {}, now))),
            ToBot::Turn(turn) => {
                let chosen = self.chooser.choose(turn);
                self.answer = Some(chosen.map(|(mv, took)| {
                    let (ply, info) = (None, None);
                    (FromBot::Move(BotMove { mv, ply, info }), now + took)
                }));
            }
            _ => {}
        }
        Ok(())
    }
}
