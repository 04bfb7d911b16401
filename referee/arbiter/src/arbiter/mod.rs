//! The state machine: what each event means in each phase of a match.

mod adjudicator;
mod faults;
mod game;
mod info;
mod messages;
mod result;
mod seat;
mod starting;
mod step;
mod timing;
mod turn;

use std::time::Duration;

use games::settlement::Settlement;
use games::{BrokenRules, Limits, Session};
use protocol::{Adjudication, BadMessage, Failure, Fault, FromBot, LoggedMove, MatchResult};

use crate::chance::Draws;
use crate::clock::Clock;
use crate::events::{Action, Actions, At, Event, Reading};
use crate::setup::Setup;
use adjudicator::Adjudicator;
use game::Game;
pub use info::info_size;
use seat::{Readiness, Seat};

/// The log of a match that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedMatch {
    /// All plies, those of the opening included.
    pub moves: Vec<LoggedMove>,
    pub result: MatchResult,
    /// The first adjudication, if there was one.
    pub adjudication: Option<Adjudication>,
}

/// The state that decides what an event means.
enum Phase {
    /// Waits for all seats to say `ready`.
    Starting,
    /// Waits for the moves of the seats that have a turn.
    Step,
    /// Waits for the driver to find out whether the position can be settled.
    Settling,
    Over(MatchResult),
    /// Over without a result.
    Broken(BrokenRules),
}

