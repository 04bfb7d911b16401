//! The state machine: what each event means in each phase of a match.

use std::time::Duration;

use games::Session;
use protocol::{
    BadMessage, BotHello, BotMove, Failure, FaultCode, FromBot, LoggedMove, MatchResult, ToBot,
    faults,
};

use crate::clock::{Clock, Overrun, Used};
use crate::events::{Action, Actions, At, Event, Reading};
use crate::info::TurnInfo;
use crate::match_state::MatchState;
use crate::setup::Setup;

/// How often the CPU time of a bot that is close to its limit is read, at most.
const MIN_CPU_INTERVAL: Duration = Duration::from_millis(1);

/// How a match went.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedMatch {
    /// All plies, those of the opening included.
    pub moves: Vec<LoggedMove>,
    /// How it ended.
    pub result: MatchResult,
}

/// What the arbiter waits for.
enum Phase {
    /// All seats to say `ready`.
    Starting,
    /// A seat's move.
    Turn {
        seat: usize,
        /// When the write of the request began; `None` until it is complete.
        asked: Option<Reading>,
        /// The last reading since then.
        last: Reading,
    },
    /// Nothing any more.
    Over(MatchResult),
}

/// How far a seat has come before the first turn.
#[derive(Clone, Copy, PartialEq)]
enum Readiness {
    /// Its process has not introduced itself.
    Absent,
    /// `start` is being written, or is written since `written`.
    Starting { written: Option<At> },
    /// It has said `ready`, or is at fault.
    Done,
}

/// What became of a move.
enum Answered {
    Played,
    /// It answered another ply.
    Dropped,
}

/// The referee of one match.
pub struct Arbiter {
    state: MatchState,
    phase: Phase,
    readiness: Vec<Readiness>,
    dismissed: Vec<bool>,
    /// The CPU time that each seat had used when `start` was sent to it.
    cpu_before: Vec<Option<Duration>>,
    cores: u32,
    /// What `info` messages have said in this turn.
    info: TurnInfo,
    /// What may explain why each seat's bot is late.
    stalls: Vec<Option<String>>,
    /// For how long the referee did not run in this turn.
    suspended: Duration,
}

impl Arbiter {
    /// A match that no bot has joined yet.
    ///
    /// # Panics
    /// If a ply of the opening is not legal: openings come from the referee, not from bots.
    pub fn new(setup: Setup) -> Self {
        let seats = setup.seats.len();
        Arbiter {
            cpu_before: vec![None; seats],
            cores: setup.cores.max(1),
            state: MatchState::new(setup),
            phase: Phase::Starting,
            readiness: vec![Readiness::Absent; seats],
            dismissed: vec![false; seats],
            info: TurnInfo::default(),
            stalls: vec![None; seats],
            suspended: Duration::ZERO,
        }
    }

    /// When [`Event::Tick`] must come at the latest if nothing else happens; `None` if nothing is
    /// awaited.
    pub fn deadline(&self) -> Option<At> {
        match self.phase {
            Phase::Starting => {
                let seats = 0..self.readiness.len();
                seats.filter_map(|seat| self.ready_deadline(seat)).min()
            }
            Phase::Turn { seat, asked, last } => {
                let asked = asked?;
                let clock = &self.state.clocks[seat];
                let wall = clock.deadline().map(|end| asked.at.saturating_add(end));
                let cpu = self.cpu_left(seat, asked, last);
                let read_cpu = cpu.map(|left| last.at + (left / self.cores).max(MIN_CPU_INTERVAL));
                [wall, read_cpu].into_iter().flatten().min()
            }
            Phase::Over(_) => None,
        }
    }

    /// The CPU time that a seat may still use in its turn; `None` if it is not limited or not
    /// known.
    fn cpu_left(&self, seat: usize, asked: Reading, last: Reading) -> Option<Duration> {
        let cpu = last.cpu?;
        let turn = self.state.clocks[seat].cpu_deadline().zip(asked.cpu);
        let total = self.state.cpu_time(seat).zip(self.cpu_before[seat]);
        let ends = [turn, total].into_iter().flatten();
        let left = ends.map(|(allowed, before)| (before + allowed).saturating_sub(cpu));
        left.min()
    }

    /// The seat whose turn it is; `None` before the first turn and after the last.
    pub fn awaited(&self) -> Option<usize> {
        match self.phase {
            Phase::Turn { seat, .. } => Some(seat),
            _ => None,
        }
    }

    /// How the match ended; `None` until it is over.
    pub fn result(&self) -> Option<&MatchResult> {
        match &self.phase {
            Phase::Over(result) => Some(result),
            _ => None,
        }
    }

