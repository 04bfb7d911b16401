//! One match as a pure state machine: events in, actions out.
//!
//! The arbiter reads no clock and does no input or output. Whoever drives it tells it what
//! happened and when ([`Event`], instants as durations since the match began), and does what
//! it says ([`Action`]); [`Arbiter::deadline`] is when it wants to be woken at the latest.

pub mod clock;
pub mod ending;
mod faults;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use games::{Limits, Rules, Session};
use protocol::{
    BadMessage, BotHello, BotMove, FaultCode, FromBot, LoggedMove, MatchResult, TimeControl, ToBot,
};

use crate::clock::{Clock, Used};
use serde_json::{Map, Value};
use smallvec::SmallVec;
use table::Table;
pub use table::wire_limits;

/// So many different fields of `info` messages are kept for a move.
const MOST_INFO: usize = 50;

/// Between two looks at the CPU time of a bot that is close to its limit.
const LEAST_WAIT: Duration = Duration::from_millis(1);

/// A point in time, counted from the beginning of the match.
pub type At = Duration;

/// What the clocks show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The time now.
    pub at: At,
    /// The CPU time that the processes of the seat in question have used so far, in this match
    /// and before it; `None` where the machine does not tell.
    pub cpu: Option<Duration>,
}

impl Reading {
    /// What was used since another reading.
    fn since(self, begin: Reading) -> Used {
        let cpu = self.cpu.zip(begin.cpu);
        Used {
            wall: self.at.saturating_sub(begin.at),
            cpu: cpu.map(|(now, then)| now.saturating_sub(then)),
        }
    }
}

/// A match that is to be played.
pub struct Setup {
    /// The match's id.
    pub match_id: String,
    /// The game under its options.
    pub rules: Arc<dyn Rules>,
    /// The position at the start.
    pub start: Box<dyn Session>,
    /// Plies that the referee makes at the beginning; each must be legal.
    pub opening: Vec<String>,
    /// For the random moves of seats at fault.
    pub seed: u64,
    /// What ends the match besides the game.
    pub limits: Limits,
    /// Who sits where, in seat order.
    pub players: Vec<Seated>,
    /// How many cores a bot can use at a time: CPU time goes by at most so much quicker than time.
    pub cores: u32,
}

/// A player who takes a seat.
#[derive(Clone, Debug)]
pub struct Seated {
    /// The bot's name in the tournament.
    pub name: String,
    /// The player's time control.
    pub time: TimeControl,
    /// The CPU time that it may use in the match, between its turns included.
    pub cpu_time: Option<Duration>,
    /// How many bytes of `info` are kept with a move.
    pub info_bytes: u64,
}

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// A seat's process is there and has introduced itself.
    Joined {
        /// The seat.
        seat: usize,
        /// What the bot said about itself.
        hello: Box<BotHello>,
    },
    /// The message that was last sent to a seat is written, and its time runs.
    Sent {
        /// The seat.
        seat: usize,
        /// When the write began.
        now: Reading,
    },
    /// A seat's bot printed a line.
    Line {
        /// The seat.
        seat: usize,
        /// The message, or why the line is none.
        message: Result<FromBot, BadMessage>,
        /// When the line's end arrived.
        now: Reading,
    },
    /// A seat's bot cannot be talked to any more.
    Failed {
        /// The seat.
        seat: usize,
        /// What kind of fault that is.
        code: FaultCode,
        /// What happened, in words.
        message: String,
    },
    /// What a seat that is late seems to be doing was found out.
    Stalled {
        /// The seat.
        seat: usize,
        /// What it seems to do, as part of a sentence.
        what: String,
    },
    /// The referee itself did not run for a while, which was noticed now: nobody's time ran.
    Suspended {
        /// For how long.
        gap: Duration,
        /// The time now.
        now: At,
    },
    /// Time went by.
    Tick {
        /// The time now; the CPU time of the seat whose turn it is.
        now: Reading,
    },
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Send a message to a seat's bot, and report [`Event::Sent`] or [`Event::Failed`].
    Send {
        /// The seat.
        seat: usize,
        /// The message.
        message: ToBot,
    },
    /// End a seat's process: it cannot be trusted to answer the next match's messages.
    Dismiss {
        /// The seat.
        seat: usize,
    },
}