/// The referee of one match.
pub struct Arbiter {
    match_id: String,
    limits: Limits,
    game: Game,
    seats: Vec<Seat>,
    phase: Phase,
    /// In the order in which they happened, at most one a seat.
    faults: Vec<Fault>,
    adjudicator: Adjudicator,
    /// The number of cores that a bot can use at a time.
    cores: u32,
    /// The load of the machine when a seat was last late.
    load: Option<f64>,
    /// Collected while an event is handled.
    actions: Actions,
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
        let draws = Draws::of(setup.seed, setup.deal);
        let is_played_out = setup.early_ends.is_played_out(setup.seed, &setup.match_id);
        let hidden = setup.rules.info().hidden;
        let state = if hidden {
            None
        } else {
            Some(setup.start.state()?)
        };
        let mut seats = Vec::with_capacity(setup.seats.len());
        for (number, seat) in setup.seats.into_iter().enumerate() {
            let known = match &state {
                Some(state) => state.clone(),
                None => setup.start.observation(number)?,
            };
            seats.push(Seat::new(seat, known));
        }
        Ok(Arbiter {
            match_id: setup.match_id,
            limits: setup.limits,
            adjudicator: Adjudicator::new(setup.early_ends, seats.len(), is_played_out),
            seats,
            phase: Phase::Starting,
            faults: Vec::new(),
            cores: setup.cores.max(1),
            load: None,
            actions: Actions::new(),
            game: Game::new(game::Beginning {
                rules: setup.rules,
                start: setup.start,
                opening: setup.opening,
                limits: setup.limits,
                draws,
                recorded: setup.recorded,
            })?,
        })
    }

    /// Handles an event. The driver carries out the returned actions in their order.
    #[must_use = "the match goes on only if the actions are carried out"]
    pub fn handle(&mut self, event: Event) -> Actions {
        if let Err(broken) = self.dispatch(event) {
            self.phase = Phase::Broken(broken);
            self.close_turns();
        }
        std::mem::take(&mut self.actions)
    }

    fn dispatch(&mut self, event: Event) -> Result<(), BrokenRules> {
        match event {
            Event::Joined { seat, hello } => return self.joined(seat, &hello),
            Event::Sent { seat, now } => self.sent(seat, now),
            Event::Line { seat, message, now } => return self.line(seat, message, now),
            Event::Failed {
                seat,
                code,
                message,
            } => return self.failed(seat, Failure { code, message }),
            Event::Busy { load } => self.load = Some(load),
            Event::Stalled { seat, what } => {
                self.seats[seat].stall.get_or_insert(what);
            }
            Event::Suspended { gap, now } => self.suspend(gap, now),
            Event::Settled {
                settlement,
                positions,
                took,
            } => return self.settled(settlement, positions, took),
            Event::Tick { seat, now } => return self.tick(seat, now),
        }
        Ok(())
    }

    fn sent(&mut self, seat: usize, now: Reading) {
        let seat = &mut self.seats[seat];
        match &self.phase {
            Phase::Starting => {
                if let Readiness::Starting { written } = &mut seat.readiness {
                    written.get_or_insert(now.at);
                    seat.cpu_at_start = now.cpu;
                }
            }
            Phase::Step => {
                if let Some(turn) = seat.turn.as_mut().filter(|turn| turn.asked.is_none()) {
                    turn.asked = Some(now);
                    turn.last = now;
                }
            }
            Phase::Settling | Phase::Over(_) | Phase::Broken(_) => {}
        }
    }

    fn line(
        &mut self,
        seat: usize,
        message: Result<FromBot, BadMessage>,
        now: Reading,
    ) -> Result<(), BrokenRules> {
        if self.is_getting_ready(seat) {
            self.starting_line(seat, message, now)
        } else if self.is_over() {
            Ok(())
        } else {
            self.step_line(seat, message, now)
        }
    }

    fn settled(
        &mut self,
        settlement: Option<Settlement>,
        positions: u32,
        took: Duration,
    ) -> Result<(), BrokenRules> {
        if !matches!(self.phase, Phase::Settling) {
            return Ok(());
        }
        if let Some(settlement) = settlement {
            let ply = self.game.moves().len() as u32;
            self.adjudicator.settle(ply, settlement, positions, took);
        }
        self.advance()
    }

    /// Advances to the next step with a choice of a bot, or to the end.
    fn advance(&mut self) -> Result<(), BrokenRules> {
        loop {
            self.adjudicate()?;
            if let Some(result) = self.result_so_far()? {
                self.finish(result);
                return Ok(());
            }
            if let Some(budget) = self.settling_budget() {
                self.actions.push(Action::Settle { budget });
                self.phase = Phase::Settling;
                return Ok(());
            }
            let to_move = self.game.session().to_move();
            if let Some(seat) = to_move.alone()
                && let Some(failure) = self.seats[seat].pending.take()
            {
                self.lose(seat, failure, None);
                continue;
            }
            if to_move.seats().all(|seat| self.is_at_fault(seat)) {
                self.game.play_alone()?;
            } else if self.open_step(to_move)? {
                return Ok(());
            }
        }
    }

    /// True while the seat's move is awaited.
    pub fn is_awaited(&self, seat: usize) -> bool {
        self.seats[seat].open_turn().is_some()
    }

    /// The seats whose moves are awaited; none before the first turn and after the last.
    pub fn awaited(&self) -> impl Iterator<Item = usize> {
        (0..self.seats.len()).filter(|seat| self.is_awaited(*seat))
    }

    /// True from the first turn to the end of the match, except while a position is settled.
    pub fn is_in_play(&self) -> bool {
        matches!(self.phase, Phase::Step)
    }

    /// True if the seat was sent `start` and has not answered yet.
    pub fn is_starting(&self, seat: usize) -> bool {
        let readiness = self.seats[seat].readiness;
        matches!(self.phase, Phase::Starting) && matches!(readiness, Readiness::Starting { .. })
    }

    /// True once the match has a result, or cannot have one any more.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over(_) | Phase::Broken(_))
    }

    /// The result; `None` until the match is over.
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

    /// The log of the match; `None` if it is not over or has no result.
    pub fn into_finished(self) -> Option<FinishedMatch> {
        let Phase::Over(result) = self.phase else {
            return None;
        };
        Some(FinishedMatch {
            moves: self.game.into_moves(),
            result,
            adjudication: self.adjudicator.into_adjudication(),
        })
    }

    /// A seat's clock as it stood at the start of the turn.
    pub fn clock(&self, seat: usize) -> &Clock {
        &self.seats[seat].clock
    }

    /// The position, for drawing.
    pub fn session(&self) -> &dyn Session {
        self.game.session()
    }

    /// The plies so far, those of the opening included.
    pub fn moves(&self) -> &[LoggedMove] {
        self.game.moves()
    }

    /// The latest time at which [`Event::Tick`] must come if nothing else happens; `None` if
    /// nothing is awaited.
    pub fn deadline(&self) -> Option<At> {
        let seats = self.seats.iter();
        match &self.phase {
            Phase::Starting => seats.filter_map(Seat::ready_deadline).min(),
            Phase::Step => seats
                .filter_map(|seat| seat.turn_deadline(self.cores))
                .min(),
            Phase::Settling | Phase::Over(_) | Phase::Broken(_) => None,
        }
    }

    /// True if the seat's time is up: an [`Event::Tick`] with this reading makes it lose.
    pub fn is_late(&self, seat: usize, now: Reading) -> bool {
        let seat = &self.seats[seat];
        if let Phase::Starting = self.phase {
            let deadline = seat.ready_deadline();
            return deadline.is_some_and(|deadline| now.at >= deadline);
        }
        let asked = seat.open_turn().and_then(|turn| turn.asked);
        asked.is_some_and(|asked| seat.exceeded(now.since(asked), now).is_some())
    }
}
