//! Diagnoses a silent process, as far as `/proc` shows its state.

use std::fmt;
use std::fs;
use std::time::Duration;

use nix::unistd::Pid;
use tokio::time::sleep;

use crate::system::process_tree::CpuClock;

const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);
/// After this many samples, the diagnosis of processes that could run but hardly got a core is
/// given up.
const MAX_SAMPLES: u32 = 25;
/// Processes compute if they stay runnable and use this much CPU time since the first sample. A
/// thread that wakes from time to time uses microseconds; one that computes uses this much within
/// [`MAX_SAMPLES`] even where fifty others want the same core.
const MIN_CPU: Duration = Duration::from_millis(10);

/// The reason why no answer comes. Displays as part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stall {
    /// A process sleeps until input arrives on the bot's stdin.
    Reading,
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

/// Examines the processes that `list` returns at the time of each sample; `stdin` is the inode of
/// the pipe that the bot reads. `None` if nothing is certain.
pub(crate) async fn diagnose(list: impl Fn() -> Vec<Pid>, stdin: u64) -> Option<Stall> {
    let processes = list();
    let process = |pid: &Pid| state(&format!("/proc/{pid}"));
    if !processes.is_empty() && processes.iter().all(|pid| process(pid) == Some('T')) {
        return Some(Stall::Stopped);
    }
    // Before `Reading`: a thread of its own may wait for input meanwhile.
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

/// The state of processes at one time.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// A thread runs or waits for a core.
    runnable: bool,
    /// Of all processes together.
    cpu: Duration,
}

impl Sample {
    fn of(processes: &[Pid]) -> Self {
        let runnable = |pid: &Pid| tasks(*pid).any(|task| state(&task) == Some('R'));
        let cpu = |pid: &Pid| CpuClock::of(*pid)?.now();
        Sample {
            runnable: processes.iter().any(runnable),
            cpu: processes.iter().filter_map(cpu).sum(),
        }
    }

    /// True if processes have computed since an earlier sample; `None` if it is too early to know.
    fn computes_since(self, first: Sample) -> Option<bool> {
        if !self.runnable {
            return Some(false);
        }
        (self.cpu.saturating_sub(first.cpu) >= MIN_CPU).then_some(true)
    }
}

/// True if processes compute. One sample cannot show that: a thread that only wakes up is runnable
/// at that moment, and stays so for a while on a busy machine.
async fn compute(list: impl Fn() -> Vec<Pid>) -> bool {
    let first = Sample::of(&list());
    let mut sample = first;
    for _ in 0..MAX_SAMPLES {
        if let Some(computes) = sample.computes_since(first) {
            return computes;
        }
        sleep(SAMPLE_INTERVAL).await;
        sample = Sample::of(&list());
    }
    sample.computes_since(first) == Some(true)
}

/// The state of the process or thread with this folder, as a letter of proc(5).
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

/// True if a thread waits in a read of descriptor 0. The kernel shows a system call by its number
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
    use crate::system::children::OwnChild;
    use crate::system::process_tree;
    use nix::sys::signal::Signal;
    use nix::sys::stat::fstat;
    use std::process::{Command, Stdio};
    use std::time::Instant;

    /// True if a shell command is diagnosed like this within 20 seconds.
    async fn is_diagnosed(command: &str, expected: &Stall) -> bool {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("{command}; echo")])
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        // Not a stray for the tests beside this one.
        let mut shell = OwnChild::spawn(&mut shell).expect("a shell");
        let pid = Pid::from_raw(shell.child.id() as i32);
        let inode = fstat(shell.child.stdin.as_ref().expect("a pipe"))
            .expect("its inode")
            .st_ino;
        let end = Instant::now() + Duration::from_secs(20);
        let below = || process_tree::descendants(pid);
        let mut found = false;
        while !found && Instant::now() < end {
            sleep(Duration::from_millis(5)).await;
            found = diagnose(below, inode).await.as_ref() == Some(expected);
        }
        // Nothing reads another pipe.
        assert!(*expected != Stall::Reading || diagnose(below, inode + 1).await.is_none());
        process_tree::signal(&process_tree::descendants(pid), Signal::SIGKILL);
        shell.child.kill().expect("it is a child");
        shell.child.wait().expect("it is a child");
        found
    }

    #[tokio::test]
    async fn waiting_for_input_is_diagnosed() {
        assert!(is_diagnosed("cat", &Stall::Reading).await);
    }

    #[tokio::test]
    async fn computing_is_diagnosed() {
        assert!(is_diagnosed("sh -c 'while :; do :; done'", &Stall::Computing).await);
    }

    #[tokio::test]
    async fn being_stopped_is_diagnosed() {
        assert!(is_diagnosed("sh -c 'kill -STOP $$'", &Stall::Stopped).await);
    }

    fn sample(runnable: bool, ms: u64) -> Sample {
        Sample {
            runnable,
            cpu: Duration::from_millis(ms),
        }
    }

    #[test]
    fn waking_up_is_not_computing() {
        // It has used much CPU time, long ago.
        let first = sample(true, 700);
        assert_eq!(
            first.computes_since(first),
            None,
            "one sample cannot show it"
        );
        assert_eq!(sample(false, 700).computes_since(first), Some(false));
        let waits_for_a_core = sample(true, 700);
        assert_eq!(waits_for_a_core.computes_since(first), None);
        assert_eq!(sample(true, 709).computes_since(first), None);
        assert_eq!(sample(true, 710).computes_since(first), Some(true));
        assert_eq!(
            sample(false, 710).computes_since(first),
            Some(false),
            "no more"
        );
    }
}
