//! Stops and continues all processes of a bot, so that it rests while it is not its turn.

use std::io;
use std::os::unix::net::UnixStream as StdStream;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::{sleep, timeout};

use super::{cgroup, init};
use crate::tree;

/// How long the kernel may take until the last process rests. What hangs in a device rests when it
/// comes back.
const WITHIN: Duration = Duration::from_millis(100);
/// For so long it is asked again at once: mostly all rest within microseconds.
const AT_ONCE: Duration = Duration::from_micros(200);
/// A walk through all processes is repeated at most this often while it finds new ones.
const WALKS: usize = 20;

/// What stops and continues a bot.
#[derive(Debug)]
pub(crate) enum Freezer {
    /// The kernel's, for a control group.
    Group(cgroup::Freezer),
    /// The first process in its sandbox.
    Init(UnixStream),
    /// Signals to what is found below this process, and to the group of this other one.
    Signals {
        /// The bot's keeper.
        keeper: Pid,
        /// The bot's first process.
        main: Option<Pid>,
    },
}

impl Freezer {
    /// By the init at the other end of this line.
    ///
    /// # Errors
    /// If the line cannot be watched.
    pub(crate) fn init(line: StdStream) -> io::Result<Self> {
        line.set_nonblocking(true)?;
        Ok(Freezer::Init(UnixStream::from_std(line)?))
    }

    /// Stops the bot; it rests when this is done.
    pub(crate) async fn stop(&mut self) {
        match self {
            Freezer::Group(group) => frozen(group).await,
            Freezer::Init(line) => ask(line, init::STOP).await,
            Freezer::Signals { keeper, main } => signal_all(*keeper, *main, Signal::SIGSTOP),
        }
    }

    /// Lets the bot go on.
    pub(crate) async fn go_on(&mut self) {
        match self {
            // An error means that it is gone.
            Freezer::Group(group) => drop(group.thaw()),
            Freezer::Init(line) => ask(line, init::GO_ON).await,
            Freezer::Signals { keeper, main } => signal_all(*keeper, *main, Signal::SIGCONT),
        }
    }
}

async fn frozen(group: &cgroup::Freezer) {
    if group.freeze().is_err() {
        return;
    }
    let begun = Instant::now();
    while !group.is_frozen() && begun.elapsed() < WITHIN {
        match begun.elapsed() < AT_ONCE {
            true => std::thread::yield_now(),
            false => sleep(Duration::from_millis(1)).await,
        }
    }
}

/// Says something to an init and waits until it is done. One that does not answer is being ended.
async fn ask(line: &mut UnixStream, command: u8) {
    let asked = async {
        line.write_all(&[command]).await?;
        let mut answer = [0];
        // An answer to what was asked before may come first.
        while answer[0] != command {
            line.read_exact(&mut answer).await?;
        }
        io::Result::Ok(())
    };
    let _ = timeout(WITHIN, asked).await;
}

/// Signals all processes, again and again until no new ones turn up.
fn signal_all(keeper: Pid, main: Option<Pid>, signal: Signal) {
    // The group at once, so that its members cannot multiply meanwhile; then the others.
    if let Some(main) = main {
        let _ = killpg(main, signal);
    }
    let mut seen: Vec<Pid> = Vec::new();
    for _ in 0..WALKS {
        let mut found = tree::descendants(keeper);
        found.retain(|pid| !seen.contains(pid));
        if found.is_empty() {
            return;
        }
        tree::signal(&found, signal);
        seen.extend(found);
    }
}
