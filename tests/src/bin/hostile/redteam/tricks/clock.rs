//! Time: an unfair share of the CPU, uncounted CPU time, and computing during rests.

use std::fs;
use std::process::id;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{SigHandler, Signal, kill, signal};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, setpgid, setsid};

use crate::redteam::call::{burn, call, clone, fork, shared};
use crate::redteam::{Attempts, Later, Targets};

/// Maximum duration of spinning, at least that of the match.
const BURNING: Duration = Duration::from_secs(40);
/// CPU time of one worker, to be lost.
const PIECE: Duration = Duration::from_millis(10);
const PIECES: u32 = 30;

pub(crate) fn burner_15(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    burners(15, attempts)
}

pub(crate) fn burner_40(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    burners(40, attempts)
}

/// Spinning processes, each in a session of its own, which may get a CPU share of its own.
fn burners(count: u32, attempts: &mut Attempts) -> Option<Later> {
    let end = Instant::now() + BURNING;
    let started = (0..count).filter(|_| {
        let body = || {
            let _ = setsid();
            burn(BURNING, end, |_| {});
        };
        fork(body).is_ok()
    });
    attempts.number("burners", started.count() as u64);
    None
}

/// Runs until a moment while all others are stopped.
type Way = fn(Used, Instant);
const WAYS: [(&str, Way); 8] = [
    ("spin", spin),
    ("fork and exit", fork_and_exit),
    ("timer", by_timer),
    ("signals of files", by_file),
    ("signal at a child's end", by_childs_end),
    ("signal at a parent's end", by_parents_end),
    ("senders of SIGCONT", by_senders),
    ("slowed supervisor", by_slowing),
];

/// Only this part of a rest counts: before, the answer may still be on its way, and everybody is
/// being stopped; after, they are continued.
const FROM: Duration = Duration::from_millis(150);
const TO: Duration = Duration::from_millis(350);
/// Rests are longer than this: the opponent has 600 ms, of which it keeps some in reserve.
const WHOLE: Duration = Duration::from_millis(380);

/// CPU time used in rests, in nanoseconds, and the start of the current rest by the machine's
/// clock; 0 before the first one.
#[derive(Clone, Copy)]
struct Used {
    sum: &'static AtomicU64,
    rest: &'static AtomicU64,
}

impl Used {
    fn burn(self, time: Duration, end: Instant) {
        burn(time, end, |more| {
            let begun = Duration::from_nanos(self.rest.load(Ordering::Relaxed));
            let passed = now().saturating_sub(begun);
            if !begun.is_zero() && passed > FROM && passed < TO {
                add(self.sum, more);
            }
        });
    }
}

fn now() -> Duration {
    let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC);
    time.expect("a clock of the machine").into()
}

fn add(sum: &AtomicU64, more: u64) {
    sum.fetch_add(more, Ordering::Relaxed);
}

/// Starts workers by all ways, and reports in later turns how much of the CPU they used in the
/// middle of the rest before.
pub(crate) fn walker(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let Ok(numbers) = shared() else { return None };
    let rest = &numbers[WAYS.len()];
    let end = Instant::now() + BURNING;
    for ((name, way), sum) in WAYS.iter().zip(numbers) {
        let body = || {
            let _ = setsid();
            way(Used { sum, rest }, end);
        };
        if let Err(error) = fork(body) {
            attempts.add(name, false, format!("not started: {error}"));
        }
    }
    let begin = |rest: &AtomicU64| rest.store(now().as_nanos() as u64, Ordering::Relaxed);
    begin(rest);
    Some(Box::new(move |attempts| {
        let begun = Duration::from_nanos(rest.swap(0, Ordering::Relaxed));
        let passed = now().saturating_sub(begun);
        let used = numbers.iter().map(|sum| sum.swap(0, Ordering::Relaxed));
        let used: Vec<u64> = used.take(WAYS.len()).collect();
        // In a shorter rest all were continued in what would have been its middle.
        if passed > WHOLE {
            attempts.number("rest_us", (TO - FROM).as_micros() as u64);
            for ((name, _), used) in WAYS.iter().zip(used) {
                attempts.number(name, used / 1000);
            }
        }
        begin(rest);
    }))
}

