//! The state machine: what each event means in each phase of a match.

use std::time::Duration;

use games::session::MoveError;
use games::{BrokenRules, Session};
use protocol::{
    Adjudication, BadMessage, BotHello, BotMove, ClockKind, Failure, FaultCode, FromBot,
    LoggedMove, MatchResult, ToBot, faults,
};
use smallvec::{SmallVec, smallvec};

use crate::clock::{Clock, Overrun, Used};
use crate::early_end;
use crate::events::{Action, Actions, At, Event, Reading};
use crate::match_state::{MatchState, refused};
use crate::open_turn::{Answer, MadeMove, OpenTurn};
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
    /// What was adjudicated first, if anything was.
    pub adjudication: Option<Adjudication>,
}

/// What the arbiter waits for.
#[expect(clippy::large_enum_variant, reason = "there is one for each match")]
enum Phase {
    /// All seats to say `ready`.
    Starting,
    /// The moves of the seats that are asked in this step: nearly always one.
    Step(SmallVec<[OpenTurn; 1]>),
    /// The driver to find out whether the position can be settled.
    Settling,
    /// Nothing any more.
    Over(MatchResult),
    /// Nothing any more: there is no result.
    Broken(BrokenRules),
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

/// Seats with what they did wrong; for a turn that took too long, what it took and whether an answer had
/// come by then.
type Faults = SmallVec<[(usize, Failure, Option<(Used, bool)>); 1]>;

/// The referee of one match.
pub struct Arbiter {
    state: MatchState,
    phase: Phase,
    readiness: Vec<Readiness>,
    dismissed: Vec<bool>,
    /// The CPU time that each seat had used when `start` was sent to it.
    cpu_before: Vec<Option<Duration>>,
    cores: u32,
    /// How busy the machine was when somebody was late.
    load: Option<f64>,
    /// What may explain why each seat's bot is late.
    stalls: Vec<Option<String>>,
}

impl Arbiter {
    /// A match that no bot has joined yet.
    ///
    /// # Errors
    /// If rules from outside do not work.
    ///
    /// # Panics
    /// If a ply of the opening is not legal: openings come from the referee, not from bots.
    pub fn new(setup: Setup) -> Result<Self, BrokenRules> {
        let seats = setup.seats.len();
        Ok(Arbiter {
            cpu_before: vec![None; seats],
            cores: setup.cores.max(1),
            load: None,
            state: MatchState::new(setup)?,
            phase: Phase::Starting,
            readiness: vec![Readiness::Absent; seats],
            dismissed: vec![false; seats],
            stalls: vec![None; seats],
        })
    }

    /// When [`Event::Tick`] must come at the latest if nothing else happens; `None` if nothing is
    /// awaited.
    pub fn deadline(&self) -> Option<At> {
        match &self.phase {
            Phase::Starting => {
                let seats = 0..self.readiness.len();
                seats.filter_map(|seat| self.ready_deadline(seat)).min()
            }
            Phase::Step(turns) => {
                let open = turns.iter().filter(|turn| turn.answer.is_none());
                open.filter_map(|turn| self.turn_deadline(turn)).min()
            }
            Phase::Settling | Phase::Over(_) | Phase::Broken(_) => None,
        }
    }