    /// How the match went; `None` if it is not over.
    pub fn into_finished(self) -> Option<FinishedMatch> {
        match self.phase {
            Phase::Over(result) => Some(FinishedMatch {
                moves: self.state.moves,
                result,
            }),
            _ => None,
        }
    }

    /// Whether a seat was sent `start` and has not answered yet.
    pub fn is_starting(&self, seat: usize) -> bool {
        let starting = matches!(self.readiness[seat], Readiness::Starting { .. });
        starting && matches!(self.phase, Phase::Starting)
    }

    /// A seat's clock, as it stands at the beginning of the turn.
    pub fn clock(&self, seat: usize) -> &Clock {
        &self.state.clocks[seat]
    }

    /// The position, for drawing.
    pub fn session(&self) -> &dyn Session {
        &*self.state.session
    }

    /// The seats whose time is up: an [`Event::Tick`] with this reading makes them lose.
    pub fn late(&self, now: Reading) -> Vec<usize> {
        match self.phase {
            Phase::Starting => {
                let late = |seat: &usize| {
                    let deadline = self.ready_deadline(*seat);
                    deadline.is_some_and(|deadline| now.at >= deadline)
                };
                (0..self.readiness.len()).filter(late).collect()
            }
            Phase::Turn {
                seat,
                asked: Some(asked),
                ..
            } if self.exceeded(seat, now.since(asked), now).is_some() => vec![seat],
            _ => Vec::new(),
        }
    }

    /// The plies so far, those of the opening included.
    pub fn moves(&self) -> &[LoggedMove] {
        &self.state.moves
    }

    /// Takes note of what happened; returns what is to be done, in this order.
    #[must_use = "the match goes on only if the actions are carried out"]
    pub fn handle(&mut self, event: Event) -> Actions {
        let mut actions = Actions::new();
        match event {
            Event::Joined { seat, hello } => self.joined(seat, &hello, &mut actions),
            Event::Sent { seat, now } => self.sent(seat, now),
            Event::Line { seat, message, now } => self.line(seat, message, now, &mut actions),
            Event::Failed {
                seat,
                code,
                message,
            } => self.failed(seat, Failure { code, message }, &mut actions),
            Event::Stalled { seat, what } => {
                self.stalls[seat].get_or_insert(what);
            }
            Event::Suspended { gap, now } => self.suspend(gap, now),
            Event::Tick { now } => self.tick(now, &mut actions),
        }
        actions
    }

    fn joined(&mut self, seat: usize, hello: &BotHello, actions: &mut Actions) {
        if let Some(refusal) = self.state.refusal(hello) {
            return self.failed(seat, refusal, actions);
        }
        self.state.wants[seat] = hello.wants;
        self.readiness[seat] = Readiness::Starting { written: None };
        let message = self.state.start_message(seat);
        actions.push(Action::Send { seat, message });
    }

    fn sent(&mut self, written_to: usize, now: Reading) {
        match &mut self.phase {
            Phase::Starting => {
                if let Readiness::Starting { written } = &mut self.readiness[written_to] {
                    written.get_or_insert(now.at);
                    self.cpu_before[written_to] = now.cpu;
                }
            }
            Phase::Turn { seat, asked, last } if *seat == written_to && asked.is_none() => {
                *asked = Some(now);
                *last = now;
            }
            _ => {}
        }
    }

    /// Moves the start of all running clocks later, so that the gap costs no bot any time. Bots
    /// that went on while only the referee was stopped get that time for free: how they used it is
    /// not known.
    fn suspend(&mut self, gap: Duration, now: At) {
        let later = |begin: &mut At| *begin = begin.saturating_add(gap).min(now);
        match &mut self.phase {
            Phase::Starting => {
                for readiness in &mut self.readiness {
                    if let Readiness::Starting { written: Some(at) } = readiness {
                        later(at);
                    }
                }
            }
            Phase::Turn {
                asked: Some(asked),
                last,
                ..
            } => {
                let before = asked.at;
                later(&mut asked.at);
                later(&mut last.at);
                self.suspended += asked.at.saturating_sub(before);
            }
            Phase::Turn { .. } | Phase::Over(_) => {}
        }
    }

