//! Time during a match: seats that are late, and gaps in which the referee did not run.

use std::time::Duration;

use games::BrokenRules;
use protocol::{ClockKind, Failure, faults};

use super::seat::Readiness;
use super::turn::{Answer, Late};
use super::{Arbiter, Phase};
use crate::clock::Used;
use crate::events::{At, Reading};

impl Arbiter {
    pub(super) fn tick(&mut self, number: usize, now: Reading) -> Result<(), BrokenRules> {
        if let Phase::Starting = self.phase {
            if !self.is_late(number, now) {
                return Ok(());
            }
            let seat = &mut self.seats[number];
            let startup = seat.clock.control().startup.0;
            let stall = seat.stall.take();
            return self.failed(number, faults::not_ready(startup, stall.as_deref()));
        }
        let seat = &mut self.seats[number];
        let Some(turn) = seat.open_turn_mut() else {
            return Ok(());
        };
        let Some(asked) = turn.asked else {
            return Ok(());
        };
        turn.last = now;
        let used = now.since(asked);
        let Some(failure) = seat.exceeded(used, now) else {
            return Ok(());
        };
        let stall = seat.stall.take();
        let mut failure = self.with_cpu_time(number, failure, used);
        if let Some(stall) = stall {
            failure.message.push_str(&format!("; {stall}"));
        }
        let answered = false;
        self.end_late_turn(number, failure, Late { used, answered })
    }

    /// Adds the CPU time and the load of the machine if the bot is late by wall-clock time.
    pub(super) fn with_cpu_time(&self, seat: usize, failure: Failure, used: Used) -> Failure {
        let overrun = self.seats[seat].clock.overrun(used);
        let is_by_wall = overrun.is_some_and(|overrun| overrun.by == ClockKind::Wall);
        match used.cpu.zip(self.load).filter(|_| is_by_wall) {
            Some((cpu, load)) => faults::with_cpu_time(failure, cpu, load, self.cores),
            None => failure,
        }
    }

    pub(super) fn end_late_turn(
        &mut self,
        seat: usize,
        failure: Failure,
        late: Late,
    ) -> Result<(), BrokenRules> {
        let suspended = self.seats[seat].open_turn().map(|turn| turn.suspended);
        let failure = faults::despite_suspension(failure, suspended.unwrap_or_default());
        let late = Some(late);
        self.answered(seat, Answer::Fault { failure, late })
    }

    /// Moves the start of all running clocks later, so that the gap costs no bot any time. A bot
    /// that ran on while only the referee was stopped gets that time for free: how it used the time
    /// is not known.
    pub(super) fn suspend(&mut self, gap: Duration, now: At) {
        let later = |begin: &mut At| *begin = begin.saturating_add(gap).min(now);
        let is_starting = matches!(self.phase, Phase::Starting);
        for seat in &mut self.seats {
            if is_starting {
                if let Readiness::Starting { written: Some(at) } = &mut seat.readiness {
                    later(at);
                }
            } else if let Some(turn) = seat.open_turn_mut()
                && let Some(asked) = &mut turn.asked
            {
                let before = asked.at;
                later(&mut asked.at);
                later(&mut turn.last.at);
                turn.suspended += asked.at.saturating_sub(before);
            }
        }
    }
}
