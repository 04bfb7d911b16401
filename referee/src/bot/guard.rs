//! The guard: a small process that outlives the referee by a moment.
//!
//! However the referee dies, its end of the pipe to the guard is closed then, and the guard
//! kills the process groups of all bots that are still registered.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Mutex;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// The hidden subcommand that a guard is.
pub const SUBCOMMAND: &str = "guard";

/// The referee's end.
#[derive(Debug)]
pub struct Guard {
    pipe: Mutex<ChildStdin>,
}

impl Guard {
    /// Starts a guard.
    ///
    /// # Errors
    /// If this very program cannot be started again.
    pub fn start() -> io::Result<Self> {
        let child = Command::new(std::env::current_exe()?)
            .arg(SUBCOMMAND)
            // Ctrl-C must not reach it before the referee is done.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let pipe = child
            .stdin
            .ok_or_else(|| io::Error::other("the guard has no pipe"))?;
        Ok(Guard {
            pipe: Mutex::new(pipe),
        })
    }

    /// A process group to be killed when the referee is gone.
    pub fn watch(&self, group: Pid) {
        self.tell('+', group);
    }

    /// A process group that has ended.
    pub fn forget(&self, group: Pid) {
        self.tell('-', group);
    }

    fn tell(&self, sign: char, group: Pid) {
        let mut pipe = self
            .pipe
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Err(error) = pipe.write_all(format!("{sign}{group}\n").as_bytes()) {
            tracing::warn!(
                "the guard that ends bots after a crash of the referee is gone: {error}"
            );
        }
    }
}

/// The guard's whole life: reads until the referee is gone, then kills what is left.
pub fn run(input: impl BufRead) {
    let mut groups = BTreeSet::new();
    for line in input.lines().map_while(Result::ok) {
        let Some((sign, group)) = line.split_at_checked(1) else {
            continue;
        };
        match (sign, group.parse::<i32>()) {
            ("+", Ok(group)) if group > 1 => groups.insert(group),
            (_, Ok(group)) => groups.remove(&group),
            _ => continue,
        };
    }
    for group in groups {
        // It may be gone already; there is nobody left to tell.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}