    fn line(
        &mut self,
        from: usize,
        message: Result<FromBot, BadMessage>,
        now: Reading,
        actions: &mut Actions,
    ) {
        match self.phase {
            Phase::Starting if self.readiness[from] != Readiness::Done => {
                self.starting_line(from, message, now, actions);
            }
            Phase::Turn {
                seat,
                asked: Some(asked),
                ..
            } if seat == from => {
                let used = now.since(asked);
                match self.exceeded(seat, used, now) {
                    Some(failure) => {
                        let answered = matches!(message, Ok(FromBot::Move(_)));
                        self.give_up(seat, failure, used, answered, actions);
                    }
                    None => self.answer(seat, message, used, actions),
                }
            }
            Phase::Over(_) => {}
            // Not this seat's turn. Late answers and `info` are dropped, but what would lose the
            // match is kept for the seat's next turn, so that the result does not depend on timing.
            _ => match message {
                Ok(FromBot::Resign {}) => self.state.set_pending(from, faults::resigned()),
                Ok(FromBot::Ready {}) => self.state.set_pending(from, faults::unasked("ready")),
                Ok(FromBot::Hello(_)) => self.state.set_pending(from, faults::unasked("hello")),
                Ok(FromBot::Move(_) | FromBot::Info(_)) => {}
                Err(bad) => self.state.set_pending(from, faults::bad_line(&bad)),
            },
        }
    }

    fn starting_line(
        &mut self,
        seat: usize,
        message: Result<FromBot, BadMessage>,
        now: Reading,
        actions: &mut Actions,
    ) {
        if self
            .ready_deadline(seat)
            .is_some_and(|deadline| now.at > deadline)
        {
            return self.tick(now, actions);
        }
        match message {
            Ok(FromBot::Ready {}) => {
                self.readiness[seat] = Readiness::Done;
                self.begin_when_ready(actions);
            }
            // Late words of an earlier match.
            Ok(FromBot::Move(_) | FromBot::Info(_)) => {}
            Ok(FromBot::Hello(_)) => {
                self.failed(seat, faults::unexpected("hello", "start"), actions);
            }
            Ok(FromBot::Resign {}) => self.failed(seat, faults::resigned(), actions),
            Err(bad) => self.failed(seat, faults::bad_line(&bad), actions),
        }
    }

    /// A line of the bot whose turn it is, in time.
    fn answer(
        &mut self,
        seat: usize,
        message: Result<FromBot, BadMessage>,
        used: Used,
        actions: &mut Actions,
    ) {
        let max_info = self.state.info_bytes(seat);
        let fault = match message {
            Ok(FromBot::Info(info)) => return self.info.add(info.fields, max_info),
            Ok(FromBot::Move(mv)) => match self.play(seat, mv, used) {
                Ok(Answered::Dropped) => return,
                Ok(Answered::Played) => return self.advance(actions),
                Err(failure) => failure,
            },
            Ok(FromBot::Resign {}) => faults::resigned(),
            Ok(FromBot::Ready {}) => faults::unexpected("ready", "turn"),
            Ok(FromBot::Hello(_)) => faults::unexpected("hello", "turn"),
            Err(bad) => faults::bad_line(&bad),
        };
        self.lose(seat, fault, actions);
        self.advance(actions);
    }

    /// Plays a move, unless it answers another ply.
    fn play(&mut self, seat: usize, answer: BotMove, used: Used) -> Result<Answered, Failure> {
        let ply = self.state.session.ply();
        if let Some(answered) = answer.ply.filter(|answered| *answered != ply) {
            let dropped = format!("an answer to ply {answered} instead of {ply} was dropped");
            self.stalls[seat] = Some(dropped);
            return Ok(Answered::Dropped);
        }
        let info = self
            .info
            .take_with(answer.info, self.state.info_bytes(seat));
        self.state
            .play(seat, answer.mv, used, info)
            .map_err(|error| faults::illegal_move(&error))?;
        if !self.suspended.is_zero() {
            self.state.note_suspended(self.suspended);
        }
        Ok(Answered::Played)
    }

    /// A seat's bot failed. It loses at once if an answer of it is awaited, otherwise at its next
    /// turn.
    fn failed(&mut self, seat: usize, mut failure: Failure, actions: &mut Actions) {
        match self.phase {
            Phase::Starting if self.readiness[seat] != Readiness::Done => {
                self.readiness[seat] = Readiness::Done;
                // A bot that goes away instead of saying `ready` has not started.
                if matches!(failure.code, FaultCode::Crash | FaultCode::Timeout) {
                    failure.code = FaultCode::Startup;
                }
                self.lose(seat, failure, actions);
                self.begin_when_ready(actions);
            }
            Phase::Turn { seat: turn, .. } if turn == seat => {
                self.lose(seat, failure, actions);
                self.advance(actions);
            }
            Phase::Over(_) => {}
            _ => self.state.set_pending(seat, failure),
        }
    }

