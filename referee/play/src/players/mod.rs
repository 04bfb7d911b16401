//! Who can take a seat: a process, a person, a recording, the referee's own random moves. Each is a
//! [`Player`], and a match does not know which.

mod either;
mod ggp;
mod person;
mod process;
mod prompt;
mod random;
mod recorded;

use std::future::{Future, ready};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use arbiter::Arbiter;
use protocol::{BadMessage, BotHello, Failure, FromBot, PROTOCOL, ToBot, Wants};
use tokio::time::Instant;

pub use either::Either;
pub use ggp::{Ggp, GgpMatch};
pub use person::{Person, Voice};
pub use process::{After, Process, Started};
pub use random::Random;
pub use recorded::Recorded;

/// What is heard of a player.
#[derive(Debug)]
pub enum Heard {
    /// It takes its seat only now: [`Player::join`] says how that went.
    Arrived,
    /// It said something at this time: [`Player::message`] is what.
    Said(Instant),
    /// It cannot be talked to any more, and nothing else will be heard of it.
    Failed(Failure),
}

/// What becomes the reason, as part of a sentence, why a player does not answer.
pub(crate) type Diagnosis = Pin<Box<dyn Future<Output = Option<String>> + Send>>;

/// Someone who takes a seat for one match.
///
/// Only [`Player::join`], [`Player::poll`], [`Player::message`] and [`Player::send`] matter to every
/// player; the rest is for players with a process, or with a reason to be listened to differently.
#[expect(
    async_fn_in_trait,
    reason = "the types of players are known where they are driven, and so are their futures"
)]
pub trait Player {
    /// Takes the seat: what the player says about itself. Called once before everything else, and
    /// again after each [`Heard::Arrived`].
    ///
    /// # Errors
    /// Why the seat stays empty.
    fn join(&mut self) -> Result<Box<BotHello>, Failure>;

    /// What is heard next; may be dropped and polled again. Stays pending after [`Heard::Failed`].
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Heard>;

    /// The message that was just heard, or why it is none. Called once after each [`Heard::Said`].
    fn message(&mut self) -> Result<FromBot, BadMessage>;

    /// Gives the player a message, at `now`; it has to be read within `limit`. A player who is gone
    /// gets nothing, which is no failure.
    ///
    /// # Errors
    /// If the player cannot be talked to any more.
    async fn send(&mut self, message: &ToBot, limit: Duration, now: Instant)
    -> Result<(), Failure>;

    /// Whether to listen to the player when nothing is asked of it. Otherwise what it says then is
    /// heard as its next answer.
    fn is_heard_unasked(&self) -> bool {
        true
    }

    /// The CPU time used so far, at `now`; `None` if it is not measured.
    fn cpu(&mut self, _now: Instant) -> Option<Duration> {
        None
    }

    /// Looks at the match after each event that the arbiter has heard of, before anything that follows
    /// from it is done. Only players that are told more than the messages of the protocol need it.
    fn see(&mut self, _arbiter: &Arbiter) {}

    /// Called before the player's turn is sent to it, on nobody's clock: it may have to finish
    /// something.
    async fn catch_up(&mut self) {}

    /// Stops the player until [`Player::wake`], if the tournament freezes those who wait.
    async fn rest(&mut self) {}

    /// Lets the player go on.
    async fn wake(&mut self) {}

    /// Finds out what the player seems to do instead of answering, as part of a sentence. It may be polled
    /// meanwhile.
    fn stall(&self) -> Diagnosis {
        Box::pin(ready(None))
    }

    /// How a player who crashed came to its end, in words. Waits a moment for it.
    async fn exit(&mut self) -> Option<String> {
        None
    }

    /// Starts another process for a player who is gone but may go on, and says whether it did.
    /// [`Heard::Arrived`] follows.
    fn replace(&mut self) -> bool {
        false
    }

    /// Sends the player away: it plays no part in the match any more.
    fn dismiss(&mut self) {}
}

/// How players inside the referee introduce themselves.
fn insider(name: &str, wants: Wants) -> Box<BotHello> {
    Box::new(BotHello {
        protocol: PROTOCOL,
        name: name.to_owned(),
        version: None,
        author: None,
        games: None,
        wants,
    })
}