fn spin(used: Used, end: Instant) {
    used.burn(BURNING, end);
}

/// A walk through all processes may come too late for each of them.
fn fork_and_exit(used: Used, end: Instant) {
    while Instant::now() < end {
        used.burn(Duration::from_millis(1), end);
        // The parent goes, its child is the next one.
        if fork(|| fork_and_exit(used, end)).is_ok() {
            return;
        }
    }
}

/// A timer of the kernel's that continues this process every two milliseconds.
fn by_timer(used: Used, end: Instant) {
    // The signal's number comes second in `sigevent`, after a pointer; 0 is to send a signal.
    let mut event = [0_u32; 16];
    event[2] = libc::SIGCONT as u32;
    let timer = [0_i32; 1];
    let pointers = (event.as_ptr() as usize, timer.as_ptr() as usize);
    let monotonic = libc::CLOCK_MONOTONIC as usize;
    if call(libc::SYS_timer_create, &[monotonic, pointers.0, pointers.1]).is_err() {
        return;
    }
    let often = [0_u64, 2_000_000, 0, 2_000_000];
    let arguments = [timer[0] as usize, 0, often.as_ptr() as usize, 0];
    if call(libc::SYS_timer_settime, &arguments).is_ok() {
        used.burn(BURNING, end);
    }
}

/// Signal-driven I/O: a writer to the file triggers the signal.
fn by_file(used: Used, end: Instant) {
    let pipe = [0_i32; 2];
    let flags = libc::O_NONBLOCK as usize;
    if call(libc::SYS_pipe2, &[pipe.as_ptr() as usize, flags]).is_err() {
        return;
    }
    let [reader, writer] = pipe.map(|fd| fd as usize);
    let set =
        |command: i32, value: usize| call(libc::SYS_fcntl, &[reader, command as usize, value]);
    // F_SETSIG is 10.
    let signal = libc::SIGCONT as usize;
    let asked = set(libc::F_SETOWN, id() as usize).and_then(|_| set(10, signal));
    let asked = asked.and_then(|_| set(libc::F_SETFL, flags | libc::O_ASYNC as usize));
    if asked.is_err() {
        return;
    }
    let write = || {
        write_now_and_then(writer, end);
    };
    if fork(write).is_ok() {
        used.burn(BURNING, end);
    }
}

/// The writer runs away from a walk.
fn write_now_and_then(writer: usize, end: Instant) {
    while Instant::now() < end {
        let byte = [1_u8];
        let _ = call(libc::SYS_write, &[writer, byte.as_ptr() as usize, 1]);
        std::thread::sleep(Duration::from_micros(500));
        if fork(|| write_now_and_then(writer, end)).is_ok() {
            return;
        }
    }
}

/// The end of each child continues the parent.
fn by_childs_end(used: Used, end: Instant) {
    while Instant::now() < end {
        for _ in 0..6 {
            let end = Instant::now() + Duration::from_millis(20);
            let _ = clone(libc::SIGCONT, || used.burn(PIECE, end));
        }
        used.burn(Duration::from_millis(2), end);
        let all = libc::__WALL | libc::WNOHANG;
        while call(libc::SYS_wait4, &[usize::MAX, 0, all as usize, 0]).is_ok_and(|pid| pid > 0) {}
    }
}

/// The end of each process continues its child.
fn by_parents_end(used: Used, end: Instant) {
    while Instant::now() < end {
        let body = || {
            let ask = libc::PR_SET_PDEATHSIG as usize;
            let _ = call(libc::SYS_prctl, &[ask, libc::SIGCONT as usize]);
            used.burn(Duration::from_millis(1), end);
            by_parents_end(used, end);
        };
        if fork(body).is_ok() {
            used.burn(Duration::from_millis(1), end);
            return;
        }
    }
}

/// Processes that continue each other, in a group of their own.
fn by_senders(used: Used, end: Instant) {
    let group = Pid::from_raw(id() as i32);
    let _ = setpgid(group, group);
    let send = move || {
        while Instant::now() < end {
            // 0 is the own group.
            let _ = kill(Pid::from_raw(0), Signal::SIGCONT);
            used.burn(Duration::from_micros(100), end);
        }
    };
    for _ in 0..3 {
        let _ = fork(send);
    }
    send();
}

