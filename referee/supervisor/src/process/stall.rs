//! What a process that does not answer seems to be doing, as far as `/proc` shows it.

use std::fmt;
use std::fs;

use nix::unistd::Pid;

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

/// Examines processes; `stdin` is the inode of the pipe that the bot reads. `None` if nothing is
/// certain.
pub(crate) fn diagnose(processes: &[Pid], stdin: u64) -> Option<Stall> {
    let process = |pid: &Pid| state(&format!("/proc/{pid}"));
    if !processes.is_empty() && processes.iter().all(|pid| process(pid) == Some('T')) {
        return Some(Stall::Stopped);
    }
    // Before the next one: a thread of its own may wait for input meanwhile.
    let computes = |pid: &Pid| tasks(*pid).any(|task| state(&task) == Some('R'));
    if processes.iter().any(computes) {
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
    use std::thread;
    use std::time::{Duration, Instant};

    /// Whether the diagnosis of a command of the shell becomes this one, within a long while.
    fn is_seen(command: &str, expected: &Stall) -> bool {
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
        let seen_now = |inode| diagnose(&process_tree::descendants(pid), inode);
        let mut seen = false;
        while !seen && Instant::now() < end {
            thread::sleep(Duration::from_millis(5));
            seen = seen_now(inode).as_ref() == Some(expected);
        }
        // About another pipe nothing is known.
        assert!(*expected != Stall::Reading || seen_now(inode + 1).is_none());
        process_tree::signal(&process_tree::descendants(pid), Signal::SIGKILL);
        shell.kill().expect("it is a child");
        shell.wait().expect("it is a child");
        seen
    }

    #[test]
    fn who_waits_for_input_is_seen() {
        assert!(is_seen("cat", &Stall::Reading));
    }

    #[test]
    fn who_computes_is_seen() {
        assert!(is_seen("sh -c 'while :; do :; done'", &Stall::Computing));
    }

    #[test]
    fn who_is_stopped_is_seen() {
        assert!(is_seen("sh -c 'kill -STOP $$'", &Stall::Stopped));
    }
}
