//! Time control as arithmetic, which reads no clock.

use std::time::Duration;

use protocol::{ClockKind, Millis, TimeControl};

/// The default limit of wall-clock time under a CPU clock, as a multiple of the limit of CPU time …
const WALL_FACTOR: u32 = 10;
/// … and its minimum.
const MIN_WALL: Duration = Duration::from_secs(2);

/// The time that a move took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    pub wall: Duration,
    /// The CPU time of all processes of the bot; `None` if the machine does not say.
    pub cpu: Option<Duration>,
}

/// A time limit that a move has exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun {
    pub by: ClockKind,
    pub used: Duration,
    /// Without the margin.
    pub allowed: Duration,
}

/// The clock of one seat.
#[derive(Clone, Debug)]
pub struct Clock {
    control: TimeControl,
    /// Of the game clock; `None` if there is none.
    remaining: Option<Duration>,
}

impl Clock {
    /// A clock that has not run yet.
    pub fn new(control: TimeControl) -> Self {
        let remaining = control.base.map(|base| base.0);
        Clock { control, remaining }
    }

    pub fn control(&self) -> &TimeControl {
        &self.control
    }

    /// The time left on the game clock; `None` if there is none.
    pub fn remaining(&self) -> Option<Duration> {
        self.remaining
    }

    /// The limit of the next move, without the margin: wall-clock or CPU time, as the time control
    /// says. `None` if there is no limit.
    pub fn limit(&self) -> Option<Duration> {
        let per_move = self.control.per_move.map(|limit| limit.0);
        match (per_move, self.remaining) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (limit, None) | (None, limit) => limit,
        }
    }

    /// The limit of the next move in wall-clock time, without the margin.
    pub(crate) fn wall_limit(&self) -> Option<Duration> {
        let limit = self.limit();
        match self.control.clock {
            ClockKind::Wall => limit,
            ClockKind::Cpu => match self.control.wall {
                Some(wall) => Some(wall.0),
                None => limit.map(|limit| limit.saturating_mul(WALL_FACTOR).max(MIN_WALL)),
            },
        }
    }

    /// The wall-clock time after which a move is late in any case, margin included.
    pub fn deadline(&self) -> Option<Duration> {
        self.wall_limit().map(|limit| self.with_margin(limit))
    }

    /// The CPU time after which a move is late, margin included; `None` unless CPU time is what is
    /// limited.
    pub(crate) fn cpu_deadline(&self) -> Option<Duration> {
        let limit = self.limit().map(|limit| self.with_margin(limit));
        limit.filter(|_| self.control.clock == ClockKind::Cpu)
    }

    fn with_margin(&self, limit: Duration) -> Duration {
        limit.saturating_add(self.control.margin.0)
    }

    /// The limit that a move has exceeded, margin included.
    pub fn overrun(&self, used: Used) -> Option<Overrun> {
        let beyond = |by, used: Option<Duration>, limit: Option<Duration>| {
            let (used, allowed) = (used?, limit?);
            let overrun = Overrun { by, used, allowed };
            (used >= self.with_margin(allowed)).then_some(overrun)
        };
        let cpu_limit = self.cpu_deadline().and(self.limit());
        beyond(ClockKind::Cpu, used.cpu, cpu_limit)
            .or_else(|| beyond(ClockKind::Wall, Some(used.wall), self.wall_limit()))
    }

    /// The time that a move takes off the game clock: wall-clock or CPU time, as the time control
    /// says.
    pub fn cost(&self, used: Used) -> Duration {
        match self.control.clock {
            ClockKind::Wall => used.wall,
            ClockKind::Cpu => used.cpu.unwrap_or(used.wall),
        }
    }

    /// Takes the time of a move off the game clock and adds the increment. Time beyond the limit
    /// but within the margin costs nothing.
    pub fn charge(&mut self, used: Used) {
        let used = self.cost(used);
        let increment = self.control.increment.map_or(Duration::ZERO, |i| i.0);
        self.remaining = self
            .remaining
            .map(|left| left.saturating_sub(used).saturating_add(increment));
    }
}

