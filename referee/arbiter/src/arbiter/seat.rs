//! The arbiter's view of one seat: its player, its clock, its turn, and what it has been sent.

use std::time::Duration;

use protocol::{Failure, FaultCode, Wants, faults};
use serde_json::Value;

use super::turn::OpenTurn;
use crate::clock::{Clock, Overrun, Used};
use crate::events::{At, Reading};
use crate::setup::SeatSetup;

/// The CPU time of a bot that is close to its limit is not read more often than this.
const MIN_CPU_INTERVAL: Duration = Duration::from_millis(1);

/// The progress of a seat before the first turn.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Readiness {
    /// Its process has not introduced itself.
    Absent,
    /// `start` is being written, or was written at `written`.
    Starting { written: Option<At> },
    /// It has said `ready`, or is at fault.
    Done,
}

pub(super) struct Seat {
    pub(super) name: String,
    pub(super) clock: Clock,
    /// The CPU time that it may use in the match; `None` if that is not limited.
    cpu_limit: Option<Duration>,
    /// The bytes of `info` that are logged with each move.
    pub(super) max_info: u64,
    /// The position at the start, or the seat's observation of it in games with hidden information.
    pub(super) start: Value,
    pub(super) wants: Wants,
    pub(super) readiness: Readiness,
    /// The CPU time that its processes had used when `start` was written.
    pub(super) cpu_at_start: Option<Duration>,
    /// Its part in the current step; `None` if it has none.
    pub(super) turn: Option<OpenTurn>,
    /// The failure that makes it lose at its next turn.
    pub(super) pending: Option<Failure>,
    /// A possible reason why its bot is late, as part of a sentence.
    pub(super) stall: Option<String>,
    /// The number of plies that it has been sent.
    pub(super) sent_plies: usize,
    /// The number of steps whose observations it has been sent.
    pub(super) sent_steps: usize,
    pub(super) is_dismissed: bool,
}

impl Seat {
    pub(super) fn new(setup: SeatSetup, start: Value) -> Self {
        Seat {
            name: setup.name,
            clock: Clock::new(setup.time),
            cpu_limit: setup.cpu_time,
            max_info: setup.info_bytes,
            start,
            wants: Wants::default(),
            readiness: Readiness::Absent,
            cpu_at_start: None,
            turn: None,
            pending: None,
            stall: None,
            sent_plies: 0,
            sent_steps: 0,
            is_dismissed: false,
        }
    }

    /// The turn that it has not answered yet.
    pub(super) fn open_turn(&self) -> Option<&OpenTurn> {
        self.turn.as_ref().filter(|turn| turn.answer.is_none())
    }

    pub(super) fn open_turn_mut(&mut self) -> Option<&mut OpenTurn> {
        self.turn.as_mut().filter(|turn| turn.answer.is_none())
    }

    /// The first failure counts, except that the details of a crash may become known later.
    pub(super) fn set_pending(&mut self, failure: Failure) {
        let is_crash = |failure: &Failure| failure.code == FaultCode::Crash;
        let replaces = |old: &Failure| is_crash(old) && is_crash(&failure);
        if self.pending.as_ref().is_none_or(replaces) {
            self.pending = Some(failure);
        }
    }

    /// The time by which it must have said `ready`; `None` unless `start` is written.
    pub(super) fn ready_deadline(&self) -> Option<At> {
        let Readiness::Starting { written: Some(at) } = self.readiness else {
            return None;
        };
        let control = self.clock.control();
        Some(
            at.saturating_add(control.startup.0)
                .saturating_add(control.margin.0),
        )
    }

    /// The time at which its open turn may reach a limit, or its CPU time must be read.
    pub(super) fn turn_deadline(&self, cores: u32) -> Option<At> {
        let turn = self.open_turn()?;
        let asked = turn.asked?;
        let wall = self.clock.deadline();
        let wall = wall.map(|limit| asked.at.saturating_add(limit));
        let cpu = self.cpu_left(asked, turn.last);
        let read_cpu = cpu.map(|left| turn.last.at + (left / cores).max(MIN_CPU_INTERVAL));
        [wall, read_cpu].into_iter().flatten().min()
    }

    /// The CPU time that it may still use in its turn; `None` if that is not limited or not known.
    fn cpu_left(&self, asked: Reading, last: Reading) -> Option<Duration> {
        let cpu = last.cpu?;
        let turn = self.clock.cpu_deadline().zip(asked.cpu);
        let total = self.cpu_limit.zip(self.cpu_at_start);
        let ends = [turn, total].into_iter().flatten();
        let left = ends.map(|(allowed, before)| (before + allowed).saturating_sub(cpu));
        left.min()
    }

    /// The fault of having exceeded a time limit in its turn, if it has.
    pub(super) fn exceeded(&self, used: Used, now: Reading) -> Option<Failure> {
        if let Some(overrun) = self.clock.overrun(used) {
            let Overrun { by, used, allowed } = overrun;
            return Some(faults::too_slow(self.clock.control(), by, used, allowed));
        }
        let in_match = now.cpu?.saturating_sub(self.cpu_at_start?);
        let allowed = self.cpu_limit?;
        (in_match >= allowed).then(|| faults::out_of_cpu_time(in_match, allowed))
    }
}
