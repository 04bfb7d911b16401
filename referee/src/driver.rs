//! Drives one match: hands what bots do to the arbiter, and does what the arbiter says.

use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use arbiter::{Action, Actions, Arbiter, Event, FinishedMatch, Reading, Setup};
use protocol::{BadMessage, BotHello, FaultCode, FromBot, PROTOCOL, ToBot, Wants};
use smallvec::{SmallVec, smallvec};
use supervisor::suspension;
use supervisor::{BotProcess, BotSpec, Evidence, Failure, Leaving, NotStarted, Pool};
use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinSet, consume_budget, yield_now};
use tokio::time::{Instant, Sleep, sleep};

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

/// Who takes a seat.
pub enum Taker {
    /// A bot, or the reason why it could not be started.
    Bot(Result<Box<BotProcess>, NotStarted>),
    /// One of the [`Guests`].
    Guest,
}

/// Players who are no processes of their own, such as a person at the terminal. They look on as
/// everybody can, and what they say comes through a channel.
#[derive(Default)]
pub struct Guests {
    /// Their seats.
    pub seats: Vec<usize>,
    /// What they say, with the seat; `None` where there is nobody.
    pub said: Option<mpsc::UnboundedReceiver<(usize, FromBot)>>,
}

impl Guests {
    /// Whether a guest has this seat.
    pub fn sit(&self, seat: usize) -> bool {
        self.seats.contains(&seat)
    }

    /// What is said next; `None` where nobody can say anything any more.
    async fn next(&mut self) -> Option<(usize, FromBot)> {
        match &mut self.said {
            Some(said) => said.recv().await,
            None => pending().await,
        }
    }
}

/// A guest is there, and wants nothing: what there is to see is seen by looking on.
fn guest() -> Box<BotHello> {
    Box::new(BotHello {
        protocol: PROTOCOL,
        name: "guest".to_owned(),
        version: None,
        author: None,
        games: None,
        wants: Wants {
            state: false,
            legal: false,
        },
    })
}

