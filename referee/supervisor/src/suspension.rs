//! Notices when this very process did not run for a while: it was stopped by a signal (Ctrl-Z), it
//! was frozen, or its machine was. Nobody is to lose on time for that.
//!
//! A thread wants to be awake at each beat. When it comes late, the kernel tells how long it had
//! been waiting for a core since the beat before: that is what a busy machine costs, and it is no
//! suspension. A thread that is stopped waits for nothing. So no bot gains time by keeping the cores
//! busy. As a second witness, the whole process must have used next to no CPU time meanwhile.
//!
//! Without such accounts (other systems than Linux) no suspension is noticed.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use tokio::time::{Instant, sleep, timeout_at};

/// From one beat to the next.
const BEAT: Duration = Duration::from_millis(50);
/// What is shorter is no suspension: the kernel's accounts are not that good, and no limit of time
/// should be.
pub const LEAST: Duration = Duration::from_millis(500);
/// A beat that is not older tells that nothing is going on that was not noticed yet.
const FRESH: Duration = Duration::from_millis(100);
/// A beat is waited for no longer.
const PATIENCE: Duration = Duration::from_secs(1);

static BEATS: OnceLock<Mutex<Beats>> = OnceLock::new();

/// What the thread has found.
#[derive(Clone, Copy, Debug)]
struct Beats {
    last: Instant,
    /// All suspensions so far.
    total: Duration,
    /// There will be more beats.
    alive: bool,
}

/// What is known at a beat.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Instant,
    /// How long the thread has waited for a core since it began.
    waited: Duration,
    /// The CPU time of the whole process.
    cpu: Duration,
}

/// Begins to watch, if nobody did yet.
pub fn watch() {
    let Some((_, first)) = open() else {
        return;
    };
    let beats = Beats {
        last: first.at,
        total: Duration::ZERO,
        alive: true,
    };
    if BEATS.set(Mutex::new(beats)).is_ok() {
        // Without the thread, nothing is noticed; that is no reason not to play.
        let beat = thread::Builder::new().name("beat".to_owned());
        if beat.spawn(beat_till_the_end).is_err() {
            give_up();
        }
    }
}

fn beat_till_the_end() {
    beat_for_ever();
    give_up();
}

/// Nobody is to wait for a beat any more.
fn give_up() {
    if let Some(mut beats) = beats() {
        beats.alive = false;
    }
}

/// The accounts of the current thread, and its first sample; `None` where there are none.
fn open() -> Option<(File, Sample)> {
    let accounts = File::open("/proc/thread-self/schedstat").ok()?;
    let sample = Sample::now(&accounts)?;
    Some((accounts, sample))
}

/// Comes back only if the accounts cannot be read any more.
fn beat_for_ever() {
    let Some((accounts, mut last)) = open() else {
        return;
    };
    loop {
        thread::sleep(BEAT);
        let Some(now) = Sample::now(&accounts) else {
            return;
        };
        let missed = missed(last, now, cores());
        if !missed.is_zero() {
            let ms = missed.as_millis();
            tracing::warn!("the referee did not run for {ms} ms; no clock of a match ran either");
        }
        if let Some(mut beats) = beats() {
            beats.last = now.at;
            beats.total += missed;
        }
        last = now;
    }
}

fn beats() -> Option<MutexGuard<'static, Beats>> {
    let beats = BEATS.get()?;
    Some(beats.lock().unwrap_or_else(PoisonError::into_inner))
}

fn cores() -> u32 {
    thread::available_parallelism().map_or(1, |n| n.get() as u32)
}

impl Sample {
    fn now(accounts: &File) -> Option<Self> {
        let mut text = [0; 96];
        let read = accounts.read_at(&mut text, 0).ok()?;
        let cpu = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).ok()?;
        Some(Sample {
            at: Instant::now(),
            waited: waited(std::str::from_utf8(&text[..read]).ok()?)?,
            cpu: cpu.into(),
        })
    }
}