/// The clocks as the protocol shows them to the bot of `seat`.
///
/// # Panics
/// If there is no such seat.
pub fn state<'a>(
    clocks: impl Iterator<Item = &'a Clock> + Clone,
    seat: usize,
) -> protocol::ClockState {
    let control = clocks.clone().nth(seat).expect("a seat").control();
    let any_game_clock = clocks.clone().any(|clock| clock.remaining.is_some());
    protocol::ClockState {
        move_ms: control.per_move,
        remaining_ms: any_game_clock.then(|| {
            let remaining = clocks.map(|clock| clock.remaining.map(Millis));
            remaining.collect()
        }),
        increment_ms: control.base.and(control.increment),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn wall(n: u64) -> Used {
        Used {
            wall: ms(n),
            cpu: Some(ms(1)),
        }
    }

    fn control(per_move: Option<u64>, base: Option<u64>, increment: Option<u64>) -> TimeControl {
        let time = |n: Option<u64>| n.map(|n| Millis(ms(n)));
        TimeControl {
            per_move: time(per_move),
            base: time(base),
            increment: time(increment),
            startup: Millis(ms(1000)),
            margin: Millis(ms(20)),
            clock: ClockKind::Wall,
            wall: None,
        }
    }

    #[test]
    fn the_tighter_limit_counts() {
        let mut clock = Clock::new(control(Some(100), Some(250), Some(10)));
        assert_eq!(clock.limit(), Some(ms(100)));
        clock.charge(wall(100));
        clock.charge(wall(100));
        assert_eq!(clock.remaining(), Some(ms(70)));
        assert_eq!(clock.limit(), Some(ms(70)));
        assert_eq!(clock.deadline(), Some(ms(90)));
    }

    #[test]
    fn an_overdrawn_game_clock_starts_again_from_the_increment() {
        let mut clock = Clock::new(control(None, Some(50), Some(10)));
        clock.charge(wall(65));
        assert_eq!(clock.remaining(), Some(ms(10)));
    }

    #[test]
    fn a_cpu_clock_runs_with_the_cpu_and_has_a_wall_behind_it() {
        let mut clock = Clock::new(TimeControl {
            clock: ClockKind::Cpu,
            ..control(Some(100), Some(1000), None)
        });
        let used = |wall, cpu| Used {
            wall: ms(wall),
            cpu: Some(ms(cpu)),
        };
        assert_eq!(clock.overrun(used(1900, 119)), None);
        let overrun = |by, used, allowed| {
            Some(Overrun {
                by,
                used: ms(used),
                allowed: ms(allowed),
            })
        };
        let late = clock.overrun(used(130, 121));
        assert_eq!(late, overrun(ClockKind::Cpu, 121, 100));
        let asleep = clock.overrun(used(2021, 3));
        assert_eq!(asleep, overrun(ClockKind::Wall, 2021, 2000));
        clock.charge(used(1900, 70));
        assert_eq!(clock.remaining(), Some(ms(930)));
        let mut control = clock.control().clone();
        control.wall = Some(Millis(ms(500)));
        assert_eq!(Clock::new(control).deadline(), Some(ms(520)));
    }

    #[test]
    fn without_limits_nothing_is_late() {
        let clock = Clock::new(control(None, None, None));
        assert_eq!((clock.limit(), clock.deadline()), (None, None));
    }

    #[test]
    fn bots_are_sent_the_limits_that_apply() {
        let clocks = [
            Clock::new(control(Some(100), None, None)),
            Clock::new(control(None, Some(900), Some(5))),
        ];
        let first = state(clocks.iter(), 0);
        assert_eq!(first.move_ms, Some(Millis(ms(100))));
        assert_eq!(first.remaining_ms, Some(vec![None, Some(Millis(ms(900)))]));
        assert_eq!(first.increment_ms, None);
        let second = state(clocks.iter(), 1);
        assert_eq!(
            (second.move_ms, second.increment_ms),
            (None, Some(Millis(ms(5))))
        );
    }
}
