//! Runs a match. Nothing else drives an arbiter: this waits for the next event, has the arbiter decide,
//! and carries out its actions, for players of any kind.

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

use crate::players::{Player, PlayerEvent};
use alarm::Alarm;
use match_time::MatchTime;
pub use observer::Observer;

/// Time to read a message that needs no answer.
const NOTICE_READ_LIMIT: Duration = Duration::from_millis(200);
/// The most lines of a late player that are searched for its answer.
const MOST_LATE_LINES: usize = 100;
/// Time to read a `turn` that has no time limit.
const UNTIMED_READ_LIMIT: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Real time: deadlines apply, and suspensions of the referee are on nobody's clock.
    Real,
    /// The times in a log. There are no deadlines.
    Recorded,
}

pub struct FinishedRun<P> {
    /// `None` if the observer aborted the match.
    ///
    /// # Errors
    /// If the rules do not work, so that there is no result.
    pub played: Result<Option<FinishedMatch>, BrokenRules>,
    /// In seat order.
    pub players: Vec<P>,
}

/// The order of players is that of their descriptions in `setup`.
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

enum RunnerEvent {
    /// An event of the player in this seat.
    Player(usize, PlayerEvent),
    Deadline,
}

struct Seat<P> {
    player: P,
    /// The player closed its output while nothing was asked of it; why is not known yet.
    hung_up: bool,
    /// The player omits the ply in its answers.
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

