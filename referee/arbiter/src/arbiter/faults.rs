//! Failures of bots, and their consequences.

use games::BrokenRules;
use protocol::{Failure, Fault, FaultCode, Millis, ToBot};
use serde_json::Value;
use smallvec::SmallVec;

use super::Arbiter;
use super::turn::{Answer, SeatFault};
use crate::adjudication;
use crate::events::Action;

impl Arbiter {
    /// A failure of a seat's bot. The seat loses at once if an answer is awaited, otherwise at its
    /// next turn.
    pub(super) fn failed(&mut self, number: usize, failure: Failure) -> Result<(), BrokenRules> {
        if self.is_getting_ready(number) {
            return self.failed_to_start(number, failure);
        }
        if self.is_awaited(number) {
            return self.answered(number, Answer::fault(failure));
        }
        let is_over = self.is_over();
        let seat = &mut self.seats[number];
        let closed = seat.turn.as_mut().and_then(|turn| turn.answer.as_mut());
        if let Some(Answer::Fault { failure: known, .. }) = closed
            && known.code == FaultCode::Crash
            && failure.code == FaultCode::Crash
        {
            // The details of a crash may become known after it.
            *known = failure;
        } else if !is_over {
            seat.set_pending(failure);
        }
        Ok(())
    }

    pub(super) fn is_at_fault(&self, seat: usize) -> bool {
        self.faults.iter().any(|fault| fault.seat == seat)
    }

    /// A flag for each seat, true if it is at fault.
    pub(super) fn at_fault(&self) -> Vec<bool> {
        let seats = 0..self.seats.len();
        seats.map(|seat| self.is_at_fault(seat)).collect()
    }

    /// True if faults alone have decided the match.
    pub(super) fn is_decided(&self) -> bool {
        !self.faults.is_empty() && adjudication::decided_by_faults(&self.at_fault())
    }

    /// Makes a seat lose. `info` is what its bot said in its turn.
    pub(super) fn lose(&mut self, seat: usize, failure: Failure, info: Option<Value>) {
        self.blame([SeatFault {
            seat,
            failure,
            late: None,
            info,
        }]);
    }

    /// Makes seats lose, and informs their bots. A bot at fault is dismissed: at once if the others
    /// play on, otherwise after the match.
    pub(super) fn blame(&mut self, faults: impl IntoIterator<Item = SeatFault>) {
        // No fault decides a match that is over from the start.
        if self.game.ended().is_some() {
            return;
        }
        let mut at_fault = SmallVec::<[usize; 1]>::new();
        for SeatFault {
            seat,
            failure: Failure { code, message },
            late,
            info,
        } in faults
        {
            if self.is_at_fault(seat) {
                continue;
            }
            self.faults.push(Fault {
                seat,
                code,
                ply: self.game.session().ply(),
                message: message.clone(),
                ms: late.map(|late| Millis(late.used.wall)),
                cpu_ms: late.and_then(|late| late.used.cpu).map(Millis),
                answered: late.is_some_and(|late| late.answered),
                info,
            });
            if code.is_fault() {
                let message = ToBot::Error { code, message };
                self.actions.push(Action::Send { seat, message });
                at_fault.push(seat);
            }
        }
        if !self.is_decided() {
            for seat in at_fault {
                self.dismiss(seat);
            }
        }
    }

    pub(super) fn dismiss(&mut self, seat: usize) {
        if !std::mem::replace(&mut self.seats[seat].is_dismissed, true) {
            self.actions.push(Action::Dismiss { seat });
        }
    }
}
