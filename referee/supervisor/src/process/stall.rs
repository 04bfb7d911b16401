//! What a process that does not answer seems to be doing, as far as `/proc` shows it.

use std::fmt;
use std::fs;
use std::time::Duration;

use nix::unistd::Pid;
use tokio::time::sleep;

use super::process_tree::CpuClock;

/// From one look at processes to the next.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// After this many looks nothing is said of processes that could run but hardly got a core.
const MAX_LOOKS: u32 = 25;
/// The CPU time that processes must use from the first look on, staying runnable, to be some that
/// compute. A thread that wakes from time to time uses microseconds; one that computes gets this
/// much within [`MAX_LOOKS`] even where fifty others want the same core.
const MIN_CPU: Duration = Duration::from_millis(10);

/// Why no answer comes. Displays as part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stall {
    /// A process sleeps until something comes on the bot's stdin.
    Reading,
    /// A process computes.
    Computing,
    /// All processes are stopped, by a signal or a debugger.
    Stopped,
    /// The bot has printed this, an excerpt, without a line end.
    NoLineEnd(String),
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stall::Reading => f.write_str("it sleeps, waiting for input: is its output flushed?"),
            Stall::Computing => f.write_str("it is still computing"),
            Stall::Stopped => f.write_str("it is stopped, by a signal or a debugger"),
            Stall::NoLineEnd(printed) => write!(
                f,
                "what it printed, `{printed}`, has no line end, or is not flushed to its end"
            ),
        }
    }
}

/// Examines processes, which `list` gives as they are now; `stdin` is the inode of the pipe that the
/// bot reads. `None` if nothing is certain.
pub(crate) async fn diagnose(list: impl Fn() -> Vec<Pid>, stdin: u64) -> Option<Stall> {
    let processes = list();
    let process = |pid: &Pid| state(&format!("/proc/{pid}"));
    if !processes.is_empty() && processes.iter().all(|pid| process(pid) == Some('T')) {
        return Some(Stall::Stopped);
    }
    // Before the next one: a thread of its own may wait for input meanwhile.
    if compute(list).await {
        return Some(Stall::Computing);
    }
    let pipe = format!("pipe:[{stdin}]");
    let reads = |pid: &Pid| {
        let link = fs::read_link(format!("/proc/{pid}/fd/0"));
        link.is_ok_and(|link| link.to_str() == Some(&pipe))
            && tasks(*pid).any(|task| waits_for_input(&task))
    };
    processes.iter().any(reads).then_some(Stall::Reading)
}

/// What one look at processes shows.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// A thread runs or waits for a core.
    runnable: bool,
    /// The CPU time that all of them have used so far.
    cpu: Duration,
}

impl Look {
    fn at(processes: &[Pid]) -> Self {
        let runnable = |pid: &Pid| tasks(*pid).any(|task| state(&task) == Some('R'));
        let cpu = |pid: &Pid| CpuClock::of(*pid)?.now();
        Look {
            runnable: processes.iter().any(runnable),
            cpu: processes.iter().filter_map(cpu).sum(),
        }
    }

    /// Whether a process has computed from an earlier look until this one; `None` if it is too
    /// early to say.
    fn computes_since(self, first: Look) -> Option<bool> {
        if !self.runnable {
            return Some(false);
        }
        (self.cpu.saturating_sub(first.cpu) >= MIN_CPU).then_some(true)
    }
}

/// Whether processes compute. One look cannot say: a thread that only wakes up is runnable at that
/// moment, and stays so for a while on a busy machine.
async fn compute(list: impl Fn() -> Vec<Pid>) -> bool {
    let first = Look::at(&list());
    let mut look = first;
    for _ in 0..MAX_LOOKS {
        if let Some(computes) = look.computes_since(first) {
            return computes;
        }
        sleep(LOOK_INTERVAL).await;
        look = Look::at(&list());
    }
    look.computes_since(first) == Some(true)
}

/// The state of a process or thread, given by its folder, as a letter of proc(5).
fn state(folder: &str) -> Option<char> {
    let stat = fs::read_to_string(format!("{folder}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.trim_start().chars().next()
}

/// The folders of a process's threads.
fn tasks(pid: Pid) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(format!("/proc/{pid}/task"));
    let entries = entries.into_iter().flatten().flatten();
    entries.map(|entry| entry.path().to_string_lossy().into_owned())
}

/// Whether a thread waits in a read of descriptor 0. The kernel shows a system call by its number
/// and its arguments in hexadecimal digits, or `running`.
fn waits_for_input(task: &str) -> bool {
    let call = fs::read_to_string(format!("{task}/syscall")).unwrap_or_default();
    let mut words = call.split_ascii_whitespace();
    let number = words.next().and_then(|number| number.parse().ok());
    number.is_some_and(is_read) && words.next() == Some("0x0")
}

#[cfg(target_os = "linux")]
fn is_read(number: i64) -> bool {
    use nix::libc;

    [libc::SYS_read, libc::SYS_readv].contains(&number)
}

#[cfg(not(target_os = "linux"))]
fn is_read(_: i64) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::process::process_tree;
    use nix::sys::signal::Signal;
    use nix::sys::stat::fstat;
    use std::process::{Command, Stdio};
    use std::time::Instant;

    /// Whether the diagnosis of a command of the shell becomes this one, within a long while.
    async fn is_seen(command: &str, expected: &Stall) -> bool {
        let mut shell = Command::new("sh")
            .args(["-c", &format!("{command}; echo")])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("a shell");
        let pid = Pid::from_raw(shell.id() as i32);
        let inode = fstat(shell.stdin.as_ref().expect("a pipe"))
            .expect("its inode")
            .st_ino;
        let end = Instant::now() + Duration::from_secs(20);
        let below = || process_tree::descendants(pid);
        let mut seen = false;
        while !seen && Instant::now() < end {
            sleep(Duration::from_millis(5)).await;
            seen = diagnose(below, inode).await.as_ref() == Some(expected);
        }
        // About another pipe nothing is known.
        assert!(*expected != Stall::Reading || diagnose(below, inode + 1).await.is_none());
        process_tree::signal(&process_tree::descendants(pid), Signal::SIGKILL);
        shell.kill().expect("it is a child");
        shell.wait().expect("it is a child");
        seen
    }

    #[tokio::test]
    async fn who_waits_for_input_is_seen() {
        assert!(is_seen("cat", &Stall::Reading).await);
    }

    #[tokio::test]
    async fn who_computes_is_seen() {
        assert!(is_seen("sh -c 'while :; do :; done'", &Stall::Computing).await);
    }

    #[tokio::test]
    async fn who_is_stopped_is_seen() {
        assert!(is_seen("sh -c 'kill -STOP $$'", &Stall::Stopped).await);
    }

    fn look(runnable: bool, ms: u64) -> Look {
        Look {
            runnable,
            cpu: Duration::from_millis(ms),
        }
    }

    #[test]
    fn who_only_wakes_up_does_not_compute() {
        // It has used much, long ago.
        let first = look(true, 700);
        assert_eq!(first.computes_since(first), None, "one look does not tell");
        assert_eq!(look(false, 700).computes_since(first), Some(false));
        let waits_for_a_core = look(true, 700);
        assert_eq!(waits_for_a_core.computes_since(first), None);
        assert_eq!(look(true, 709).computes_since(first), None);
        assert_eq!(look(true, 710).computes_since(first), Some(true));
        assert_eq!(
            look(false, 710).computes_since(first),
            Some(false),
            "no more"
        );
    }
}