    fn tick(&mut self, now: Reading, actions: &mut Actions) {
        let late = self.late(now);
        match &mut self.phase {
            Phase::Starting => {
                for seat in late {
                    let startup = self.state.clocks[seat].control().startup.0;
                    let stall = self.stalls[seat].take();
                    let failure = faults::not_ready(startup, stall.as_deref());
                    self.failed(seat, failure, actions);
                }
            }
            Phase::Turn {
                seat,
                asked: Some(asked),
                last,
            } => {
                *last = now;
                let (seat, used) = (*seat, now.since(*asked));
                if let Some(mut failure) = self.exceeded(seat, used, now) {
                    if let Some(stall) = self.stalls[seat].take() {
                        failure.message.push_str(&format!("; {stall}"));
                    }
                    self.give_up(seat, failure, used, false, actions);
                }
            }
            _ => {}
        }
    }

    /// The fault of a seat that has exceeded a time limit in its turn.
    fn exceeded(&self, seat: usize, used: Used, now: Reading) -> Option<Failure> {
        let clock = &self.state.clocks[seat];
        if let Some(overrun) = clock.overrun(used) {
            let Overrun { by, used, allowed } = overrun;
            return Some(faults::too_slow(clock.control(), by, used, allowed));
        }
        let in_match = now.cpu?.saturating_sub(self.cpu_before[seat]?);
        let allowed = self.state.cpu_time(seat)?;
        (in_match >= allowed).then(|| faults::out_of_cpu_time(in_match, allowed))
    }

    /// Ends a turn that took too long. `answered` says whether an answer has come by now.
    fn give_up(
        &mut self,
        seat: usize,
        failure: Failure,
        used: Used,
        answered: bool,
        actions: &mut Actions,
    ) {
        let failure = faults::despite_suspension(failure, self.suspended);
        self.lose(seat, failure, actions);
        self.state.note_late(seat, used, answered);
        self.advance(actions);
    }

    fn ready_deadline(&self, seat: usize) -> Option<At> {
        let Readiness::Starting { written: Some(at) } = self.readiness[seat] else {
            return None;
        };
        let control = self.state.clocks[seat].control();
        Some(
            at.saturating_add(control.startup.0)
                .saturating_add(control.margin.0),
        )
    }

    fn begin_when_ready(&mut self, actions: &mut Actions) {
        if self.readiness.iter().all(|r| *r == Readiness::Done) {
            self.advance(actions);
        }
    }

    /// Makes a seat lose, and informs its bot. A bot at fault is dismissed: at once if the others
    /// play on, otherwise after the match.
    fn lose(&mut self, seat: usize, failure: Failure, actions: &mut Actions) {
        // No fault decides a match that is over from the start.
        if self.state.at_fault[seat] || self.state.ended().is_some() {
            return;
        }
        let Failure { code, message } = failure;
        self.state.blame(seat, code, message.clone());
        if code.is_fault() {
            let message = ToBot::Error { code, message };
            actions.push(Action::Send { seat, message });
            if self.state.result().is_none() {
                self.dismiss(seat, actions);
            }
        }
    }

    fn dismiss(&mut self, seat: usize, actions: &mut Actions) {
        if !std::mem::replace(&mut self.dismissed[seat], true) {
            actions.push(Action::Dismiss { seat });
        }
    }

    /// Goes on to the next turn of a bot, or to the end.
    fn advance(&mut self, actions: &mut Actions) {
        self.info = TurnInfo::default();
        self.suspended = Duration::ZERO;
        loop {
            if let Some(result) = self.state.result() {
                return self.finish(result, actions);
            }
            let Some(seat) = self.state.session.to_move() else {
                unreachable!("a game that is over has a result");
            };
            if self.state.at_fault[seat] {
                self.state.play_forced(seat);
            } else if let Some(failure) = self.state.pending[seat].take() {
                self.lose(seat, failure, actions);
            } else {
                self.stalls[seat] = None;
                self.phase = Phase::Turn {
                    seat,
                    asked: None,
                    last: Reading::default(),
                };
                let message = self.state.turn_message(seat);
                return actions.push(Action::Send { seat, message });
            }
        }
    }

    fn finish(&mut self, result: MatchResult, actions: &mut Actions) {
        for seat in 0..self.dismissed.len() {
            if !self.dismissed[seat] {
                let message = self.state.end_message(seat, &result);
                actions.push(Action::Send { seat, message });
            }
            if result
                .faults
                .iter()
                .any(|f| f.seat == seat && f.code.is_fault())
            {
                self.dismiss(seat, actions);
            }
        }
        self.phase = Phase::Over(result);
    }
}
