//! The time that a bot spends on a move.

use std::time::Duration;

use games::Seat;
use protocol::{ClockState, Millis};

/// The share of a limit that may be spent; the rest is left for a machine that is busy otherwise.
const SHARE: f64 = 0.85;
/// Kept back on top of that, for the answer's way to the referee.
const RESERVE: Duration = Duration::from_millis(5);
/// The most that is kept back of a limit on one move: delays do not grow with the limit.
const MOST_KEPT: Duration = Duration::from_millis(60);
/// A game clock is divided as if this many moves were still to come.
const MOVES_TO_GO: u32 = 24;

/// The search time of a seat for this move; `None` if no clock limits it.
///
/// ```
/// use protocol::{ClockState, Millis};
/// use std::time::Duration;
///
/// let clock = ClockState {
///     move_ms: Some(Millis(Duration::from_millis(100))),
///     ..ClockState::default()
/// };
/// assert_eq!(bots::clock::allot(&clock, 0), Some(Duration::from_millis(80)));
/// ```
pub fn allot(clock: &ClockState, seat: Seat) -> Option<Duration> {
    let per_move = clock.move_ms.map(|limit| usable(limit.0));
    let game_clock = remaining(clock, seat).map(|left| {
        let increment = clock.increment_ms.unwrap_or_default().0;
        // The increment is added after the move, so this move cannot spend it in advance.
        (share(left) / MOVES_TO_GO + increment.mul_f64(SHARE)).min(share(left))
    });
    match (per_move, game_clock) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (limit, None) | (None, limit) => limit,
    }
}

/// The time left on the seat's game clock, if it has one.
fn remaining(clock: &ClockState, seat: Seat) -> Option<Duration> {
    let Millis(left) = (*clock.remaining_ms.as_ref()?.get(seat)?)?;
    Some(left)
}

/// The part of a limit on one move that can be spent safely.
fn usable(limit: Duration) -> Duration {
    share(limit).max(limit.saturating_sub(MOST_KEPT))
}

/// The part of a game clock that can be spent safely; unlike [`usable`], the rest is not lost.
fn share(limit: Duration) -> Duration {
    limit.mul_f64(SHARE).saturating_sub(RESERVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn clock(per_move: Option<u64>, left: Option<u64>, increment: Option<u64>) -> ClockState {
        ClockState {
            move_ms: per_move.map(|limit| Millis(ms(limit))),
            remaining_ms: left.map(|left| vec![None, Some(Millis(ms(left)))]),
            increment_ms: increment.map(|increment| Millis(ms(increment))),
        }
    }

    #[test]
    fn no_clock_is_no_limit() {
        assert_eq!(allot(&clock(None, None, None), 1), None);
        assert_eq!(allot(&clock(None, Some(1000), None), 0), None);
        assert_eq!(allot(&clock(None, Some(1000), None), 7), None);
    }

    #[test]
    fn the_smaller_limit_counts() {
        assert_eq!(
            allot(&clock(Some(100), Some(1_000_000), None), 1),
            Some(ms(80))
        );
        let spent = allot(&clock(Some(10_000), Some(10_000), None), 1).unwrap();
        assert!(spent > ms(300) && spent < ms(400), "{spent:?}");
    }

    #[test]
    fn long_limits_are_used_but_for_a_little() {
        let spent = |limit| allot(&clock(Some(limit), None, None), 0);
        assert_eq!(spent(30), Some(Duration::from_micros(20_500)));
        assert_eq!(spent(400), Some(ms(340)));
        assert_eq!(spent(1000), Some(ms(940)));
    }

    #[test]
    fn a_game_clock_never_runs_out() {
        for increment in [0, 10, 1000] {
            let mut left = ms(2000);
            for _ in 0..300 {
                let state = clock(None, Some(left.as_millis() as u64), Some(increment));
                let spent = allot(&state, 1).unwrap();
                assert!(spent < left, "{spent:?} of {left:?}");
                left = left - spent - ms(1).min(left - spent) + ms(increment);
                if increment == 0 && left < ms(10) {
                    break;
                }
            }
        }
    }

    #[test]
    fn almost_no_time_is_no_time() {
        assert_eq!(allot(&clock(Some(5), None, None), 0), Some(Duration::ZERO));
        assert_eq!(
            allot(&clock(None, Some(0), Some(100)), 1),
            Some(Duration::ZERO)
        );
    }
}
