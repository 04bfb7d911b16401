//! Drives one match: hands what bots do to the arbiter, and does what the arbiter says.

use std::future::{pending, poll_fn};
use std::task::Poll;
use std::time::Duration;

use protocol::{FaultCode, FromBot, ToBot};
use tokio::time::{Instant, sleep_until};

use crate::arbiter::{Action, Arbiter, Event, Played, Reading, Setup};
use crate::bot::pool::{Leaving, Pool};
use crate::bot::{BotProcess, Evidence, NotStarted};

/// How long a bot may take to read a message that asks for nothing.
const COURTESY: Duration = Duration::from_millis(200);
/// How long a bot may take to read a `turn` where its time is not limited.
const PATIENCE: Duration = Duration::from_secs(10);

/// What became of a bot in a match.
pub enum After {
    /// It may play on.
    Fit(Box<BotProcess>),
    /// It is at fault, and is being ended in the pool.
    Leaving(Leaving),
    /// It did not start; what may explain that.
    Absent(Option<Box<Evidence>>),
}

/// Plays a match. The bots come in seat order, or the reason why one could not be started.
///
/// `watch` is called after every event, for those who want to look on.
pub async fn play(
    setup: Setup,
    bots: Vec<Result<BotProcess, NotStarted>>,
    pool: &mut Pool,
    mut watch: impl FnMut(&Arbiter),
) -> (Played, Vec<After>) {
    let mut driver = Driver {
        began: Instant::now(),
        arbiter: Arbiter::new(setup),
        bots: Vec::new(),
        deaf: Vec::new(),
        gone: Vec::new(),
        pool,
    };
    let mut events = Vec::new();
    for (seat, bot) in bots.into_iter().enumerate() {
        driver.deaf.push(bot.is_err());
        match bot {
            Ok(bot) => {
                let hello = bot.hello().clone();
                driver.bots.push(Some(bot));
                driver.gone.push(After::Absent(None));
                events.push(Event::Joined { seat, hello });
            }
            Err(not) => {
                let (code, message) = not.failure;
                driver.bots.push(None);
                driver.gone.push(After::Absent(not.evidence));
                events.push(Event::Failed {
                    seat,
                    code,
                    message,
                });
            }
        }
    }
    for event in events {
        driver.settle(event).await;
    }
    loop {
        watch(&driver.arbiter);
        if let Some(played) = driver.arbiter.played() {
            return (played, driver.survivors());
        }
        let event = driver.next_event().await;
        driver.settle(event).await;
    }
}

struct Driver<'a> {
    began: Instant,
    arbiter: Arbiter,
    bots: Vec<Option<BotProcess>>,
    /// Seats from which nothing more can come.
    deaf: Vec<bool>,
    /// What became of those that are not in `bots` any more.
    gone: Vec<After>,
    pool: &'a mut Pool,
}

impl Driver<'_> {
    /// What became of the bots.
    fn survivors(self) -> Vec<After> {
        let bots = self.bots.into_iter().zip(self.deaf).zip(self.gone);
        bots.map(|((bot, deaf), gone)| match bot {
            Some(bot) if deaf => After::Leaving(self.pool.dismiss(bot)),
            Some(bot) => After::Fit(Box::new(bot)),
            None => gone,
        })
        .collect()
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Hands an event to the arbiter and does what follows from it, until there is nothing left
    /// to do but wait.
    async fn settle(&mut self, event: Event) {
        let mut events = vec![event];
        while let Some(event) = events.pop() {
            for action in self.arbiter.handle(event) {
                match action {
                    Action::Send { seat, message } => {
                        // What follows from a write is at most a fault of that seat, and the
                        // arbiter keeps such events apart by seat, so their order is free.
                        events.extend(self.send(seat, &message).await);
                    }
                    Action::Dismiss { seat } => {
                        self.deaf[seat] = true;
                        if let Some(bot) = self.bots[seat].take() {
                            self.gone[seat] = After::Leaving(self.pool.dismiss(bot));
                        }
                    }
                }
            }
        }
    }

    async fn send(&mut self, seat: usize, message: &ToBot) -> Option<Event> {
        let limit = self.write_limit(seat, message);
        self.bots[seat].as_mut()?.wake();
        // From here on the time is the bot's: it may answer before the write is seen to be over,
        // and one that is slow to read does so on its own time.
        let now = self.reading(seat);
        let bot = self.bots[seat].as_mut()?;
        let sent = bot.send(message, limit).await;
        Some(match sent {
            Ok(()) => Event::Sent { seat, now },
            Err((code, message)) => Event::Failed {
                seat,
                code,
                message,
            },
        })
    }

    /// What the clocks show, for a seat.
    fn reading(&mut self, seat: usize) -> Reading {
        // The time first: reading the other takes some.
        let at = self.now();
        let cpu = self.bots[seat].as_mut().and_then(BotProcess::cpu);
        Reading { at, cpu }
    }

    /// Lets those rest whose turn it is not, if they are to.
    fn rest(&mut self) {
        let Some(awaited) = self.arbiter.awaited() else {
            return;
        };
        let others = self.bots.iter_mut().enumerate();
        for (_, bot) in others.filter(|(seat, _)| *seat != awaited) {
            bot.iter_mut().for_each(BotProcess::rest);
        }
    }

    fn write_limit(&self, seat: usize, message: &ToBot) -> Duration {
        let clock = self.arbiter.clock(seat);
        match message {
            ToBot::Turn(_) => clock.deadline().unwrap_or(PATIENCE),
            ToBot::Start(_) => clock.control().startup.0,
            _ => COURTESY,
        }
    }

    /// Waits for a line, the end of a bot, or the arbiter's deadline; lines first, so that an
    /// answer that is there already is not overtaken by the deadline.
    async fn next_event(&mut self) -> Event {
        self.rest();
        let deadline = self.arbiter.deadline().map(|at| self.began + at);
        let first = self.arbiter.awaited().unwrap_or(0);
        let (bots, deaf) = (&mut self.bots, &mut self.deaf);
        let seats = bots.len();
        let line = poll_fn(|cx| {
            for seat in (0..seats).map(|i| (first + i) % seats) {
                let Some(bot) = bots[seat].as_mut().filter(|_| !deaf[seat]) else {
                    continue;
                };
                if let Poll::Ready(line) = bot.poll_line(cx) {
                    deaf[seat] = line.is_err();
                    return Poll::Ready((seat, line));
                }
            }
            Poll::Pending
        });
        let wake = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => pending().await,
            }
        };
        let (seat, line) = tokio::select! {
            biased;
            line = line => line,
            () = wake => {
                return Event::Tick { now: self.reading(first) };
            }
        };
        let now = self.reading(seat);
        match line {
            Ok(text) => Event::Line {
                seat,
                message: FromBot::from_line(&text),
                now,
            },
            Err((code, message)) => Event::Failed {
                seat,
                code,
                message: self.explain(seat, code, message).await,
            },
        }
    }

    /// For a bot that closed its output: how its process ended. It is given a moment to end, but
    /// not on another seat's time.
    async fn explain(&mut self, seat: usize, code: FaultCode, message: String) -> String {
        let own_time = self.arbiter.awaited().is_none_or(|awaited| awaited == seat);
        match &mut self.bots[seat] {
            Some(bot) if code == FaultCode::Crash && own_time => bot.exit().await,
            Some(bot) if code == FaultCode::Crash => bot.exit_so_far(),
            _ => message,
        }
    }
}