/// The one that stops the others comes last, where a bot can have that: only the first process of
/// a sandbox, never the machine's.
fn by_slowing(used: Used, end: Instant) {
    let command = fs::read("/proc/1/cmdline").unwrap_or_default();
    let mut words = command.split(|byte| *byte == 0);
    if words.nth(1) == Some(b"init") && id() != 1 {
        const IDLE: usize = 5;
        let parameters = [0_u32; 2];
        let _ = call(
            libc::SYS_sched_setscheduler,
            &[1, IDLE, parameters.as_ptr() as usize],
        );
        let _ = call(libc::SYS_setpriority, &[0, 1, 19]);
        for thread in 2..8 {
            let _ = call(
                libc::SYS_sched_setscheduler,
                &[thread, IDLE, parameters.as_ptr() as usize],
            );
        }
        for _ in 0..16 {
            let _ = fork(|| used.burn(BURNING, end));
        }
    }
    used.burn(BURNING, end);
}

/// Workers without a waiting parent: the kernel adds a child's time to its parent's only at
/// wait(2).
pub(crate) fn ignored_children(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    lost_work(attempts, || {
        let Ok(used) = shared() else { return 0 };
        // SAFETY: ignoring a signal runs nothing.
        #[expect(unsafe_code, reason = "signal(2)")]
        let before = unsafe { signal(Signal::SIGCHLD, SigHandler::SigIgn) };
        for _ in 0..PIECES {
            let end = Instant::now() + 20 * PIECE;
            if let Ok(child) = fork(|| burn(PIECE, end, |more| add(&used[0], more))) {
                // Ends when there is no child any more.
                while waitpid(child, None) == Err(Errno::EINTR) {}
            }
        }
        if let Ok(before) = before {
            // SAFETY: as it was.
            #[expect(unsafe_code, reason = "signal(2)")]
            let _ = unsafe { signal(Signal::SIGCHLD, before) };
        }
        used[0].load(Ordering::Relaxed)
    });
    None
}

/// Orphaned workers: somebody else waits for them.
pub(crate) fn daemons(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    lost_work(attempts, || {
        let Ok(used) = shared() else { return 0 };
        for _ in 0..PIECES {
            let end = Instant::now() + 20 * PIECE;
            let leave = || {
                let _ = setsid();
                let _ = fork(|| {
                    burn(PIECE, end, |more| add(&used[0], more));
                    used[1].fetch_add(1, Ordering::Relaxed);
                });
            };
            let done = used[1].load(Ordering::Relaxed);
            if let Ok(child) = fork(leave) {
                let _ = waitpid(child, None);
                while used[1].load(Ordering::Relaxed) == done && Instant::now() < end {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
        used[0].load(Ordering::Relaxed)
    });
    None
}

/// Work after leaving the control groups in which it is counted, if the kernel allows that.
pub(crate) fn other_group(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    for line in mounts.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let &[_, folder, "cgroup" | "cgroup2", ..] = &words[..] else {
            continue;
        };
        for group in own.lines().filter_map(|line| line.splitn(3, ':').nth(2)) {
            // The group above its own, and the first of all.
            let above = group.rsplit_once('/').map_or("", |(above, _)| above);
            for group in [above, ""] {
                // 0 is the process that writes.
                let file = format!("{folder}{group}/cgroup.procs");
                let left = fs::write(&file, "0");
                attempts.io("leave the control group", left, &file);
            }
        }
    }
    lost_work(attempts, || {
        let Ok(used) = shared() else { return 0 };
        let end = Instant::now() + 20 * PIECES * PIECE;
        burn(PIECES * PIECE, end, |more| add(&used[0], more));
        used[0].load(Ordering::Relaxed)
    });
    None
}

fn lost_work(attempts: &mut Attempts, work: impl FnOnce() -> u64) {
    let nanoseconds = work();
    attempts.number("used_us", nanoseconds / 1000);
}