/// What is to be done, in order. Nearly always it is one thing.
pub type Actions = SmallVec<[Action; 2]>;

/// How a match went.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Every ply.
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
        /// When the write of the request began; `None` until it is over.
        asked: Option<Reading>,
        /// The last reading since then.
        seen: Reading,
    },
    /// Nothing any more.
    Over(MatchResult),
}

/// How far a seat is with the beginning of the match.
#[derive(Clone, Copy, PartialEq)]
enum Readiness {
    /// The process is not there yet.
    Absent,
    /// `start` is being written, or was.
    Told { written: Option<At> },
    /// It said `ready`, or is at fault.
    Done,
}

/// The referee of one match.
pub struct Arbiter {
    table: Table,
    phase: Phase,
    readiness: Vec<Readiness>,
    dismissed: Vec<bool>,
    /// The CPU time that each seat had used when it was told of the match.
    cpu_before: Vec<Option<Duration>>,
    cores: u32,
    /// What `info` messages of the turn told.
    info: Map<String, Value>,
    /// About how many bytes those are.
    info_bytes: u64,
    /// What may explain why each seat's bot is late.
    seen: Vec<Option<String>>,
    /// For how long the referee did not run in this turn.
    suspended: Duration,
}

/// About how many bytes a field takes in the log.
fn size(name: &str, value: &Value) -> u64 {
    let inside = match value {
        Value::String(text) => text.len() as u64,
        Value::Array(values) => values.iter().map(|value| size("", value)).sum(),
        Value::Object(fields) => fields.iter().map(|(name, value)| size(name, value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    };
    name.len() as u64 + inside + 4
}

impl Arbiter {
    /// A match before anybody has joined.
    ///
    /// # Panics
    /// If a ply of the opening is not legal: the caller makes openings, not a bot.
    pub fn new(setup: Setup) -> Self {
        let seats = setup.players.len();
        Arbiter {
            cpu_before: vec![None; seats],
            cores: setup.cores.max(1),
            table: Table::new(setup),
            phase: Phase::Starting,
            readiness: vec![Readiness::Absent; seats],
            dismissed: vec![false; seats],
            info: Map::new(),
            info_bytes: 0,
            seen: vec![None; seats],
            suspended: Duration::ZERO,
        }
    }

    /// When [`Event::Tick`] must come at the latest, if nothing else happens.
    pub fn deadline(&self) -> Option<At> {
        match self.phase {
            Phase::Starting => {
                let seats = 0..self.readiness.len();
                seats.filter_map(|seat| self.ready_deadline(seat)).min()
            }
            Phase::Turn { seat, asked, seen } => {
                let asked = asked?;
                let clock = &self.table.clocks[seat];
                let wall = clock.deadline().map(|end| asked.at.saturating_add(end));
                let cpu = self.cpu_left(seat, asked, seen);
                let look = cpu.map(|left| seen.at + (left / self.cores).max(LEAST_WAIT));
                [wall, look].into_iter().flatten().min()
            }
            Phase::Over(_) => None,
        }
    }

    /// The CPU time that a seat may still use in its turn, at most.
    fn cpu_left(&self, seat: usize, asked: Reading, seen: Reading) -> Option<Duration> {
        let cpu = seen.cpu?;
        let turn = self.table.clocks[seat].cpu_deadline().zip(asked.cpu);
        let total = self.table.cpu_time(seat).zip(self.cpu_before[seat]);
        let ends = [turn, total].into_iter().flatten();
        let left = ends.map(|(allowed, before)| (before + allowed).saturating_sub(cpu));
        left.min()
    }

    /// The seat whose answer is awaited, if it is one seat's.
    pub fn awaited(&self) -> Option<usize> {
        match self.phase {
            Phase::Turn { seat, .. } => Some(seat),
            _ => None,
        }
    }

    /// How the match ended, once it is over.
    pub fn result(&self) -> Option<&MatchResult> {
        match &self.phase {
            Phase::Over(result) => Some(result),
            _ => None,
        }
    }

    /// How the match went, if it is over.
    pub fn into_played(self) -> Option<Played> {
        match self.phase {
            Phase::Over(result) => Some(Played {
                moves: self.table.moves,
                result,
            }),
            _ => None,
        }
    }

    /// Whether a seat was told of the match and has not answered yet.
    pub fn is_beginning(&self, seat: usize) -> bool {
        let told = matches!(self.readiness[seat], Readiness::Told { .. });
        told && matches!(self.phase, Phase::Starting)
    }

    /// A seat's clock.
    pub fn clock(&self, seat: usize) -> &Clock {
        &self.table.clocks[seat]
    }

    /// The position, for drawing.
    pub fn session(&self) -> &dyn Session {
        &*self.table.session
    }

    /// The seats whose time is up: an [`Event::Tick`] with this reading is their fault.
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
            } if self.too_much(seat, now.since(asked), now).is_some() => vec![seat],
            _ => Vec::new(),
        }
    }

    /// The plies so far.
    pub fn moves(&self) -> &[LoggedMove] {
        &self.table.moves
    }

    /// Takes note of what happened and says what is to be done, in order.
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
            } => self.trouble(seat, code, message, &mut actions),
            Event::Stalled { seat, what } => {
                self.seen[seat].get_or_insert(what);
            }
            Event::Suspended { gap, now } => self.suspend(gap, now),
            Event::Tick { now } => self.tick(now, &mut actions),
        }
        actions
    }

    fn joined(&mut self, seat: usize, hello: &BotHello, actions: &mut Actions) {
        if let Some(refusal) = self.table.refusal(hello) {
            return self.trouble(seat, FaultCode::Startup, refusal, actions);
        }
        self.table.wants[seat] = hello.wants;
        self.readiness[seat] = Readiness::Told { written: None };
        let message = self.table.start_message(seat);
        actions.push(Action::Send { seat, message });
    }

    fn sent(&mut self, written_to: usize, now: Reading) {
        match &mut self.phase {
            Phase::Starting => {
                if let Readiness::Told { written } = &mut self.readiness[written_to] {
                    written.get_or_insert(now.at);
                    self.cpu_before[written_to] = now.cpu;
                }
            }
            Phase::Turn { seat, asked, seen } if *seat == written_to && asked.is_none() => {
                *asked = Some(now);
                *seen = now;
            }
            _ => {}
        }
    }

    /// Moves on what the clocks that run are measured from, so that the gap costs nobody anything.
    /// Who could go on while only the referee was stopped has that time as a gift: nobody knows
    /// what was made of it.
    fn suspend(&mut self, gap: Duration, now: At) {
        let later = |begin: &mut At| *begin = begin.saturating_add(gap).min(now);
        match &mut self.phase {
            Phase::Starting => {
                for readiness in &mut self.readiness {
                    if let Readiness::Told { written: Some(at) } = readiness {
                        later(at);
                    }
                }
            }
            Phase::Turn {
                asked: Some(asked),
                seen,
                ..
            } => {
                let before = asked.at;
                later(&mut asked.at);
                later(&mut seen.at);
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
                match self.too_much(seat, used, now) {
                    Some(cause) => {
                        let answered = matches!(message, Ok(FromBot::Move(_)));
                        self.give_up(seat, cause, (used, answered), actions);
                    }
                    None => self.answer(seat, message, used, actions),
                }
            }
            Phase::Over(_) => {}
            // Not this seat's turn: late answers and chatter are dropped, but what would lose the
            // match is kept for its next turn, so that it does not depend on who is faster.
            _ => match message {
                Ok(FromBot::Resign {}) => self.table.set_pending(from, faults::resigned()),
                Ok(FromBot::Ready {}) => self.table.set_pending(from, faults::unasked("ready")),
                Ok(FromBot::Hello(_)) => self.table.set_pending(from, faults::unasked("hello")),
                Ok(FromBot::Move(_) | FromBot::Info(_)) => {}
                Err(bad) => self.table.set_pending(from, faults::bad_line(&bad)),
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
            Ok(FromBot::Hello(_)) => {
                let (code, message) = faults::unexpected("hello", "start");
                self.trouble(seat, code, message, actions);
            }
            Ok(FromBot::Resign {}) => {
                let (code, message) = faults::resigned();
                self.trouble(seat, code, message, actions);
            }
            // What an earlier match was still waiting for.
            Ok(FromBot::Move(_) | FromBot::Info(_)) => {}
            Err(bad) => {
                let (code, message) = faults::bad_line(&bad);
                self.trouble(seat, code, message, actions);
            }
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
        let fault = match message {
            Ok(FromBot::Info(info)) => return self.note(seat, info.fields),
            Ok(FromBot::Move(BotMove {
                ply: Some(told), ..
            })) if told != self.table.session.ply() => {
                let ply = self.table.session.ply();
                let dropped = format!("an answer to ply {told} instead of {ply} was dropped");
                self.seen[seat] = Some(dropped);
                return;
            }
            Ok(FromBot::Move(mv)) => {
                let info = self.told(seat, mv.info);
                match self.table.play(seat, mv.mv, used, info) {
                    Ok(()) => {
                        if !self.suspended.is_zero() {
                            self.table.note_suspended(self.suspended);
                        }
                        return self.advance(actions);
                    }
                    Err(error) => (FaultCode::IllegalMove, error.to_string()),
                }
            }
            Ok(FromBot::Resign {}) => faults::resigned(),
            Ok(FromBot::Ready {}) => faults::unexpected("ready", "turn"),
            Ok(FromBot::Hello(_)) => faults::unexpected("hello", "turn"),
            Err(bad) => faults::bad_line(&bad),
        };
        self.lose(seat, fault, actions);
        self.advance(actions);
    }

    /// Keeps what an `info` message tells. A later message of the turn overrides an earlier one
    /// field by field; a bot that tells without end is not listened to for ever.
    fn note(&mut self, seat: usize, fields: Map<String, Value>) {
        let most = self.table.info_bytes(seat);
        for (name, value) in fields {
            let old = self.info.get(&name).map(|old| size(&name, old));
            let bytes = self.info_bytes - old.unwrap_or(0) + size(&name, &value);
            if bytes <= most && (old.is_some() || self.info.len() < MOST_INFO) {
                self.info_bytes = bytes;
                self.info.insert(name, value);
            }
        }
    }

    /// What is logged with a move: all that the bot told, its move's own `info` over the rest.
    fn told(&mut self, seat: usize, own: Option<Value>) -> Option<Value> {
        match own {
            Some(Value::Object(own)) => self.note(seat, own),
            Some(other) if size("", &other) <= self.table.info_bytes(seat) => return Some(other),
            _ => {}
        }
        let all = std::mem::take(&mut self.info);
        (!all.is_empty()).then_some(Value::Object(all))
    }

    /// A seat's bot failed: at once if something is asked of it, else at its next turn.
    fn trouble(&mut self, seat: usize, code: FaultCode, message: String, actions: &mut Actions) {
        match self.phase {
            Phase::Starting if self.readiness[seat] != Readiness::Done => {
                self.readiness[seat] = Readiness::Done;
                // Who goes away instead of saying `ready` has not started.
                let code = match code {
                    FaultCode::Crash | FaultCode::Timeout => FaultCode::Startup,
                    other => other,
                };
                self.lose(seat, (code, message), actions);
                self.begin_when_ready(actions);
            }
            Phase::Turn { seat: turn, .. } if turn == seat => {
                self.lose(seat, (code, message), actions);
                self.advance(actions);
            }
            Phase::Over(_) => {}
            _ => self.table.set_pending(seat, (code, message)),
        }
    }

    fn tick(&mut self, now: Reading, actions: &mut Actions) {
        let late = self.late(now);
        match &mut self.phase {
            Phase::Starting => {
                for seat in late {
                    let startup = self.table.clocks[seat].control().startup.0;
                    let message = faults::not_ready(startup, self.seen[seat].take());
                    self.trouble(seat, FaultCode::Startup, message, actions);
                }
            }
            Phase::Turn {
                seat,
                asked: Some(asked),
                seen,
            } => {
                *seen = now;
                let (seat, used) = (*seat, now.since(*asked));
                if let Some((code, mut message)) = self.too_much(seat, used, now) {
                    if let Some(seen) = self.seen[seat].take() {
                        message.push_str(&format!("; {seen}"));
                    }
                    self.give_up(seat, (code, message), (used, false), actions);
                }
            }
            _ => {}
        }
    }

    /// The limit of time that a seat went beyond in its turn.
    fn too_much(&self, seat: usize, used: Used, now: Reading) -> Option<faults::Cause> {
        let clock = &self.table.clocks[seat];
        if let Some(overrun) = clock.overrun(used) {
            return Some(faults::too_slow(clock, overrun));
        }
        let in_match = now.cpu?.saturating_sub(self.cpu_before[seat]?);
        let allowed = self.table.cpu_time(seat)?;
        (in_match >= allowed).then(|| faults::out_of_cpu_time(in_match, allowed))
    }

    /// Gives a turn up that took too long: what it took, and whether an answer is there by now.
    fn give_up(
        &mut self,
        seat: usize,
        cause: faults::Cause,
        (used, answered): (Used, bool),
        actions: &mut Actions,
    ) {
        let cause = faults::despite(cause, self.suspended);
        self.lose(seat, cause, actions);
        self.table.note_late(seat, used, answered);
        self.advance(actions);
    }

    fn ready_deadline(&self, seat: usize) -> Option<At> {
        let Readiness::Told { written: Some(at) } = self.readiness[seat] else {
            return None;
        };
        let control = self.table.clocks[seat].control();
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

    /// Marks a seat as lost, and tells its bot. A bot at fault is sent away: at once if the others
    /// play on, else after the match's end.
    fn lose(&mut self, seat: usize, (code, message): faults::Cause, actions: &mut Actions) {
        // A match that is over from the start is lost by nobody's fault.
        if self.table.at_fault[seat] || self.table.ended().is_some() {
            return;
        }
        self.table.blame(seat, code, message.clone());
        if code.is_fault() {
            let message = ToBot::Error { code, message };
            actions.push(Action::Send { seat, message });
            if self.table.result().is_none() {
                self.dismiss(seat, actions);
            }
        }
    }

    fn dismiss(&mut self, seat: usize, actions: &mut Actions) {
        if !std::mem::replace(&mut self.dismissed[seat], true) {
            actions.push(Action::Dismiss { seat });
        }
    }

    /// Goes on to the next ply that a bot has to make, or to the end.
    fn advance(&mut self, actions: &mut Actions) {
        self.info.clear();
        self.info_bytes = 0;
        self.suspended = Duration::ZERO;
        loop {
            if let Some(result) = self.table.result() {
                return self.finish(result, actions);
            }
            let Some(seat) = self.table.session.to_move() else {
                unreachable!("a game that is over has a result");
            };
            if self.table.at_fault[seat] {
                self.table.play_forced(seat);
            } else if let Some(cause) = self.table.pending[seat].take() {
                self.lose(seat, cause, actions);
            } else {
                self.seen[seat] = None;
                self.phase = Phase::Turn {
                    seat,
                    asked: None,
                    seen: Reading::default(),
                };
                let message = self.table.turn_message(seat);
                return actions.push(Action::Send { seat, message });
            }
        }
    }

    fn finish(&mut self, result: MatchResult, actions: &mut Actions) {
        for seat in 0..self.dismissed.len() {
            if !self.dismissed[seat] {
                let message = self.table.end_message(seat, &result);
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
