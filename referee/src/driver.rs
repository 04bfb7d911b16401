//! Drives one match: hands what bots do to the arbiter, and does what the arbiter says.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use protocol::{FaultCode, FromBot, ToBot};
use tokio::task::{JoinError, JoinSet, consume_budget, yield_now};
use tokio::time::{Instant, Sleep, sleep};

use crate::arbiter::{Action, Arbiter, Event, Played, Reading, Setup};
use crate::bot::pool::{Leaving, Pool};
use crate::bot::spec::BotSpec;
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

/// Plays a match. The bots come in seat order, as their descriptions do, or the reason why one
/// could not be started.
///
/// `watch` is called after every event, for those who want to look on.
pub async fn play(
    setup: Setup,
    specs: &[Arc<BotSpec>],
    bots: Vec<Result<Box<BotProcess>, NotStarted>>,
    pool: &mut Pool,
    mut watch: impl FnMut(&Arbiter),
) -> (Played, Vec<After>) {
    let mut driver = Driver {
        began: Instant::now(),
        alarm: Alarm::new(),
        arbiter: Arbiter::new(setup),
        bots: Vec::new(),
        deaf: Vec::new(),
        gone: Vec::new(),
        hung_up: vec![false; specs.len()],
        plain: vec![false; specs.len()],
        specs,
        renewed: JoinSet::new(),
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
        if driver.arbiter.result().is_some() {
            return driver.over();
        }
        // A bot that always has answered already must not keep the thread for itself.
        consume_budget().await;
        let event = driver.next_event().await;
        driver.settle(event).await;
    }
}

/// Later than any deadline, nearly.
const LATER: Duration = Duration::from_secs(24 * 60 * 60);

/// A timer. To arm one costs more than to let one ring too early, and deadlines mostly move on: so
/// it is armed anew only when it has rung, or would ring too late.
struct Alarm(Pin<Box<Sleep>>);

impl Alarm {
    fn new() -> Self {
        Alarm(Box::pin(sleep(LATER)))
    }

    /// Ready at the deadline.
    fn poll_until(&mut self, cx: &mut Context<'_>, deadline: Instant) -> Poll<()> {
        loop {
            if self.0.deadline() > deadline {
                self.0.as_mut().reset(deadline);
            }
            ready!(self.0.as_mut().poll(cx));
            if self.0.deadline() == deadline {
                return Poll::Ready(());
            }
            self.0.as_mut().reset(deadline);
        }
    }
}

struct Driver<'a> {
    began: Instant,
    alarm: Alarm,
    arbiter: Arbiter,
    bots: Vec<Option<Box<BotProcess>>>,
    /// Seats from which nothing more can come.
    deaf: Vec<bool>,
    /// What became of those that are not in `bots` any more.
    gone: Vec<After>,
    /// Seats whose bots closed their output while it was not their turn.
    hung_up: Vec<bool>,
    /// Seats whose bots answer without saying which ply.
    plain: Vec<bool>,
    specs: &'a [Arc<BotSpec>],
    /// Processes that are being started in the place of others, with their seats.
    renewed: JoinSet<(usize, Result<Box<BotProcess>, NotStarted>)>,
    pool: &'a mut Pool,
}