    fn turn_deadline(&self, turn: &OpenTurn) -> Option<At> {
        let asked = turn.asked?;
        let wall = self.state.clocks[turn.seat].deadline();
        let wall = wall.map(|end| asked.at.saturating_add(end));
        let cpu = self.cpu_left(turn.seat, asked, turn.last);
        let read_cpu = cpu.map(|left| turn.last.at + (left / self.cores).max(MIN_CPU_INTERVAL));
        [wall, read_cpu].into_iter().flatten().min()
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

    /// Whether a seat's move is awaited.
    pub fn is_awaited(&self, seat: usize) -> bool {
        self.open_turn(seat).is_some()
    }

    /// The seats whose moves are awaited; none before the first turn and after the last.
    pub fn awaited(&self) -> impl Iterator<Item = usize> {
        (0..self.readiness.len()).filter(|seat| self.is_awaited(*seat))
    }

    /// Whether the match has come to its first turn and not to its end.
    pub fn is_in_play(&self) -> bool {
        matches!(self.phase, Phase::Step(_))
    }

    fn open_turn(&self, seat: usize) -> Option<&OpenTurn> {
        let Phase::Step(turns) = &self.phase else {
            return None;
        };
        let mut turns = turns.iter();
        turns.find(|turn| turn.seat == seat && turn.answer.is_none())
    }

    fn open_turn_mut(&mut self, seat: usize) -> Option<&mut OpenTurn> {
        let Phase::Step(turns) = &mut self.phase else {
            return None;
        };
        let mut turns = turns.iter_mut();
        turns.find(|turn| turn.seat == seat && turn.answer.is_none())
    }

    /// The answer of a seat that waits for the others of its step.
    fn closed_turn_mut(&mut self, seat: usize) -> Option<&mut Answer> {
        let Phase::Step(turns) = &mut self.phase else {
            return None;
        };
        let mut turns = turns.iter_mut();
        turns.find(|turn| turn.seat == seat)?.answer.as_mut()
    }

    /// How the match ended; `None` until it is over.
    pub fn result(&self) -> Option<&MatchResult> {
        match &self.phase {
            Phase::Over(result) => Some(result),
            _ => None,
        }
    }

    /// Why the match has no result: its rules do not work, and no seat is at fault.
    pub fn broken(&self) -> Option<&BrokenRules> {
        match &self.phase {
            Phase::Broken(broken) => Some(broken),
            _ => None,
        }
    }

    /// Whether nothing more happens: there is a result, or there will be none.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over(_) | Phase::Broken(_))
    }

