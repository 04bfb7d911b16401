//! A player of a logged match, who does again what the log says.

use std::collections::VecDeque;
use std::task::{Context, Poll};
use std::time::Duration;

use protocol::{BadMessage, BotHello, FaultCode, FromBot, MoveText, Record, ToBot};
use supervisor::Failure;
use tokio::time::Instant;

use super::prompt::Prompt;
use super::{Heard, Player, insider};

/// A player of a logged match. It answers at once, and says that it took as long as it did then.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// The moves that it chose and has not made again yet, with the time that each took.
    moves: VecDeque<(MoveText, Duration)>,
    /// What happens when it is asked for one more.
    fault: Failure,
    prompt: Prompt,
}

impl Recorded {
    /// The player in this seat of a match.
    pub(crate) fn new(record: &Record, seat: usize) -> Self {
        let made = record.moves.iter().skip(record.opening as usize);
        let own = made.filter(|made| made.seat == seat && !made.forced);
        let mut faults = record.result.faults.iter();
        let fault = faults.find(|fault| fault.seat == seat);
        let no_more = || Failure::new(FaultCode::Crash, "the log has no more moves");
        Recorded {
            moves: own.map(|made| (made.mv.clone(), made.ms.0)).collect(),
            fault: fault.map_or_else(no_more, |fault| Failure::new(fault.code, &*fault.message)),
            prompt: Prompt::default(),
        }
    }
}

impl Player for Recorded {
    fn join(&mut self) -> Result<Box<BotHello>, Failure> {
        Ok(insider("recorded"))
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
            ToBot::Turn(_) => match self.moves.pop_front() {
                Some((mv, took)) => self.prompt.moves(mv, now + took),
                None => self.prompt.fails(self.fault.clone()),
            },
            _ => {}
        }
        Ok(())
    }
}
