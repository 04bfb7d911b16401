//! Stops all processes of a bot while it is not its turn, and lets them go on.

use std::io;
use std::os::unix::net::UnixStream as StdStream;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::{sleep, timeout};

use super::process_tree;
use crate::sandbox::init;
use crate::sandbox::layers::cgroup::GroupFreezer;

/// How long the kernel may take until the last process rests. A process that hangs in a device
/// rests when it comes back.
const FREEZE_TIMEOUT: Duration = Duration::from_millis(100);
/// How long the kernel is asked again at once, because mostly all rest within microseconds.
const BUSY_WAIT: Duration = Duration::from_micros(200);
/// How often the kernel is asked after that.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// How often a walk through all processes is repeated, at most, while it finds new ones.
const MAX_WALKS: usize = 20;

/// What stops a bot and lets it go on.
#[derive(Debug)]
pub(crate) enum Freezer {
    /// The kernel, for a control group.
    Group(GroupFreezer),
    /// The first process in the bot's sandbox, at the other end of this connection.
    Init(UnixStream),
    /// Signals to all descendants of the supervisor, and to the process group of the bot.
    Signals {
        supervisor: Pid,
        /// The bot's first process; `None` until it runs.
        main: Option<Pid>,
    },
}

impl Freezer {
    /// The init at the other end of this connection.
    ///
    /// # Errors
    /// If the connection cannot be watched.
    pub(crate) fn init(control: StdStream) -> io::Result<Self> {
        control.set_nonblocking(true)?;
        Ok(Freezer::Init(UnixStream::from_std(control)?))
    }

    /// Stops the bot; it rests when this returns.
    pub(crate) async fn stop(&mut self) {
        match self {
            Freezer::Group(group) => freeze(group).await,
            Freezer::Init(control) => ask(control, init::STOP).await,
            Freezer::Signals { supervisor, main } => {
                signal_all(*supervisor, *main, Signal::SIGSTOP)
            }
        }
    }

    /// Lets the bot go on.
    pub(crate) async fn go_on(&mut self) {
        match self {
            // An error means that the bot is gone.
            Freezer::Group(group) => drop(group.thaw()),
            Freezer::Init(control) => ask(control, init::GO_ON).await,
            Freezer::Signals { supervisor, main } => {
                signal_all(*supervisor, *main, Signal::SIGCONT)
            }
        }
    }
}

async fn freeze(group: &GroupFreezer) {
    if group.freeze().is_err() {
        return;
    }
    let begun = Instant::now();
    while !group.is_frozen() && begun.elapsed() < FREEZE_TIMEOUT {
        if begun.elapsed() < BUSY_WAIT {
            std::thread::yield_now();
        } else {
            sleep(POLL_INTERVAL).await;
        }
    }
}

/// Sends a command to an init and waits until it is carried out. An init that does not answer is
/// about to end.
async fn ask(control: &mut UnixStream, command: u8) {
    let asked = async {
        control.write_all(&[command]).await?;
        let mut answer = [0];
        // The answer to an earlier command may come first.
        while answer[0] != command {
            control.read_exact(&mut answer).await?;
        }
        io::Result::Ok(())
    };
    let _ = timeout(FREEZE_TIMEOUT, asked).await;
}

/// Signals all processes, and repeats that until no new ones turn up.
fn signal_all(supervisor: Pid, main: Option<Pid>, signal: Signal) {
    // First the group at once, so that its members cannot multiply meanwhile; then the others.
    if let Some(main) = main {
        let _ = killpg(main, signal);
    }
    let mut seen: Vec<Pid> = Vec::new();
    for _ in 0..MAX_WALKS {
        let mut found = process_tree::descendants(supervisor);
        found.retain(|pid| !seen.contains(pid));
        if found.is_empty() {
            return;
        }
        process_tree::signal(&found, signal);
        seen.extend(found);
    }
}