/// From `RAN WAITED SLICES`, in nanoseconds.
fn waited(text: &str) -> Option<Duration> {
    let waited = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(Duration::from_nanos(waited))
}

/// For how long the process was suspended between two beats.
fn missed(from: Sample, to: Sample, cores: u32) -> Duration {
    let late = to
        .at
        .saturating_duration_since(from.at)
        .saturating_sub(BEAT);
    let busy = to.waited.saturating_sub(from.waited);
    let missed = late.saturating_sub(busy);
    // Each core may have worked until the next beat was due, again until this one was, and while it
    // waited for a core.
    let most = (2 * BEAT + busy) * cores;
    let idle = to.cpu.saturating_sub(from.cpu) <= most;
    match missed >= LEAST && idle {
        true => missed,
        false => Duration::ZERO,
    }
}

/// How long the process was suspended in all since it is watched, up to this moment, which is or
/// was now.
pub async fn total_by(now: Instant) -> Duration {
    let end = Instant::now() + PATIENCE;
    loop {
        let Some(found) = beats().map(|beats| *beats) else {
            return Duration::ZERO;
        };
        // What lasted long enough to count ended before the last beat, or is to be noticed yet.
        if !found.alive || found.last + FRESH >= now || Instant::now() >= end {
            return found.total;
        }
        sleep(BEAT / 10).await;
    }
}

/// What was found so far, at once.
pub fn total() -> Duration {
    beats().map_or(Duration::ZERO, |beats| beats.total)
}

/// Waits for something for so long at most, suspensions not counted; `None` when the time is up.
pub async fn timeout<T>(limit: Duration, what: impl Future<Output = T>) -> Option<T> {
    let mut what = pin!(what);
    let mut known = total();
    let mut left = limit;
    loop {
        let end = Instant::now().checked_add(left)?;
        if let Ok(done) = timeout_at(end, what.as_mut()).await {
            return Some(done);
        }
        let now = total_by(Instant::now()).await;
        left = now.saturating_sub(known);
        known = now;
        if left.is_zero() {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// What is missed when a beat comes after so long, of which so much was spent waiting for a
    /// core, and in which the process used so much CPU time.
    fn after(gap: u64, waited: u64, cpu: u64) -> Duration {
        let from = Sample {
            at: Instant::now(),
            waited: ms(70),
            cpu: ms(900),
        };
        let to = Sample {
            at: from.at + ms(gap),
            waited: from.waited + ms(waited),
            cpu: from.cpu + ms(cpu),
        };
        missed(from, to, 2)
    }

    #[test]
    fn only_what_nobody_waited_for_is_a_suspension() {
        assert_eq!(after(50, 0, 0), ms(0));
        assert_eq!(after(549, 0, 0), ms(0), "too short");
        assert_eq!(after(550, 0, 0), ms(500));
        assert_eq!(after(3050, 40, 5), ms(2960));
        assert_eq!(after(3050, 2990, 5), ms(0), "the cores were busy");
        assert_eq!(after(3050, 0, 1500), ms(0), "the process was at work");
        assert_eq!(after(3050, 0, 200), ms(3000), "before and after it");
        assert_eq!(after(3050, 0, 201), ms(0));
        assert_eq!(
            after(3550, 500, 1200),
            ms(3000),
            "others were first after it"
        );
    }

    #[test]
    fn accounts_are_read() {
        assert_eq!(waited("123 4567000 8\n"), Some(Duration::from_micros(4567)));
        assert_eq!(waited(""), None);
        assert_eq!(waited("1 x 2"), None);
    }

    #[tokio::test]
    async fn time_is_up_without_a_suspension() {
        watch();
        assert_eq!(timeout(ms(20), std::future::pending::<()>()).await, None);
        assert_eq!(timeout(ms(20_000), async { 7 }).await, Some(7));
    }
}