    /// How the match went; `None` if it is not over or has no result.
    pub fn into_finished(self) -> Option<FinishedMatch> {
        match self.phase {
            Phase::Over(result) => {
                let (moves, adjudication) = self.state.into_log();
                Some(FinishedMatch {
                    moves,
                    result,
                    adjudication,
                })
            }
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

    /// Whether a seat's time is up: an [`Event::Tick`] with this reading makes it lose.
    pub fn is_late(&self, seat: usize, now: Reading) -> bool {
        if let Phase::Starting = self.phase {
            let deadline = self.ready_deadline(seat);
            return deadline.is_some_and(|deadline| now.at >= deadline);
        }
        let asked = self.open_turn(seat).and_then(|turn| turn.asked);
        asked.is_some_and(|asked| self.exceeded(seat, now.since(asked), now).is_some())
    }

    /// The plies so far, those of the opening included.
    pub fn moves(&self) -> &[LoggedMove] {
        &self.state.moves
    }

    /// Takes note of what happened; returns what is to be done, in this order.
    #[must_use = "the match goes on only if the actions are carried out"]
    pub fn handle(&mut self, event: Event) -> Actions {
        let mut actions = Actions::new();
        if let Err(broken) = self.take(event, &mut actions) {
            self.phase = Phase::Broken(broken);
        }
        actions
    }

    fn take(&mut self, event: Event, actions: &mut Actions) -> Result<(), BrokenRules> {
        match event {
            Event::Joined { seat, hello } => return self.joined(seat, &hello, actions),
            Event::Sent { seat, now } => self.sent(seat, now),
            Event::Line { seat, message, now } => return self.line(seat, message, now, actions),
            Event::Failed {
                seat,
                code,
                message,
            } => return self.failed(seat, Failure { code, message }, actions),
            Event::Busy { load } => self.load = Some(load),
            Event::Stalled { seat, what } => {
                self.stalls[seat].get_or_insert(what);
            }
            Event::Suspended { gap, now } => self.suspend(gap, now),
            Event::Settled {
                settlement,
                positions,
                took,
            } => {
                if matches!(self.phase, Phase::Settling) {
                    self.state.settle(settlement, positions, took);
                    return self.advance(actions);
                }
            }
            Event::Tick { seat, now } => return self.tick(seat, now, actions),
        }
        Ok(())
    }

    fn joined(
        &mut self,
        seat: usize,
        hello: &BotHello,
        actions: &mut Actions,
    ) -> Result<(), BrokenRules> {
        if let Some(refusal) = self.state.refusal(hello) {
            return self.failed(seat, refusal, actions);
        }
        self.state.wants[seat] = hello.wants;
        self.readiness[seat] = Readiness::Starting { written: None };
        let message = self.state.start_message(seat)?;
        actions.push(Action::Send { seat, message });
        Ok(())
    }

    fn sent(&mut self, written_to: usize, now: Reading) {
        match &mut self.phase {
            Phase::Starting => {
                if let Readiness::Starting { written } = &mut self.readiness[written_to] {
                    written.get_or_insert(now.at);
                    self.cpu_before[written_to] = now.cpu;
                }
            }
            Phase::Step(turns) => {
                let mut unsent = turns.iter_mut().filter(|turn| turn.asked.is_none());
                if let Some(turn) = unsent.find(|turn| turn.seat == written_to) {
                    turn.asked = Some(now);
                    turn.last = now;
                }
            }
            Phase::Settling | Phase::Over(_) | Phase::Broken(_) => {}
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
            Phase::Step(turns) => {
                for turn in turns.iter_mut().filter(|turn| turn.answer.is_none()) {
                    if let Some(asked) = &mut turn.asked {
                        let before = asked.at;
                        later(&mut asked.at);
                        later(&mut turn.last.at);
                        turn.suspended += asked.at.saturating_sub(before);
                    }
                }
            }
            Phase::Settling | Phase::Over(_) | Phase::Broken(_) => {}
        }
    }

    fn line(
        &mut self,
        from: usize,
        message: Result<FromBot, BadMessage>,
        now: Reading,
        actions: &mut Actions,
    ) -> Result<(), BrokenRules> {
        if let Phase::Starting = self.phase
            && self.readiness[from] != Readiness::Done
        {
            return self.starting_line(from, message, now, actions);
        }
        if self.is_over() {
            return Ok(());
        }
        let Some(asked) = self.open_turn(from).and_then(|turn| turn.asked) else {
            self.unasked(from, message);
            return Ok(());
        };
        let used = now.since(asked);
        if let Some(failure) = self.exceeded(from, used, now) {
            let answered = matches!(message, Ok(FromBot::Move(_)));
            let failure = self.with_use(from, failure, used);
            return self.give_up(from, failure, used, answered, actions);
        }
        self.answer(from, message, used, actions)
    }

    /// A line of a seat whose answer is not awaited. Late answers and `info` are dropped, but what
    /// would lose the match is kept for the seat's next turn, so that the result does not depend on
    /// timing.
    fn unasked(&mut self, from: usize, message: Result<FromBot, BadMessage>) {
        match message {
            Ok(FromBot::Resign {}) => self.state.set_pending(from, faults::resigned()),
            Ok(FromBot::Ready {}) => self.state.set_pending(from, faults::unasked("ready")),
            Ok(FromBot::Hello(_)) => self.state.set_pending(from, faults::unasked("hello")),
            Ok(FromBot::Move(_) | FromBot::Info(_) | FromBot::Offer(_)) => {}
            Err(bad) => self.state.set_pending(from, faults::bad_line(&bad)),
        }
    }

    fn starting_line(
        &mut self,
        seat: usize,
        message: Result<FromBot, BadMessage>,
        now: Reading,
        actions: &mut Actions,
    ) -> Result<(), BrokenRules> {
        let deadline = self.ready_deadline(seat);
        if deadline.is_some_and(|deadline| now.at > deadline) {
            return self.tick(seat, now, actions);
        }
        match message {
            Ok(FromBot::Ready {}) => {
                self.readiness[seat] = Readiness::Done;
                self.begin_when_ready(actions)
            }
            // Late words of an earlier match.
            Ok(FromBot::Move(_) | FromBot::Info(_) | FromBot::Offer(_)) => Ok(()),
            Ok(FromBot::Hello(_)) => {
                self.failed(seat, faults::unexpected("hello", "start"), actions)
            }
            Ok(FromBot::Resign {}) => self.failed(seat, faults::resigned(), actions),
            Err(bad) => self.failed(seat, faults::bad_line(&bad), actions),
        }
    }

    /// A line of a bot whose turn it is, in time.
    fn answer(
        &mut self,
        seat: usize,
        message: Result<FromBot, BadMessage>,
        used: Used,
        actions: &mut Actions,
    ) -> Result<(), BrokenRules> {
        let fault = match message {
            Ok(FromBot::Info(info)) => {
                let max_info = self.state.info_bytes(seat);
                if let Some(turn) = self.open_turn_mut(seat) {
                    turn.info.add(info.fields, max_info);
                }
                return Ok(());
            }
            Ok(FromBot::Offer(offer)) => {
                match early_end::exact_offer(offer, self.readiness.len()) {
                    Err(wrong) => faults::wrong_offer(&wrong),
                    Ok(offer) => {
                        if let Some(turn) = self.open_turn_mut(seat) {
                            turn.offer = Some(offer);
                        }
                        return Ok(());
                    }
                }
            }
            Ok(FromBot::Move(mv)) => return self.moved(seat, mv, used, actions),
            Ok(FromBot::Resign {}) => faults::resigned(),
            Ok(FromBot::Ready {}) => faults::unexpected("ready", "turn"),
            Ok(FromBot::Hello(_)) => faults::unexpected("hello", "turn"),
            Err(bad) => faults::bad_line(&bad),
        };
        self.answered(seat, Answer::Fault(fault), actions)
    }

    /// A move in time, unless it answers another ply.
    fn moved(
        &mut self,
        seat: usize,
        mv: BotMove,
        used: Used,
        actions: &mut Actions,
    ) -> Result<(), BrokenRules> {
        let ply = self.state.session.ply();
        if let Some(answered) = mv.ply.filter(|answered| *answered != ply) {
            let dropped = format!("an answer to ply {answered} instead of {ply} was dropped");
            self.stalls[seat] = Some(dropped);
            return Ok(());
        }
        // Who moves alone is checked when the move is made, which is once and for all.
        let is_alone = self.state.session.to_move().alone().is_some();
        let checked = if is_alone {
            Ok(())
        } else {
            self.state.session.check_move(seat, &mv.mv)
        };
        let answer = match checked {
            Ok(()) => Answer::Move(MadeMove {
                mv: mv.mv,
                used,
                info: mv.info,
                offer: None,
            }),
            Err(MoveError::Broken(broken)) => return Err(broken),
            Err(error) => Answer::Fault(self.illegal_move(seat, &mv.mv, &error)?),
        };
        self.answered(seat, answer, actions)
    }

    /// The fault of a move that is not legal, with the one that may have been meant: blanks around it and
    /// another case are the usual slips.
    fn illegal_move(
        &mut self,
        seat: usize,
        text: &str,
        error: &MoveError,
    ) -> Result<Failure, BrokenRules> {
        let mut meant = None;
        let wanted = text.trim();
        self.state.session.each_legal(seat, &mut |legal| {
            if meant.is_none() && legal.eq_ignore_ascii_case(wanted) {
                meant = Some(legal.to_owned());
            }
        })?;
        Ok(match meant {
            Some(meant) => faults::illegal_move(&format!("{error}; did you mean `{meant}`?")),
            None => faults::illegal_move(error),
        })
    }

    /// A seat has answered. When all have, the step ends: nobody learns anything before.
    fn answered(
        &mut self,
        seat: usize,
        answer: Answer,
        actions: &mut Actions,
    ) -> Result<(), BrokenRules> {
        if let Some(turn) = self.open_turn_mut(seat) {
            turn.answer = Some(answer);
        }
        match &mut self.phase {
            Phase::Step(turns) if turns.iter().all(|turn| turn.answer.is_some()) => {
                let turns = std::mem::take(turns);
                self.end_step(turns, actions)
            }
            _ => Ok(()),
        }
    }

    /// All have answered: what they did is judged, and the step is made unless that ends the match.
    fn end_step(
        &mut self,
        turns: SmallVec<[OpenTurn; 1]>,
        actions: &mut Actions,
    ) -> Result<(), BrokenRules> {
        let mut moves = SmallVec::<[_; 1]>::new();
        let mut faults = Faults::new();
        for turn in turns {
            match turn.answer {
                Some(Answer::Move(made)) => {
                    let max_info = self.state.info_bytes(turn.seat);
                    let info = turn.info.with(made.info, max_info);
                    let made = MadeMove {
                        info,
                        offer: turn.offer,
                        ..made
                    };
                    moves.push((turn.seat, made, turn.suspended));
                }
                Some(Answer::Fault(failure)) => faults.push((turn.seat, failure, None)),
                Some(Answer::Late(failure, used, answered)) => {
                    faults.push((turn.seat, failure, Some((used, answered))));
                }
                None => unreachable!("all have answered"),
            }
        }
        self.blame(faults, actions);
        if self.state.is_decided() {
            return self.advance(actions);
        }
        let Some((seat, made, _)) = moves.first() else {
            return self.advance(actions);
        };
        let (seat, text) = (*seat, made.mv.clone());
        let is_alone = self.state.session.to_move().alone().is_some();
        match self.state.play(&mut moves) {
            Ok(()) => {}
            // Only who moves alone was not checked before.
            Err(error) if is_alone && !matches!(error, MoveError::Broken(_)) => {
                let failure = self.illegal_move(seat, &text, &error)?;
                self.lose(seat, failure, actions);
            }
            Err(error) => return Err(refused(error)),
        }
        self.advance(actions)
    }

    /// A seat's bot failed. It loses at once if an answer of it is awaited, otherwise at its next
    /// turn.
    fn failed(
        &mut self,
        seat: usize,
        mut failure: Failure,
        actions: &mut Actions,
    ) -> Result<(), BrokenRules> {
        if let Phase::Starting = self.phase
            && self.readiness[seat] != Readiness::Done
        {
            self.readiness[seat] = Readiness::Done;
            // A bot that goes away instead of saying `ready` has not started.
            if matches!(failure.code, FaultCode::Crash | FaultCode::Timeout) {
                failure.code = FaultCode::Startup;
            }
            self.lose(seat, failure, actions);
            return self.begin_when_ready(actions);
        }
        if self.is_awaited(seat) {
            return self.answered(seat, Answer::Fault(failure), actions);
        }
        if let Some(Answer::Fault(known)) = self.closed_turn_mut(seat)
            && known.code == FaultCode::Crash
            && failure.code == FaultCode::Crash
        {
            // How a bot crashed may become known later than the crash.
            *known = failure;
        } else if !self.is_over() {
            self.state.set_pending(seat, failure);
        }
        Ok(())
    }

    fn tick(
        &mut self,
        seat: usize,
        now: Reading,
        actions: &mut Actions,
    ) -> Result<(), BrokenRules> {
        let is_late = self.is_late(seat, now);
        if let Phase::Starting = self.phase {
            if !is_late {
                return Ok(());
            }
            let startup = self.state.clocks[seat].control().startup.0;
            let stall = self.stalls[seat].take();
            return self.failed(seat, faults::not_ready(startup, stall.as_deref()), actions);
        }
        let Some(turn) = self.open_turn_mut(seat) else {
            return Ok(());
        };
        let Some(asked) = turn.asked else {
            return Ok(());
        };
        turn.last = now;
        let used = now.since(asked);
        let Some(mut failure) = self.exceeded(seat, used, now) else {
            return Ok(());
        };
        failure = self.with_use(seat, failure, used);
        if let Some(stall) = self.stalls[seat].take() {
            failure.message.push_str(&format!("; {stall}"));
        }
        self.give_up(seat, failure, used, false, actions)
    }

    /// Adds what a bot that is late by wall-clock time has computed, and how busy the machine is.
    fn with_use(&self, seat: usize, failure: Failure, used: Used) -> Failure {
        let overrun = self.state.clocks[seat].overrun(used);
        let is_by_wall = overrun.is_some_and(|overrun| overrun.by == ClockKind::Wall);
        match used.cpu.zip(self.load).filter(|_| is_by_wall) {
            Some((cpu, load)) => faults::with_cpu_time(failure, cpu, load, self.cores),
            None => failure,
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
    ) -> Result<(), BrokenRules> {
        let suspended = self.open_turn(seat).map(|turn| turn.suspended);
        let failure = faults::despite_suspension(failure, suspended.unwrap_or_default());
        self.answered(seat, Answer::Late(failure, used, answered), actions)
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

    fn begin_when_ready(&mut self, actions: &mut Actions) -> Result<(), BrokenRules> {
        if self.readiness.iter().all(|r| *r == Readiness::Done) {
            self.advance(actions)?;
        }
        Ok(())
    }

    /// Makes a seat lose, and informs its bot. A bot at fault is dismissed: at once if the others
    /// play on, otherwise after the match.
    fn lose(&mut self, seat: usize, failure: Failure, actions: &mut Actions) {
        self.blame(smallvec![(seat, failure, None)], actions);
    }

    /// Makes seats lose. With a fault that is a turn which took too long comes what it took, and
    /// whether there was an answer in the end.
    fn blame(&mut self, faults: Faults, actions: &mut Actions) {
        // No fault decides a match that is over from the start.
        if self.state.ended().is_some() {
            return;
        }
        let mut at_fault = SmallVec::<[usize; 1]>::new();
        for (seat, failure, late) in faults {
            if self.state.at_fault[seat] {
                continue;
            }
            let Failure { code, message } = failure;
            self.state.blame(seat, code, message.clone());
            if let Some((used, answered)) = late {
                self.state.note_late(seat, used, answered);
            }
            if code.is_fault() {
                let message = ToBot::Error { code, message };
                actions.push(Action::Send { seat, message });
                at_fault.push(seat);
            }
        }
        if !self.state.is_decided() {
            for seat in at_fault {
                self.dismiss(seat, actions);
            }
        }
    }

    fn dismiss(&mut self, seat: usize, actions: &mut Actions) {
        if !std::mem::replace(&mut self.dismissed[seat], true) {
            actions.push(Action::Dismiss { seat });
        }
    }

    /// Goes on to the next step in which a bot is asked, or to the end.
    fn advance(&mut self, actions: &mut Actions) -> Result<(), BrokenRules> {
        loop {
            self.state.adjudicate()?;
            if let Some(result) = self.state.result()? {
                self.finish(result, actions);
                return Ok(());
            }
            if let Some(budget) = self.state.settling_budget() {
                actions.push(Action::Settle { budget });
                self.phase = Phase::Settling;
                return Ok(());
            }
            let to_move = self.state.session.to_move();
            if let Some(seat) = to_move.alone()
                && let Some(failure) = self.state.pending[seat].take()
            {
                self.lose(seat, failure, actions);
                continue;
            }
            let asked = to_move.seats().filter(|seat| !self.state.at_fault[*seat]);
            let asked: SmallVec<[usize; 1]> = asked.collect();
            if asked.is_empty() {
                self.state.play_alone()?;
            } else if self.open(&asked, actions)? {
                return Ok(());
            }
        }
    }

    /// Asks these seats for their moves. False if all of them have failed before: the step has ended.
    fn open(&mut self, seats: &[usize], actions: &mut Actions) -> Result<bool, BrokenRules> {
        let mut turns = SmallVec::<[OpenTurn; 1]>::new();
        for &seat in seats {
            self.stalls[seat] = None;
            let pending = self.state.pending[seat].take();
            if pending.is_none() {
                let message = self.state.turn_message(seat)?;
                actions.push(Action::Send { seat, message });
            }
            turns.push(OpenTurn::new(seat, pending.map(Answer::Fault)));
        }
        if turns.iter().all(|turn| turn.answer.is_some()) {
            let faults = turns.into_iter().filter_map(|turn| match turn.answer {
                Some(Answer::Fault(failure)) => Some((turn.seat, failure, None)),
                _ => None,
            });
            let faults = faults.collect();
            self.blame(faults, actions);
            return Ok(false);
        }
        self.phase = Phase::Step(turns);
        Ok(true)
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
