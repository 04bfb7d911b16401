//! Load of the machine while a match runs, as Linux reports it: it shows later if a loss on time
//! was due to the bot or to the machine.

use std::cell::Cell;
use std::fs::File;
use std::io::Read as _;
use std::time::{Duration, Instant};

use protocol::Load;

/// Since boot, the time in which some process was ready to run but had to wait for a core.
const PRESSURE: &str = "/proc/pressure/cpu";
/// Since boot, what the cores did, in clock ticks; see proc(5).
const STAT: &str = "/proc/stat";
/// Reading the load costs as much as ten moves of an instant bot, and over a shorter time it means
/// nothing.
const FRESH: Duration = Duration::from_millis(20);
/// The fields of the first line of `/proc/stat`: what is after `steal` is counted elsewhere, too.
const FIELDS: usize = 8;

/// Counters of the machine at one moment; `None` if not available.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Instant,
    waiting: Option<Duration>,
    /// Ticks that were stolen, and all ticks.
    ticks: Option<[u64; 2]>,
}

/// From the start to the end of a match.
#[derive(Clone, Copy, Debug)]
pub struct LoadWatch(Sample);

impl LoadWatch {
    /// Takes the first look.
    pub fn begin() -> Self {
        LoadWatch(Sample::recent())
    }

    /// The load since then; `None` without counters, or if no time has passed.
    pub fn end(self) -> Option<Load> {
        between(&self.0, &Sample::recent())
    }
}

thread_local! {
    /// The last look of this thread.
    static LAST: Cell<Option<Sample>> = const { Cell::new(None) };
}

/// The load average of the last minute.
pub fn average() -> Option<f64> {
    let text = beginning_of("/proc/loadavg")?;
    text.split_ascii_whitespace().next()?.parse().ok()
}

impl Sample {
    /// A look that is not older than [`FRESH`].
    fn recent() -> Self {
        let fresh = LAST.get().filter(|last| last.at.elapsed() < FRESH);
        fresh.unwrap_or_else(|| {
            let now = Sample::now();
            LAST.set(Some(now));
            now
        })
    }

    fn now() -> Self {
        Sample {
            at: Instant::now(),
            waiting: beginning_of(PRESSURE).as_deref().and_then(some_total),
            ticks: beginning_of(STAT).as_deref().and_then(ticks),
        }
    }
}

/// The first lines of a file; both files have what matters there, and one can be long.
fn beginning_of(path: &str) -> Option<String> {
    let mut bytes = [0; 256];
    let read = File::open(path).ok()?.read(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes[..read]).into_owned())
}

fn between(from: &Sample, to: &Sample) -> Option<Load> {
    let time = to.at.saturating_duration_since(from.at).as_secs_f64();
    let waiting = from.waiting.zip(to.waiting).and_then(|(from, to)| {
        let waited = to.saturating_sub(from).as_secs_f64();
        (time > 0.0).then(|| share(waited / time))
    });
    let stolen = from.ticks.zip(to.ticks).and_then(|(from, to)| {
        let [stolen, all] = [0, 1].map(|i| to[i].saturating_sub(from[i]));
        (all > 0).then(|| share(stolen as f64 / all as f64))
    });
    (waiting.is_some() || stolen.is_some()).then_some(Load { waiting, stolen })
}

/// A share, to four digits.
fn share(value: f64) -> f64 {
    (value.clamp(0.0, 1.0) * 1e4).round() / 1e4
}

/// From `some avg10=0.00 avg60=0.00 avg300=0.00 total=MICROSECONDS`.
fn some_total(text: &str) -> Option<Duration> {
    let line = text.lines().find(|line| line.starts_with("some "))?;
    let total = line.split("total=").nth(1)?.trim();
    Some(Duration::from_micros(total.parse().ok()?))
}

/// From `cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL …`: stolen ones, and all.
fn ticks(text: &str) -> Option<[u64; 2]> {
    let numbers = text.lines().next()?.strip_prefix("cpu ")?;
    let numbers = numbers.split_ascii_whitespace().take(FIELDS);
    let numbers: Vec<u64> = numbers.map(str::parse).collect::<Result<_, _>>().ok()?;
    let stolen = *numbers.get(FIELDS - 1)?;
    Some([stolen, numbers.iter().sum()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: Instant, ms: u64, waiting: &str, stat: &str) -> Sample {
        Sample {
            at: at + Duration::from_millis(ms),
            waiting: some_total(waiting),
            ticks: ticks(stat),
        }
    }

    #[test]
    fn shares_are_of_the_time_that_went_by() {
        let at = Instant::now();
        let from = sample(
            at,
            0,
            "some avg10=0.00 avg60=1.00 avg300=2.00 total=5000000\nfull avg10=0 total=9\n",
            "cpu  100 0 50 800 10 0 5 35 7 7\ncpu0 1 2 3\n",
        );
        let to = sample(
            at,
            2000,
            "some avg10=99.00 avg60=1.00 avg300=2.00 total=5500000\nfull avg10=0 total=9\n",
            "cpu  180 0 60 880 10 0 5 65 9 9\n",
        );
        let load = between(&from, &to).expect("a load");
        assert_eq!((load.waiting, load.stolen), (Some(0.25), Some(0.15)));
    }

    #[test]
    fn what_the_machine_does_not_tell_is_absent() {
        let at = Instant::now();
        let nothing = sample(at, 0, "", "");
        assert_eq!(between(&nothing, &sample(at, 10, "", "")), None);
        let old = sample(at, 0, "", "cpu  1 2 3 4\n");
        assert_eq!(old.ticks, None, "kernels without `steal`");
        let begun = sample(at, 0, "some avg10=0.00 total=7\n", "");
        assert_eq!(between(&begun, &begun), None, "no time went by");
        let late = sample(at, 10, "some avg10=0.00 total=99000\n", "");
        let load = between(&begun, &late).expect("a load");
        assert_eq!((load.waiting, load.stolen), (Some(1.0), None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_tells_what_its_cores_did() {
        assert!(Sample::now().ticks.is_some());
    }
}
