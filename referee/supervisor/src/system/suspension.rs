//! Notices when this process did not run for a while, because a signal stopped it (Ctrl-Z), or
//! because it or the whole machine was frozen. No bot may lose on time for that.
//!
//! A thread wakes at a regular beat. When it is late, the kernel says how long it has waited for a
//! core since the beat before: that is the cost of a busy machine, and no suspension. A stopped
//! thread waits for nothing. So no bot gains time by keeping the cores busy. As a second condition,
//! the whole process must have used next to no CPU time meanwhile.
//!
//! On systems other than Linux, no suspension is noticed.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use tokio::time::{Instant, sleep, timeout_at};

const BEAT_INTERVAL: Duration = Duration::from_millis(50);
/// The shortest gap that counts as a suspension: the kernel's figures are not exact enough for
/// shorter ones.
pub const MIN_SUSPENSION: Duration = Duration::from_millis(500);
/// If the last beat is at most this old, no suspension has gone unnoticed.
const BEAT_LIFETIME: Duration = Duration::from_millis(100);
const BEAT_TIMEOUT: Duration = Duration::from_secs(1);

static BEATS: OnceLock<Mutex<Beats>> = OnceLock::new();

#[derive(Clone, Copy, Debug)]
struct Beats {
    last: Instant,
    /// The sum of all suspensions so far.
    total: Duration,
    /// The thread still runs, so there will be more beats.
    alive: bool,
}

/// The measurements at a beat.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Instant,
    /// The time for which the thread has waited for a core since it began.
    waited: Duration,
    /// The CPU time of the whole process.
    cpu: Duration,
}

/// Starts the thread, unless it runs already.
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
        // Without the thread no suspension is noticed, which is no reason not to play.
        let beat = thread::Builder::new().name("beat".to_owned());
        let beating = || {
            beat_for_ever();
            give_up();
        };
        if beat.spawn(beating).is_err() {
            give_up();
        }
    }
}

/// Stops waiting for beats.
fn give_up() {
    if let Some(mut beats) = beats() {
        beats.alive = false;
    }
}

/// The statistics file of the current thread, and the first sample; `None` if there are none.
fn open() -> Option<(File, Sample)> {
    let statistics = File::open("/proc/thread-self/schedstat").ok()?;
    let sample = Sample::now(&statistics)?;
    Some((statistics, sample))
}

/// Returns only if the statistics cannot be read any more.
fn beat_for_ever() {
    let Some((statistics, mut last)) = open() else {
        return;
    };
    loop {
        thread::sleep(BEAT_INTERVAL);
        let Some(now) = Sample::now(&statistics) else {
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
    fn now(statistics: &File) -> Option<Self> {
        let mut text = [0; 96];
        let read = statistics.read_at(&mut text, 0).ok()?;
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

/// The time for which the process was suspended between two beats.
fn missed(from: Sample, to: Sample, cores: u32) -> Duration {
    let late = to
        .at
        .saturating_duration_since(from.at)
        .saturating_sub(BEAT_INTERVAL);
    let busy = to.waited.saturating_sub(from.waited);
    let missed = late.saturating_sub(busy);
    // Each core may have worked until the next beat was due, again until this one came, and while
    // the thread waited for a core.
    let most = (2 * BEAT_INTERVAL + busy) * cores;
    let idle = to.cpu.saturating_sub(from.cpu) <= most;
    if missed >= MIN_SUSPENSION && idle {
        missed
    } else {
        Duration::ZERO
    }
}

/// The sum of all suspensions up to `now`, which must not lie in the future. Waits for a beat that
/// shows that none has gone unnoticed.
pub async fn total_by(now: Instant) -> Duration {
    let end = Instant::now() + BEAT_TIMEOUT;
    loop {
        let Some(found) = beats().map(|beats| *beats) else {
            return Duration::ZERO;
        };
        // A gap that counts either ended before the last beat or has yet to be noticed.
        if !found.alive || found.last + BEAT_LIFETIME >= now || Instant::now() >= end {
            return found.total;
        }
        sleep(BEAT_INTERVAL / 10).await;
    }
}

/// The sum of the suspensions noticed so far, without waiting.
pub fn total() -> Duration {
    beats().map_or(Duration::ZERO, |beats| beats.total)
}

/// Waits for a future for at most `limit`, not counting suspensions; `None` when the time is up.
pub async fn timeout<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut known = total();
    let mut left = limit;
    loop {
        let end = Instant::now().checked_add(left)?;
        if let Ok(done) = timeout_at(end, future.as_mut()).await {
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

    /// The suspension that is found when a beat comes this late, after waiting this long for a
    /// core, while the process used this much CPU time.
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
    fn waiting_for_a_core_is_no_suspension() {
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
    fn statistics_are_read() {
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
