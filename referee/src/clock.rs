//! Time control as arithmetic: no clock is read here.

use std::time::Duration;

use protocol::{Millis, TimeControl};

/// The clock of one seat.
#[derive(Clone, Debug)]
pub struct Clock {
    control: TimeControl,
    /// What is left of the game clock, if there is one.
    remaining: Option<Duration>,
}

impl Clock {
    /// A clock that has not run yet.
    pub fn new(control: TimeControl) -> Self {
        let remaining = control.base.map(|base| base.0);
        Clock { control, remaining }
    }

    /// The time control that the clock follows.
    pub fn control(&self) -> &TimeControl {
        &self.control
    }

    /// What is left of the game clock, if there is one.
    pub fn remaining(&self) -> Option<Duration> {
        self.remaining
    }

    /// What the next move may take by the rules of the match, tolerance not counted; `None` if
    /// nothing limits it.
    pub fn limit(&self) -> Option<Duration> {
        let per_move = self.control.per_move.map(|limit| limit.0);
        match (per_move, self.remaining) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (limit, None) | (None, limit) => limit,
        }
    }

    /// After how long a move is judged to be late: the limit and the tolerance.
    pub fn deadline(&self) -> Option<Duration> {
        self.limit()
            .map(|limit| limit.saturating_add(self.control.margin.0))
    }

    /// Takes the time of a move off the game clock and adds the increment. What was used beyond
    /// the limit but within the tolerance is forgiven.
    pub fn charge(&mut self, used: Duration) {
        let increment = self.control.increment.map_or(Duration::ZERO, |i| i.0);
        self.remaining = self
            .remaining
            .map(|left| left.saturating_sub(used).saturating_add(increment));
    }
}

/// The clocks as a bot is told them, from the point of view of `seat`.
pub fn state(clocks: &[Clock], seat: usize) -> protocol::ClockState {
    let control = clocks[seat].control();
    let any_game_clock = clocks.iter().any(|clock| clock.remaining.is_some());
    protocol::ClockState {
        move_ms: control.per_move,
        remaining_ms: any_game_clock.then(|| {
            let remaining = clocks.iter().map(|clock| clock.remaining.map(Millis));
            remaining.collect()
        }),
        increment_ms: control.base.and(control.increment),
    }
}

/// A duration for people: milliseconds below ten seconds, then seconds.
pub fn in_words(duration: Duration) -> String {
    if duration < Duration::from_secs(10) {
        format!("{:.0} ms", duration.as_secs_f64() * 1e3)
    } else {
        format!("{:.1} s", duration.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn control(per_move: Option<u64>, base: Option<u64>, increment: Option<u64>) -> TimeControl {
        let time = |n: Option<u64>| n.map(|n| Millis(ms(n)));
        TimeControl {
            per_move: time(per_move),
            base: time(base),
            increment: time(increment),
            startup: Millis(ms(1000)),
            margin: Millis(ms(20)),
        }
    }

    #[test]
    fn the_tighter_limit_counts() {
        let mut clock = Clock::new(control(Some(100), Some(250), Some(10)));
        assert_eq!(clock.limit(), Some(ms(100)));
        clock.charge(ms(100));
        clock.charge(ms(100));
        assert_eq!(clock.remaining(), Some(ms(70)));
        assert_eq!(clock.limit(), Some(ms(70)));
        assert_eq!(clock.deadline(), Some(ms(90)));
    }

    #[test]
    fn an_overdrawn_game_clock_starts_again_from_the_increment() {
        let mut clock = Clock::new(control(None, Some(50), Some(10)));
        clock.charge(ms(65));
        assert_eq!(clock.remaining(), Some(ms(10)));
    }

    #[test]
    fn without_limits_nothing_is_late() {
        let clock = Clock::new(control(None, None, None));
        assert_eq!((clock.limit(), clock.deadline()), (None, None));
    }

    #[test]
    fn bots_are_told_what_applies() {
        let clocks = [
            Clock::new(control(Some(100), None, None)),
            Clock::new(control(None, Some(900), Some(5))),
        ];
        let first = state(&clocks, 0);
        assert_eq!(first.move_ms, Some(Millis(ms(100))));
        assert_eq!(first.remaining_ms, Some(vec![None, Some(Millis(ms(900)))]));
        assert_eq!(first.increment_ms, None);
        let second = state(&clocks, 1);
        assert_eq!(
            (second.move_ms, second.increment_ms),
            (None, Some(Millis(ms(5))))
        );
    }
}
