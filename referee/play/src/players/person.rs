//! A person, whose moves come through a channel.

use std::task::{Context, Poll, ready};
use std::time::Duration;

use protocol::{BadMessage, BotHello, Failure, FromBot, ToBot, Wants, faults};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{Player, PlayerEvent, insider};

/// A person in a seat. Messages are not sent to them, as they watch the match instead.
#[derive(Debug)]
pub struct Person {
    input: mpsc::UnboundedReceiver<FromBot>,
    /// Received but not taken yet.
    message: Option<FromBot>,
    /// The input is closed.
    gone: bool,
}

/// The input of a person. Dropping it means that the person is gone.
pub type PersonInput = mpsc::UnboundedSender<FromBot>;

impl Person {
    pub fn new() -> (Self, PersonInput) {
        let (sender, input) = mpsc::unbounded_channel();
        let person = Person {
            input,
            message: None,
            gone: false,
        };
        (person, sender)
    }
}

impl Player for Person {
    fn join(&mut self) -> Result<Box<BotHello>, Failure> {
        let wants = Wants {
            state: false,
            legal: true,
        };
        Ok(insider("person", wants))
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<PlayerEvent> {
        if self.gone {
            return Poll::Pending;
        }
        if self.message.is_none() {
            self.message = ready!(self.input.poll_recv(cx));
        }
        self.gone = self.message.is_none();
        Poll::Ready(if self.gone {
            PlayerEvent::Failed(faults::crashed("the player is gone"))
        } else {
            PlayerEvent::Message(Instant::now())
        })
    }

    fn message(&mut self) -> Result<FromBot, BadMessage> {
        Ok(self.message.take().expect("a message has just arrived"))
    }

    async fn send(
        &mut self,
        message: &ToBot,
        _limit: Duration,
        _now: Instant,
    ) -> Result<(), Failure> {
        if let ToBot::Start(_) = message {
            self.message = Some(FromBot::Ready {});
        }
        Ok(())
    }
}
