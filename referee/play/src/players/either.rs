//! Two kinds of players in one match.

use std::task::{Context, Poll};
use std::time::Duration;

use arbiter::Arbiter;
use protocol::{BadMessage, BotHello, Failure, FromBot, ToBot};
use tokio::time::Instant;

use super::{Player, PlayerEvent, StallReason};

pub enum Either<A, B> {
    A(A),
    B(B),
}

macro_rules! delegate {
    ($either:expr, $player:ident => $call:expr) => {
        match $either {
            Either::A($player) => $call,
            Either::B($player) => $call,
        }
    };
}

impl<A: Player, B: Player> Player for Either<A, B> {
    fn join(&mut self) -> Result<Box<BotHello>, Failure> {
        delegate!(self, player => player.join())
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<PlayerEvent> {
        delegate!(self, player => player.poll(cx))
    }

    fn message(&mut self) -> Result<FromBot, BadMessage> {
        delegate!(self, player => player.message())
    }

    async fn send(
        &mut self,
        message: &ToBot,
        limit: Duration,
        now: Instant,
    ) -> Result<(), Failure> {
        delegate!(self, player => player.send(message, limit, now).await)
    }

    fn is_polled_unasked(&self) -> bool {
        delegate!(self, player => player.is_polled_unasked())
    }

    fn cpu(&mut self, now: Instant) -> Option<Duration> {
        delegate!(self, player => player.cpu(now))
    }

    fn observe(&mut self, arbiter: &Arbiter) {
        delegate!(self, player => player.observe(arbiter))
    }

    async fn catch_up(&mut self) {
        delegate!(self, player => player.catch_up().await)
    }

    async fn rest(&mut self) {
        delegate!(self, player => player.rest().await)
    }

    async fn wake(&mut self) {
        delegate!(self, player => player.wake().await)
    }

    fn stall(&self) -> StallReason {
        delegate!(self, player => player.stall())
    }

    async fn exit(&mut self) -> Option<String> {
        delegate!(self, player => player.exit().await)
    }

    fn replace(&mut self) -> bool {
        delegate!(self, player => player.replace())
    }

    fn dismiss(&mut self) {
        delegate!(self, player => player.dismiss())
    }
}
