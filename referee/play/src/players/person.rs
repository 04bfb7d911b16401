//! A person, who is no process: what they say comes through a channel.

use std::task::{Context, Poll, ready};
use std::time::Duration;

use protocol::{BadMessage, BotHello, Failure, FromBot, ToBot, Wants, faults};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{Heard, Player, insider};

/// A person who takes a seat. There is no need to send them anything: they see what there is to see
/// by looking on.
#[derive(Debug)]
pub struct Person {
    said: mpsc::UnboundedReceiver<FromBot>,
    /// Heard, and not taken yet.
    message: Option<FromBot>,
    /// Nobody can say anything any more.
    gone: bool,
}

/// Where a person speaks. When it is dropped, the person is gone.
pub type Voice = mpsc::UnboundedSender<FromBot>;

impl Person {
    /// A person and their voice.
    pub fn new() -> (Self, Voice) {
        let (voice, said) = mpsc::unbounded_channel();
        let person = Person {
            said,
            message: None,
            gone: false,
        };
        (person, voice)
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

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Heard> {
        if self.gone {
            return Poll::Pending;
        }
        if self.message.is_none() {
            self.message = ready!(self.said.poll_recv(cx));
        }
        self.gone = self.message.is_none();
        Poll::Ready(if self.gone {
            Heard::Failed(faults::crashed("the player is gone"))
        } else {
            Heard::Said(Instant::now())
        })
    }

    fn message(&mut self) -> Result<FromBot, BadMessage> {
        Ok(self.message.take().expect("it was just heard"))
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