    /// True if there may be news before the player's turn: the end of its process, or a second answer
    /// without a ply.
    fn may_have_more(&self) -> bool {
        self.player.is_polled_unasked() && (self.omits_ply || self.hung_up)
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

enum Late {
    /// The answer has arrived since.
    Answered(Instant, Result<FromBot, BadMessage>),
    /// No answer; the player seems to be doing this.
    Silent(Option<String>),
}

impl Late {
    /// `None` if the event is no answer.
    fn of(player: &mut impl Player, player_event: PlayerEvent) -> Option<Self> {
        let PlayerEvent::Message(at) = player_event else {
            return None;
        };
        match player.message() {
            Ok(FromBot::Info(_) | FromBot::Offer(_)) => None,
            answer => Some(Late::Answered(at, answer)),
        }
    }
}

impl<P: Player, O: Observer> MatchRunner<'_, P, O> {
    /// Runs the match until it ends or is aborted.
    async fn run(&mut self) -> ControlFlow<()> {
        for seat in 0..self.seats.len() {
            let event = self.join(seat);
            self.apply_event(event).await?;
        }
        loop {
            self.observer.after(&self.arbiter);
            if self.arbiter.is_over() {
                return ControlFlow::Continue(());
            }
            // A player who always has an answer ready must not monopolize the thread.
            consume_budget().await;
            match self.wait().await {
                RunnerEvent::Player(seat, player_event) => {
                    if let Some(event) = self.player_event(seat, player_event).await? {
                        self.apply_event(event).await?;
                    }
                    // Others may still think about the same step.
                    if self.arbiter.is_in_play() && !self.arbiter.is_awaited(seat) {
                        self.seats[seat].player.rest().await;
                    }
                }
                RunnerEvent::Deadline => self.time_is_up().await?,
            }
        }
    }

    /// Waits for a player or the arbiter's deadline. Players come first, so that the deadline does not
    /// overtake an answer that has arrived.
    async fn wait(&mut self) -> RunnerEvent {
        let deadline = self.arbiter.deadline().map(|at| self.time.instant(at));
        let deadline = deadline.filter(|_| self.timing == Timing::Real);
        let first = self.arbiter.awaited().next().unwrap_or(0);
        let (arbiter, seats) = (&self.arbiter, &mut self.seats);
        let count = seats.len();
        let player_event = poll_fn(|cx| {
            for seat in (0..count).map(|i| (first + i) % count) {
                let player = &mut seats[seat].player;
                if !player.is_polled_unasked() && !is_asked(arbiter, seat) {
                    continue;
                }
                if let Poll::Ready(player_event) = player.poll(cx) {
                    return Poll::Ready((seat, player_event));
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
            (seat, player_event) = player_event => RunnerEvent::Player(seat, player_event),
            () = ring => RunnerEvent::Deadline,
        }
    }

    /// Passes an event to the arbiter, and handles the consequences until there is nothing left but to
    /// wait.
    async fn apply_event(&mut self, event: Event) -> ControlFlow<()> {
        let mut events: SmallVec<[Event; 2]> = smallvec![event];
        while let Some(mut event) = events.pop() {
            self.observer.before(&self.arbiter, &mut event)?;
            let actions = self.arbiter.handle(event);
            for seat in &mut self.seats {
                seat.player.observe(&self.arbiter);
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
                        // A write causes at most a fault of that seat, and the arbiter keeps such
                        // events apart by seat, so their order is irrelevant.
                        events.extend(self.send(seat, &message).await);
                    }
                    Action::Dismiss { seat } => self.seats[seat].player.dismiss(),
                    Action::Settle { budget } => events.push(self.settle_position(budget)),
                }
            }
        }
        ControlFlow::Continue(())
    }

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
        // From here on the player's time runs: it may answer before the write completes, and one that
        // reads slowly does so on its own time.
        let at = Instant::now();
        let now = self.reading(seat, at);
        match self.seats[seat].player.send(message, limit, at).await {
            Ok(()) => Some(Event::Sent { seat, now }),
            Err(failure) if self.replace(seat, &failure) => None,
            Err(failure) => Some(failed(seat, failure)),
        }
    }

    fn read_limit(&self, seat: usize, message: &ToBot) -> Duration {
        let clock = self.arbiter.clock(seat);
        match message {
            ToBot::Turn(_) => clock.deadline().unwrap_or(UNTIMED_READ_LIMIT),
            ToBot::Start(_) => clock.control().startup.0,
            _ => NOTICE_READ_LIMIT,
        }
    }

    /// Freezes all whose answer is not awaited, so that they take no time from the others.
    async fn rest_others(&mut self) {
        for (number, seat) in self.seats.iter_mut().enumerate() {
            if !self.arbiter.is_awaited(number) {
                seat.player.rest().await;
            }
        }
    }

    /// The clocks of a seat, at `now`.
    fn reading(&mut self, seat: usize, now: Instant) -> Reading {
        Reading {
            at: self.time.at(now),
            cpu: self.seats[seat].player.cpu(now),
        }
    }

    /// Reports a suspension of the referee before `now` to the arbiter.
    async fn note_suspension(&mut self, now: Instant) -> ControlFlow<()> {
        if self.timing == Timing::Real
            && let Some(gap) = self.time.new_suspension(now).await
        {
            let now = self.time.at(now);
            self.apply_event(Event::Suspended { gap, now }).await?;
        }
        ControlFlow::Continue(())
    }

    /// Interprets an event of a player; `None` if the arbiter does not need it yet.
    async fn player_event(
        &mut self,
        seat: usize,
        player_event: PlayerEvent,
    ) -> ControlFlow<(), Option<Event>> {
        let now = match player_event {
            PlayerEvent::Arrived => return ControlFlow::Continue(Some(self.join(seat))),
            PlayerEvent::Message(at) => {
                self.note_suspension(at).await?;
                let now = self.reading(seat, at);
                if is_asked(&self.arbiter, seat) && self.arbiter.is_late(seat, now) {
                    self.note_load().await?;
                }
                now
            }
            PlayerEvent::Failed(_) => Reading::default(),
        };
        if self.arbiter.is_awaited(seat) && self.others_may_have_more() {
            self.poll_others().await?;
        }
        ControlFlow::Continue(match player_event {
            PlayerEvent::Failed(failure) if self.replace(seat, &failure) => None,
            PlayerEvent::Failed(failure) => {
                let failure = self.explain(seat, failure).await;
                Some(failed(seat, failure))
            }
            _ => {
                let message = self.seats[seat].player.message();
                Some(self.message(seat, message, now))
            }
        })
    }

    fn message(
        &mut self,
        seat: usize,
        message: Result<FromBot, BadMessage>,
        now: Reading,
    ) -> Event {
        if let Ok(FromBot::Move(mv)) = &message {
            self.seats[seat].omits_ply |= mv.ply.is_none();
        }
        Event::Line { seat, message, now }
    }

    /// Handles the arbiter's deadline. Late players are examined first, to explain the delay.
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
                        let event = self.message(seat, message, now);
                        self.apply_event(event).await?;
                        continue;
                    }
                    Late::Answered(..) => Some("it came only after that".to_owned()),
                    Late::Silent(what) => what,
                };
                if let Some(what) = what {
                    self.apply_event(Event::Stalled { seat, what }).await?;
                }
            }
            self.apply_event(Event::Tick { seat, now }).await?;
        }
        ControlFlow::Continue(())
    }

    /// Finds out what a late player is doing. If its answer arrives meanwhile, a little too late, that
    /// is the explanation.
    async fn late(&mut self, seat: usize) -> Late {
        let player = &mut self.seats[seat].player;
        let mut stall = player.stall();
        let what = loop {
            let player_event = poll_fn(|cx| player.poll(cx));
            tokio::select! {
                biased;
                player_event = player_event => {
                    if let Some(answered) = Late::of(player, player_event) {
                        return answered;
                    }
                }
                what = &mut stall => break what,
            }
        };
        for _ in 0..MOST_LATE_LINES {
            // Makes data in its pipe visible: a player that has answered is not accused of buffering.
            yield_now().await;
            match poll_fn(|cx| Poll::Ready(player.poll(cx))).await {
                Poll::Ready(player_event) => {
                    if let Some(answered) = Late::of(player, player_event) {
                        return answered;
                    }
                }
                Poll::Pending => break,
            }
        }
        Late::Silent(what)
    }

    /// Reports the machine's load to the arbiter, for late players.
    async fn note_load(&mut self) -> ControlFlow<()> {
        match load::average() {
            Some(load) if self.timing == Timing::Real => {
                self.apply_event(Event::Busy { load }).await
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn others_may_have_more(&self) -> bool {
        let mut others = self.seats.iter().enumerate();
        others.any(|(seat, taken)| !self.arbiter.is_awaited(seat) && taken.may_have_more())
    }

    /// Reads what players that are not to move have sent so far. In their turn it would be taken for an
    /// answer.
    async fn poll_others(&mut self) -> ControlFlow<()> {
        // Makes data in their pipes visible.
        yield_now().await;
        for seat in 0..self.seats.len() {
            if self.arbiter.is_awaited(seat) || !self.seats[seat].player.is_polled_unasked() {
                continue;
            }
            while let Some(player_event) = self.poll_now(seat) {
                let event = match player_event {
                    PlayerEvent::Arrived => self.join(seat),
                    PlayerEvent::Message(_) => Event::Line {
                        seat,
                        message: self.seats[seat].player.message(),
                        now: Reading::default(),
                    },
                    PlayerEvent::Failed(failure) => {
                        self.seats[seat].hung_up = failure.code == FaultCode::Crash;
                        failed(seat, failure)
                    }
                };
                self.apply_event(event).await?;
            }
            // If nobody else thinks, no clock runs, and there is time to learn how it ended.
            if self.arbiter.awaited().count() <= 1
                && std::mem::take(&mut self.seats[seat].hung_up)
                && let Some(message) = self.seats[seat].player.exit().await
            {
                let event = failed(seat, faults::crashed(message));
                self.apply_event(event).await?;
            }
        }
        ControlFlow::Continue(())
    }

    fn poll_now(&mut self, seat: usize) -> Option<PlayerEvent> {
        let cx = &mut Context::from_waker(Waker::noop());
        match self.seats[seat].player.poll(cx) {
            Poll::Ready(player_event) => Some(player_event),
            Poll::Pending => None,
        }
    }

    /// Replaces a player that was gone before this match began. Returns false if that does not apply.
    fn replace(&mut self, seat: usize, failure: &Failure) -> bool {
        failure.code == FaultCode::Crash
            && self.arbiter.is_starting(seat)
            && self.seats[seat].player.replace()
    }

    /// Finds out how a player that closed its output ended. It has a moment to end, but not on another
    /// seat's time.
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

fn is_asked(arbiter: &Arbiter, seat: usize) -> bool {
    arbiter.is_awaited(seat) || arbiter.is_starting(seat)
}
