//! Process trees as `/proc` shows them; `process/supervisor.rs` ends them. Without `/proc` a tree is empty, and callers have to use
//! process groups instead.
//!
//! Every supervisor that watches limits walks its tree each patrol, so this reads only what it
//! needs. The crate `procfs` takes twice as long to list children.

use std::fs;
use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, SysconfVar, sysconf};

/// True if this machine shows process trees.
pub(crate) fn is_visible() -> bool {
    lists_children() || fs::metadata("/proc/self/stat").is_ok()
}

/// A process id as signals take it.
///
/// # Errors
/// If no process can have this id: a signal to such an id would reach others.
pub(crate) fn pid(id: u32) -> io::Result<Pid> {
    let id = i32::try_from(id).ok().filter(|id| *id > 0);
    let id = id.ok_or_else(|| io::Error::other("the system gave a process an impossible id"))?;
    Ok(Pid::from_raw(id))
}

/// All descendants of a process, parents before their children. May miss processes that start or
/// end meanwhile.
pub(crate) fn descendants(root: Pid) -> Vec<Pid> {
    let mut found = children(root);
    let mut next = 0;
    while next < found.len() {
        let more = children(found[next]);
        next += 1;
        // A process that changes its parent meanwhile could be seen twice.
        for pid in more {
            if !found.contains(&pid) {
                found.push(pid);
            }
        }
    }
    found
}

pub fn children(parent: Pid) -> Vec<Pid> {
    if lists_children() {
        return listed_children(parent);
    }
    let all = numbers_in("/proc");
    let is_child = |pid: &Pid| Stat::read(*pid).is_some_and(|stat| stat.parent == parent);
    all.filter(is_child).collect()
}

/// Sends a signal to each process that is still there.
pub fn signal(pids: &[Pid], signal: Signal) {
    for pid in pids {
        let _ = kill(*pid, signal);
    }
}

/// True if the kernel keeps a list of each thread's children.
fn lists_children() -> bool {
    static LISTS: OnceLock<bool> = OnceLock::new();
    *LISTS.get_or_init(|| fs::metadata("/proc/thread-self/children").is_ok())
}

fn listed_children(parent: Pid) -> Vec<Pid> {
    let mut found = Vec::new();
    for thread in numbers_in(&format!("/proc/{parent}/task")) {
        let listed = fs::read_to_string(format!("/proc/{parent}/task/{thread}/children"));
        let listed = listed.unwrap_or_default();
        let pids = listed.split_ascii_whitespace().map(str::parse);
        found.extend(pids.filter_map(Result::ok).map(Pid::from_raw));
    }
    found
}

/// The numbers among the entries of a folder, as `/proc` names processes and threads.
fn numbers_in(folder: &str) -> impl Iterator<Item = Pid> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok().map(Pid::from_raw))
}

/// The CPU clock of a process, all its threads together.
#[derive(Clone, Copy, Debug)]
pub struct CpuClock {
    #[cfg(target_os = "linux")]
    id: nix::time::ClockId,
}

impl CpuClock {
    /// `None` if the process is gone or the machine has no such clocks.
    #[cfg(target_os = "linux")]
    pub fn of(pid: Pid) -> Option<Self> {
        let id = nix::time::clock_getcpuclockid(pid).ok()?;
        Some(CpuClock { id })
    }

    #[cfg(not(target_os = "linux"))]
    pub fn of(_: Pid) -> Option<Self> {
        None
    }

    /// The CPU time used so far; `None` if the process is gone.
    #[cfg(target_os = "linux")]
    pub fn now(self) -> Option<Duration> {
        self.id.now().ok().map(Duration::from)
    }

    #[cfg(not(target_os = "linux"))]
    pub fn now(self) -> Option<Duration> {
        None
    }
}

/// True if this machine reports the CPU time of other processes.
pub fn measures_cpu_time() -> bool {
    CpuClock::of(Pid::this()).is_some()
}

/// The fields of `/proc/PID/stat` that are used here; see proc(5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub parent: Pid,
    /// The CPU time of its children that have ended and been reaped, in whole clock ticks.
    pub waited_cpu: Duration,
    pub threads: u64,
    /// Bytes in memory, including those shared with other processes.
    pub resident: u64,
}

impl Stat {
    /// `None` if the process is gone.
    pub fn read(pid: Pid) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        // The name comes second and may hold anything, brackets and spaces included.
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        Some(Stat {
            parent: Pid::from_raw(fields.get(1)?.parse().ok()?),
            waited_cpu: ticks(number(13)? + number(14)?),
            threads: number(17)?,
            resident: number(21)? * page_size(),
        })
    }
}

pub(crate) fn ticks(ticks: u64) -> Duration {
    static HERTZ: OnceLock<u64> = OnceLock::new();
    let hertz = *HERTZ.get_or_init(|| system_value(SysconfVar::CLK_TCK).unwrap_or(100));
    Duration::from_nanos(ticks.saturating_mul(1_000_000_000 / hertz))
}

fn page_size() -> u64 {
    static PAGE: OnceLock<u64> = OnceLock::new();
    *PAGE.get_or_init(|| system_value(SysconfVar::PAGE_SIZE).unwrap_or(4096))
}

fn system_value(variable: SysconfVar) -> Option<u64> {
    let value = sysconf(variable).ok().flatten()?;
    u64::try_from(value).ok().filter(|value| *value > 0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::system::children::OwnChild;
    use std::process::{Command, Stdio};

    #[test]
    fn a_line_of_proc_is_read_whatever_the_name_is() {
        let text = "7 (a) b (c) S 5 7 7 0 -1 0 0 0 0 0 1 2 3 4 20 0 6 0 99 1000 3 0 0";
        let stat = Stat::parse(text).unwrap();
        assert_eq!(stat.parent, Pid::from_raw(5));
        assert_eq!((stat.threads, stat.resident), (6, 3 * page_size()));
        assert_eq!(stat.waited_cpu, ticks(7));
        assert_eq!(Stat::parse("7 (x) S"), None);
    }

    #[test]
    fn grandchildren_are_found() {
        let mut command = Command::new("sh");
        command
            .args(["-c", "sleep 60 & echo; wait"])
            .stdout(Stdio::piped());
        // Not a stray for the tests beside this one.
        let mut shell = OwnChild::spawn(&mut command).unwrap();
        let mut ready = [0];
        let mut out = shell.child.stdout.take().unwrap();
        std::io::Read::read_exact(&mut out, &mut ready).unwrap();
        let pid = Pid::from_raw(shell.child.id() as i32);
        let me = Pid::this();
        assert!(children(me).contains(&pid));
        let below = descendants(pid);
        assert_eq!(below.len(), 1, "{below:?}");
        assert!(descendants(me).contains(&below[0]));
        assert_eq!(Stat::read(below[0]).unwrap().parent, pid);
        assert!(CpuClock::of(below[0]).unwrap().now().is_some());
        signal(&below, Signal::SIGKILL);
        shell.child.wait().unwrap();
        assert_eq!(Stat::read(pid), None);
    }
}
