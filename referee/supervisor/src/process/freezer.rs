//! Freezes all processes of a bot while it is not its turn, and thaws them.

use std::io;
use std::os::unix::net::UnixStream as StdStream;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::{sleep, timeout};

use crate::sandbox::launch::init;
use crate::sandbox::layers::cgroup::GroupFreezer;
use crate::system::process_tree;

/// The time that the kernel has to freeze the last process. A process that hangs in a device stops
/// when it comes back.
const FREEZE_TIMEOUT: Duration = Duration::from_millis(100);
/// The kernel is polled without a pause for this long, because most processes stop within
/// microseconds.
const BUSY_WAIT: Duration = Duration::from_micros(200);
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// A walk through all processes is repeated at most this many times while it finds new ones.
const MAX_WALKS: usize = 20;

/// The means to freeze a bot.
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
    /// # Errors
    /// If the runtime cannot watch the connection.
    pub(crate) fn init(control: StdStream) -> io::Result<Self> {
        control.set_nonblocking(true)?;
        Ok(Freezer::Init(UnixStream::from_std(control)?))
    }

    pub(crate) async fn freeze(&mut self) {
        match self {
            Freezer::Group(group) => freeze_group(group).await,
            Freezer::Init(control) => ask(control, init::STOP).await,
            Freezer::Signals { supervisor, main } => {
                signal_all(*supervisor, *main, Signal::SIGSTOP)
            }
        }
    }

    pub(crate) async fn thaw(&mut self) {
        match self {
            // An error means that the bot is gone.
            Freezer::Group(group) => drop(group.thaw()),
            Freezer::Init(control) => ask(control, init::CONTINUE).await,
            Freezer::Signals { supervisor, main } => {
                signal_all(*supervisor, *main, Signal::SIGCONT)
            }
        }
    }
}

async fn freeze_group(group: &GroupFreezer) {
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

/// Sends a command to an init and waits until it has carried it out. An init that does not answer
/// is about to end.
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

/// Signals all processes until no new ones turn up.
fn signal_all(supervisor: Pid, main: Option<Pid>, signal: Signal) {
    // First the whole group at once, so that its members cannot fork meanwhile; then the others.
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