impl Driver<'_> {
    /// How the match went, and what became of the bots.
    fn over(self) -> (Played, Vec<After>) {
        let bots = self.bots.into_iter().zip(self.deaf).zip(self.gone);
        let after = bots.map(|((bot, deaf), gone)| match bot {
            Some(bot) if deaf => After::Leaving(self.pool.dismiss(bot)),
            Some(bot) => After::Fit(bot),
            None => gone,
        });
        let after = after.collect();
        let played = self.arbiter.into_played();
        (played.expect("the match has a result"), after)
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
            Err((code, _)) if self.renew(seat, code) => return None,
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
        let cpu = self.bots[seat].as_mut().and_then(|bot| bot.cpu());
        Reading { at, cpu }
    }

    /// Lets those rest whose turn it is not, if they are to.
    fn rest(&mut self) {
        let Some(awaited) = self.arbiter.awaited() else {
            return;
        };
        let others = self.bots.iter_mut().enumerate();
        for (_, bot) in others.filter(|(seat, _)| *seat != awaited) {
            bot.iter_mut().for_each(|bot| bot.rest());
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
        let alarm = &mut self.alarm;
        let wake = poll_fn(|cx| match deadline {
            Some(deadline) => alarm.poll_until(cx, deadline),
            None => Poll::Pending,
        });
        let (seat, line) = tokio::select! {
            biased;
            line = line => line,
            Some(started) = self.renewed.join_next() => return self.seat_anew(started),
            () = wake => {
                return Event::Tick { now: self.reading(first) };
            }
        };
        let now = self.reading(seat);
        if self.arbiter.awaited() == Some(seat) && self.others_may_be_heard(seat) {
            self.hear_others(seat).await;
        }
        match line {
            Ok(text) => {
                let message = FromBot::from_line(&text);
                if let Ok(FromBot::Move(mv)) = &message {
                    self.plain[seat] |= mv.ply.is_none();
                }
                Event::Line { seat, message, now }
            }
            Err((code, _)) if self.renew(seat, code) => Box::pin(self.next_event()).await,
            Err((code, message)) => Event::Failed {
                seat,
                code,
                message: self.explain(seat, code, message).await,
            },
        }
    }

    /// Whether there may be something to be known of the others before their turn comes: how one
    /// ended, or a second answer that does not say what it answers.
    fn others_may_be_heard(&self, awaited: usize) -> bool {
        let mut others = (0..self.bots.len()).filter(|seat| *seat != awaited);
        others.any(|seat| self.plain[seat] || self.hung_up[seat])
    }

    /// Takes note of what the others have said so far, while it is not their turn yet: after it
    /// has become so it would be taken for an answer.
    async fn hear_others(&mut self, awaited: usize) {
        // So that what is in their pipes is seen.
        yield_now().await;
        let cx = &mut Context::from_waker(Waker::noop());
        for seat in (0..self.bots.len()).filter(|seat| *seat != awaited) {
            let Some(bot) = &mut self.bots[seat] else {
                continue;
            };
            while !self.deaf[seat] {
                let now = Reading::default();
                let event = match bot.poll_line(cx) {
                    Poll::Pending => break,
                    Poll::Ready(Ok(text)) => {
                        let message = FromBot::from_line(&text);
                        Event::Line { seat, message, now }
                    }
                    Poll::Ready(Err((code, message))) => {
                        self.deaf[seat] = true;
                        self.hung_up[seat] = code == FaultCode::Crash;
                        Event::Failed {
                            seat,
                            code,
                            message,
                        }
                    }
                };
                self.arbiter.handle(event);
            }
            // This is nobody's time: there is a moment to learn how it ended.
            if std::mem::take(&mut self.hung_up[seat]) {
                let message = bot.exit().await;
                self.arbiter.handle(Event::Failed {
                    seat,
                    code: FaultCode::Crash,
                    message,
                });
            }
        }
    }

    /// Starts another process for a bot that has played before and went away between two matches:
    /// whether that is seen before the next one begins depends on who is faster. Gives false if
    /// it is not such a bot.
    fn renew(&mut self, seat: usize, code: FaultCode) -> bool {
        let between = code == FaultCode::Crash && self.arbiter.is_beginning(seat);
        let gone = self.bots[seat].take_if(|bot| between && bot.has_played());
        let Some(gone) = gone else { return false };
        self.pool.dismiss(gone);
        self.deaf[seat] = true;
        let start = self.pool.start(self.specs[seat].clone());
        self.renewed.spawn(async move { (seat, start.await) });
        true
    }

    /// Lets a process that was started take its seat.
    fn seat_anew(
        &mut self,
        started: Result<(usize, Result<Box<BotProcess>, NotStarted>), JoinError>,
    ) -> Event {
        let (seat, bot) = match started {
            Ok(started) => started,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        };
        match bot {
            Ok(bot) => {
                let hello = bot.hello().clone();
                self.bots[seat] = Some(bot);
                self.deaf[seat] = false;
                Event::Joined { seat, hello }
            }
            Err(not) => {
                self.gone[seat] = After::Absent(not.evidence);
                let (code, message) = not.failure;
                Event::Failed {
                    seat,
                    code,
                    message,
                }
            }
        }
    }

    /// For a bot that closed its output: how its process ended. It is given a moment to end, but
    /// not on another seat's time.
    async fn explain(&mut self, seat: usize, code: FaultCode, message: String) -> String {
        let own_time = self.arbiter.awaited().is_none_or(|awaited| awaited == seat);
        match &mut self.bots[seat] {
            Some(bot) if code == FaultCode::Crash && own_time => bot.exit().await,
            Some(_) if code == FaultCode::Crash => {
                self.hung_up[seat] = true;
                message
            }
            _ => message,
        }
    }
}
