//! The yardstick: lines of 100 bytes through a pipe to another process and back, as fast as
//! blocking reads and writes can do it.

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Bytes of a line, its end included.
const LINE: usize = 100;

#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTrip {
    /// Time for one there and back.
    pub(crate) time: Duration,
}

impl RoundTrip {
    pub(crate) fn rate(self) -> f64 {
        1.0 / self.time.as_secs_f64()
    }
}

/// The other end: answers each line with itself.
pub(crate) fn pong() {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = [0; LINE];
    while input.read_exact(&mut line).is_ok() {
        if output
            .write_all(&line)
            .and_then(|()| output.flush())
            .is_err()
        {
            return;
        }
    }
}

/// The cores that this process may use.
pub(crate) fn cores() -> Vec<usize> {
    let set = sched_getaffinity(Pid::from_raw(0)).expect("a set of cores");
    let all = 0..CpuSet::count();
    all.filter(|core| set.is_set(*core) == Ok(true)).collect()
}

/// Pins this thread, and processes that it starts from now on, to a core; or to all of them.
pub(crate) fn keep_to(core: Option<usize>, all: &[usize]) {
    let mut set = CpuSet::new();
    for core in core.map_or(all.to_vec(), |core| vec![core]) {
        set.set(core).expect("a core");
    }
    sched_setaffinity(Pid::from_raw(0), &set).expect("a core that is allowed");
}

/// Measures round trips for about this long, on this many cores at the same time, each with both ends
/// on it. Cores of a virtual machine may slow each other down.
pub(crate) fn side_by_side(pairs: usize, time: Duration) -> RoundTrip {
    let cores = cores().into_iter().take(pairs);
    let pairs = cores.map(|core| thread::spawn(move || between(core, core, time).time));
    let pairs: Vec<_> = pairs.collect();
    let count = pairs.len() as u32;
    let times = pairs
        .into_iter()
        .map(|pair| pair.join().expect("a measurement"));
    RoundTrip {
        time: times.sum::<Duration>() / count,
    }
}

/// Measures round trips for about this long, between two cores.
pub(crate) fn across(time: Duration) -> RoundTrip {
    let all = cores();
    let measured = between(all[0], all[all.len() - 1], time);
    keep_to(None, &all);
    measured
}

/// Measures round trips between two cores, or on one; this thread stays on the first.
fn between(here: usize, there: usize, time: Duration) -> RoundTrip {
    // The child inherits where this thread is.
    keep_to(Some(there), &[]);
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .arg("pong")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program starts again");
    keep_to(Some(here), &[]);
    let mut to = child.stdin.take().expect("a pipe");
    let mut from = child.stdout.take().expect("a pipe");
    let mut line = [b'x'; LINE];
    line[LINE - 1] = b'\n';
    let mut round = || {
        to.write_all(&line).expect("the other end reads");
        from.read_exact(&mut line).expect("the other end answers");
    };
    for _ in 0..100 {
        round();
    }
    let (begin, mut rounds) = (Instant::now(), 0u32);
    while begin.elapsed() < time {
        for _ in 0..100 {
            round();
        }
        rounds += 100;
    }
    let elapsed = begin.elapsed();
    drop(to);
    child.wait().expect("the other end ends");
    RoundTrip {
        time: elapsed / rounds,
    }
}
