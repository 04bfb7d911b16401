//! The players that can take a seat: a process, a person, a recording, random moves. Each is a
//! [`Player`], and a match does not distinguish them.

mod either;
mod ggp;
mod person;
mod process;
mod prompt;
mod random;
mod recorded;
mod typed;

use std::future::{Future, ready};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use arbiter::Arbiter;
use protocol::{BadMessage, BotHello, Failure, FromBot, PROTOCOL, ToBot, Wants};
use tokio::time::Instant;

pub use either::Either;
pub use ggp::{Ggp, GgpMatch};
pub use person::{Person, PersonInput};
pub use process::{After, Process, Started};
pub use random::Random;
pub use recorded::Recorded;
pub use typed::{Typed, interpret};

/// An event of a player.
#[derive(Debug)]
pub enum PlayerEvent {
    /// The player takes its seat late: [`Player::join`] has the result.
    Arrived,
    /// A message arrived at this time: [`Player::message`] returns it.
    Message(Instant),
    /// The player is gone. This is its last event.
    Failed(Failure),
}

/// Resolves to the reason why a player does not answer, as part of a sentence.
pub(crate) type StallReason = Pin<Box<dyn Future<Output = Option<String>> + Send>>;

/// Takes a seat for one match.
///
/// All players need [`Player::join`], [`Player::poll`], [`Player::message`] and [`Player::send`]; the
/// rest is for players with a process, or with other needs.
#[expect(
    async_fn_in_trait,
    reason = "the types of players are known where they are driven, and so are their futures"
)]
pub trait Player {
    /// Takes the seat, and returns the player's `hello`. Called once before everything else, and again
    /// after each [`PlayerEvent::Arrived`].
    ///
    /// # Errors
    /// Why the seat stays empty.
    fn join(&mut self) -> Result<Box<BotHello>, Failure>;

    /// The next event; cancel-safe. Pending forever after [`PlayerEvent::Failed`].
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<PlayerEvent>;

    /// The message that just arrived, or why it is invalid. Called once after each [`PlayerEvent::Message`].
    fn message(&mut self) -> Result<FromBot, BadMessage>;

    /// Sends a message at `now`, which has to be read within `limit`. Messages to a player that is gone
    /// are ignored.
    ///
    /// # Errors
    /// If the player is unreachable from now on.
    async fn send(&mut self, message: &ToBot, limit: Duration, now: Instant)
    -> Result<(), Failure>;

    /// True if the player is polled while nothing is asked of it. Otherwise an unsolicited message
    /// counts as its next answer.
    fn is_polled_unasked(&self) -> bool {
        true
    }

    /// CPU time used up to `now`; `None` if it is not measured.
    fn cpu(&mut self, _now: Instant) -> Option<Duration> {
        None
    }

    /// Called after the arbiter has handled an event, before its consequences. For players that need
    /// more than the messages of the protocol.
    fn observe(&mut self, _arbiter: &Arbiter) {}

    /// Called before the player's turn, on nobody's clock, to finish pending work.
    async fn catch_up(&mut self) {}

    /// Stops the player until [`Player::wake`], if the tournament freezes waiting bots.
    async fn rest(&mut self) {}

    async fn wake(&mut self) {}

    /// Finds out what the player seems to do instead of answering, as part of a sentence. Polls of the
    /// player may continue meanwhile.
    fn stall(&self) -> StallReason {
        Box::pin(ready(None))
    }

    /// Waits a moment for a crashed player, and describes its exit.
    async fn exit(&mut self) -> Option<String> {
        None
    }

    /// Starts another process for a player that is gone but may continue, and returns true if it did.
    /// [`PlayerEvent::Arrived`] follows.
    fn replace(&mut self) -> bool {
        false
    }

    /// Ends the player's part in the match.
    fn dismiss(&mut self) {}
}

/// The `hello` of players inside the referee.
fn insider(name: &str, wants: Wants) -> Box<BotHello> {
    Box::new(BotHello {
        protocol: PROTOCOL,
        name: name.to_owned(),
        version: None,
        author: None,
        games: None,
        wants,
        sdk: None,
    })
}
