//! Runs a match: the only place that drives an arbiter. It waits for what happens next, has the
//! arbiter decide, and carries out what the arbiter says, whoever sits at the table.

mod alarm;
mod match_time;
mod observer;
#[cfg(test)]
mod tests;

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use arbiter::{Action, Arbiter, Event, FinishedMatch, Reading, Setup};
use games::BrokenRules;
use games::settlement::Budget;
use machine::load;
use protocol::{BadMessage, Failure, FaultCode, FromBot, ToBot, faults};
use smallvec::{SmallVec, smallvec};
use tokio::task::{consume_budget, yield_now};
use tokio::time::Instant;

use crate::players::{Heard, Player};
use alarm::Alarm;
use match_time::MatchTime;
pub use observer::Observer;

/// How long a player may take to read a message that asks for nothing.
const NOTICE_READ_LIMIT: Duration = Duration::from_millis(200);
/// How many lines of a late player are read to find its answer.
const MOST_LATE_LINES: usize = 100;
/// How long a player may take to read a `turn` that has no time limit.
const UNTIMED_READ_LIMIT: Duration = Duration::from_secs(10);

/// Which time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// The time that goes by: deadlines hold, and a referee that was suspended costs nobody
    /// anything.
    Real,
    /// The times in a log. There are no deadlines.
    Recorded,
}

/// A match that is no longer running.
pub struct FinishedRun<P> {
    /// How it went; `None` if the observer broke it off.
    ///
    /// # Errors
    /// If the rules do not work, so that there is no result.
    pub played: Result<Option<FinishedMatch>, BrokenRules>,
    /// The players, in seat order.
    pub players: Vec<P>,
}

/// Runs a match. The players come in seat order, as their descriptions in `setup` do.
pub async fn run<P: Player>(
    setup: Setup,
    players: Vec<P>,
    timing: Timing,
    observer: &mut impl Observer,
) -> FinishedRun<P> {
    let arbiter = match Arbiter::new(setup) {
        Ok(arbiter) => arbiter,
        Err(broken) => {
            let played = Err(broken);
            return FinishedRun { played, players };
        }
    };
    let mut runner = MatchRunner {
        arbiter,
        seats: players.into_iter().map(Seat::new).collect(),
        timing,
        time: MatchTime::begin(),
        alarm: Alarm::new(),
        observer,
    };
    let broken_off = runner.run().await.is_break();
    let played = match runner.arbiter.broken() {
        Some(broken) => Err(broken.clone()),
        None => Ok(runner.arbiter.into_finished().filter(|_| !broken_off)),
    };
    FinishedRun {
        played,
        players: runner.seats.into_iter().map(|seat| seat.player).collect(),
    }
}

/// What the runner waits for.
enum Happened {
    /// Something was heard of the player in this seat.
    Heard(usize, Heard),
    /// The arbiter's deadline has come.
    Deadline,
}

struct Seat<P> {
    player: P,
    /// It closed its output while nothing was asked of it; how it ended is not known yet.
    hung_up: bool,
    /// It does not say which ply it answers.
    omits_ply: bool,
}

impl<P: Player> Seat<P> {
    fn new(player: P) -> Self {
        Seat {
            player,
            hung_up: false,
            omits_ply: false,
        }
    }

    /// Whether there may be something to be known of it before its turn comes: how it ended, or a
    /// second answer that does not say what it answers.
    fn may_have_more(&self) -> bool {
        self.player.is_heard_unasked() && (self.omits_ply || self.hung_up)
    }
}

struct MatchRunner<'o, P, O> {
    arbiter: Arbiter,
    seats: Vec<Seat<P>>,
    timing: Timing,
    time: MatchTime,
    alarm: Alarm,
    observer: &'o mut O,
}

/// What is found out about a player who is late.
enum Late {
    /// It has answered since.
    Answered(Instant, Result<FromBot, BadMessage>),
    /// It has not; it seems to be doing this.
    Silent(Option<String>),
}

impl Late {
    /// What was just heard, unless it is no answer.
    fn of(player: &mut impl Player, heard: Heard) -> Option<Self> {
        let Heard::Said(at) = heard else {
            return None;
        };
        match player.message() {
            Ok(FromBot::Info(_) | FromBot::Offer(_)) => None,
            answer => Some(Late::Answered(at, answer)),
        }
    }
}

