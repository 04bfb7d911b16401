//! What a bot that does not answer seems to be doing, as far as `/proc` shows it.

use std::fs;

use nix::unistd::Pid;

use super::tree;

/// What a look at a bot's processes has told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// One of them sleeps until something comes on the bot's stdin.
    Reading,
    /// One of them computes.
    Computing,
    /// They are stopped, by a signal or a debugger.
    Stopped,
}

/// Looks at all processes below a keeper; `stdin` is the inode of the pipe that the bot reads.
/// `None` where nothing sure can be said.
pub(super) fn at(keeper: Pid, stdin: u64) -> Option<Sight> {
    let below = tree::descendants(keeper);
    let process = |pid: &Pid| state(&format!("/proc/{pid}"));
    if !below.is_empty() && below.iter().all(|pid| process(pid) == Some('T')) {
        return Some(Sight::Stopped);
    }
    // Before the next one: a thread of its own may wait for input meanwhile.
    let computes = |pid: &Pid| tasks(*pid).any(|task| state(&task) == Some('R'));
    if below.iter().any(computes) {
        return Some(Sight::Computing);
    }
    let pipe = format!("pipe:[{stdin}]");
    let reads = |pid: &Pid| {
        let link = fs::read_link(format!("/proc/{pid}/fd/0"));
        link.is_ok_and(|link| link.to_str() == Some(&pipe)) && tasks(*pid).any(|task| sleeps(&task))
    };
    below.iter().any(reads).then_some(Sight::Reading)
}

/// The letter that proc(5) has for what a process or thread, by its folder, does.
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
fn sleeps(task: &str) -> bool {
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
    use nix::sys::signal::Signal;
    use nix::sys::stat::fstat;
    use std::process::{Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    /// Whether this is seen of what a shell starts, within a long while.
    fn is_seen(command: &str, expected: Sight) -> bool {
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
        let mut seen = false;
        while !seen && Instant::now() < end {
            thread::sleep(Duration::from_millis(5));
            seen = at(pid, inode) == Some(expected);
        }
        // Of another pipe nothing is known.
        assert!(expected != Sight::Reading || at(pid, inode + 1).is_none());
        tree::signal(&tree::descendants(pid), Signal::SIGKILL);
        shell.kill().expect("it is a child");
        shell.wait().expect("it is a child");
        seen
    }

    #[test]
    fn who_waits_for_input_is_seen() {
        assert!(is_seen("cat", Sight::Reading));
    }

    #[test]
    fn who_computes_is_seen() {
        assert!(is_seen("sh -c 'while :; do :; done'", Sight::Computing));
    }

    #[test]
    fn who_is_stopped_is_seen() {
        assert!(is_seen("sh -c 'kill -STOP $$'", Sight::Stopped));
    }
}
