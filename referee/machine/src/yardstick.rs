//! A yardstick for the speed of machines: always the same work, of whole numbers and of memory as engines
//! use it, done on all slots at once, so that what they share (caches, memory, power, the host of a virtual
//! machine) is shared as in a tournament. The unit is a million steps a second, a slot.
//!
//! The work must never change: speeds in logs and configurations are compared. How a program was built
//! matters, though: one without optimisation is slow.

use std::hint::black_box;
use std::num::NonZero;
use std::sync::RwLock;
use std::thread;
use std::time::{Duration, Instant};

use super::cores;

/// The time of a measurement for the log only.
pub const GLANCE: Duration = Duration::from_millis(100);
/// The time of a measurement that time limits depend on, or that a user asks for.
pub const LOOK: Duration = Duration::from_millis(300);
/// Words of a slot's table: 1 MiB, more than first-level caches hold.
const WORDS: usize = 1 << 17;
/// The initial state.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
/// Steps between checks of the time.
const STRIDE: u64 = 1 << 14;

/// Millions of steps a second that a slot does while as many work, each on a core of its own if they
/// `keep` to cores. `None` if this machine cannot run that many threads.
pub fn measure(slots: usize, keep: bool, time: Duration) -> Option<f64> {
    let slots = slots.max(1);
    // More than there are cores would share them, and need a table each.
    let threads = slots.min(thread::available_parallelism().map_or(1, NonZero::get));
    // Closed until all are there.
    let gate = RwLock::new(());
    let speeds: Option<Vec<f64>> = thread::scope(|scope| {
        let closed = gate.write();
        let mut running = Vec::new();
        for slot in 0..threads {
            let gate = &gate;
            let work = move || {
                if keep {
                    // Where that is not possible, matches are not kept to cores either.
                    let _ = cores::keep_to_one(slot);
                }
                let mut work = Work::new();
                drop(gate.read());
                work.speed(time)
            };
            running.push(thread::Builder::new().spawn_scoped(scope, work).ok()?);
        }
        drop(closed);
        running
            .into_iter()
            .map(|thread| thread.join().ok())
            .collect()
    });
    let speeds = speeds?;
    Some(speeds.iter().sum::<f64>() / slots as f64)
}

/// A speed with as many digits as mean something.
pub fn rounded(speed: f64) -> f64 {
    (speed * 10.0).round() / 10.0
}

/// The work of one slot.
struct Work {
    table: Vec<u64>,
    state: u64,
}

impl Work {
    fn new() -> Self {
        let fill = |n: usize| (n as u64).wrapping_mul(SEED);
        Work {
            table: (0..WORDS).map(fill).collect(),
            state: SEED,
        }
    }

    /// Runs for this long; returns millions of steps per second.
    fn speed(&mut self, time: Duration) -> f64 {
        let begin = Instant::now();
        let mut steps = 0;
        loop {
            black_box(self.steps(STRIDE));
            steps += STRIDE;
            let passed = begin.elapsed();
            if passed >= time {
                return steps as f64 / 1e6 / passed.as_secs_f64();
            }
        }
    }

    /// Makes this many steps: each looks a word up, as in a table of positions, takes one of two
    /// ways that nobody can predict, and writes it back. Returns the result, so that nothing is
    /// optimised away.
    #[inline(never)]
    fn steps(&mut self, steps: u64) -> u64 {
        let mut state = self.state;
        for _ in 0..steps {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let word = &mut self.table[(state as usize) & (WORDS - 1)];
            if *word & 1 == 0 {
                *word = word.rotate_left(5) ^ state;
            } else {
                *word = word.wrapping_add(u64::from(state.count_ones()));
            }
            state = state.wrapping_add(*word >> 32);
        }
        self.state = state;
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_always_the_same() {
        let mut work = Work::new();
        assert_eq!(work.steps(100_000), 3_372_734_417_906_222_858);
        let mut again = Work::new();
        again.steps(40_000);
        assert_eq!(again.steps(60_000), work.state);
    }

    #[test]
    fn all_slots_are_measured() {
        let time = Duration::from_millis(1);
        for slots in [0, 1, 5] {
            let speed = measure(slots, true, time).expect("a few threads");
            assert!(speed.is_finite() && speed > 0.0, "{speed}");
        }
    }
}