/// Plays a match. The players come in seat order, as their descriptions do.
///
/// `watch` is called after every event, for those who want to look on.
pub async fn play(
    setup: Setup,
    specs: &[Arc<BotSpec>],
    takers: Vec<Taker>,
    guests: Guests,
    pool: &mut Pool,
    mut watch: impl FnMut(&Arbiter),
) -> (FinishedMatch, Vec<After>) {
    let began = Instant::now();
    let mut driver = Driver {
        began,
        looked: began,
        suspended: suspension::total(),
        alarm: Alarm::new(),
        arbiter: Arbiter::new(setup),
        owed: Actions::new(),
        bots: Vec::new(),
        deaf: Vec::new(),
        gone: Vec::new(),
        hung_up: vec![false; specs.len()],
        plain: vec![false; specs.len()],
        specs,
        renewed: JoinSet::new(),
        guests,
        pool,
    };
    let mut events = Vec::new();
    for (seat, taker) in takers.into_iter().enumerate() {
        driver.deaf.push(!matches!(taker, Taker::Bot(Ok(_))));
        match taker {
            Taker::Guest => {
                let hello = guest();
                driver.bots.push(None);
                driver.gone.push(After::Absent(None));
                events.push(Event::Joined { seat, hello });
            }
            Taker::Bot(Ok(bot)) => {
                let hello = Box::new(bot.hello().clone());
                driver.bots.push(Some(bot));
                driver.gone.push(After::Absent(None));
                events.push(Event::Joined { seat, hello });
            }
            Taker::Bot(Err(not)) => {
                let Failure { code, message } = not.failure;
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
    /// When it was last made sure that the referee was not suspended.
    looked: Instant,
    /// The suspensions of the referee that the arbiter knows of, and those before the match.
    suspended: Duration,
    alarm: Alarm,
    arbiter: Arbiter,
    /// What the arbiter wants done.
    owed: Actions,
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
    guests: Guests,
    pool: &'a mut Pool,
}

impl Driver<'_> {
    /// How the match went, and what became of the bots.
    fn over(self) -> (FinishedMatch, Vec<After>) {
        let bots = self.bots.into_iter().zip(self.deaf).zip(self.gone);
        let after = bots.map(|((bot, deaf), gone)| match bot {
            Some(bot) if deaf => After::Leaving(self.pool.dismiss(bot)),
            Some(bot) => After::Fit(bot),
            None => gone,
        });
        let after = after.collect();
        let played = self.arbiter.into_finished();
        (played.expect("the match has a result"), after)
    }

    /// Hands an event to the arbiter and does what follows from it, until there is nothing left
    /// to do but wait.
    async fn settle(&mut self, event: Event) {
        let mut events: SmallVec<[Event; 2]> = smallvec![event];
        while let Some(event) = events.pop() {
            self.note(event);
            for action in std::mem::take(&mut self.owed) {
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

    /// Hands an event to the arbiter; what follows from it is done when the next one is settled.
    fn note(&mut self, event: Event) {
        self.owed.extend(self.arbiter.handle(event));
    }

    async fn send(&mut self, seat: usize, message: &ToBot) -> Option<Event> {
        if self.guests.sit(seat) {
            return self.tell_guest(seat, message);
        }
        let limit = self.write_limit(seat, message);
        if let ToBot::Turn(_) = message {
            self.rest_others(seat).await;
        }
        self.bots[seat].as_mut()?.wake().await;
        // From here on the time is the bot's: it may answer before the write is seen to be over,
        // and one that is slow to read does so on its own time.
        let at = Instant::now();
        let now = self.reading(seat, at);
        let bot = self.bots[seat].as_mut()?;
        let sent = bot.send(message, limit, at).await;
        Some(match sent {
            Ok(()) => Event::Sent { seat, now },
            Err(failure) if self.renew(seat, failure.code) => return None,
            Err(Failure { code, message }) => Event::Failed {
                seat,
                code,
                message,
            },
        })
    }

    /// A guest is always ready, and has seen already what it would be told.
    fn tell_guest(&mut self, seat: usize, message: &ToBot) -> Option<Event> {
        let now = self.reading(seat, Instant::now());
        match message {
            ToBot::Start(_) => Some(Event::Line {
                seat,
                message: Ok(FromBot::Ready {}),
                now,
            }),
            ToBot::Turn(_) => Some(Event::Sent { seat, now }),
            _ => None,
        }
    }

    /// What a guest said, as an event.
    fn heard_guest(&mut self, said: Option<(usize, FromBot)>) -> Event {
        match said {
            Some((seat, message)) => {
                let now = self.reading(seat, Instant::now());
                let message = Ok(message);
                Event::Line { seat, message, now }
            }
            None => {
                let awaited = self.arbiter.awaited();
                let seat = awaited.filter(|seat| self.guests.sit(*seat));
                self.guests.said = None;
                Event::Failed {
                    seat: seat.or(self.guests.seats.first().copied()).unwrap_or(0),
                    code: FaultCode::Crash,
                    message: "the player is gone".to_owned(),
                }
            }
        }
    }

    /// What the clocks show now, for a seat.
    fn reading(&mut self, seat: usize, now: Instant) -> Reading {
        Reading {
            at: now - self.began,
            cpu: self.bots[seat].as_mut().and_then(|bot| bot.cpu(now)),
        }
    }

    /// Lets the arbiter know if the referee itself did not run for a while before now.
    async fn note_suspension(&mut self, now: Instant) {
        // Nearly always; a suspension takes longer.
        if now.saturating_duration_since(self.looked) < suspension::MIN_SUSPENSION {
            self.looked = now.max(self.looked);
            return;
        }
        let total = suspension::total_by(now).await;
        if let Some(gap) = total
            .checked_sub(self.suspended)
            .filter(|gap| !gap.is_zero())
        {
            let now = now - self.began;
            self.note(Event::Suspended { gap, now });
        }
        self.suspended = total;
        self.looked = now;
    }

    /// Lets all but one rest, if they are to: what they do must not cost that one's time.
    async fn rest_others(&mut self, awake: usize) {
        let others = self.bots.iter_mut().enumerate();
        for (_, bot) in others.filter(|(seat, _)| *seat != awake) {
            if let Some(bot) = bot {
                bot.rest().await;
            }
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
        let deadline = self.arbiter.deadline().map(|at| self.began + at);
        let first = self.arbiter.awaited().unwrap_or(0);
        let (bots, deaf) = (&mut self.bots, &mut self.deaf);
        let seats = bots.len();
        let line = poll_fn(|cx| {
            for seat in (0..seats).map(|i| (first + i) % seats) {
                let Some(bot) = bots[seat].as_mut().filter(|_| !deaf[seat]) else {
                    continue;
                };
                if let Poll::Ready(came) = bot.poll_line(cx) {
                    deaf[seat] = came.is_err();
                    return Poll::Ready((seat, came));
                }
            }
            Poll::Pending
        });
        let alarm = &mut self.alarm;
        let wake = poll_fn(|cx| match deadline {
            Some(deadline) => alarm.poll_until(cx, deadline),
            None => Poll::Pending,
        });
        let (seat, came) = tokio::select! {
            biased;
            line = line => line,
            Some(started) = self.renewed.join_next() => return self.seat_anew(started),
            said = self.guests.next() => return self.heard_guest(said),
            () = wake => {
                self.note_suspension(Instant::now()).await;
                return self.time_is_up(first);
            }
        };
        let now = match came {
            Ok(at) => {
                self.note_suspension(at).await;
                self.reading(seat, at)
            }
            Err(_) => Reading::default(),
        };
        if self.arbiter.awaited() == Some(seat) && self.others_may_be_heard(seat) {
            self.hear_others(seat).await;
        }
        match came {
            Ok(_) => {
                let message = self.heard(seat);
                if let Ok(FromBot::Move(mv)) = &message {
                    self.plain[seat] |= mv.ply.is_none();
                }
                Event::Line { seat, message, now }
            }
            Err(failure) if self.renew(seat, failure.code) => Box::pin(self.next_event()).await,
            Err(Failure { code, message }) => Event::Failed {
                seat,
                code,
                message: self.explain(seat, code, message).await,
            },
        }
    }

    /// The message that came last from a seat's bot.
    fn heard(&self, seat: usize) -> Result<FromBot, BadMessage> {
        let line = self.bots[seat].as_ref().map_or(&[][..], |bot| bot.line());
        FromBot::from_line(line)
    }

    /// The arbiter's deadline has come. Whoever is late by it is looked at first, as that may
    /// explain it.
    fn time_is_up(&mut self, seat: usize) -> Event {
        let now = self.reading(seat, Instant::now());
        for seat in self.arbiter.late(now) {
            let stall = self.bots[seat].as_ref().and_then(|bot| bot.stall());
            if let Some(stall) = stall {
                let what = stall.to_string();
                self.note(Event::Stalled { seat, what });
            }
        }
        Event::Tick { now }
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
                    Poll::Ready(Ok(_)) => {
                        let message = FromBot::from_line(bot.line());
                        Event::Line { seat, message, now }
                    }
                    Poll::Ready(Err(Failure { code, message })) => {
                        self.deaf[seat] = true;
                        self.hung_up[seat] = code == FaultCode::Crash;
                        Event::Failed {
                            seat,
                            code,
                            message,
                        }
                    }
                };
                self.owed.extend(self.arbiter.handle(event));
            }
            // This is nobody's time: there is a moment to learn how it ended.
            if std::mem::take(&mut self.hung_up[seat]) {
                let message = bot.exit().await;
                self.note(Event::Failed {
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
        let between = code == FaultCode::Crash && self.arbiter.is_starting(seat);
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
                let hello = Box::new(bot.hello().clone());
                self.bots[seat] = Some(bot);
                self.deaf[seat] = false;
                Event::Joined { seat, hello }
            }
            Err(not) => {
                self.gone[seat] = After::Absent(not.evidence);
                let Failure { code, message } = not.failure;
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