impl<P: Player, O: Observer> MatchRunner<'_, P, O> {
    /// Runs the match to its end, or until it is broken off.
    async fn run(&mut self) -> ControlFlow<()> {
        for seat in 0..self.seats.len() {
            let event = self.join(seat);
            self.settle(event).await?;
        }
        loop {
            self.observer.after(&self.arbiter);
            if self.arbiter.is_over() {
                return ControlFlow::Continue(());
            }
            // A player who always has answered already must not keep the thread to itself.
            consume_budget().await;
            match self.wait().await {
                Happened::Heard(seat, heard) => {
                    if let Some(event) = self.heard(seat, heard).await? {
                        self.settle(event).await?;
                    }
                    // Others may still think about the same step.
                    if self.arbiter.is_in_play() && !self.arbiter.is_awaited(seat) {
                        self.seats[seat].player.rest().await;
                    }
                }
                Happened::Deadline => self.time_is_up().await?,
            }
        }
    }

    /// Waits for a player or the arbiter's deadline; players first, so that the deadline does not
    /// overtake an answer that is there already.
    async fn wait(&mut self) -> Happened {
        let deadline = self.arbiter.deadline().map(|at| self.time.instant(at));
        let deadline = deadline.filter(|_| self.timing == Timing::Real);
        let first = self.arbiter.awaited().next().unwrap_or(0);
        let (arbiter, seats) = (&self.arbiter, &mut self.seats);
        let count = seats.len();
        let heard = poll_fn(|cx| {
            for seat in (0..count).map(|i| (first + i) % count) {
                let player = &mut seats[seat].player;
                if !player.is_heard_unasked() && !is_asked(arbiter, seat) {
                    continue;
                }
                if let Poll::Ready(heard) = player.poll(cx) {
                    return Poll::Ready((seat, heard));
                }
            }
            Poll::Pending
        });
        let alarm = &mut self.alarm;
        let ring = poll_fn(|cx| match deadline {
            Some(deadline) => alarm.poll_until(cx, deadline),
            None => Poll::Pending,
        });
        tokio::select! {
            biased;
            (seat, heard) = heard => Happened::Heard(seat, heard),
            () = ring => Happened::Deadline,
        }
    }

    /// Hands an event to the arbiter and does what follows from it, until there is nothing left to
    /// do but wait.
    async fn settle(&mut self, event: Event) -> ControlFlow<()> {
        let mut events: SmallVec<[Event; 2]> = smallvec![event];
        while let Some(mut event) = events.pop() {
            self.observer.before(&self.arbiter, &mut event)?;
            let actions = self.arbiter.handle(event);
            for seat in &mut self.seats {
                seat.player.see(&self.arbiter);
            }
            for action in &actions {
                if let Action::Send { seat, message } = action
                    && let ToBot::Turn(_) = message
                {
                    self.seats[*seat].player.catch_up().await;
                }
            }
            for mut action in actions {
                self.observer.action(&mut action)?;
                match action {
                    Action::Send { seat, message } => {
                        // What follows from a write is at most a fault of that seat, and the
                        // arbiter keeps such events apart by seat, so their order is free.
                        events.extend(self.send(seat, &message).await);
                    }
                    Action::Dismiss { seat } => self.seats[seat].player.dismiss(),
                    Action::Settle { budget } => events.push(self.settle_position(budget)),
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Finds out whether the position can be settled.
    fn settle_position(&self, budget: u32) -> Event {
        let begin = Instant::now();
        let mut budget = Budget::in_all(budget);
        let settlement = self.arbiter.session().settlement(&mut budget);
        Event::Settled {
            settlement,
            positions: budget.used(),
            took: begin.elapsed(),
        }
    }

    /// Lets a player take its seat.
    fn join(&mut self, seat: usize) -> Event {
        match self.seats[seat].player.join() {
            Ok(hello) => Event::Joined { seat, hello },
            Err(failure) => failed(seat, failure),
        }
    }

    async fn send(&mut self, seat: usize, message: &ToBot) -> Option<Event> {
        let limit = self.read_limit(seat, message);
        if let ToBot::Turn(_) = message {
            self.rest_others().await;
        }
        self.seats[seat].player.wake().await;
        // From here on the time is the player's: it may answer before the write is seen to be over,
        // and one that is slow to read does so on its own time.
        let at = Instant::now();
        let now = self.reading(seat, at);
        match self.seats[seat].player.send(message, limit, at).await {
            Ok(()) => Some(Event::Sent { seat, now }),
            Err(failure) if self.replace(seat, &failure) => None,
            Err(failure) => Some(failed(seat, failure)),
        }
    }

    /// How long a player may take to read a message.
    fn read_limit(&self, seat: usize, message: &ToBot) -> Duration {
        let clock = self.arbiter.clock(seat);
        match message {
            ToBot::Turn(_) => clock.deadline().unwrap_or(UNTIMED_READ_LIMIT),
            ToBot::Start(_) => clock.control().startup.0,
            _ => NOTICE_READ_LIMIT,
        }
    }

    /// Lets all rest whose answer is not awaited: what they do must not cost the others' time.
    async fn rest_others(&mut self) {
        for (number, seat) in self.seats.iter_mut().enumerate() {
            if !self.arbiter.is_awaited(number) {
                seat.player.rest().await;
            }
        }
    }

    /// What the clocks show now, for a seat.
    fn reading(&mut self, seat: usize, now: Instant) -> Reading {
        Reading {
            at: self.time.at(now),
            cpu: self.seats[seat].player.cpu(now),
        }
    }

    /// Lets the arbiter know if the referee itself did not run for a while before now.
    async fn note_suspension(&mut self, now: Instant) -> ControlFlow<()> {
        if self.timing == Timing::Real
            && let Some(gap) = self.time.new_suspension(now).await
        {
            let now = self.time.at(now);
            self.settle(Event::Suspended { gap, now }).await?;
        }
        ControlFlow::Continue(())
    }

    /// What it means that something was heard of a player; `None` if it means nothing yet.
    async fn heard(&mut self, seat: usize, heard: Heard) -> ControlFlow<(), Option<Event>> {
        let now = match heard {
            Heard::Arrived => return ControlFlow::Continue(Some(self.join(seat))),
            Heard::Said(at) => {
                self.note_suspension(at).await?;
                let now = self.reading(seat, at);
                if is_asked(&self.arbiter, seat) && self.arbiter.is_late(seat, now) {
                    self.note_load().await?;
                }
                now
            }
            Heard::Failed(_) => Reading::default(),
        };
        if self.arbiter.is_awaited(seat) && self.others_may_have_more() {
            self.hear_others().await?;
        }
        ControlFlow::Continue(match heard {
            Heard::Failed(failure) if self.replace(seat, &failure) => None,
            Heard::Failed(failure) => {
                let failure = self.explain(seat, failure).await;
                Some(failed(seat, failure))
            }
            _ => {
                let message = self.seats[seat].player.message();
                Some(self.line(seat, message, now))
            }
        })
    }

    /// A message that was heard of a player.
    fn line(&mut self, seat: usize, message: Result<FromBot, BadMessage>, now: Reading) -> Event {
        if let Ok(FromBot::Move(mv)) = &message {
            self.seats[seat].omits_ply |= mv.ply.is_none();
        }
        Event::Line { seat, message, now }
    }

    /// The arbiter's deadline has come. Whoever is late by it is looked at first, as that may
    /// explain it.
    async fn time_is_up(&mut self) -> ControlFlow<()> {
        self.note_suspension(Instant::now()).await?;
        for seat in 0..self.seats.len() {
            if !is_asked(&self.arbiter, seat) {
                continue;
            }
            let now = self.reading(seat, Instant::now());
            if self.arbiter.is_late(seat, now) {
                self.note_load().await?;
                let what = match self.late(seat).await {
                    Late::Answered(at, message) if self.arbiter.is_in_play() => {
                        let now = self.reading(seat, at);
                        let event = self.line(seat, message, now);
                        self.settle(event).await?;
                        continue;
                    }
                    Late::Answered(..) => Some("it came only after that".to_owned()),
                    Late::Silent(what) => what,
                };
                if let Some(what) = what {
                    self.settle(Event::Stalled { seat, what }).await?;
                }
            }
            self.settle(Event::Tick { seat, now }).await?;
        }
        ControlFlow::Continue(())
    }

    /// Looks what a late player is doing. Its answer may come meanwhile, a little too late: then it has no
    /// other excuse.
    async fn late(&mut self, seat: usize) -> Late {
        let player = &mut self.seats[seat].player;
        let mut stall = player.stall();
        let what = loop {
            let heard = poll_fn(|cx| player.poll(cx));
            tokio::select! {
                biased;
                heard = heard => {
                    if let Some(answered) = Late::of(player, heard) {
                        return answered;
                    }
                }
                what = &mut stall => break what,
            }
        };
        for _ in 0..MOST_LATE_LINES {
            // So that what is in its pipe is seen: who has answered is not accused of keeping it back.
            yield_now().await;
            match poll_fn(|cx| Poll::Ready(player.poll(cx))).await {
                Poll::Ready(heard) => {
                    if let Some(answered) = Late::of(player, heard) {
                        return answered;
                    }
                }
                Poll::Pending => break,
            }
        }
        Late::Silent(what)
    }

    /// Lets the arbiter know how busy the machine is, for those who are late.
    async fn note_load(&mut self) -> ControlFlow<()> {
        match load::average() {
            Some(load) if self.timing == Timing::Real => self.settle(Event::Busy { load }).await,
            _ => ControlFlow::Continue(()),
        }
    }

    fn others_may_have_more(&self) -> bool {
        let mut others = self.seats.iter().enumerate();
        others.any(|(seat, taken)| !self.arbiter.is_awaited(seat) && taken.may_have_more())
    }

    /// Takes note of what those whose turn it is not have said so far: after it has become their turn
    /// it would be taken for an answer.
    async fn hear_others(&mut self) -> ControlFlow<()> {
        // So that what is in their pipes is seen.
        yield_now().await;
        for seat in 0..self.seats.len() {
            if self.arbiter.is_awaited(seat) || !self.seats[seat].player.is_heard_unasked() {
                continue;
            }
            while let Some(heard) = self.heard_already(seat) {
                let event = match heard {
                    Heard::Arrived => self.join(seat),
                    Heard::Said(_) => Event::Line {
                        seat,
                        message: self.seats[seat].player.message(),
                        now: Reading::default(),
                    },
                    Heard::Failed(failure) => {
                        self.seats[seat].hung_up = failure.code == FaultCode::Crash;
                        failed(seat, failure)
                    }
                };
                self.settle(event).await?;
            }
            // This is nobody's time, if nobody else thinks: there is a moment to learn how it ended.
            if self.arbiter.awaited().count() <= 1
                && std::mem::take(&mut self.seats[seat].hung_up)
                && let Some(message) = self.seats[seat].player.exit().await
            {
                let event = failed(seat, faults::crashed(message));
                self.settle(event).await?;
            }
        }
        ControlFlow::Continue(())
    }

    /// What can be heard of a player without waiting.
    fn heard_already(&mut self, seat: usize) -> Option<Heard> {
        let cx = &mut Context::from_waker(Waker::noop());
        match self.seats[seat].player.poll(cx) {
            Poll::Ready(heard) => Some(heard),
            Poll::Pending => None,
        }
    }

    /// Has a player replaced that was gone before this match began; false if it is not so.
    fn replace(&mut self, seat: usize, failure: &Failure) -> bool {
        failure.code == FaultCode::Crash
            && self.arbiter.is_starting(seat)
            && self.seats[seat].player.replace()
    }

    /// For a player that closed its output: how it ended. It is given a moment to end, but not on
    /// another seat's time.
    async fn explain(&mut self, seat: usize, mut failure: Failure) -> Failure {
        if failure.code != FaultCode::Crash {
            return failure;
        }
        if self.arbiter.awaited().any(|awaited| awaited != seat) {
            self.seats[seat].hung_up = true;
            return failure;
        }
        if let Some(exit) = self.seats[seat].player.exit().await {
            failure.message = exit;
        }
        failure
    }
}

fn failed(seat: usize, failure: Failure) -> Event {
    let Failure { code, message } = failure;
    Event::Failed {
        seat,
        code,
        message,
    }
}

/// Whether this seat has something to answer.
fn is_asked(arbiter: &Arbiter, seat: usize) -> bool {
    arbiter.is_awaited(seat) || arbiter.is_starting(seat)
}
