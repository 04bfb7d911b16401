//! Two kinds of players at one table.

use std::task::{Context, Poll};
use std::time::Duration;

use arbiter::Arbiter;
use protocol::{BadMessage, BotHello, Failure, FromBot, ToBot};
use tokio::time::Instant;

use super::{Diagnosis, Heard, Player};

/// A player of one kind or the other.
pub enum Either<A, B> {
    /// The one kind.
    A(A),
    /// The other kind.
    B(B),
}

/// Hands a call on to whoever it is.
macro_rules! whoever {
    ($either:expr, $player:ident => $call:expr) => {
        match $either {
            Either::A($player) => $call,
            Either::B($player) => $call,
        }
    };
}

impl<A: Player, B: Player> Player for Either<A, B> {
    fn join(&mut self) -> Result<Box<BotHello>, Failure> {
        whoever!(self, player => player.join())
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Heard> {
        whoever!(self, player => player.poll(cx))
    }

    fn message(&mut self) -> Result<FromBot, BadMessage> {
        whoever!(self, player => player.message())
    }

    async fn send(
        &mut self,
        message: &ToBot,
        limit: Duration,
        now: Instant,
    ) -> Result<(), Failure> {
        whoever!(self, player => player.send(message, limit, now).await)
    }

    fn is_heard_unasked(&self) -> bool {
        whoever!(self, player => player.is_heard_unasked())
    }

    fn cpu(&mut self, now: Instant) -> Option<Duration> {
        whoever!(self, player => player.cpu(now))
    }

    fn see(&mut self, arbiter: &Arbiter) {
        whoever!(self, player => player.see(arbiter))
    }

    async fn catch_up(&mut self) {
        whoever!(self, player => player.catch_up().await)
    }

    async fn rest(&mut self) {
        whoever!(self, player => player.rest().await)
    }

    async fn wake(&mut self) {
        whoever!(self, player => player.wake().await)
    }

    fn stall(&self) -> Diagnosis {
        whoever!(self, player => player.stall())
    }

    async fn exit(&mut self) -> Option<String> {
        whoever!(self, player => player.exit().await)
    }

    fn replace(&mut self) -> bool {
        whoever!(self, player => player.replace())
    }

    fn dismiss(&mut self) {
        whoever!(self, player => player.dismiss())
    }
}
