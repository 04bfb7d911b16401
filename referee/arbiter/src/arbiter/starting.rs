//! Before the first turn: bots join, are sent `start`, and say `ready`.

use games::BrokenRules;
use protocol::{BadMessage, BotHello, Failure, FaultCode, FromBot, faults};

use super::seat::Readiness;
use super::{Arbiter, Phase};
use crate::events::{Action, Reading};

impl Arbiter {
    /// True until the seat has said `ready` or failed.
    pub(super) fn is_getting_ready(&self, seat: usize) -> bool {
        matches!(self.phase, Phase::Starting) && self.seats[seat].readiness != Readiness::Done
    }

    pub(super) fn joined(&mut self, seat: usize, hello: &BotHello) -> Result<(), BrokenRules> {
        if let Some(refusal) = self.game.refusal(hello) {
            return self.failed(seat, refusal);
        }
        self.seats[seat].wants = hello.wants;
        self.seats[seat].readiness = Readiness::Starting { written: None };
        let message = self.start_message(seat);
        self.actions.push(Action::Send { seat, message });
        Ok(())
    }

    pub(super) fn starting_line(
        &mut self,
        seat: usize,
        message: Result<FromBot, BadMessage>,
        now: Reading,
    ) -> Result<(), BrokenRules> {
        let deadline = self.seats[seat].ready_deadline();
        if deadline.is_some_and(|deadline| now.at > deadline) {
            return self.tick(seat, now);
        }
        match message {
            Ok(FromBot::Ready {}) => {
                self.seats[seat].readiness = Readiness::Done;
                self.begin_when_ready()
            }
            // Late answers of an earlier match.
            Ok(FromBot::Move(_) | FromBot::Info(_) | FromBot::Offer(_)) => Ok(()),
            Ok(FromBot::Hello(_)) => self.failed(seat, faults::unexpected("hello", "start")),
            Ok(FromBot::Fault(_)) => self.failed(seat, faults::unexpected("fault", "start")),
            Ok(FromBot::Resign {}) => self.failed(seat, faults::resigned()),
            Err(bad) => self.failed(seat, faults::bad_line(&bad)),
        }
    }

    pub(super) fn failed_to_start(
        &mut self,
        seat: usize,
        mut failure: Failure,
    ) -> Result<(), BrokenRules> {
        self.seats[seat].readiness = Readiness::Done;
        // A bot that goes away instead of saying `ready` has not started.
        if matches!(failure.code, FaultCode::Crash | FaultCode::Timeout) {
            failure.code = FaultCode::Startup;
        }
        self.lose(seat, failure, None);
        self.begin_when_ready()
    }

    fn begin_when_ready(&mut self) -> Result<(), BrokenRules> {
        let mut seats = self.seats.iter();
        if seats.all(|seat| seat.readiness == Readiness::Done) {
            self.advance()?;
        }
        Ok(())
    }
}
